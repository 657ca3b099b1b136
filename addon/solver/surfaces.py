"""Warns of collider surfaces that may not behave as intended; called by the solver thread."""

from __future__ import annotations

import numpy as np

from ...engine import ColliderSpec, WorldSpec
from ..capture.sentence import about

# Least volume of a solid, relative to a sphere of equal area; largest area of a hole, as a fraction of the surface.
_LEAST_VOLUME, _LARGEST_HOLE = 0.1, 0.05


def surface_warnings(spec: WorldSpec) -> list[str]:
    """One sentence for each collider with inconsistent face orientation, where that matters, or with a small hole."""
    return [
        sentence for collider in spec.systems if collider.traits.is_wall
        for sentence in about(collider.name, _warnings_of(collider))
    ]


def _warnings_of(collider: ColliderSpec) -> list[str]:
    triangles = np.asarray(collider.triangles, dtype=np.int64)
    half_edges = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    span = np.int64(len(collider.vertices))
    along = np.sort(half_edges[:, 0] * span + half_edges[:, 1])
    ends = np.sort(half_edges, axis=1)
    _edges, first, faces = np.unique(ends[:, 0] * span + ends[:, 1], return_index=True, return_counts=True)
    rim = half_edges[first[faces == 1]]
    if len(rim) == 0:
        # A closed collider keeps others outside for any orientation of its faces.
        return []
    # Faces of consistent orientation traverse their common edge in opposite directions.
    if collider.sides == "FRONT" and (flipped := int((np.diff(along) == 0).sum())):
        return [
            f"{collider.name}: faces look different ways at {flipped} {'edge' if flipped == 1 else 'edges'}, and its "
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
    centre = vertices.mean(axis=0)
    a, b, c = (vertices[triangles[:, k]] - centre for k in range(3))
    area = 0.5 * float(np.linalg.norm(np.cross(b - a, c - a), axis=1).sum())
    # Compare with a sphere, whose volume is area^1.5 / (6 sqrt(pi)).
    volume = abs(float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum())) / 6.0
    rim_length = float(np.linalg.norm(vertices[rim[:, 0]] - vertices[rim[:, 1]], axis=1).sum())
    return volume > _LEAST_VOLUME * area**1.5 / 10.6 and rim_length**2 / (4.0 * np.pi) < _LARGEST_HOLE * area
