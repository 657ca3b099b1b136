"""Which points lie within a mesh, by winding numbers."""

from __future__ import annotations

import numpy as np

from ...compiler.kernels import parallel_kernel, prange
from ..graph.tree import build_tree
from .winding import DipoleTree, fit_dipoles, winding_number

# A point is inside if the absolute winding number exceeds this.
INSIDE = 0.5


def are_within(vertices: np.ndarray, triangles: np.ndarray, places: np.ndarray) -> np.ndarray:
    """Which of some points (m, 3) lie within triangles (t, 3) of vertices (n, 3), (m,) bool; all in [m]."""
    within = np.zeros(len(places), dtype=bool)
    if len(triangles) == 0 or len(places) == 0:
        return within
    used = vertices[np.unique(triangles)]
    near = np.flatnonzero(((places > used.min(axis=0)) & (places < used.max(axis=0))).all(axis=1))
    if len(near):
        within[near] = np.abs(winding_at(vertices, triangles, places[near])) > INSIDE
    return within


def winding_at(vertices: np.ndarray, triangles: np.ndarray, places: np.ndarray) -> np.ndarray:
    """Winding number of triangles (t, 3) of vertices (n, 3) at some points (m, 3), (m,)."""
    x, corners = np.ascontiguousarray(vertices, dtype=np.float64), np.ascontiguousarray(triangles, dtype=np.int32)
    tree = build_tree(x, corners)
    nodes = len(tree.skip)
    middle, area, size = np.zeros((nodes, 3)), np.zeros((nodes, 3)), np.zeros(nodes)
    dipoles = DipoleTree(tree.order, tree.first, tree.last, tree.skip, middle, area, size, np.zeros(nodes))
    fit_dipoles(x, corners, *dipoles)
    found = np.zeros(len(places))
    wind_all(x, corners, dipoles, np.ascontiguousarray(places, dtype=np.float64), found)
    return found


@parallel_kernel
def wind_all(x, triangles, tree, places, found):
    """Winding numbers at points (m, 3), out: found (m,)."""
    for i in prange(places.shape[0]):
        found[i] = winding_number(x, triangles, tree, 0.0, places[i, 0], places[i, 1], places[i, 2])[0]
