"""Disjoint sets as trees in an array: each node leads to another one of its set, and the one that names it to itself.

Source: Tarjan (1975), Efficiency of a good but not linear set union algorithm.
"""

from __future__ import annotations

from ..compiler.kernels import kernel


@kernel
def root_of(root, node):
    """The node that names the set of a node, which paths to it lead to from now on."""
    while root[node] != node:
        root[node] = root[root[node]]
        node = root[node]
    return node


@kernel
def join(root, a, b):
    """Join the sets of two nodes; the lowest node names a set, so the order of contacts does not matter."""
    a = root_of(root, a)
    b = root_of(root, b)
    root[max(a, b)] = min(a, b)
    return min(a, b)
