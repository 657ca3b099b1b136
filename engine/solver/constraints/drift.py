"""Positions of rows outside a solve, and their unconstrained motion in an inner step; see `constraints.local`."""

from __future__ import annotations

from ...compiler.kernels import parallel_kernel, part_of_kernel, prange


@parallel_kernel
def place_rows(x, ids, block_start, block_first, at):
    """at = x - origin; the origin of a block is the position of particle `block_first`."""
    for block in prange(block_start.shape[0] - 1):
        o = block_first[block]
        for r in range(block_start[block], block_start[block + 1]):
            for k in range(3):
                at[r, k] = x[ids[r], k] - x[o, k]


@parallel_kernel
def take_inv_mass(inv_mass, ids, block_start, rows):
    """Set the inverse masses (n,) of all rows; rows: `columns.MovingRows`."""
    at = rows.at
    moved = rows.moved
    reached = rows.reached
    began = rows.began
    for block in prange(block_start.shape[0] - 1):
        for r in range(block_start[block], block_start[block + 1]):
            w = inv_mass[ids[r]]
            if at[r, 3] != w:
                at[r, 3] = w
                moved[r, 3] = w
                reached[r, 3] = w
                began[r, 3] = w


@parallel_kernel
def drift(rows, blocks, islands, g, h):
    """Unconstrained motion of island g at the start of an inner step; `vector.drift` has the single-precision twin.

    First the step before is completed: speed += (moved - reached) / h, which is 0 for the first step. Then
    speed += dv_per_step + dv_gradient times the height gained, began = moved, moved += h speed, reached = moved.

    Args: rows: `columns.MovingRows`, in and out; blocks: `columns.RowBlocks`; islands: `islands.Islands`; h: the inner
    step [s], in the rows' precision.
    """
    per_h = rows.moved.dtype.type(1.0) / h
    own = islands.block
    start = blocks.start
    for place in prange(islands.block_start[g], islands.block_start[g + 1]):
        block = own[place]
        for r in range(start[block], start[block + 1]):
            drift_row(rows, h, per_h, r)


@part_of_kernel
def drift_row(rows, h, per_h, r):
    """One row of `drift`; per_h is 1 / h."""
    moved = rows.moved
    reached = rows.reached
    began = rows.began
    speed = rows.speed
    dv_per_step = rows.dv_per_step
    dv_gradient = rows.dv_gradient
    up = moved[r, 2]
    for k in range(3):
        v = speed[r, k]
        if moved[r, 3] > 0.0:
            v += (moved[r, k] - reached[r, k]) * per_h
        v += dv_per_step[r, k] + dv_gradient[r, k] * up
        speed[r, k] = v
        began[r, k] = moved[r, k]
        moved[r, k] += h * v
        reached[r, k] = moved[r, k]
