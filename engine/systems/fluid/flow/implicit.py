"""Implicit viscosity, for fluids too viscous for passes of XSPH.

With L u the change that `viscosity.smooth_motion` gives, the velocities u at the end of a step satisfy

    u - L u = v        v: velocities before

which is stable for any viscosity: a very viscous fluid moves like a rigid body. L is symmetric in the mass-weighted
inner product, so conjugate gradients solve it, with one pass over the neighbours an iteration. Compare Weiler et al.
2018, "A physically consistent implicit viscosity solver for SPH fluids". Velocity changes are sums of such passes, so
the fluid's momentum is conserved to rounding whatever the number of iterations.
"""

from __future__ import annotations

import numpy as np

from ....compiler import aligned
from ....compiler.kernels import kernel, parallel_kernel, prange
from ..density import TASK
from ..law import Law
from ..wall_table import WallTable
from .viscosity import smooth_motion

# Iterations end at the fraction TOLERANCE of the first residual, or at the mean residual SMALL of a particle [m/s].
TOLERANCE, SMALL, MOST_ITERATIONS = 1e-3, 1e-6, 60


class ThickFlow:
    """Implicit viscosity of one fluid solver, with its buffers."""

    def __init__(self) -> None:
        self._direction = aligned.zeros((0, 4), np.float32)
        self._residual, self._image = (aligned.zeros((3, 0), np.float32) for _ in range(2))
        self.iterations = 0

    def smooth(
        self, lists: tuple, law: Law, rel_inv_mass: np.ndarray, table: WallTable, h: np.float32, sums: np.ndarray,
        speeds: np.ndarray, change: np.ndarray,
    ) -> None:
        """Apply an implicit step of h [s] to velocities, and add the drag of walls to `table.displacement`.

        Args:
            lists: blocks, particles, rows (p, 4), `Blocks`; rel_inv_mass: (p,); sums: scratch, see `viscosity`.
            speeds: (p, 4), which change; change: (3, p), to which the change is added [m/s].
        """
        blocks, count, rows, columns = lists
        if len(self._direction) != len(speeds):
            self._direction = aligned.zeros((len(speeds), 4), np.float32)
            self._residual, self._image = (aligned.zeros((3, len(speeds)), np.float32) for _ in range(2))
        direction, residual, image = self._direction, self._residual, self._image
        zero, per_h = np.float32(0.0), np.float32(1.0) / h
        smooth_motion(blocks, rows, speeds, columns, law, rel_inv_mass, table, (per_h, zero), sums, residual)
        direction[:, 3] = speeds[:, 3]
        next_direction(count, residual, zero, direction)
        size = dot(count, rel_inv_mass, residual, residual)
        least = max(TOLERANCE**2 * size, SMALL**2 * count)
        self.iterations = 0
        while size > least and self.iterations < MOST_ITERATIONS:
            smooth_motion(blocks, rows, direction, columns, law, rel_inv_mass, table, (zero, zero), sums, image)
            along = apply_operator(count, rel_inv_mass, direction, image)
            if not along > 0.0:
                break
            advance_solution(count, np.float32(size / along), direction, image, speeds, change, residual)
            before, size = size, dot(count, rel_inv_mass, residual, residual)
            next_direction(count, residual, np.float32(size / before), direction)
            self.iterations += 1
        # The remaining residual is within the tolerance; this pass records the drag of walls by the solution.
        smooth_motion(blocks, rows, speeds, columns, law, rel_inv_mass, table, (per_h, h), sums, image)


@kernel
def dot(count, rel_inv_mass, a, b):
    """Sum over particles of mass times a . b, both (3, p)."""
    total = 0.0
    for i in range(count):
        here = 0.0
        for axis in range(3):
            here += float(a[axis, i]) * float(b[axis, i])
        total += here / rel_inv_mass[i]
    return total


@kernel
def apply_operator(count, rel_inv_mass, direction, image):
    """Replace L d in `image` (3, p) by d - L d, with d = `direction` (p, 4); returns their mass-weighted product."""
    total = 0.0
    for i in range(count):
        here = 0.0
        for axis in range(3):
            image[axis, i] = direction[i, axis] - image[axis, i]
            here += float(direction[i, axis]) * float(image[axis, i])
        total += here / rel_inv_mass[i]
    return total


@parallel_kernel
def next_direction(count, residual, factor, direction):
    """The next search direction: the residual (3, p) plus `factor` times the last direction (p, 4)."""
    for task in prange((count + TASK - 1) // TASK):
        for i in range(TASK * task, min(TASK * (task + 1), count)):
            for axis in range(3):
                direction[i, axis] = residual[axis, i] + factor * direction[i, axis]


@parallel_kernel
def advance_solution(count, length, direction, image, speeds, change, residual):
    """Step `length` along the direction (p, 4), and subtract its image (3, p) from the residual (3, p)."""
    for task in prange((count + TASK - 1) // TASK):
        for i in range(TASK * task, min(TASK * (task + 1), count)):
            for axis in range(3):
                speeds[i, axis] += length * direction[i, axis]
                change[axis, i] += length * direction[i, axis]
                residual[axis, i] -= length * image[axis, i]
