"""Springs, edges and open edges of a torn mesh: a pass over pairs of corners that were sorted once.

A spring joins two corners of the same face. Pairs of corners of the same two vertices are one spring in the whole mesh.
In a torn mesh there is one spring for each distinct pair of particles.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....compiler.kernels import kernel
from ....mesh.graph.edges import match_pairs, pair_order, unique_pairs
from ....mesh.graph.links import lengths
from ....mesh.graph.rings import surface_pairs
from ....mesh.tear.corners import Corners
from ....mesh.tear.torn_mesh import TornMesh


class Sides(NamedTuple):
    """Pairs of corners of the same face that a spring joins, by the pair of vertices that they belong to.

    Attributes:
        start: (g + 1,) ranges of pairs of corners; first, second: (m,) int32 corners.
        winding: (m,) int8, 1 for an edge of the face that is wound from first to second, -1 from second to first, else
            0; edge: (g,) edge of the whole mesh, -1 for none; rest: (g,) distance of each pair of vertices [m].
    """

    start: np.ndarray
    first: np.ndarray
    second: np.ndarray
    winding: np.ndarray
    edge: np.ndarray
    rest: np.ndarray


class TornSides(NamedTuple):
    """Springs of a torn mesh, sorted by their particles.

    Attributes:
        pairs: (s, 2) int32, lower particle first; of: (s,) pair of vertices in `Sides`.
        faces: (s,) int64, faces with this edge, 0 for springs that are not edges.
        rim: (r, 2) int32, edges with one face, wound as in the face.
    """

    pairs: np.ndarray
    of: np.ndarray
    faces: np.ndarray
    rim: np.ndarray

    def edges(self) -> np.ndarray:
        """All edges, (m, 2) int32, ascending."""
        return self.pairs.take(np.flatnonzero(self.faces), axis=0)


def find_sides(vertices: np.ndarray, corners: Corners, oriented: np.ndarray, edges: np.ndarray) -> Sides:
    """All sides of a whole mesh.

    Args: vertices: (n, 3) [m]; oriented: (t, 3) corners of triangles, wound consistently; edges: (e, 2) vertices.
    """
    borders = unique_pairs(corners.borders())
    links = surface_pairs(corners.triangles, borders)
    wound = oriented[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)
    place = match_pairs(wound, links)
    winding = np.where(wound[np.maximum(place, 0), 0] == links[:, 0], 1, -1)
    winding[(place < 0) | (match_pairs(borders, links) < 0)] = 0
    ends = np.sort(corners.vertex[links], axis=1)
    order = pair_order(ends[:, 0], ends[:, 1])
    ends = ends[order]
    start = np.flatnonzero((np.diff(ends, axis=0, prepend=-1) != 0).any(axis=1))
    first, second = links[order].astype(np.int32).T.copy()
    return Sides(
        np.append(start, len(ends)), first, second, winding[order].astype(np.int8), match_pairs(edges, ends[start]),
        lengths(vertices, ends[start]),
    )


def torn_sides(sides: Sides, torn: TornMesh) -> TornSides:
    """The springs of a torn mesh."""
    count = len(sides.first)
    (low, high), (of, faces) = np.empty((2, count), dtype=np.int32), np.empty((2, count), dtype=np.int64)
    is_reversed = np.empty(count, dtype=bool)
    corners = sides.start, sides.first, sides.second, sides.winding
    count = _distinct_pairs(*corners, torn.particle, low, high, of, faces, is_reversed)
    order = pair_order(low[:count], high[:count])
    pairs, faces = np.empty((count, 2), dtype=np.int32), faces[order]
    pairs[:, 0], pairs[:, 1] = low[order], high[order]
    rim = np.flatnonzero(faces == 1)
    flipped = is_reversed[order[rim]]
    wound = pairs[rim]
    wound[flipped] = wound[flipped][:, ::-1]
    return TornSides(pairs, of[order], faces, wound)


@kernel
def _distinct_pairs(start, first, second, winding, particle, low, high, of, faces, is_reversed):
    """Distinct pairs of particles of each pair of vertices; returns their number."""
    count = 0
    for pair in range(start.shape[0] - 1):
        begin = count
        for m in range(start[pair], start[pair + 1]):
            a = particle[first[m]]
            b = particle[second[m]]
            place = begin
            while place < count and not (low[place] == min(a, b) and high[place] == max(a, b)):
                place += 1
            if place == count:
                low[place] = min(a, b)
                high[place] = max(a, b)
                of[place] = pair
                faces[place] = 0
                count += 1
            if winding[m] != 0:
                faces[place] += 1
                is_reversed[place] = (winding[m] > 0) != (a < b)
    return count
