"""Masses by which the vertices of rigid bodies stand for the whole body in fields.

A field is evaluated at a body's vertices, but acts on all of its mass. A vertex has a share w of the mass M in
proportion to the area around it, with a correction linear in its place r about the centre of mass, such that

    sum w = M,   sum w r = 0

and an even field moves a body without turning it, however its vertices are distributed. Vertices are farther from the
centre than the mass is. The torque about each principal axis is scaled by the moment of inertia over that of the
shares, so that a field that rotates space about the centre turns a body like the space.
"""

from __future__ import annotations

import numpy as np

from ...world.builder import Builder


def rigid_shares(
    builder: Builder, ids: np.ndarray, first: np.ndarray, stop: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Shares (m,) [kg] of receivers, 0 for those of other bodies, and factors (b, 3) of torque about principal axes.

    Args: ids: (m,) particles that receive; first, stop: (b,) ranges of those of each rigid body.
    """
    rigid, bodies = builder.rigid, {body.start: number for number, body in enumerate(builder.bodies)}
    shares, turns = np.zeros(len(ids)), np.ones((len(first), 3))
    for b in range(len(first)):
        own = ids[first[b] : stop[b]]
        local = rigid.local[own - rigid.first]
        surface = builder.surfaces[bodies[int(own[0])]]
        area = _areas(local, surface.triangles if surface is not None else np.zeros((0, 3), dtype=np.int64))
        share = _balanced(local, area * (rigid.mass[b] / area.sum()))
        square = share @ local**2
        around = square.sum() - square
        turns[b] = np.where(around > 1e-12 * rigid.inertia[b].max(), rigid.inertia[b] / np.maximum(around, 1e-300), 1.0)
        shares[first[b] : stop[b]] = share
    return shares, turns


def _areas(places: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """A third of the area of the triangles at each of some places (n, 3), (n,); equal where there is none."""
    corners = places[triangles]
    area = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    found = np.bincount(triangles.reshape(-1), np.repeat(area / 6.0, 3), len(places))
    return found if found.sum() > 0.0 else np.ones(len(places))


def _balanced(places: np.ndarray, mass: np.ndarray) -> np.ndarray:
    """Masses (n,) near the given ones, with the same sum, whose centre is the origin."""
    basis = np.column_stack([np.ones(len(places)), places])
    missed = np.append(0.0, -mass @ places)
    return mass * (1.0 + basis @ (np.linalg.pinv((basis * mass[:, None]).T @ basis) @ missed))
