"""Soft particles tied to rigid bodies; solved in the inner steps of springs, like contacts.

A tie between a particle and the point p of a body, at the offset d, is solved in every inner step of h, with W of
`sides`, for

    |d'| = rest,   or   J = -h k (|d'| - rest) - c (|d'| - |d|)     of a spring k with a dashpot c

Both sides get the impulse J at the position of the particle, so linear and angular momentum are conserved.

Rigid ties are swept forward and backward. A sweep in one direction over several ties of one particle is a product of
projections that rotates the remainder, and x' = P(2 x - x_before) grows where P has complex eigenvalues: three ties to
a vertex of 0.4 g left free fall at 1,700 m/s. With both sweeps P is symmetric, its eigenvalues are real, from 0 to 1,
and nothing grows. Springs are solved only in the forward sweep, because their impulse is not accumulated.

The error of a rigid tie at the start of the substep is removed in equal parts, at RECOVERY_SPEED at most. The pose of a
spinning body differs from that after its inner steps, because a substep rotates it about its mean axis and inner steps
move its points along straight lines. Removed in the first inner step, 2 cm caused a velocity of 100 m/s.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ....compiler.kernels import kernel
from ...collide.response.response import RECOVERY_SPEED
from ...constraints.contact.impulses import shift_rows
from ..motion import axes_of
from ..sides import apply_inverse_inertia, rigid_inv_mass
from .frames import turned_by_frame
from .link_rows import NEAREST


class SoftTies(NamedTuple):
    """Ties of soft particles to rigid bodies, constant during a simulation.

    Attributes:
        particle: (t,) int64 soft particles; body: (t,) int64; local: (t, 3) points in body axes [m].
        rest: (t,) [m]; stiffness: (t,) [N/m], 0 for rigid ties; damping: (t,) [N s/m].
    """

    particle: np.ndarray
    body: np.ndarray
    local: np.ndarray
    rest: np.ndarray
    stiffness: np.ndarray
    damping: np.ndarray


class TieWork(NamedTuple):
    """State of ties in the running substep, see `begin_ties`.

    Attributes:
        rows: (t, 4) int64, the particle's row and the spare one; parts: (t, 4), 1, 0, 0, 0.
        offset: (t, 3), from the body's point to the particle [m]; creep: (t, 3), predicted displacement of that point
            in an inner step [m]; lever: (t, 3), from the centre to that point [m]; particle_lever: scratch (t, 3), from
            the centre to the particle [m].
        start_error: (t,), length minus `rest` of rigid ties at the start of the substep, 0 for springs [m].
        axes: scratch (1, 9).
        of_ties, tie: the ties of each island, see `constraints.islands.Listed`.
    """

    rows: np.ndarray
    parts: np.ndarray
    offset: np.ndarray
    creep: np.ndarray
    lever: np.ndarray
    particle_lever: np.ndarray
    start_error: np.ndarray
    axes: np.ndarray
    of_ties: np.ndarray
    tie: np.ndarray


def no_ties() -> SoftTies:
    """Ties of a world without any."""
    none = np.zeros(0, dtype=np.int64)
    return SoftTies(none, none, np.zeros((0, 3)), *(np.zeros(0) for _ in range(3)))


@kernel
def begin_ties(ties, x_prev, bodies, row, spare, steps, work):
    """Set up the ties for a substep.

    Args:
        ties: `SoftTies`; x_prev: (n, 3), particles at the start [m]; bodies: `rigid.columns.BodyColumns`, predicted.
        row, spare: see `contact.contacts.begin_contacts`; steps: (b,) inner steps of each body.
        work: `TieWork`, out: `rows`, `offset`, `creep`, `lever`, `start_error`.
    """
    particle = ties.particle
    body = ties.body
    local = ties.local
    position_before = bodies.position_before
    rotation_before = bodies.rotation_before
    position = bodies.position
    rotation = bodies.rotation
    axes = work.axes
    rows = work.rows
    offset = work.offset
    creep = work.creep
    lever = work.lever
    for t in range(particle.shape[0]):
        i = particle[t]
        b = body[t]
        rows[t, 0] = row[i]
        for e in range(1, 4):
            rows[t, e] = spare
        for is_end in range(2):
            (
                axes[0, 0], axes[0, 1], axes[0, 2], axes[0, 3], axes[0, 4], axes[0, 5], axes[0, 6], axes[0, 7],
                axes[0, 8],
            ) = axes_of(rotation_before if is_end == 0 else rotation, b)
            lx, ly, lz = turned_by_frame(axes, 0, local[t, 0], local[t, 1], local[t, 2])
            for k in range(3):
                part = lx if k == 0 else (ly if k == 1 else lz)
                if is_end == 0:
                    lever[t, k] = part
                    offset[t, k] = x_prev[i, k] - position_before[b, k] - part
                else:
                    creep[t, k] = (position[b, k] + part - position_before[b, k] - lever[t, k]) / steps[b]
        length = math.sqrt(offset[t, 0] ** 2 + offset[t, 1] ** 2 + offset[t, 2] ** 2)
        work.start_error[t] = length - ties.rest[t] if ties.stiffness[t] == 0.0 else 0.0


@kernel
def _point_displacement(t, b, creep, lever, h, rate):
    """Displacement of the body's point in an inner step [m]."""
    return (
        creep[t, 0] + h * (rate[b, 0] + rate[b, 4] * lever[t, 2] - rate[b, 5] * lever[t, 1]),
        creep[t, 1] + h * (rate[b, 1] + rate[b, 5] * lever[t, 0] - rate[b, 3] * lever[t, 2]),
        creep[t, 2] + h * (rate[b, 2] + rate[b, 3] * lever[t, 1] - rate[b, 4] * lever[t, 0]),
    )


@kernel
def solve_ties(g, left, islands, ties, work, bodies, rows, row_block, impulse):
    """Solve the ties of island g in one inner step, before contacts.

    Args:
        left: inner steps until the substep ends, including this one; islands: `constraints.islands.Islands`.
        ties: `SoftTies`; work: `TieWork`; bodies: `rigid.columns.InnerBodies`; rows: `constraints.columns.MovingRows`.
        row_block: (r + 1,) block of each row; impulse: (blocks, GIVEN) out, see `momentum.piece_corrections`.
    """
    steps = islands.steps[g]
    h = islands.length[g]
    begin = work.of_ties[g]
    count = work.of_ties[g + 1] - begin
    body = ties.body
    rest = ties.rest
    stiffness = ties.stiffness
    damping = ties.damping
    tied_rows = work.rows
    parts = work.parts
    offset = work.offset
    creep = work.creep
    lever = work.lever
    particle_lever = work.particle_lever
    at = rows.at
    began = rows.began
    moved = rows.moved
    mass = bodies.mass
    inverse = bodies.inverse
    dv_per_step = bodies.dv_per_step
    centre_displacement = bodies.centre_displacement
    rate = bodies.rate
    impulse_sums = bodies.impulse_sums
    delay = (left - steps) * h
    for place in range(bodies.of_bodies[g], bodies.of_bodies[g + 1]):
        for k in range(6):
            rate[bodies.body[place], k] += dv_per_step[bodies.body[place], k]
    # Forward, and for rigid ties backward again.
    for visit in range(2 * count - 1):
        t = work.tie[begin + (visit if visit < count else 2 * count - 2 - visit)]
        if visit >= count and stiffness[t] > 0.0:
            continue
        b = body[t]
        r = tied_rows[t, 0]
        gx, gy, gz = _point_displacement(t, b, creep, lever, h, rate)
        dx = offset[t, 0] + (float(moved[r, 0]) - float(began[r, 0])) - gx
        dy = offset[t, 1] + (float(moved[r, 1]) - float(began[r, 1])) - gy
        dz = offset[t, 2] + (float(moved[r, 2]) - float(began[r, 2])) - gz
        length = math.sqrt(dx * dx + dy * dy + dz * dz)
        if not length > NEAREST:
            continue
        dx /= length
        dy /= length
        dz /= length
        # Along the tie as the inner step begins: an impulse along another line would rotate the body, with the length
        # of the tie as lever.
        before = math.sqrt(offset[t, 0] ** 2 + offset[t, 1] ** 2 + offset[t, 2] ** 2)
        if rest[t] > 0.0 and before > NEAREST:
            dx = offset[t, 0] / before
            dy = offset[t, 1] / before
            dz = offset[t, 2] / before
        for k in range(3):
            particle_lever[t, k] = lever[t, k] + offset[t, k]
        total_inv_mass = float(moved[r, 3]) + rigid_inv_mass(
            t, b, particle_lever, mass, inverse, dx, dy, dz, dx, dy, dz
        )
        recovered = min(max(work.start_error[t], -RECOVERY_SPEED * h * steps), RECOVERY_SPEED * h * steps)
        error = length - rest[t] - work.start_error[t] + recovered * (steps - left + 1) / steps
        compliance = 0.0
        if stiffness[t] > 0.0:
            # The implicit step damps as a dashpot h k would; add only the damping that exceeds it.
            extra_damping = max(damping[t] - h * stiffness[t], 0.0)
            stiff = h * stiffness[t] + extra_damping
            compliance = 1.0 / stiff
            error -= extra_damping / stiff * (before - rest[t])
        p = -error / (h * total_inv_mass + compliance)
        jx = p * dx
        jy = p * dy
        jz = p * dz
        displacement = (h * jx, h * jy, h * jz)
        shift_rows(at, began, moved, tied_rows, parts, row_block, t, 1.0, displacement, h, left * h, impulse)
        rate[b, 0] -= jx / mass[b]
        rate[b, 1] -= jy / mass[b]
        rate[b, 2] -= jz / mass[b]
        tx = particle_lever[t, 1] * jz - particle_lever[t, 2] * jy
        ty = particle_lever[t, 2] * jx - particle_lever[t, 0] * jz
        tz = particle_lever[t, 0] * jy - particle_lever[t, 1] * jx
        wx, wy, wz = apply_inverse_inertia(inverse, b, tx, ty, tz)
        rate[b, 3] -= wx
        rate[b, 4] -= wy
        rate[b, 5] -= wz
        impulse_sums[b, 0] -= jx
        impulse_sums[b, 1] -= jy
        impulse_sums[b, 2] -= jz
        impulse_sums[b, 3] -= tx + centre_displacement[b, 1] * jz - centre_displacement[b, 2] * jy
        impulse_sums[b, 4] -= ty + centre_displacement[b, 2] * jx - centre_displacement[b, 0] * jz
        impulse_sums[b, 5] -= tz + centre_displacement[b, 0] * jy - centre_displacement[b, 1] * jx
        for k in range(3):
            j = jx if k == 0 else (jy if k == 1 else jz)
            impulse_sums[b, 6 + k] -= delay * j
            impulse_sums[b, 9 + k] -= delay * j
            impulse_sums[b, 15 + k] -= delay * delay * j
            impulse_sums[b, 12 + k] -= delay * (tx if k == 0 else (ty if k == 1 else tz))
    for place in range(bodies.of_bodies[g], bodies.of_bodies[g + 1]):
        for k in range(6):
            rate[bodies.body[place], k] -= dv_per_step[bodies.body[place], k]


@kernel
def follow_ties(g, islands, body, work, rows, velocity, rate):
    """Update offsets and levers by the motion of particles and bodies in an inner step, at its end.

    Args: islands, work, rows: see `solve_ties`; body: (t,); velocity, rate: of bodies.
    """
    moved, began = rows.moved, rows.began
    creep = work.creep
    offset = work.offset
    lever = work.lever
    h = islands.length[g]
    for place in range(work.of_ties[g], work.of_ties[g + 1]):
        t = work.tie[place]
        b = body[t]
        r = work.rows[t, 0]
        gx, gy, gz = _point_displacement(t, b, creep, lever, h, rate)
        for k in range(3):
            travel = gx if k == 0 else (gy if k == 1 else gz)
            offset[t, k] += float(moved[r, k]) - float(began[r, k]) - travel
            lever[t, k] += travel - h * (velocity[b, k] + rate[b, k])
