"""Implicit viscosity, for what is too thick for passes of XSPH.

With L u the change that `viscosity.smooth_motion` gives, the velocities u at the end of a step satisfy

    u - L u = v        v: before

which is stable for any viscosity: a stiff fluid becomes a body that only turns and moves. L is symmetric in the sum
over particles weighted by mass, so conjugate gradients solve it, with one pass over the neighbours an iteration.
Compare Weiler et al. 2018, "A physically consistent implicit viscosity solver for SPH fluids". Changes of velocity are
sums of such passes, so the fluid's momentum is kept to rounding whatever the number of iterations.
"""

from __future__ import annotations

import numpy as np

from ....compiler import aligned
from ....compiler.kernels import kernel, parallel_kernel, prange
from ..density import TASK
from ..law import Law
from ..wall_table import WallTable
from .viscosity import smooth_motion

# Iterations end at this share of the first residual, or at the second speed in a particle on average [m/s].
TOLERANCE, SMALL, MOST_ITERATIONS = 1e-3, 1e-6, 60


class ThickFlow:
    """Room for the solution of one fluid solver."""

    def __init__(self) -> None:
        self._way = aligned.zeros((0, 4), np.float32)
        self._residual, self._image = (aligned.zeros((3, 0), np.float32) for _ in range(2))
        self.iterations = 0

    def smooth(
        self, lists: tuple, law: Law, lightness: np.ndarray, table: WallTable, h: np.float32, sums: np.ndarray,
        speeds: np.ndarray, change: np.ndarray,
    ) -> None:
        """Take velocities through an implicit step of h [s], and note what the walls dragged.

        Args:
            lists: blocks, particles, rows (p, 4), `Blocks`; lightness: (p,); sums: room, see `viscosity`.
            speeds: (p, 4), which change; change: (3, p), to which the change is added [m/s].
        """
        blocks, count, rows, columns = lists
        if len(self._way) != len(speeds):
            self._way = aligned.zeros((len(speeds), 4), np.float32)
            self._residual, self._image = (aligned.zeros((3, len(speeds)), np.float32) for _ in range(2))
        way, residual, image = self._way, self._residual, self._image
        nought, per_h = np.float32(0.0), np.float32(1.0) / h
        smooth_motion(blocks, rows, speeds, columns, law, lightness, table, (per_h, nought), sums, residual)
        way[:, 3] = speeds[:, 3]
        step_way(count, residual, nought, way)
        size = dot(count, lightness, residual, residual)
        least = max(TOLERANCE**2 * size, SMALL**2 * count)
        self.iterations = 0
        while size > least and self.iterations < MOST_ITERATIONS:
            smooth_motion(blocks, rows, way, columns, law, lightness, table, (nought, nought), sums, image)
            along = image_of(count, lightness, way, image)
            if not along > 0.0:
                break
            go_along(count, np.float32(size / along), way, image, speeds, change, residual)
            before, size = size, dot(count, lightness, residual, residual)
            step_way(count, residual, np.float32(size / before), way)
            self.iterations += 1
        # What is left of the residual is as small as the tolerance; walls note their part of the solution.
        smooth_motion(blocks, rows, speeds, columns, law, lightness, table, (per_h, h), sums, image)


@kernel
def dot(count, lightness, a, b):
    """Sum over particles of mass times a . b, both (3, p)."""
    total = 0.0
    for i in range(count):
        here = 0.0
        for axis in range(3):
            here += float(a[axis, i]) * float(b[axis, i])
        total += here / lightness[i]
    return total


@kernel
def image_of(count, lightness, way, image):
    """Turn L way in `image` (3, p) into way - L way; returns its sum with `way` (p, 4), weighted by mass."""
    total = 0.0
    for i in range(count):
        here = 0.0
        for axis in range(3):
            image[axis, i] = way[i, axis] - image[axis, i]
            here += float(way[i, axis]) * float(image[axis, i])
        total += here / lightness[i]
    return total


@parallel_kernel
def step_way(count, residual, share, way):
    """The next way: the residual (3, p), and a share of the last way (p, 4)."""
    for task in prange((count + TASK - 1) // TASK):
        for i in range(TASK * task, min(TASK * (task + 1), count)):
            for axis in range(3):
                way[i, axis] = residual[axis, i] + share * way[i, axis]


@parallel_kernel
def go_along(count, length, way, image, speeds, change, residual):
    """Go so far along the way (p, 4), whose image (3, p) the residual (3, p) loses."""
    for task in prange((count + TASK - 1) // TASK):
        for i in range(TASK * task, min(TASK * (task + 1), count)):
            for axis in range(3):
                speeds[i, axis] += length * way[i, axis]
                change[axis, i] += length * way[i, axis]
                residual[axis, i] -= length * image[axis, i]
