"""Warns of soft bodies that intersect the surface of a collider at the start; called by the solver thread.

Each vertex stays on its side of the surface, so such a body remains stuck in the surface, or leaves it slowly.
"""

from __future__ import annotations

import numpy as np
from mathutils.bvhtree import BVHTree

from ...engine import ColliderSpec, SpringGraphSpec, WorldSpec
from ..capture.sentence import about
from .masses import may_collide

# A body that starts no deeper in the collider than this fraction of its size only rests on it.
_RESTING_DEPTH = 0.01


def across_warnings(spec: WorldSpec) -> list[str]:
    """A sentence for each soft body without pins and each collider whose surface it intersects at the start."""
    bodies = [one for one in spec.systems if isinstance(one, SpringGraphSpec) and not len(one.pins)]
    walls = [one for one in spec.systems if isinstance(one, ColliderSpec)]
    return [
        sentence for body in bodies for wall in walls
        if may_collide(body.name, wall.name, spec.interactions) and _cuts(wall, body)
        for sentence in about(body.name, [
            f"{body.name} begins across the surface of {wall.name} and may stay in it; move them apart."
        ])
    ]


def _cuts(wall: ColliderSpec, body: SpringGraphSpec) -> bool:
    """Whether triangles of both intersect; the body is tested at a slightly reduced size."""
    vertices = np.asarray(body.vertices, dtype=float)
    if body.triangles is None or not len(body.triangles) or not len(wall.triangles):
        return False
    centre = 0.5 * (vertices.min(axis=0) + vertices.max(axis=0))
    shrunk = centre + (1.0 - _RESTING_DEPTH) * (vertices - centre)
    low, high = np.min(wall.vertices, axis=0), np.max(wall.vertices, axis=0)
    if (shrunk.max(axis=0) < low).any() or (shrunk.min(axis=0) > high).any():
        return False
    trees = (
        BVHTree.FromPolygons(np.asarray(places).tolist(), np.asarray(faces).tolist(), all_triangles=True)
        for places, faces in ((shrunk, body.triangles), (wall.vertices, wall.triangles))
    )
    one, other = trees
    return bool(one.overlap(other))
