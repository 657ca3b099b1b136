"""Viscosity as XSPH, pair by pair, and the walls' part in it."""

from __future__ import annotations

from ....compiler.kernels import kernel, parallel_kernel, prange
from ....solver.vector.fluid import sum_motion
from ....solver.vector.ir.lanes import LANES
from ..density import BLOCKS, TASK, WAY, WEIGHT, from_wall
from ..law import grip


@parallel_kernel
def take_change(count, step, speeds, change):
    """Add a part `step` (3, p) of a change to velocities, and to the whole of it."""
    for task in prange((count + TASK - 1) // TASK):
        for i in range(TASK * task, min(TASK * (task + 1), count)):
            for axis in range(3):
                speeds[i, axis] += step[axis, i]
                change[axis, i] += step[axis, i]


@parallel_kernel
def smooth_motion(count, rows, speeds, blocks, law, lightness, table, walls, sums, change):
    """XSPH viscosity: the change of each velocity (3, p) [m/s] by the fourth column of `speeds`, pair by pair.

    Schechter and Bridson 2012, "Ghost SPH for animating water", give the form; the share c of a pair is the mean of
    both, so that momentum is kept.

    Args: walls: (1 / h [1/s] or 0 for walls at rest, h [s] or 0 where walls do not note what they dragged).
    """
    for task in prange((count + BLOCKS - 1) // BLOCKS):
        for block in range(BLOCKS * task, min(BLOCKS * (task + 1), count)):
            sum_motion(rows, speeds, blocks, law.per_support, sums, block, task)
            for i in range(blocks.start[block], blocks.start[block + 1]):
                for axis in range(3):
                    place = LANES * task + i - blocks.start[block]
                    change[axis, i] = law.scale * lightness[i] * sums[5 + axis, place]
                if table.first[i] < table.stop[i]:
                    drag_along(i, rows, speeds, law, lightness, table, walls, change)


@kernel
def drag_along(i, rows, speeds, law, lightness, table, walls, change):
    """Add what the walls of particle i drag it along by: half spaces of fluid without slip, see `law.grip`."""
    for w in range(table.first[i], table.stop[i]):
        share = table.plane[w, WEIGHT] * grip(from_wall(rows, i, table.plane, w), law.per_support) * speeds[i, 3]
        share *= table.give[w] * lightness[i]
        for axis in range(3):
            dv = share * (walls[0] * table.plane[w, WAY + axis] - speeds[i, axis])
            change[axis, i] += dv
            table.push[w, axis] += walls[1] * dv
