"""Picks the vertex under the mouse, and the vertices that are pulled with it. Arrays only, no Blender."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

# Radius in which vertices are pulled along, as a fraction of the body's size.
REACH = 0.15
# Angular distance from a ray, seen from the eye, within which a vertex is picked if the ray hits no face [rad].
NEAR = 0.03
# Smallest weight of a corner of the hit face, because weights must not be zero.
LEAST_WEIGHT = 1e-6


@dataclass(frozen=True, eq=False)
class Pick:
    """A pick under the mouse.

    Attributes:
        vertex: index in the body.
        distance: from the eye along the ray [m].
        corners, weights: (k,) vertices and their weights, above 0, whose weighted mean is the picked point.
    """

    vertex: int
    distance: float
    corners: np.ndarray
    weights: np.ndarray


def pick(
    origin: np.ndarray, direction: np.ndarray, positions: np.ndarray, triangles: np.ndarray, perspective: bool
) -> Pick | None:
    """Pick the vertex nearest to a ray's hit on a body, else the nearest to a ray that narrowly misses it, else None.

    Args:
        origin, direction: of the ray, (3,) each; direction is a unit vector.
        positions: (n, 3) [m]; triangles: (t, 3), possibly none.
        perspective: whether rays diverge from the origin; otherwise the tolerance is relative to the body's size.
    """
    hit = _first_face(origin, direction, positions, triangles)
    if hit is not None:
        corners, weights, distance = hit
        distances = np.linalg.norm(positions[corners] - (origin + distance * direction), axis=1)
        return Pick(int(corners[np.argmin(distances)]), distance, corners, weights)
    along = (positions - origin) @ direction
    ray_distance = np.linalg.norm(positions - origin - along[:, None] * direction, axis=1)
    size = float(np.ptp(positions, axis=0).max())
    tolerance = NEAR * along if perspective else np.full(len(along), NEAR * size)
    near = np.flatnonzero((along > 0.0) & (ray_distance < tolerance))
    if not len(near):
        return None
    nearest = int(near[np.argmin(ray_distance[near])])
    return Pick(nearest, float(along[nearest]), np.array([nearest]), np.ones(1))


def pick_point(origin: np.ndarray, direction: np.ndarray, positions: np.ndarray, perspective: bool) -> Pick | None:
    """Pick the first point of a cloud (n, 3) [m] near a ray; None when it misses all; arguments as in `pick`."""
    if not len(positions):
        return None
    along = (positions - origin) @ direction
    ray_distance = np.linalg.norm(positions - origin - along[:, None] * direction, axis=1)
    tolerance = NEAR * along if perspective else np.full(len(along), NEAR * float(np.ptp(positions, axis=0).max()))
    near = np.flatnonzero((along > 0.0) & (ray_distance < tolerance))
    if not len(near):
        return None
    first = int(near[np.argmin(along[near])])
    return Pick(first, float(along[first]), np.array([first]), np.ones(1))


def _first_face(
    origin: np.ndarray, direction: np.ndarray, positions: np.ndarray, triangles: np.ndarray
) -> tuple[np.ndarray, np.ndarray, float] | None:
    """Corners (3,) of the first triangle on a ray, barycentric weights (3,), distance (Möller and Trumbore 1997)."""
    a, b, c = (positions[triangles[:, k]] for k in range(3))
    ab, ac, offset = b - a, c - a, origin - a
    p = np.cross(direction, ac)
    area = np.einsum("ij,ij->i", ab, p)
    with np.errstate(divide="ignore", invalid="ignore"):
        u = np.einsum("ij,ij->i", offset, p) / area
        q = np.cross(offset, ab)
        v = q @ direction / area
        distance = np.einsum("ij,ij->i", ac, q) / area
        hits = np.flatnonzero((u >= 0.0) & (v >= 0.0) & (u + v <= 1.0) & (distance > 0.0))
    if not len(hits):
        return None
    first = hits[np.argmin(distance[hits])]
    weights = np.maximum([1.0 - u[first] - v[first], u[first], v[first]], LEAST_WEIGHT)
    return triangles[first], weights, float(distance[first])


def neighbourhood(positions: np.ndarray, vertex: int) -> tuple[np.ndarray, np.ndarray]:
    """Vertices pulled along with a vertex, (g,), and smoothly decreasing weights (g,); positions (n, 3) at rest."""
    size = float(np.linalg.norm(np.ptp(positions, axis=0)))
    relative_distance = np.linalg.norm(positions - positions[vertex], axis=1) / max(REACH * size, 1e-12)
    near = np.flatnonzero(relative_distance < 1.0)
    return near.astype(np.int32), (1.0 - relative_distance[near] ** 2) ** 2 + 1e-3
