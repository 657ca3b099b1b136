"""Detects pairs of bodies that already intersect: contacts between them cannot part them, for neither has a side."""

from __future__ import annotations

import numpy as np

from ...solver.collide.broad_phase.elements import Elements

# Faces that are compared with edges at once.
BLOCK = 512


class Overlaps:
    """Pairs of bodies that were found to intersect in the running frame.

    Attributes:
        pairs: sorted keys of the pairs, `first body * bodies + second body` with the first below the second.
    """

    def __init__(self, elements: Elements, body: np.ndarray, bodies: int) -> None:
        """Args: elements: of all bodies; body: (n,) body of each particle; bodies: how many there are."""
        self._elements, self._body, self._bodies = elements, body, bodies
        self.pairs = np.zeros(0, dtype=np.int64)

    def begin_frame(self) -> None:
        """Forget all pairs."""
        self.pairs = self.pairs[:0]

    def has(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """Which of the pairs of bodies a and b, (k,) each, are known to intersect, (k,) bool."""
        if not len(self.pairs):
            return np.zeros(len(a), dtype=bool)
        return np.isin(self._keys(a, b), self.pairs)

    def look(self, particles: np.ndarray, x: np.ndarray) -> None:
        """Add the pairs of bodies of contacts that intersect near these contacts.

        Args: particles: (k, 4) of each contact; x: (n, 3) positions to look at [m].
        """
        keys = self._keys(self._body[particles[:, 0]], self._body[particles[:, 3]])
        for key in np.setdiff1d(keys, self.pairs):
            near = x[particles[keys == key]].reshape(-1, 3)
            a, b = divmod(int(key), self._bodies)
            low, high = near.min(axis=0), near.max(axis=0)
            if self._cut(a, b, x, low, high) or (a != b and self._cut(b, a, x, low, high)):
                self.pairs = np.union1d(self.pairs, [key])

    def _keys(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """Key of each pair of bodies, (k,) int64."""
        return np.minimum(a, b).astype(np.int64) * self._bodies + np.maximum(a, b)

    def _cut(self, a: int, b: int, x: np.ndarray, low: np.ndarray, high: np.ndarray) -> bool:
        """Whether an edge of body a intersects a face of body b, where both reach into the box from low to high."""
        edges = _within(x, self._elements.edge[self._body[self._elements.edge[:, 0]] == a], low, high)
        faces = _within(x, self._elements.corner[self._body[self._elements.corner[:, 0]] == b], low, high)
        faces = faces[np.argsort(x[faces[:, 0], 0])]
        return any(intersects(x, edges, faces[at : at + BLOCK]) for at in range(0, len(faces), BLOCK))


def _within(x: np.ndarray, elements: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Those of elements (e, 2 or 3), in particle indices, whose box meets the box from low to high [m]."""
    corners = x[elements]
    return elements[((corners.min(axis=1) <= high) & (corners.max(axis=1) >= low)).all(axis=1)]


def intersects(x: np.ndarray, edges: np.ndarray, faces: np.ndarray) -> bool:
    """Whether any of edges (e, 2) passes through any of faces (f, 3), which share no particle with it; x (n, 3) [m]."""
    low, high = x[faces].min(axis=1), x[faces].max(axis=1)
    if not len(faces):
        return False
    edges = _within(x, edges, low.min(axis=0), high.max(axis=0))
    low_e, high_e = x[edges].min(axis=1), x[edges].max(axis=1)
    e, f = np.nonzero(((low_e[:, None] <= high) & (high_e[:, None] >= low)).all(axis=2))
    apart = (edges[e][:, :, None] != faces[f][:, None, :]).all(axis=(1, 2))
    (p, q), (a, b, c) = x[edges[e[apart]]].swapaxes(0, 1), x[faces[f[apart]]].swapaxes(0, 1)

    def side(u: np.ndarray, v: np.ndarray, w: np.ndarray, z: np.ndarray) -> np.ndarray:
        """Six times the volume of each tetrahedron, (k,) [m³]."""
        return np.einsum("ij,ij->i", np.cross(v - u, w - u), z - u)

    crosses_plane = side(a, b, c, p) * side(a, b, c, q) < 0.0
    turns = np.stack([side(p, q, a, b), side(p, q, b, c), side(p, q, c, a)])
    return bool((crosses_plane & ((turns > 0.0).all(axis=0) | (turns < 0.0).all(axis=0))).any())
