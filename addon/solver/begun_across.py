"""Warns of soft bodies that begin across the surface of a collider; called by the solver thread.

Each vertex stays on its side of the surface, so such a body stays in it, or is slow to leave.
"""

from __future__ import annotations

import numpy as np
from mathutils.bvhtree import BVHTree

from ...engine import ColliderSpec, SpringGraphSpec, WorldSpec
from ..capture.sentence import about
from .masses import may_meet

# What begins no deeper than this share of its size only rests on the collider.
_RESTS = 0.01


def across_warnings(spec: WorldSpec) -> list[str]:
    """A sentence for each soft body without pins that a collider cuts at the start."""
    bodies = [one for one in spec.systems if isinstance(one, SpringGraphSpec) and not len(one.pins)]
    walls = [one for one in spec.systems if isinstance(one, ColliderSpec)]
    return [
        sentence for body in bodies for wall in walls
        if may_meet(body.name, wall.name, spec.interactions) and _cuts(wall, body)
        for sentence in about(body.name, [
            f"{body.name} begins across the surface of {wall.name} and may stay in it; move them apart."
        ])
    ]


def _cuts(wall: ColliderSpec, body: SpringGraphSpec) -> bool:
    """Whether triangles of both intersect, with the body a little smaller than it is."""
    vertices = np.asarray(body.vertices, dtype=float)
    if body.triangles is None or not len(body.triangles) or not len(wall.triangles):
        return False
    middle = 0.5 * (vertices.min(axis=0) + vertices.max(axis=0))
    smaller = middle + (1.0 - _RESTS) * (vertices - middle)
    low, high = np.min(wall.vertices, axis=0), np.max(wall.vertices, axis=0)
    if (smaller.max(axis=0) < low).any() or (smaller.min(axis=0) > high).any():
        return False
    trees = (
        BVHTree.FromPolygons(np.asarray(places).tolist(), np.asarray(faces).tolist(), all_triangles=True)
        for places, faces in ((smaller, body.triangles), (wall.vertices, wall.triangles))
    )
    one, other = trees
    return bool(one.overlap(other))
