"""`Hull`: a convex body by its corners, faces and edges, without what lies within a flat face.

A mesh of any fineness that encloses a convex body of few faces is found to be one. Vertices within its faces, and
along its straight edges, touch nobody that corners, edges and faces do not touch as well.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

# Bodies of more faces, or with more edges, are round: each pair of edges is looked at.
MOST_FACES, MOST_EDGES = 40, 96
# Corners of a face; what clips it adds one a side.
MOST_SIDES = 24
# What is flat and what is convex, as a share of the size of the body.
FLAT = 1e-5


@dataclass(frozen=True, eq=False)
class Hull:
    """A convex body.

    Attributes:
        corner: (c,) int64 vertices of the mesh; at: (c, 3) where they are [m].
        normal: (f, 3) outward, of unit length; loops: of each face its corners, counter-clockwise from outside, as
            numbers below c.
        edge: (e, 2) corners; edge_face: (e, 2) faces.
    """

    corner: np.ndarray
    at: np.ndarray
    normal: np.ndarray
    loops: tuple[np.ndarray, ...]
    edge: np.ndarray
    edge_face: np.ndarray

    def triangles(self) -> np.ndarray:
        """Faces in fans of triangles of the mesh's vertices, (t, 3) int32."""
        fans = [np.stack([np.full(len(p) - 2, p[0]), p[1:-1], p[2:]], axis=1) for p in self.loops]
        return self.corner[np.concatenate(fans)].astype(np.int32)


def find_hull(vertices: np.ndarray, triangles: np.ndarray) -> Hull | None:
    """The convex body that a closed mesh encloses, triangles outward; None for any other, and for round ones."""
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
    # In the order of the mesh's vertices, which rounding does not change as it does that of areas and angles.
    order = sorted(range(len(loops)), key=lambda f: loops[f].tolist())
    loops, normal = tuple(loops[f] for f in order), normal[order]
    if min(len(loop) for loop in loops) < 3 or max(len(loop) for loop in loops) > MOST_SIDES:
        return None
    sides = np.concatenate([np.stack([loop, np.roll(loop, -1)], axis=1) for loop in loops])
    face = np.repeat(np.arange(len(loops)), [len(loop) for loop in loops])
    edge, place, count = np.unique(np.sort(sides, axis=1), axis=0, return_inverse=True, return_counts=True)
    # Corners in one place, or other than two faces at an edge: no body that this knows.
    if (count != 2).any() or len(corner) - len(edge) + len(loops) != 2 or len(edge) > MOST_EDGES:
        return None
    edge_face = face[np.argsort(place.reshape(-1), kind="stable")].reshape(-1, 2)
    return Hull(corner, at, normal, loops, edge, edge_face)


def _planes(
    vertices: np.ndarray, triangles: np.ndarray, at: np.ndarray, small: float
) -> tuple[np.ndarray, np.ndarray] | None:
    """Planes that triangles lie in: normals (f, 3) and distances from the origin (f,); None if there are many."""
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
        # Triangles that lie in it with all corners.
        left &= np.maximum.reduce([np.abs(p @ n - d) for p in (a, b, c)]) > small
        normals.append(n)
        distances.append(d)
    return (np.array(normals), np.array(distances)) if len(normals) > 3 else None


def _loop(at: np.ndarray, on: np.ndarray, normal: np.ndarray) -> np.ndarray:
    """Corners of a face, counter-clockwise as seen from where its normal points, from the lowest one on."""
    if len(on) < 3:
        return on
    from_middle = at[on] - at[on].mean(axis=0)
    one = from_middle[0] / np.linalg.norm(from_middle[0])
    angle = np.arctan2(from_middle @ np.cross(normal, one), from_middle @ one)
    # The corner opposite the first is at half a turn, of either sign.
    loop = on[np.argsort(angle, kind="stable")]
    return np.roll(loop, -int(np.argmin(loop)))
