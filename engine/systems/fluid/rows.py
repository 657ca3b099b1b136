"""Copies between the user's order of particles and the sorted one."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...compiler.kernels import kernel, parallel_kernel, prange

# Rows without a particle are this far away [m].
FAR = 1e15
TASK = 1024


class FluidKinds(NamedTuple):
    """Constants of each fluid, and the fluid of each particle.

    Attributes:
        values: (4, k) float32, of each fluid: inverse mass over that of the first; XSPH coefficient c of a pass; A h of
            surface tension [m/s]; how much a wall counts as fluid for that.
        of: (n,) uint16, the fluid of each particle.
    """

    values: np.ndarray
    of: np.ndarray


class Sorted(NamedTuple):
    """Particles in sorted order, p rows.

    Attributes:
        rows: (p, 4) predicted position and pressure; speeds: (p, 4) velocity and XSPH coefficient; inward: (p, 4) or
            no rows, see `density.find_pressures`; before: (3, p), positions at the start of the step [m].
        kept: (p,) coarse pressure; rel_inv_mass: (p,) inverse mass over that of the first fluid; adhesion: (p,) how
            much a wall counts as fluid for surface tension.
    """

    rows: np.ndarray
    speeds: np.ndarray
    inward: np.ndarray
    before: np.ndarray
    kept: np.ndarray
    rel_inv_mass: np.ndarray
    adhesion: np.ndarray


@parallel_kernel
def accelerate_all(v, dv, out):
    """Velocities v (n, 3) plus `dv`, a triple, into `out` [m/s]."""
    for task in prange((v.shape[0] + TASK - 1) // TASK):
        for i in range(TASK * task, min(TASK * (task + 1), v.shape[0])):
            for axis in range(3):
                out[i, axis] = v[i, axis] + dv[axis]


@parallel_kernel
def add_fraction(more, fraction, values):
    """Add a fraction of more (n, 3) to values (n, 3)."""
    for task in prange((values.shape[0] + TASK - 1) // TASK):
        for i in range(TASK * task, min(TASK * (task + 1), values.shape[0])):
            for axis in range(3):
                values[i, axis] += fraction * more[i, axis]


@parallel_kernel
def advance(x, v, h, ahead):
    """Predicted positions after a step h [s] without interaction: x + h v, float32 [m]."""
    for task in prange((x.shape[0] + TASK - 1) // TASK):
        for i in range(TASK * task, min(TASK * (task + 1), x.shape[0])):
            for axis in range(3):
                ahead[i, axis] = x[i, axis] + h * v[i, axis]


@parallel_kernel
def gather(order, count, ahead, v, h, kept, kinds, out):
    """Rows (p, 4) of position and velocity in sorted order, and the constants of each particle's fluid; see `Sorted`.

    Rows behind the particles are far away, with the mass of the first fluid.
    """
    for task in prange((out.rows.shape[0] + TASK - 1) // TASK):
        for k in range(TASK * task, min(TASK * (task + 1), out.rows.shape[0])):
            if k < count:
                gather_one(k, order[k], ahead, v, h, kept, kinds, out)
            else:
                fill_row(k, out)


@kernel
def gather_one(k, i, ahead, v, h, kept, kinds, out):
    """Copy particle i to sorted row k."""
    for axis in range(3):
        out.rows[k, axis] = ahead[i, axis]
        out.speeds[k, axis] = v[i, axis]
        out.before[axis, k] = ahead[i, axis] - h * out.speeds[k, axis]
    out.rows[k, 3] = 0.0
    out.kept[k] = kept[i]
    fluid = kinds.of[i]
    out.rel_inv_mass[k], out.speeds[k, 3], out.adhesion[k] = (
        kinds.values[0, fluid], kinds.values[1, fluid], kinds.values[3, fluid]
    )
    if out.inward.shape[0] > 0:
        out.inward[k, 0] = out.inward[k, 1] = out.inward[k, 2] = 0.0
        out.inward[k, 3] = kinds.values[2, fluid]


@kernel
def fill_row(k, out):
    """Fill a row without a particle."""
    for axis in range(3):
        out.rows[k, axis], out.speeds[k, axis], out.before[axis, k] = FAR, 0.0, FAR
    out.rows[k, 3] = out.speeds[k, 3] = out.kept[k] = out.adhesion[k] = 0.0
    out.rel_inv_mass[k] = 1.0
    if out.inward.shape[0] > 0:
        for axis in range(4):
            out.inward[k, axis] = 0.0


@parallel_kernel
def scatter(order, count, moved, change, position_shift, h, x, v, sorted_kept, sorted_error, kept, error):
    """New velocities and positions in the user's order.

    v += moved / h; x += h v + position_shift; then v += change, if any.
    """
    per_h = np.float32(1.0) / h
    for task in prange((count + TASK - 1) // TASK):
        for k in range(TASK * task, min(TASK * (task + 1), count)):
            i = order[k]
            for axis in range(3):
                before = v[i, axis] + moved[axis, k] * per_h
                x[i, axis] += h * before + position_shift[axis, k]
                v[i, axis] = before + change[axis, k] if change.shape[1] > 0 else before
            kept[i] = sorted_kept[k]
            error[i] = sorted_error[k]
