"""Predicted positions for finding contacts, without the part of spread forces that springs and air will resist."""

from __future__ import annotations

from ...compiler.kernels import parallel_kernel, prange


@parallel_kernel
def take_back_spread(blocks, piece_block, free, h, spread, inv_mass, sums, x):
    """x -= h (spread - mean of the piece) for every row; pieces with a held particle: x -= h spread.

    Args:
        blocks: `columns.RowBlocks`; piece_block: (pieces + 1,) ranges of them; free: (pieces,) no particle is held.
        h: the substep [s]; spread: (n, 3) `world.world.SpreadForce.dv_per_step` [m/s].
        sums: (blocks, 4) work, mass and momentum; x: (n, 3) predicted positions, in and out [m].
    """
    ids = blocks.ids
    block_start = blocks.start
    block_piece = blocks.piece
    mass = blocks.mass
    for block in prange(block_start.shape[0] - 1):
        total = px = py = pz = 0.0
        if free[block_piece[block]]:
            for r in range(block_start[block], block_start[block + 1]):
                i = ids[r]
                m = mass[i]
                total += m
                px += m * spread[i, 0]
                py += m * spread[i, 1]
                pz += m * spread[i, 2]
        sums[block, 0] = total
        sums[block, 1] = px
        sums[block, 2] = py
        sums[block, 3] = pz
    for block in prange(block_start.shape[0] - 1):
        piece = block_piece[block]
        total = px = py = pz = 0.0
        for other in range(piece_block[piece], piece_block[piece + 1]):
            total += sums[other, 0]
            px += sums[other, 1]
            py += sums[other, 2]
            pz += sums[other, 3]
        per_mass = 1.0 / total if total > 0.0 else 0.0
        for r in range(block_start[block], block_start[block + 1]):
            i = ids[r]
            if inv_mass[i] > 0.0:
                x[i, 0] -= h * (spread[i, 0] - per_mass * px)
                x[i, 1] -= h * (spread[i, 1] - per_mass * py)
                x[i, 2] -= h * (spread[i, 2] - per_mass * pz)
