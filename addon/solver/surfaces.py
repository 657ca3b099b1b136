"""Warns of collider surfaces that may not behave as intended; called by the solver thread."""

from __future__ import annotations

import numpy as np

from ...engine import ColliderSpec, WorldSpec
from ..capture.sentence import about

# Volume relative to a sphere's below which there is none; fraction of the surface up to which a gap counts as a hole.
_HOLLOW, _HOLE = 0.1, 0.05


def surface_warnings(spec: WorldSpec) -> list[str]:
    """One sentence for each collider with inconsistent face orientation, where that matters, or with a small hole."""
    return [
        sentence for collider in spec.systems if collider.traits.is_wall
        for sentence in about(collider.name, _warnings_of(collider))
    ]


def _warnings_of(collider: ColliderSpec) -> list[str]:
    triangles = np.asarray(collider.triangles, dtype=np.int64)
    sides = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    span = np.int64(len(collider.vertices))
    along = np.sort(sides[:, 0] * span + sides[:, 1])
    ends = np.sort(sides, axis=1)
    _edges, first, faces = np.unique(ends[:, 0] * span + ends[:, 1], return_index=True, return_counts=True)
    rim = sides[first[faces == 1]]
    if len(rim) == 0:
        # A closed collider keeps others outside for any orientation of its faces.
        return []
    # Faces of consistent orientation traverse their common edge in opposite directions.
    if collider.sides == "FRONT" and (turned := int((np.diff(along) == 0).sum())):
        return [
            f"{collider.name}: faces look different ways at {turned} {'edge' if turned == 1 else 'edges'}, and its "
            "Sides are Front: some let through from where others hold; use Mesh > Normals > Recalculate Outside, "
            "or set Sides to Both."
        ]
    if _has_small_holes(np.asarray(collider.vertices), triangles, rim):
        return [
            f"{collider.name}: {len(rim)} open {'edge' if len(rim) == 1 else 'edges'} around a hole, so it is a thin "
            "shell and not solid: what starts inside stays inside; fill the hole if it is meant to be solid."
        ]
    return []


def _has_small_holes(vertices: np.ndarray, triangles: np.ndarray, rim: np.ndarray) -> bool:
    """Whether a mesh encloses volume except for openings that are small relative to its surface."""
    middle = vertices.mean(axis=0)
    a, b, c = (vertices[triangles[:, k]] - middle for k in range(3))
    area = 0.5 * float(np.linalg.norm(np.cross(b - a, c - a), axis=1).sum())
    # Compare with a sphere, whose volume is area^1.5 / (6 sqrt(pi)).
    volume = abs(float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum())) / 6.0
    around = float(np.linalg.norm(vertices[rim[:, 0]] - vertices[rim[:, 1]], axis=1).sum())
    return volume > _HOLLOW * area**1.5 / 10.6 and around**2 / (4.0 * np.pi) < _HOLE * area
