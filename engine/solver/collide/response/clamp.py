"""The end of the search for ways through: ways are shortened until none leads through anything.

Particles end at x0 + w + a (x - x0 - w) instead of x, where w is the way of a side that nobody moves, or the mean way
of two soft sides: what falls together goes on falling. The share a only falls; what is still crossed at a = 0 is moved
as one or stopped (`interactions.contact.late`). Ways are shortened without loss
of speed; what speed those in the way have is a matter of masses, as in an inelastic impact: a side of particles takes
the mean of both sides, or the speed of a side that is held, or of a body, which then gets the opposite impulse.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....compiler.kernels import kernel


class Momenta(NamedTuple):
    """What late contacts give rigid bodies.

    Attributes:
        mass: (b,) [kg]; position: (b, 3) of centres [m].
        velocity, angular_momentum: (b, 3) what they gain [m/s], [kg m²/s].
    """

    mass: np.ndarray
    position: np.ndarray
    velocity: np.ndarray
    angular_momentum: np.ndarray


@kernel
def _side_of_others(m, side, contact, weight, inv_mass, rigid_of, x, x_prev):
    """Way of the side of a contact that is not `side`, whether it is all held or a body's, and whether a body's."""
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
    """Mean way of the particles of a contact by their masses: what moves on with this way loses no height to gain."""
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
    """Shorten the ways of the soft particles of some contacts, each once; before bodies go back.

    Args:
        first, count, contact, weight: see `contact_buffer`; inv_mass: (n,); rigid_of: (n,) rigid body, or -1.
        share: a; x0: (n, 3) where the substep began [m]; x, x_prev: in and out (n, 3) [m].
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
def share_speeds(first, count, contact, weight, inv_mass, mass, rigid_of, way, x, x_prev, h, gained):
    """Soft particles of some contacts take the speed of a held side or of a body, or the mean of both sides.

    Args:
        mass: (n,) [kg]; way: (n, 3) how far particles went before ways were shortened, of which those of bodies and of
            what is held count [m]; h: the substep [s]; gained: in and out, see `react`; the rest as `shorten_ways`.
    """
    for m in range(first, count):
        ux = 0.0
        uy = 0.0
        uz = 0.0
        whole = 0.0
        for side in range(2):
            wx = 0.0
            wy = 0.0
            wz = 0.0
            is_held = True
            for e in range(4):
                part = weight[m, e]
                if part == 0.0 or (part > 0.0) != (side == 0):
                    continue
                i = contact[m, e]
                is_held = is_held and inv_mass[i] == 0.0
                wx += abs(part) * way[i, 0]
                wy += abs(part) * way[i, 1]
                wz += abs(part) * way[i, 2]
            if is_held:
                ux = wx
                uy = wy
                uz = wz
                whole = -1.0
        for e in range(4):
            i = contact[m, e]
            if whole >= 0.0 and inv_mass[i] > 0.0 and weight[m, e] != 0.0:
                whole += mass[i]
                ux += mass[i] * (x[i, 0] - x_prev[i, 0])
                uy += mass[i] * (x[i, 1] - x_prev[i, 1])
                uz += mass[i] * (x[i, 2] - x_prev[i, 2])
        if whole == 0.0:
            continue
        b = max(rigid_of[contact[m, 0]], rigid_of[contact[m, 3]])
        scale = 1.0 if whole < 0.0 else 1.0 / whole
        for e in range(4):
            i = contact[m, e]
            if inv_mass[i] == 0.0 or weight[m, e] == 0.0:
                continue
            dx = scale * ux - x[i, 0] + x_prev[i, 0]
            dy = scale * uy - x[i, 1] + x_prev[i, 1]
            dz = scale * uz - x[i, 2] + x_prev[i, 2]
            x_prev[i, 0] -= dx
            x_prev[i, 1] -= dy
            x_prev[i, 2] -= dz
            if b >= 0:
                _push_back(b, i, mass[i] / h * dx, mass[i] / h * dy, mass[i] / h * dz, x, gained)


@kernel
def _push_back(b, i, jx, jy, jz, x, gained):
    """A body gets the impulse that particle i got, with the opposite sign and where that is."""
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
def react(first, count, contact, inv_mass, mass, rigid_of, way, x, x_prev, h, gained):
    """Bodies get the impulses that some contacts gave soft particles, with the opposite sign.

    They act where particles began: those end at x_prev + h v, so that x cross m v is x_prev cross m v.

    Args:
        first ... mass: as `share_speeds`, of contacts of bodies with soft particles only.
        way: in and out (n, 3) how far particles went before these contacts [m]; what is accounted for goes along.
        h: the substep [s]; gained: in and out, what bodies gain, see `Momenta`.
    """
    for m in range(first, count):
        b = max(rigid_of[contact[m, 0]], rigid_of[contact[m, 3]])
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
