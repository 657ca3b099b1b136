"""Applies the sums of fields to particles and to rigid bodies.

With the sums (a, c, d, B) of `push`, a particle's velocity becomes in a substep h

    v + h a - min(h (c + d |v|), 1) v,   then rotated about B by the Boris rotation, t = h B / 2:
    v' = v + v x t,  v = v + 2 v' x t / (1 + t²)

so that damping never reverses a velocity and a magnetic field adds no energy. (With one substep a frame the rotation is
v += h v x B instead, the Euler step that Blender's particles take.)
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...compiler.kernels import kernel, parallel_kernel, prange
from ...solver.rigid.motion import axes_of
from .laws.room import (
    AX,
    AY,
    AZ,
    BLOCK,
    BX,
    BY,
    BZ,
    PLACE,
    RATE,
    RATE_BY_SPEED,
    WX,
    WY,
    WZ,
    X,
    Y,
    Z,
)


class Substep(NamedTuple):
    """A substep in which held sums are applied.

    Attributes:
        h: its length [s]; turns: whether magnetic fields rotate velocities, and so add no energy; else v += h v x B.
        winds: whether the winds may have changed.
    """

    h: float
    turns: bool
    winds: bool


@kernel
def _change(own, share, spin, place):
    """Replace velocities in X, Y, Z of `place` by their changes; args: spin: 1 where B rotates velocities."""
    half = 0.5 * share
    for k in range(BLOCK):
        vx, vy, vz = place[k + X], place[k + Y], place[k + Z]
        rate = share * (own[k + RATE] + own[k + RATE_BY_SPEED] * math.sqrt(vx * vx + vy * vy + vz * vz))
        rate = rate if rate < 1.0 else 1.0
        tx, ty, tz = half * own[k + BX], half * own[k + BY], half * own[k + BZ]
        turn = 2.0 / (1.0 + spin * (tx * tx + ty * ty + tz * tz))
        ux = vx + spin * (vy * tz - vz * ty)
        uy = vy + spin * (vz * tx - vx * tz)
        uz = vz + spin * (vx * ty - vy * tx)
        place[k + X] = share * own[k + AX] - rate * vx + turn * (uy * tz - uz * ty)
        place[k + Y] = share * own[k + AY] - rate * vy + turn * (uz * tx - ux * tz)
        place[k + Z] = share * own[k + AZ] - rate * vz + turn * (ux * ty - uy * tx)


@kernel
def _give_block(moving, bodies, block, moment, held, place, given):
    first, stop, body = moving.first[block], moving.stop[block], moving.body[block]
    v, inv_mass, start, h = moving.v, moving.inv_mass, moving.ids[first], moment.h
    lift_x, lift_y, lift_z = h * bodies.lift[body, 0], h * bodies.lift[body, 1], h * bodies.lift[body, 2]
    for k in range(stop - first):
        place[k + X], place[k + Y], place[k + Z] = v[start + k, 0], v[start + k, 1], v[start + k, 2]
    _change(held[block], h * bodies.response[body], 1.0 if moment.turns else 0.0, place)
    for k in range(stop - first):
        dx, dy, dz = place[k + X] + lift_x, place[k + Y] + lift_y, place[k + Z] + lift_z
        if bodies.is_rigid[body]:
            given[first + k, 0], given[first + k, 1], given[first + k, 2] = dx, dy, dz
        elif inv_mass[start + k] > 0.0:
            v[start + k, 0] += dx
            v[start + k, 1] += dy
            v[start + k, 2] += dz


@kernel
def _give_winds(moving, block, held, given):
    first, own = moving.first[block], held[block]
    for k in range(moving.stop[block] - first):
        if moving.on_face[first + k]:
            given[first + k, 3], given[first + k, 4], given[first + k, 5] = own[k + WX], own[k + WY], own[k + WZ]


@kernel
def _give_share(moving, bodies, moment, task, held, place, given):
    blocks, tasks = moving.first.shape[0], place.shape[0] // PLACE
    own = place[task * PLACE : (task + 1) * PLACE]
    for block in range(blocks * task // tasks, blocks * (task + 1) // tasks):
        _give_block(moving, bodies, block, moment, held, own, given)
        if moment.winds:
            _give_winds(moving, block, held, given)


@parallel_kernel
def give(moving, bodies, moment, held, place, given):
    """Apply held sums for a substep: free particles change their velocity.

    Args:
        moment: a `Substep`; held: (blocks, COLUMNS * BLOCK) float32.
        place: scratch of all tasks, see `laws.room.BlockRoom`.
        given: out (m, 6), the change of velocity of particles of rigid bodies, and the wind at faces [m/s].
    """
    for task in prange(place.shape[0] // PLACE):
        _give_share(moving, bodies, moment, task, held, place, given)


class RigidReceivers(NamedTuple):
    """Rigid bodies that fields act on.

    Attributes:
        first, stop: (b,) their ranges of receivers; position: (b, 3) [m]; rotation: (b, 4) of principal axes.
        force, torque: (b, 3) [N], [N m].
    """

    first: np.ndarray
    stop: np.ndarray
    position: np.ndarray
    rotation: np.ndarray
    force: np.ndarray
    torque: np.ndarray


@kernel
def give_bodies(bodies, ids, given, x, shares, turns, h):
    """Force and torque on rigid bodies from the velocities that fields give their particles; see `rigid_shares`.

    Args:
        bodies: a `RigidReceivers`, whose force and torque are added to [N], [N m].
        ids: (m,) particles; given: (m, 6) [m/s]; x: (n, 3) [m].
        shares: (m,) mass of each particle [kg]; turns: (b, 3) factors of torque about the principal axes.
    """
    first, stop, position, rotation = bodies.first, bodies.stop, bodies.position, bodies.rotation
    force, torque = bodies.force, bodies.torque
    for b in range(first.shape[0]):
        tx = ty = tz = 0.0
        for m in range(first[b], stop[b]):
            i = ids[m]
            share = shares[m] / h
            fx, fy, fz = share * given[m, 0], share * given[m, 1], share * given[m, 2]
            rx, ry, rz = x[i, 0] - position[b, 0], x[i, 1] - position[b, 1], x[i, 2] - position[b, 2]
            force[b, 0] += fx
            force[b, 1] += fy
            force[b, 2] += fz
            tx += ry * fz - rz * fy
            ty += rz * fx - rx * fz
            tz += rx * fy - ry * fx
        # In the principal axes, whose directions are the columns of this matrix.
        a, d, e, f, g, i, j, k, m = axes_of(rotation, b)
        px = turns[b, 0] * (a * tx + f * ty + j * tz)
        py = turns[b, 1] * (d * tx + g * ty + k * tz)
        pz = turns[b, 2] * (e * tx + i * ty + m * tz)
        torque[b, 0] += a * px + d * py + e * pz
        torque[b, 1] += f * px + g * py + i * pz
        torque[b, 2] += j * px + k * py + m * pz
