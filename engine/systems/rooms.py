"""Rooms: closed pieces of colliders that contain bodies at the start, such as a jar, a drum or a box with a lid."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..mesh.graph.parts import Parts, closed_parts
from ..world.builder import Builder

# A body starts inside a piece if its extreme vertices along these directions all lie inside the piece.
_DIRS = np.array([(i, j, k) for i in (-1, 0, 1) for j in (-1, 0, 1) for k in (-1, 0, 1) if (i, j, k) != (0, 0, 0)])
# A point is inside if its winding number exceeds this.
_INSIDE = 0.5
# Number of triangles whose solid angles are computed at once.
_BLOCK = 65536


def find_rooms(vertices: np.ndarray, parts: Parts, others: Sequence[np.ndarray]) -> np.ndarray:
    """Which pieces of a collider enclose a whole body at the start, (parts,) bool.

    Args: vertices: (n, 3) of the collider [m]; parts: its pieces; others: (m, 3) vertices of each body [m].
    """
    closed = closed_parts(parts)
    rooms = np.zeros_like(closed)
    for piece in np.flatnonzero(closed).tolist():
        own = vertices[parts.vertex_part == piece]
        low, high = own.min(axis=0), own.max(axis=0)
        triangles = parts.triangles[parts.part == piece]
        for body in others:
            if (body.min(axis=0) > low).all() and (body.max(axis=0) < high).all():
                furthest = np.unique((body @ _DIRS.T).argmax(axis=0))
                if all(winding_number(place, vertices, triangles) > _INSIDE for place in body[furthest]):
                    rooms[piece] = True
                    break
    return rooms


def starts_of(builder: Builder, systems: Sequence[Any]) -> list[np.ndarray]:
    """Start positions of each soft or rigid body added so far, (m, 3) each [m]; systems: of the world."""
    x, starts = builder.positions(), {spec.name: getattr(spec, "start", None) for spec in systems}
    return [
        x[body.start : body.stop] if starts.get(body.name) is None else np.asarray(starts[body.name], dtype=np.float64)
        for body in builder.bodies if (body.traits.is_springy or body.traits.is_rigid) and body.stop > body.start
    ]


def winding_number(place: np.ndarray, vertices: np.ndarray, triangles: np.ndarray) -> float:
    """Winding number of triangles (t, 3) of vertices (n, 3) about a place (3,), from their solid angles.

    Source: Van Oosterom and Strackee, The solid angle of a plane triangle, 1983.
    """
    angle = 0.0
    for at in range(0, len(triangles), _BLOCK):
        a, b, c = (vertices[triangles[at : at + _BLOCK, k]] - place for k in range(3))
        la, lb, lc = (np.linalg.norm(side, axis=1) for side in (a, b, c))
        above = np.einsum("ij,ij->i", a, np.cross(b, c))
        below = la * lb * lc + sum(
            np.einsum("ij,ij->i", one, two) * length for one, two, length in ((a, b, lc), (b, c, la), (c, a, lb))
        )
        angle += float(np.arctan2(above, below).sum())
    return angle / (2.0 * math.pi)
