"""Refinement of a surface whose edges are longer than the cells that carry it.

Contacts act on a body's surface, and only its vertices transfer loads to the cells: nothing would stop a cell without a
vertex nearby. So long edges are halved until none is longer than a given length. The added vertices are hidden: they
are simulated like all others, but the artist's mesh does not contain them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..graph.edges import pair_keys, triangle_edges, unique_pairs


class Refinement(NamedTuple):
    """Vertices that were added to a mesh of `count` vertices.

    Attributes:
        count: number of vertices of the mesh.
        parents: (h, 2) int64, each added vertex is halfway between two earlier ones.
        level_start: ranges of added vertices whose parents are all in earlier ranges.
    """

    count: int
    parents: np.ndarray
    level_start: tuple[int, ...]

    def extended(self, values: np.ndarray) -> np.ndarray:
        """Values (n, ...) of the mesh's vertices, and then of the added ones: means of their parents."""
        found = np.concatenate([values, np.zeros((len(self.parents), *values.shape[1:]), dtype=values.dtype)])
        for first, stop in zip(self.level_start[:-1], self.level_start[1:], strict=True):
            a, b = self.parents[first:stop].T
            found[self.count + first : self.count + stop] = 0.5 * (found[a] + found[b])
        return found

    def between(self, some: np.ndarray) -> np.ndarray:
        """Indices of added vertices that lie between vertices in `some` (n,) bool only, ascending."""
        return self.count + np.flatnonzero(self.extended(some.astype(np.float64))[self.count :] == 1.0)


def refine(vertices: np.ndarray, triangles: np.ndarray, longest: float) -> tuple[Refinement, np.ndarray]:
    """Halve edges until none is longer than `longest` [m]; returns the added vertices and the triangles (t, 3).

    Args: vertices: (n, 3) [m]; triangles: (t, 3).
    """
    x, triangles = vertices, np.asarray(triangles, dtype=np.int64)
    parents, level_start = [np.zeros((0, 2), dtype=np.int64)], [0]
    while len(pairs := _long_edges(x, triangles, longest)):
        triangles = _split(triangles, pairs, len(x))
        x = np.concatenate([x, 0.5 * (x[pairs[:, 0]] + x[pairs[:, 1]])])
        parents.append(pairs)
        level_start.append(level_start[-1] + len(pairs))
    return Refinement(len(vertices), np.concatenate(parents), tuple(level_start)), triangles.astype(np.int32)


def _long_edges(x: np.ndarray, triangles: np.ndarray, longest: float) -> np.ndarray:
    pairs = unique_pairs(triangle_edges(triangles)).astype(np.int64)
    return pairs[np.linalg.norm(x[pairs[:, 1]] - x[pairs[:, 0]], axis=1) > longest]


def _split(triangles: np.ndarray, pairs: np.ndarray, first: int) -> np.ndarray:
    """Triangles with vertices first, first + 1, ... on the edges `pairs`, which are sorted."""
    sides, span = pair_keys(np.concatenate([triangle_edges(triangles), pairs]))
    known, sides = sides[len(sides) - len(pairs) :], sides[: len(sides) - len(pairs)]
    place = np.minimum(np.searchsorted(known, sides), len(known) - 1)
    middle = np.where(known[place] == sides, first + place, -1).reshape(-1, 3)
    halved = middle >= 0
    count = halved.sum(axis=1)
    # Rotate corners so that the only halved edge, or the first of two, comes first.
    rotation = np.where(count == 1, halved.argmax(axis=1), 0)
    rotation = np.where(count == 2, (halved.argmin(axis=1) + 1) % 3, rotation)
    corner = (rotation[:, None] + np.arange(3)) % 3
    (a, b, c), (ab, bc, ca) = (np.take_along_axis(own, corner, axis=1).T for own in (triangles, middle))
    pieces = {
        0: ((a, b, c),),
        1: ((a, ab, c), (ab, b, c)),
        2: ((ab, b, bc), (a, ab, bc), (a, bc, c)),
        3: ((a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca)),
    }
    found = [np.stack(piece, axis=1)[count == number] for number, own in pieces.items() for piece in own]
    return np.concatenate(found)
