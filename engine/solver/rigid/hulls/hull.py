"""`Hull`: a convex body by its corners, faces and edges, without vertices inside flat faces.

Recognizes a mesh of any resolution that encloses a convex body of few faces. Vertices within faces, and along straight
edges, are dropped: corners, edges and faces touch everything that these would touch.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

# Bodies with more faces or edges count as round; the edge test compares every pair of edges.
MOST_FACES, MOST_EDGES = 40, 96
# Corners of a face; clipping adds at most one for each side.
MOST_SIDES = 24
# Tolerance for flat and convex, as a fraction of the body's size.
FLAT = 1e-5
# Edges whose directions differ by less than this (sine) count as parallel; corners of a box agree to this fraction.
SAME_DIRECTION, SAME_CORNER = 1e-6, 1e-9


@dataclass(frozen=True, eq=False)
class Hull:
    """A convex body.

    Attributes:
        corner: (c,) int64 vertices of the mesh; at: (c, 3) their positions [m].
        normal: (f, 3) outward unit normals; loops: corners of each face, counter-clockwise from outside, as indices
            below c.
        edge: (e, 2) corners; edge_face: (e, 2) faces on both sides.
    """

    corner: np.ndarray
    at: np.ndarray
    normal: np.ndarray
    loops: tuple[np.ndarray, ...]
    edge: np.ndarray
    edge_face: np.ndarray

    def triangles(self) -> np.ndarray:
        """Faces as triangle fans of mesh vertices, (t, 3) int32."""
        fans = [np.stack([np.full(len(p) - 2, p[0]), p[1:-1], p[2:]], axis=1) for p in self.loops]
        return self.corner[np.concatenate(fans)].astype(np.int32)


def find_hull(vertices: np.ndarray, triangles: np.ndarray) -> Hull | None:
    """The hull of a closed convex mesh with outward triangles; None for any other mesh, and for round bodies."""
    used = np.unique(triangles)
    at = vertices[used]
    small = FLAT * float(np.ptp(at, axis=0).max())
    places = _planes(vertices, triangles, at, small)
    if places is None:
        return None
    normal, distance = places
    above = at @ normal.T - distance
    if above.max() > small:
        return None
    lies_on = above > -small
    is_corner = lies_on.sum(axis=1) > 2
    corner, lies_on = used[is_corner], lies_on[is_corner]
    at = vertices[corner]
    loops = tuple(_loop(at, np.flatnonzero(on), n) for on, n in zip(lies_on.T, normal, strict=True))
    # Sort faces by vertex index; an order by area or angle would depend on rounding.
    order = sorted(range(len(loops)), key=lambda f: loops[f].tolist())
    loops, normal = tuple(loops[f] for f in order), normal[order]
    if min(len(loop) for loop in loops) < 3 or max(len(loop) for loop in loops) > MOST_SIDES:
        return None
    sides = np.concatenate([np.stack([loop, np.roll(loop, -1)], axis=1) for loop in loops])
    face = np.repeat(np.arange(len(loops)), [len(loop) for loop in loops])
    edge, place, count = np.unique(np.sort(sides, axis=1), axis=0, return_inverse=True, return_counts=True)
    # Reject coincident corners, edges without exactly two faces (Euler's formula), and too many edges.
    if (count != 2).any() or len(corner) - len(edge) + len(loops) != 2 or len(edge) > MOST_EDGES:
        return None
    edge_face = face[np.argsort(place.reshape(-1), kind="stable")].reshape(-1, 2)
    return Hull(corner, at, normal, loops, edge, edge_face)


def _planes(
    vertices: np.ndarray, triangles: np.ndarray, at: np.ndarray, small: float
) -> tuple[np.ndarray, np.ndarray] | None:
    """Planes of the triangles: normals (f, 3) and distances from the origin (f,); None if there are too many."""
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    across = np.cross(b - a, c - a)
    size = np.linalg.norm(across, axis=1)
    order = np.argsort(-size, kind="stable")
    normals, distances = [], []
    left = size > small * small
    for t in order:
        if not left[t]:
            continue
        if len(normals) == MOST_FACES:
            return None
        n = across[t] / size[t]
        d = float(n @ a[t])
        if (at @ n).max() > d + small:
            return None
        # Remove all triangles whose three corners lie in the plane.
        left &= np.maximum.reduce([np.abs(p @ n - d) for p in (a, b, c)]) > small
        normals.append(n)
        distances.append(d)
    return (np.array(normals), np.array(distances)) if len(normals) > 3 else None


def _loop(at: np.ndarray, on: np.ndarray, normal: np.ndarray) -> np.ndarray:
    """Corners of a face, counter-clockwise seen from outside, starting at the lowest index."""
    if len(on) < 3:
        return on
    from_middle = at[on] - at[on].mean(axis=0)
    one = from_middle[0] / np.linalg.norm(from_middle[0])
    angle = np.arctan2(from_middle @ np.cross(normal, one), from_middle @ one)
    # The corner opposite the first has the angle +pi or -pi. The roll removes the ambiguity.
    loop = on[np.argsort(angle, kind="stable")]
    return np.roll(loop, -int(np.argmin(loop)))


def directions_of(along: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Direction index of each edge (e, 3), ignoring the sign: (e,); and the first edge of each direction."""
    unit = along / np.linalg.norm(along, axis=1)[:, None]
    alike = np.linalg.norm(np.cross(unit[:, None], unit[None]), axis=2) <= SAME_DIRECTION
    first, direction = np.unique(np.argmax(alike, axis=1), return_inverse=True)
    return direction.reshape(-1), first


def extent_of(corners: np.ndarray, edges: np.ndarray) -> np.ndarray:
    """Middle of a parallelepiped and half an edge of each direction, (12,) [m]; NaN for any other shape.

    Args: corners: (c, 3) [m]; edges: one edge of each direction, (., 3) [m].
    """
    if len(edges) != 3 or len(corners) != 8:
        return np.full(12, np.nan)
    middle = corners.mean(axis=0)
    signs = np.array(list(itertools.product((-0.5, 0.5), repeat=3)))
    apart = np.linalg.norm(corners[:, None] - (middle + signs @ edges), axis=2)
    is_met = apart.min(axis=0).max() <= SAME_CORNER * np.linalg.norm(edges, axis=1).max()
    return np.concatenate([middle, *(0.5 * edges)]) if is_met else np.full(12, np.nan)
