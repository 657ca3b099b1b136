"""Time integration of particles: acceleration, prediction, velocity update."""

from __future__ import annotations

import numpy as np

from ..compiler.kernels import parallel_kernel, prange


@parallel_kernel
def accelerate(inv_mass, gx, gy, gz, drag_factor, v):
    """v = v exp(-air_drag h) + h g for every free particle; (gx, gy, gz) = h g.

    Drag acts on the velocity before gravity is added, so a body at rest still feels its whole weight.
    """
    for i in prange(v.shape[0]):
        if inv_mass[i] > 0.0:
            v[i, 0] = v[i, 0] * drag_factor[i] + gx
            v[i, 1] = v[i, 1] * drag_factor[i] + gy
            v[i, 2] = v[i, 2] * drag_factor[i] + gz


@parallel_kernel
def predict(v, h, x, x_prev):
    """x_prev = x; x += h v. Held particles move too, driven by their v."""
    for i in prange(x.shape[0]):
        for k in range(3):
            x_prev[i, k] = x[i, k]
            x[i, k] += h * v[i, k]


@parallel_kernel
def velocities(x, x_prev, h, v):
    """v = (x - x_prev) / h."""
    for i in prange(x.shape[0]):
        for k in range(3):
            v[i, k] = (x[i, k] - x_prev[i, k]) / h


def first_not_finite(x: np.ndarray, v: np.ndarray) -> int:
    """Index of the first particle whose position or velocity, (n, 3) each, is not finite, or -1."""
    # Comparisons with NaN are false.
    if all(-1e300 < values.min(initial=0.0) and values.max(initial=0.0) < 1e300 for values in (x, v)):
        return -1
    is_finite = ((np.abs(x) < 1e300) & (np.abs(v) < 1e300)).all(axis=1)
    return int(is_finite.argmin())
