"""A bounding volume tree over the elements of a body, built once and refitted as they move.

Elements are split across their longest side down to patches, which are therefore compact and mostly of one piece.
Within a patch they are ordered along a space-filling curve. Nodes are stored in depth-first order, parent first and
left child next; `skip[node]` is the node after the whole subtree. So a traversal needs no stack:

    node = 0
    while node < end:  box overlaps?  leaf -> test its elements, node += 1 (or descend);  else node = skip[node]
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...compiler.kernels import building_kernel, kernel

LEAF_ELEMENTS = 4
# Largest number of elements in a patch.
PATCH = 32


@dataclass
class Tree:
    """Nodes over elements.

    Attributes:
        order: (t,) int64, elements along the curve.
        first, last: (nodes,) int64, range of `order` in a leaf; first = last in inner nodes.
        skip: (nodes,) int64, the node after this one's whole subtree.
    """

    order: np.ndarray
    first: np.ndarray
    last: np.ndarray
    skip: np.ndarray


def build_tree(vertices: np.ndarray, elements: np.ndarray, leaf: int = LEAF_ELEMENTS) -> Tree:
    """Tree over (t, 3) elements, t >= 1, with at most `leaf` elements in a leaf."""
    middle = vertices[elements].mean(axis=1)
    order = np.lexsort((_curve(middle), halved(middle, PATCH))).astype(np.int64)
    capacity = max(1, 4 * (len(elements) // leaf + 1))
    first = np.zeros(capacity, dtype=np.int64)
    last = np.zeros(capacity, dtype=np.int64)
    skip = np.zeros(capacity, dtype=np.int64)
    count = _halve(len(elements), leaf, first, last, skip)
    return Tree(order, first[:count].copy(), last[:count].copy(), skip[:count].copy())


def halved(points: np.ndarray, most: int) -> np.ndarray:
    """Split points into patches of at most `most` points; patch number of each, (n,) int64.

    Points are split at the median of their longest side, so patches with close numbers lie close to each other.
    """
    patch = np.empty(len(points), dtype=np.int64)
    ranges, count = [(np.arange(len(points)))], 0
    while ranges:
        own = ranges.pop()
        if len(own) <= most:
            patch[own] = count
            count += 1
            continue
        axis = int(np.ptp(points[own], axis=0).argmax())
        own = own[np.argsort(points[own, axis], kind="stable")]
        ranges += [own[len(own) // 2 :], own[: len(own) // 2]]
    return patch


def _curve(points: np.ndarray) -> np.ndarray:
    """Position of each point along a Morton curve, (n,) int64, 20 bits an axis."""
    low = points.min(axis=0)
    span = max(float((points.max(axis=0) - low).max()), 1e-300)
    cell = ((points - low) / span * ((1 << 20) - 1)).astype(np.int64)
    code = np.zeros(len(points), dtype=np.int64)
    for bit in range(20):
        for axis in range(3):
            code |= ((cell[:, axis] >> bit) & 1) << (3 * bit + axis)
    return code


@building_kernel
def _halve(element_count, leaf, first, last, skip):
    """Depth-first split with a stack of ranges; `skip` is filled in afterwards from the depths."""
    starts = np.empty(128, dtype=np.int64)
    stops = np.empty(128, dtype=np.int64)
    depth = np.empty(first.shape[0], dtype=np.int64)
    depths = np.empty(128, dtype=np.int64)
    top = 1
    starts[0] = 0
    stops[0] = element_count
    depths[0] = 0
    node = 0
    while top > 0:
        top -= 1
        start = starts[top]
        stop = stops[top]
        depth[node] = depths[top]
        if stop - start <= leaf:
            first[node] = start
            last[node] = stop
        else:
            middle = (start + stop) // 2
            starts[top] = middle
            stops[top] = stop
            depths[top] = depth[node] + 1
            starts[top + 1] = start
            stops[top + 1] = middle
            depths[top + 1] = depth[node] + 1
            top += 2
        node += 1
    for i in range(node):
        after = i + 1
        while after < node and depth[after] > depth[i]:
            after += 1
        skip[i] = after
    return node


def tree_boxes(vertices: np.ndarray, elements: np.ndarray, tree: Tree) -> tuple[np.ndarray, np.ndarray]:
    """Lower and upper corner of each node's bounding box [m], (nodes, 3) each."""
    low, high = np.empty((len(tree.skip), 3)), np.empty((len(tree.skip), 3))
    fit_boxes(vertices, elements, tree.order, tree.first, tree.last, tree.skip, low, high)
    return low, high


@kernel
def fit_boxes(x, elements, order, first, last, skip, low, high):
    """Children come after their parent, so one pass from the back refits all boxes."""
    for node in range(skip.shape[0] - 1, -1, -1):
        if last[node] == first[node]:
            join_boxes(node, skip, low, high)
            continue
        for k in range(3):
            low[node, k] = np.inf
            high[node, k] = -np.inf
            for place in range(first[node], last[node]):
                for e in range(3):
                    value = x[elements[order[place], e], k]
                    low[node, k] = min(low[node, k], value)
                    high[node, k] = max(high[node, k], value)


@kernel
def join_boxes(node, skip, low, high):
    """Set a node's box to the union of its two children's boxes."""
    left = node + 1
    right = skip[left]
    for k in range(3):
        low[node, k] = min(low[left, k], low[right, k])
        high[node, k] = max(high[left, k], high[right, k])
