"""Connected components of a graph, and a vertex order that keeps neighbours close in memory."""

from __future__ import annotations

import numpy as np

from ...compiler.kernels import building_kernel
from .edges import neighbour_lists


def components(pairs: np.ndarray, vertex_count: int) -> tuple[np.ndarray, np.ndarray]:
    """Label connected components.

    Returns:
        label (n,) int32, counted from 0 in the order of each component's lowest vertex, and
        rank (n,) int64, the breadth-first position of each vertex, component after component.
    """
    return with_depths(pairs, vertex_count)[:2]


def with_depths(pairs: np.ndarray, vertex_count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """As `components`, and the number of links from the lowest vertex of its component to each vertex, (n,) int64."""
    start, ids = neighbour_lists(pairs, vertex_count)
    label = np.full(vertex_count, -1, dtype=np.int32)
    rank, depth = np.empty(vertex_count, dtype=np.int64), np.zeros(vertex_count, dtype=np.int64)
    _flood(start, ids, label, rank, depth)
    return label, rank, depth


@building_kernel
def _flood(start, ids, label, rank, depth):
    vertex_count = start.shape[0] - 1
    queue = np.empty(vertex_count, dtype=np.int64)
    piece = 0
    filled = 0
    for root in range(vertex_count):
        if label[root] >= 0:
            continue
        label[root] = piece
        queue[filled] = root
        head = filled
        filled += 1
        while head < filled:
            i = queue[head]
            rank[i] = head
            head += 1
            for e in range(start[i], start[i + 1]):
                j = ids[e]
                if label[j] < 0:
                    label[j] = piece
                    depth[j] = depth[i] + 1
                    queue[filled] = j
                    filled += 1
        piece += 1


def members(label: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Compressed member lists of labels >= 0: `ids[start[p]:start[p + 1]]`, ascending."""
    chosen = np.flatnonzero(label >= 0)
    order = np.argsort(label[chosen], kind="stable")
    ids = chosen[order].astype(np.int64)
    count = np.bincount(label[chosen]) if len(chosen) else np.zeros(0, dtype=np.int64)
    return np.concatenate([[0], np.cumsum(count)]).astype(np.int64), ids
