"""Masses of the vertices of rigid bodies, which represent the body in fields.

A field is evaluated at a body's vertices, but acts on all of its mass. A vertex has a mass w, a part of the mass M in
proportion to the area around it, with a correction linear in its position r about the centre of mass, such that

    sum w = M,   sum w r = 0

so that a uniform field moves a body without rotating it, however its vertices are distributed. Vertices are farther
from the centre than the mass is. The torque about each principal axis is therefore scaled by the moment of inertia over
that of the vertex masses, so that a field that rotates space about the centre rotates a body like the space.
"""

from __future__ import annotations

import numpy as np

from ...world.builder import Builder


def vertex_masses(
    builder: Builder, ids: np.ndarray, first: np.ndarray, stop: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Masses (m,) [kg] of receivers, 0 for those of other bodies, and factors (b, 3) of torque about principal axes.

    Args: ids: (m,) particles that receive; first, stop: (b,) ranges of those of each rigid body.
    """
    rigid, bodies = builder.rigid, {body.start: number for number, body in enumerate(builder.bodies)}
    masses, torque_factors = np.zeros(len(ids)), np.ones((len(first), 3))
    for b in range(len(first)):
        own = ids[first[b] : stop[b]]
        local = rigid.local[own - rigid.first]
        surface = builder.surfaces[bodies[int(own[0])]]
        area = _areas(local, surface.triangles if surface is not None else np.zeros((0, 3), dtype=np.int64))
        own_masses = _balanced(local, area * (rigid.mass[b] / area.sum()))
        square = own_masses @ local**2
        around = square.sum() - square
        torque_factors[b] = np.where(
            around > 1e-12 * rigid.inertia[b].max(), rigid.inertia[b] / np.maximum(around, 1e-300), 1.0
        )
        masses[first[b] : stop[b]] = own_masses
    return masses, torque_factors


def _areas(places: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """A third of the area of the triangles around each vertex (n, 3), (n,); all equal if there is no area."""
    corners = places[triangles]
    area = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    found = np.bincount(triangles.reshape(-1), np.repeat(area / 6.0, 3), len(places))
    return found if found.sum() > 0.0 else np.ones(len(places))


def _balanced(places: np.ndarray, mass: np.ndarray) -> np.ndarray:
    """Masses (n,) near the given ones, with the same sum, whose centre is the origin."""
    basis = np.column_stack([np.ones(len(places)), places])
    missed = np.append(0.0, -mass @ places)
    return mass * (1.0 + basis @ (np.linalg.pinv((basis * mass[:, None]).T @ basis) @ missed))
