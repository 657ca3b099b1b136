"""Between the user's order of particles and the sorted one."""

from __future__ import annotations

import numpy as np

from ...compiler.kernels import parallel_kernel, prange
from ...solver.neighbors import LANES

# Rows that stand for nobody are this far away [m]: fillers on one side, the end of lists on the other.
FAR = 1e15
TASK = 1024


@parallel_kernel
def gather(order, count, ahead, v, h, kept, rows, speeds, before, sorted_kept):
    """Rows (p, 4) of place and velocity in sorted order; those behind the particles are far away.

    Args: before: (3, p), where particles were a step h [s] ago [m].
    """
    for task in prange((rows.shape[0] + TASK - 1) // TASK):
        for k in range(TASK * task, min(TASK * (task + 1), rows.shape[0])):
            is_real = k < count
            i = order[k] if is_real else 0
            for axis in range(3):
                far = FAR if k >= rows.shape[0] - LANES else -FAR
                rows[k, axis] = ahead[i, axis] if is_real else far
                speeds[k, axis] = v[i, axis] if is_real else 0.0
                before[axis, k] = rows[k, axis] - h * speeds[k, axis]
            sorted_kept[k] = kept[i] if is_real else 0.0
            rows[k, 3] = 0.0


@parallel_kernel
def gather_columns(order, count, columns, lightness, speeds, inward, cling):
    """Columns of each particle in sorted order, see `FluidSolver.step`; fillers weigh as much as the first fluid."""
    for task in prange((lightness.shape[0] + TASK - 1) // TASK):
        for k in range(TASK * task, min(TASK * (task + 1), lightness.shape[0])):
            is_real = k < count
            i = order[k] if is_real else 0
            lightness[k] = columns[0, i] if is_real else 1.0
            speeds[k, 3] = columns[1, i] if is_real else 0.0
            cling[k] = columns[3, i] if is_real else 0.0
            if inward.shape[0] > 0:
                for axis in range(3):
                    inward[k, axis] = 0.0
                inward[k, 3] = columns[2, i] if is_real else 0.0


@parallel_kernel
def scatter(order, count, moved, change, h, x, v, sorted_kept, sorted_error, kept, error):
    """New velocities and places in the user's order: v += moved / h; x += h v; then the change by viscosity."""
    per_h = np.float32(1.0) / h
    for task in prange((count + TASK - 1) // TASK):
        for k in range(TASK * task, min(TASK * (task + 1), count)):
            i = order[k]
            for axis in range(3):
                before = v[i, axis] + moved[axis, k] * per_h
                x[i, axis] += h * before
                v[i, axis] = before + change[axis, k]
            kept[i] = sorted_kept[k]
            error[i] = sorted_error[k]
