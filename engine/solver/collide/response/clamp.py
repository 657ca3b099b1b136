"""Shortens displacements of a substep until no contact leads through a surface.

A particle ends at x0 + w + a (x - x0 - w) instead of x. Here w is the displacement of a side with infinite mass, or the
mean displacement of two soft sides, so that bodies which fall together go on falling. The share a only decreases. What
still crosses at a = 0 is moved as one stiff body or stopped (`interactions.contact.late.crossings`).

Velocities stay: the contacts of the next substep stop an approach that is left, by the masses of both sides.
"""

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


@kernel
def _side_of_others(m, side, contact, weight, inv_mass, rigid_of, x, x_prev):
    """Displacement of the side opposite to `side`; whether its particles have infinite mass; whether it is rigid."""
    wx = 0.0
    wy = 0.0
    wz = 0.0
    is_held = True
    is_rigid = False
    for e in range(4):
        part = weight[m, e]
        if part == 0.0 or (part > 0.0) == (side == 0):
            continue
        i = contact[m, e]
        is_held = is_held and inv_mass[i] == 0.0
        is_rigid = is_rigid or rigid_of[i] >= 0
        wx += abs(part) * (x[i, 0] - x_prev[i, 0])
        wy += abs(part) * (x[i, 1] - x_prev[i, 1])
        wz += abs(part) * (x[i, 2] - x_prev[i, 2])
    if not is_held:
        return 0.0, 0.0, 0.0, False, False
    return wx, wy, wz, True, is_rigid


@kernel
def _common_way(m, contact, weight, inv_mass, x, x_prev):
    """Mean displacement of the particles of a contact, weighted by mass: the centre of mass keeps its motion."""
    wx = 0.0
    wy = 0.0
    wz = 0.0
    whole = 0.0
    for e in range(4):
        i = contact[m, e]
        if weight[m, e] != 0.0 and inv_mass[i] > 0.0:
            whole += 1.0 / inv_mass[i]
            wx += (x[i, 0] - x_prev[i, 0]) / inv_mass[i]
            wy += (x[i, 1] - x_prev[i, 1]) / inv_mass[i]
            wz += (x[i, 2] - x_prev[i, 2]) / inv_mass[i]
    part = 1.0 / whole if whole > 0.0 else 0.0
    return part * wx, part * wy, part * wz


@kernel
def shorten_ways(first, count, contact, weight, inv_mass, rigid_of, share, x0, x, x_prev, is_done):
    """Shorten the displacements of the soft particles of contacts, each once; to be called before bodies are set back.

    Args:
        first, count, contact, weight: see `contact_buffer`; inv_mass: (n,); rigid_of: (n,) rigid body, or -1.
        share: a; x0: (n, 3) positions at the start of the substep [m]; x, x_prev: in and out (n, 3) [m].
        is_done: scratch (n,) bool, False before and after.
    """
    for m in range(first, count):
        for side in range(2):
            wx, wy, wz, is_held, is_rigid = _side_of_others(m, side, contact, weight, inv_mass, rigid_of, x, x_prev)
            if not is_held:
                wx, wy, wz = _common_way(m, contact, weight, inv_mass, x, x_prev)
            for e in range(4):
                i = contact[m, e]
                if weight[m, e] == 0.0 or (weight[m, e] > 0.0) != (side == 0) or inv_mass[i] == 0.0 or is_done[i]:
                    continue
                is_done[i] = True
                for k in range(3):
                    w = 0.0 if is_rigid else (wx if k == 0 else (wy if k == 1 else wz))
                    back = (1.0 - share) * (x[i, k] - x0[i, k] - w)
                    x[i, k] -= back
                    x_prev[i, k] -= back
    for m in range(first, count):
        for e in range(4):
            is_done[contact[m, e]] = False


@kernel
def _push_back(b, i, jx, jy, jz, x, gained):
    """Apply the opposite of the impulse of particle i to a body, at the place of the particle."""
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
def bearer_of(m, contact, bearer):
    """The rigid body of a contact, see `react`."""
    return max(max(bearer[contact[m, 0]], bearer[contact[m, 1]]), max(bearer[contact[m, 2]], bearer[contact[m, 3]]))


@kernel
def react(first, count, contact, inv_mass, mass, bearer, way, x, x_prev, h, gained):
    """Apply the opposite of the impulses that contacts gave soft particles to the bodies that bear them.

    They act at x_prev: a particle ends at x_prev + h v, so its angular momentum is x cross m v = x_prev cross m v.

    Args:
        first, count, contact, inv_mass: see `shorten_ways`; bearer: (n,) int32, rigid body of its own particles and of
            what lies on it, or -1; each contact has a particle of one.
        mass: (n,) [kg]; way: in and out (n, 3) displacements before these contacts [m]; updated to those after them.
        h: the substep [s]; gained: in and out, changes of the bodies' momentum, see `Momenta`.
    """
    for m in range(first, count):
        b = bearer_of(m, contact, bearer)
        for e in range(4):
            i = contact[m, e]
            if inv_mass[i] == 0.0:
                continue
            per = mass[i] / h
            _push_back(
                b, i, per * (x[i, 0] - x_prev[i, 0] - way[i, 0]), per * (x[i, 1] - x_prev[i, 1] - way[i, 1]),
                per * (x[i, 2] - x_prev[i, 2] - way[i, 2]), x_prev, gained,
            )
            for k in range(3):
                way[i, k] = x[i, k] - x_prev[i, k]
