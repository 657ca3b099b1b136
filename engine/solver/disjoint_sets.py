"""Disjoint sets (union-find) as trees in an array: `root` holds the parent of each node; the root is its own parent.

Source: Tarjan (1975), Efficiency of a good but not linear set union algorithm.
"""

from __future__ import annotations

from ..compiler.kernels import kernel


@kernel
def root_of(root, node):
    """The root of the set of a node; halves the path to it."""
    while root[node] != node:
        root[node] = root[root[node]]
        node = root[node]
    return node


@kernel
def join(root, a, b):
    """Join the sets of two nodes; the lowest node becomes the root, so the order of contacts does not matter."""
    a = root_of(root, a)
    b = root_of(root, b)
    root[max(a, b)] = min(a, b)
    return min(a, b)
