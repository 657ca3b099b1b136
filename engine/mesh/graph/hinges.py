"""Bending hinges: pairs of triangles that share an edge, and the factor of each one's bending stiffness.

A sheet of bending stiffness B [N m] stores the energy B/2 (curvature)^2 per square metre. A hinge of dihedral angle t
on an edge of length L, between triangles of areas A_c and A_d, has the curvature t / (half the triangles' heights).
Its stiffness is therefore B L^2 / (A_c + A_d) [N m / rad], and a finer mesh of the same sheet keeps its stiffness.

A quad has two triangulations, and either one alone bends more easily along its diagonals than across them. So a hinge
on an edge of a quad is added once for each diagonal with half the stiffness, and a quad's own two diagonals are added
with a quarter. A grid of squares bent to z = a x²/2 + b x y + c y²/2 then has the energy density
B/2 (a² + c² + 2 b²), that of a sheet without lateral contraction. Meshes of equilateral triangles are isotropic too.
Squares that the user cut into triangles are not: a strip of them is up to a fifth softer.
"""

from __future__ import annotations

import numpy as np

from .edges import pair_keys, triangle_edges
from .parts import triangle_areas


def surface_hinges(vertices: np.ndarray, triangles: np.ndarray, edges: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Hinges of a mesh. Only edges with exactly two triangles have one.

    Args:
        vertices: (n, 3) [m].
        triangles: (t, 3).
        edges: (e, 2) edges of the mesh; sides of triangles that are not among them are diagonals of quads.

    Returns:
        (s, 4) int32, ends a, b of the edge and the opposite corners c, d, and
        (s,) float64, factor of the bending stiffness: weight L² / (A_c + A_d), weight 1, 1/2 or 1/4 as above.
    """
    if len(triangles) == 0:
        return np.zeros((0, 4), dtype=np.int32), np.zeros(0)
    sides = triangle_edges(triangles)
    corner = triangles[:, [2, 0, 1]].reshape(-1).astype(np.int64)
    key = pair_keys(np.concatenate([sides, edges]))[0]
    drawn, key = np.unique(key[len(sides) :]), key[: len(sides)]
    inner = ~np.isin(key, drawn) if len(edges) else np.zeros(len(key), dtype=bool)
    first, second = _shared(key)
    near_start, near_end = _quad_corners(sides, corner, inner, first, second)
    folded = ~inner[first]
    found = [_drawn_hinges(sides, near_start, near_end, first[folded], second[folded])]
    found += _diagonal_hinges(sides, corner, inner, first[~folded], second[~folded])
    hinges = np.concatenate([rows for rows, _weight in found]).astype(np.int32)
    weight = np.concatenate([weights for _rows, weights in found])
    # Sort independently of the winding of triangles, so that mirrored bodies bend in mirror image to the last bit.
    hinges = np.concatenate([np.sort(hinges[:, :2], axis=1), np.sort(hinges[:, 2:], axis=1)], axis=1)
    order = np.lexsort(hinges.T)
    hinges, weight = hinges[order], weight[order]
    area = triangle_areas(vertices, hinges[:, [0, 1, 2]]) + triangle_areas(vertices, hinges[:, [0, 1, 3]])
    length = np.linalg.norm(vertices[hinges[:, 1]] - vertices[hinges[:, 0]], axis=1)
    solid = area > 1e-12 * length**2
    return np.ascontiguousarray(hinges[solid]), weight[solid] * length[solid] ** 2 / area[solid]


def _shared(key: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Indices of the two sides that share a key, for every key that occurs exactly twice."""
    order = np.argsort(key, kind="stable")
    start = np.flatnonzero(np.diff(key[order], prepend=-1))
    twice = start[np.diff(start, append=len(key)) == 2]
    return order[twice], order[twice + 1]


def _quad_corners(
    sides: np.ndarray, corner: np.ndarray, inner: np.ndarray, first: np.ndarray, second: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """For each side, the vertices adjacent to its start and to its end in the face (quad or triangle) it belongs to.

    In a triangle that is not half of a quad both are the opposite corner.
    """
    near_start, near_end = corner.copy(), corner.copy()
    own = inner.reshape(-1, 3)
    quads = inner[first] & (own[first // 3].sum(axis=1) == 1) & (own[second // 3].sum(axis=1) == 1)
    for side, mate in ((first[quads], second[quads]), (second[quads], first[quads])):
        triangle, k = side // 3, side % 3
        # The side that follows the diagonal starts at the diagonal's end, which is adjacent to the mate's corner.
        near_start[3 * triangle + (k + 1) % 3] = corner[mate]
        near_end[3 * triangle + (k + 2) % 3] = corner[mate]
    return near_start, near_end


def _drawn_hinges(
    sides: np.ndarray, near_start: np.ndarray, near_end: np.ndarray, first: np.ndarray, second: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Hinges on edges of the mesh: one between two triangles; where a quad takes part, one for each end of the edge."""
    a, b = sides[first].T
    is_reversed = sides[second, 0] != a
    at_a = np.where(is_reversed, near_end[second], near_start[second])
    at_b = np.where(is_reversed, near_start[second], near_end[second])
    one = np.stack([a, b, near_start[first], at_a], axis=1)
    other = np.stack([a, b, near_end[first], at_b], axis=1)
    single = np.all(one == other, axis=1)
    weight = np.where(single, 1.0, 0.5)
    return np.concatenate([one, other[~single]]), np.concatenate([weight, weight[~single]])


def _diagonal_hinges(
    sides: np.ndarray, corner: np.ndarray, inner: np.ndarray, first: np.ndarray, second: np.ndarray,
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Hinges on the two diagonals of each quad, each with the ends of the other diagonal as opposite corners."""
    along = np.stack([*sides[first].T, corner[first], corner[second]], axis=1)
    across = along[:, [2, 3, 1, 0]]
    weight = np.full(len(along), 0.25)
    return [(along, weight), (across, weight)]
