"""A tree of boxes over the triangles of each body, built once and refitted as they move.

Triangles are sorted along a space-filling curve and halved into nodes, stored parent first, left child next:
`skip[node]` is where to go on when a node is of no interest. A walk needs no stack:

    node = 0
    while node < end:  box meets?  leaf -> look at its triangles, node += 1 (or descend);  else node = skip[node]
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..jit import kernel

LEAF_TRIANGLES = 4


@dataclass
class Tree:
    """Boxes over triangles.

    Attributes:
        order: (t,) int64, triangles along the curve.
        first, last: (nodes,) int64, range of `order` in a leaf; first = last in inner nodes.
        skip: (nodes,) int64, the node after this one's whole subtree.
        low, high: (nodes, 3) float64, corners of the boxes [m].
    """

    order: np.ndarray
    first: np.ndarray
    last: np.ndarray
    skip: np.ndarray
    low: np.ndarray
    high: np.ndarray


def build_tree(vertices: np.ndarray, triangles: np.ndarray) -> Tree:
    """Tree over (t, 3) triangles, t >= 1."""
    middle = vertices[triangles].mean(axis=1)
    order = np.argsort(_curve(middle), kind="stable").astype(np.int64)
    capacity = max(1, 4 * (len(triangles) // LEAF_TRIANGLES + 1))
    first = np.zeros(capacity, dtype=np.int64)
    last = np.zeros(capacity, dtype=np.int64)
    skip = np.zeros(capacity, dtype=np.int64)
    count = _halve(len(triangles), first, last, skip)
    tree = Tree(
        order, first[:count].copy(), last[:count].copy(), skip[:count].copy(),
        np.zeros((count, 3)), np.zeros((count, 3)),
    )
    refit(vertices, triangles, np.zeros(len(vertices)), tree.order, tree.first, tree.last, tree.skip,
          0, count, tree.low, tree.high)
    return tree


def _curve(points: np.ndarray) -> np.ndarray:
    """Place of each point along a Morton curve, (n,) int64, 20 bits an axis."""
    low = points.min(axis=0)
    span = max(float((points.max(axis=0) - low).max()), 1e-300)
    cell = ((points - low) / span * ((1 << 20) - 1)).astype(np.int64)
    code = np.zeros(len(points), dtype=np.int64)
    for bit in range(20):
        for axis in range(3):
            code |= ((cell[:, axis] >> bit) & 1) << (3 * bit + axis)
    return code


@kernel
def _halve(triangle_count, first, last, skip):
    """Depth first with a stack of ranges; skips are filled in from the depth of what follows."""
    starts = np.empty(128, dtype=np.int64)
    stops = np.empty(128, dtype=np.int64)
    depth = np.empty(first.shape[0], dtype=np.int64)
    depths = np.empty(128, dtype=np.int64)
    top = 1
    starts[0] = 0
    stops[0] = triangle_count
    depths[0] = 0
    node = 0
    while top > 0:
        top -= 1
        start = starts[top]
        stop = stops[top]
        depth[node] = depths[top]
        if stop - start <= LEAF_TRIANGLES:
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


@kernel
def refit(x, triangles, reach, order, first, last, skip, start, stop, low, high):
    """Boxes of nodes start..stop around their triangles, widened by each vertex's `reach` [m].

    Children stand behind their parent, so one pass from the back serves all. In a forest, `order`, `first`, `last`
    and `skip` hold indices into the forest's own arrays.
    """
    for node in range(stop - 1, start - 1, -1):
        if last[node] > first[node]:
            for k in range(3):
                low[node, k] = np.inf
                high[node, k] = -np.inf
            for place in range(first[node], last[node]):
                t = order[place]
                for corner in range(3):
                    i = triangles[t, corner]
                    for k in range(3):
                        low[node, k] = min(low[node, k], x[i, k] - reach[i])
                        high[node, k] = max(high[node, k], x[i, k] + reach[i])
        else:
            left = node + 1
            right = skip[left]
            for k in range(3):
                low[node, k] = min(low[left, k], low[right, k])
                high[node, k] = max(high[left, k], high[right, k])
