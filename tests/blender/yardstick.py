"""Measures and prints the processor time [s] that this machine needs now to compile a fixed function.

The speed of machines, and of shared ones over time, differs by more than a factor of two, so a time needs a reference.
"""

from __future__ import annotations

import time

import numba
import numpy as np

# Number of functions; enough for a run of a few seconds.
FUNCTIONS = 4


def measure(x, v, out):  # type: ignore[no-untyped-def]
    """Loops typical of kernels: gathers, branches, square roots, a parallel outer loop."""
    for i in numba.prange(x.shape[0]):
        ax = ay = az = 0.0
        for j in range(x.shape[0]):
            dx, dy, dz = x[j, 0] - x[i, 0], x[j, 1] - x[i, 1], x[j, 2] - x[i, 2]
            square = dx * dx + dy * dy + dz * dz
            if square > 1e-9:
                inverse = 1.0 / np.sqrt(square)
                along = dx * v[i, 0] + dy * v[i, 1] + dz * v[i, 2]
                for k in range(3):
                    out[i, k] += max(along, 0.0) * inverse * (x[j, k] - x[i, k])
                ax, ay, az = ax + dx * inverse, ay + dy * inverse, az + dz * inverse
            elif square < 0.0:
                ax, ay, az = min(ax, dx), min(ay, dy), min(az, dz)
        out[i, 0], out[i, 1], out[i, 2] = out[i, 0] + ax, out[i, 1] + ay, out[i, 2] + az


def compile_once() -> None:
    """Compile it once more."""
    three = np.zeros((2, 3))
    numba.njit(parallel=True, fastmath=True)(measure)(three, three, three)


compile_once()
began = time.process_time()
for _ in range(FUNCTIONS):
    compile_once()
print(time.process_time() - began)
