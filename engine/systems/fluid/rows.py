"""Between the user's order of particles and the sorted one."""

from __future__ import annotations

import numpy as np

from ...compiler.kernels import parallel_kernel, prange
from ...solver.neighbors import LANES

# Rows that stand for nobody are this far away [m]: fillers on one side, the end of lists on the other.
FAR = 1e15
TASK = 1024


@parallel_kernel
def gather(order, count, ahead, v, viscous, kept, rows, speeds, sorted_kept):
    """Rows (p, 4) of position and velocity in sorted order; those behind the particles are far away."""
    for task in prange((rows.shape[0] + TASK - 1) // TASK):
        for k in range(TASK * task, min(TASK * (task + 1), rows.shape[0])):
            if k < count:
                i = order[k]
                for axis in range(3):
                    rows[k, axis] = ahead[i, axis]
                    speeds[k, axis] = v[i, axis]
                speeds[k, 3] = viscous[i]
                sorted_kept[k] = kept[i]
            else:
                for axis in range(3):
                    rows[k, axis] = FAR if k >= rows.shape[0] - LANES else -FAR
                    speeds[k, axis] = 0.0
                speeds[k, 3] = 0.0
            rows[k, 3] = 0.0


@parallel_kernel
def scatter(order, count, moved, change, h, x, v, sorted_kept, sorted_error, kept, error):
    """New velocities and positions in the user's order: v += moved / h + change; x += h v."""
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
