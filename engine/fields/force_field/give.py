"""Applies the sums of fields to particles and to rigid bodies.

With the sums (a, c, d, B) of `push`, a particle's velocity becomes in a substep h

    v + h a - min(h (c + d |v|), 1) v,   then rotated about B by the Boris rotation, t = h B / 2:
    v' = v + v x t,  v = v + 2 v' x t / (1 + t²)

so that damping never reverses a velocity and a magnetic field adds no energy. (With one substep a frame the rotation is
v += h v x B instead, the Euler step that Blender uses for particles.)
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...compiler.kernels import kernel, parallel_kernel, prange
from ...solver.rigid.motion import axes_of
from .laws.scratch import (
    AX,
    AY,
    AZ,
    BLOCK,
    BX,
    BY,
    BZ,
    DOUBLES,
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
        h: its length [s]; rotates: whether magnetic fields rotate velocities, and so add no energy; else v += h v x B.
        winds: whether the winds may have changed.
    """

    h: float
    rotates: bool
    winds: bool


@kernel
def _change(own, step, rotates, doubles):
    """Replace velocities in X, Y, Z of `doubles` by their changes; args: rotates: 1 if B rotates velocities, else 0."""
    half = 0.5 * step
    for k in range(BLOCK):
        vx, vy, vz = doubles[k + X], doubles[k + Y], doubles[k + Z]
        rate = step * (own[k + RATE] + own[k + RATE_BY_SPEED] * math.sqrt(vx * vx + vy * vy + vz * vz))
        rate = rate if rate < 1.0 else 1.0
        tx, ty, tz = half * own[k + BX], half * own[k + BY], half * own[k + BZ]
        boris = 2.0 / (1.0 + rotates * (tx * tx + ty * ty + tz * tz))
        ux = vx + rotates * (vy * tz - vz * ty)
        uy = vy + rotates * (vz * tx - vx * tz)
        uz = vz + rotates * (vx * ty - vy * tx)
        doubles[k + X] = step * own[k + AX] - rate * vx + boris * (uy * tz - uz * ty)
        doubles[k + Y] = step * own[k + AY] - rate * vy + boris * (uz * tx - ux * tz)
        doubles[k + Z] = step * own[k + AZ] - rate * vz + boris * (ux * ty - uy * tx)


@kernel
def _give_block(moving, bodies, block, moment, held, doubles, effect):
    first, stop, body = moving.first[block], moving.stop[block], moving.body[block]
    v, inv_mass, start, h = moving.v, moving.inv_mass, moving.ids[first], moment.h
    lift_x, lift_y, lift_z = h * bodies.lift[body, 0], h * bodies.lift[body, 1], h * bodies.lift[body, 2]
    for k in range(stop - first):
        doubles[k + X], doubles[k + Y], doubles[k + Z] = v[start + k, 0], v[start + k, 1], v[start + k, 2]
    _change(held[block], h * bodies.response[body], 1.0 if moment.rotates else 0.0, doubles)
    for k in range(stop - first):
        dx, dy, dz = doubles[k + X] + lift_x, doubles[k + Y] + lift_y, doubles[k + Z] + lift_z
        if bodies.is_rigid[body]:
            effect[first + k, 0], effect[first + k, 1], effect[first + k, 2] = dx, dy, dz
        elif inv_mass[start + k] > 0.0:
            v[start + k, 0] += dx
            v[start + k, 1] += dy
            v[start + k, 2] += dz


@kernel
def _give_winds(moving, block, held, effect):
    first, own = moving.first[block], held[block]
    for k in range(moving.stop[block] - first):
        if moving.on_face[first + k]:
            effect[first + k, 3], effect[first + k, 4], effect[first + k, 5] = own[k + WX], own[k + WY], own[k + WZ]


@kernel
def _give_task(moving, bodies, moment, task, held, doubles, effect):
    blocks, tasks = moving.first.shape[0], doubles.shape[0] // DOUBLES
    own = doubles[task * DOUBLES : (task + 1) * DOUBLES]
    for block in range(blocks * task // tasks, blocks * (task + 1) // tasks):
        _give_block(moving, bodies, block, moment, held, own, effect)
        if moment.winds:
            _give_winds(moving, block, held, effect)


@parallel_kernel
def give(moving, bodies, moment, held, doubles, effect):
    """Apply held sums for a substep: free particles change their velocity.

    Args:
        moment: a `Substep`; held: (blocks, COLUMNS * BLOCK) float32.
        doubles: scratch of all tasks, see `laws.scratch.FieldScratch`.
        effect: out (m, 6), the velocity change of particles of rigid bodies, and the wind at faces [m/s].
    """
    for task in prange(doubles.shape[0] // DOUBLES):
        _give_task(moving, bodies, moment, task, held, doubles, effect)


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
def give_bodies(bodies, ids, effect, x, masses, torque_factors, h):
    """Force and torque on rigid bodies from the velocity changes of their particles; see `rigid_shares`.

    Args:
        bodies: a `RigidReceivers`, whose force and torque are added to [N], [N m].
        ids: (m,) particles; effect: (m, 6) [m/s]; x: (n, 3) [m].
        masses: (m,) of each particle [kg]; torque_factors: (b, 3) about the principal axes.
    """
    first, stop, position, rotation = bodies.first, bodies.stop, bodies.position, bodies.rotation
    force, torque = bodies.force, bodies.torque
    for b in range(first.shape[0]):
        tx = ty = tz = 0.0
        for m in range(first[b], stop[b]):
            i = ids[m]
            mass_per_h = masses[m] / h
            fx, fy, fz = mass_per_h * effect[m, 0], mass_per_h * effect[m, 1], mass_per_h * effect[m, 2]
            rx, ry, rz = x[i, 0] - position[b, 0], x[i, 1] - position[b, 1], x[i, 2] - position[b, 2]
            force[b, 0] += fx
            force[b, 1] += fy
            force[b, 2] += fz
            tx += ry * fz - rz * fy
            ty += rz * fx - rx * fz
            tz += rx * fy - ry * fx
        # In the principal axes, whose directions are the columns of this matrix.
        a, d, e, f, g, i, j, k, m = axes_of(rotation, b)
        px = torque_factors[b, 0] * (a * tx + f * ty + j * tz)
        py = torque_factors[b, 1] * (d * tx + g * ty + k * tz)
        pz = torque_factors[b, 2] * (e * tx + i * ty + m * tz)
        torque[b, 0] += a * px + d * py + e * pz
        torque[b, 1] += f * px + g * py + i * pz
        torque[b, 2] += j * px + k * py + m * pz
