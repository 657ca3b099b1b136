"""Reactions on rigid bodies: the opposite of the impulses that late contacts gave to soft particles."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....compiler.kernels import kernel


class Momenta(NamedTuple):
    """Changes of momentum that late contacts give rigid bodies.

    Attributes:
        mass: (b,) [kg]; position: (b, 3) of centres [m].
        velocity, angular_momentum: (b, 3) the changes [m/s], [kg m²/s].
    """

    mass: np.ndarray
    position: np.ndarray
    velocity: np.ndarray
    angular_momentum: np.ndarray


def no_momenta(mass: np.ndarray, position: np.ndarray) -> Momenta:
    """Zero momentum changes. Args: mass (b,) [kg]; position (b, 3) of centres [m]."""
    return Momenta(mass, position, np.zeros_like(position), np.zeros_like(position))


@kernel
def _push_back(b, i, jx, jy, jz, x, gained):
    """Apply the opposite of the impulse (jx, jy, jz) [N s] of particle i to body b, at the particle's position."""
    rx = x[i, 0] - gained.position[b, 0]
    ry = x[i, 1] - gained.position[b, 1]
    rz = x[i, 2] - gained.position[b, 2]
    gained.velocity[b, 0] -= jx / gained.mass[b]
    gained.velocity[b, 1] -= jy / gained.mass[b]
    gained.velocity[b, 2] -= jz / gained.mass[b]
    gained.angular_momentum[b, 0] -= ry * jz - rz * jy
    gained.angular_momentum[b, 1] -= rz * jx - rx * jz
    gained.angular_momentum[b, 2] -= rx * jy - ry * jx


@kernel
def supporting_body(m, contact, bearer):
    """The rigid body of a contact, see `react`."""
    return max(max(bearer[contact[m, 0]], bearer[contact[m, 1]]), max(bearer[contact[m, 2]], bearer[contact[m, 3]]))


@kernel
def react(first, count, contact, inv_mass, mass, bearer, displacement, x, x_prev, h, gained):
    """Apply the opposite of the impulses that contacts gave soft particles to the rigid bodies that support them.

    Impulses act at x_prev: a particle ends at x_prev + h v, so its angular momentum is x cross m v = x_prev cross m v.

    Args:
        first, count, contact: see `contact_buffer`; inv_mass: (n,) [1/kg].
        bearer: (n,) int32, rigid body that a particle belongs to or lies on, or -1; each contact has one.
        mass: (n,) [kg]; displacement: in and out (n, 3), before these contacts [m]; updated to those after them.
        h: the substep [s]; gained: in and out, changes of the bodies' momentum, see `Momenta`.
    """
    for m in range(first, count):
        b = supporting_body(m, contact, bearer)
        for e in range(4):
            i = contact[m, e]
            if inv_mass[i] == 0.0:
                continue
            per = mass[i] / h
            _push_back(
                b, i, per * (x[i, 0] - x_prev[i, 0] - displacement[i, 0]),
                per * (x[i, 1] - x_prev[i, 1] - displacement[i, 1]),
                per * (x[i, 2] - x_prev[i, 2] - displacement[i, 2]), x_prev, gained,
            )
            for k in range(3):
                displacement[i, k] = x[i, k] - x_prev[i, k]


@kernel
def push_body(m, b, contact, weight, normal, rigid_of, impulse, x, gained):
    """Apply to body b its side of an impulse along the normal of a contact [N s], at its particles.

    Args: contact, weight, normal: see `contact_buffer`; rigid_of: (n,) int32; x: (n, 3) [m]; gained: see `react`.
    """
    for e in range(4):
        i = contact[m, e]
        if rigid_of[i] == b:
            back = -weight[m, e] * impulse
            _push_back(b, i, back * normal[m, 0], back * normal[m, 1], back * normal[m, 2], x, gained)
