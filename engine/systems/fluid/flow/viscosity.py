"""Viscosity as XSPH, pair by pair, and the drag of walls."""

from __future__ import annotations

from ....compiler.kernels import kernel, parallel_kernel, prange
from ....solver.vector.fluid import sum_motion
from ....solver.vector.ir.lanes import LANES
from ..density import BLOCKS, MOTION, TASK, WEIGHT, from_wall
from ..law import grip


@parallel_kernel
def take_change(count, step, speeds, change):
    """Add a velocity change `step` (3, p) to velocities, and to their total `change`."""
    for task in prange((count + TASK - 1) // TASK):
        for i in range(TASK * task, min(TASK * (task + 1), count)):
            for axis in range(3):
                speeds[i, axis] += step[axis, i]
                change[axis, i] += step[axis, i]


@parallel_kernel
def smooth_motion(count, rows, speeds, blocks, law, rel_inv_mass, table, walls, sums, change):
    """XSPH viscosity: the change of each velocity (3, p) [m/s], pair by pair.

    Schechter and Bridson 2012, "Ghost SPH for animating water", give the form; the coefficient c of a pair is the mean
    of both, from the fourth column of `speeds`, so that momentum is conserved.

    Args: walls: (1 / h [1/s] or 0 for walls at rest, h [s] or 0 if walls do not record their drag).
    """
    for task in prange((count + BLOCKS - 1) // BLOCKS):
        for block in range(BLOCKS * task, min(BLOCKS * (task + 1), count)):
            sum_motion(rows, speeds, blocks, law.per_support, sums, block, task)
            for i in range(blocks.start[block], blocks.start[block + 1]):
                for axis in range(3):
                    place = LANES * task + i - blocks.start[block]
                    change[axis, i] = law.scale * rel_inv_mass[i] * sums[5 + axis, place]
                if table.first[i] < table.stop[i]:
                    drag_along(i, rows, speeds, law, rel_inv_mass, table, walls, change)


@kernel
def drag_along(i, rows, speeds, law, rel_inv_mass, table, walls, change):
    """Add the drag of particle i by its walls, half spaces of fluid without slip, see `law.grip`."""
    for w in range(table.first[i], table.stop[i]):
        factor = table.plane[w, WEIGHT] * grip(from_wall(rows, i, table.plane, w), law.per_support) * speeds[i, 3]
        factor *= table.drag_factor[w] * rel_inv_mass[i]
        for axis in range(3):
            dv = factor * (walls[0] * table.plane[w, MOTION + axis] - speeds[i, axis])
            change[axis, i] += dv
            table.displacement[w, axis] += walls[1] * dv
