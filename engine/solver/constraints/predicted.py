"""Predicted positions of a substep, by which contacts are found, without what springs and air will resist."""

from __future__ import annotations

import math

from ...compiler.kernels import parallel_kernel, part_of_kernel, prange


@parallel_kernel
def predict_rows(blocks, piece_block, free, room, h, spread, inv_mass, sums, began, v, x_prev, x):
    """Predict where rows get in a substep if springs and air go on to resist as they did: x_prev + s h (v - p).

    p is the part of the spread forces that the row's piece does not take as a whole. s is the share of v by which the
    row moved along it in the last substep: at its end vertices of a stretched cloth swing at metres a second about a
    place that they keep, and contacts found where these velocities point were others in each substep. At most `room` is
    left out, within which contacts are found in any case: what was struck moves on as it has not moved yet.

    Args:
        blocks: `columns.RowBlocks`; piece_block: (pieces + 1,) ranges of them; free: (pieces,) no particle is held.
        room: (pieces,) how far springs may move a particle within a substep [m]; 0: s is 1.
        h: the substep [s]; inv_mass: (n,) [1/kg]; sums: scratch (blocks, 4), mass and spread momentum.
        spread: (n, 3) or (0, 3), `world.world.SpreadForce.dv_per_step` [m/s].
        began: (r, 3) in and out, where the last substep began, and where this one begins [m].
        v: (n, 3) [m/s]; x_prev, x: (n, 3), the start of the substep, and in and out, there x_prev + h v [m].
    """
    ids, block_start, block_piece = blocks.ids, blocks.start, blocks.piece
    some_spread = spread.shape[0] > 0
    for block in prange(block_start.shape[0] - 1):
        total = px = py = pz = 0.0
        if some_spread and free[block_piece[block]]:
            for r in range(block_start[block], block_start[block + 1]):
                i = ids[r]
                m = blocks.mass[i]
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
                qx = qy = qz = 0.0
                if some_spread:
                    qx = spread[i, 0] - per_mass * px
                    qy = spread[i, 1] - per_mass * py
                    qz = spread[i, 2] - per_mass * pz
                if room[piece] > 0.0:
                    ux, uy, uz = v[i, 0] - qx, v[i, 1] - qy, v[i, 2] - qz
                    way = h * _shown(r, i, ux, uy, uz, h, room[piece], began, x_prev)
                    x[i, 0] = x_prev[i, 0] + way * ux
                    x[i, 1] = x_prev[i, 1] + way * uy
                    x[i, 2] = x_prev[i, 2] + way * uz
                elif some_spread:
                    x[i, 0] -= h * qx
                    x[i, 1] -= h * qy
                    x[i, 2] -= h * qz
            for k in range(3):
                began[r, k] = x_prev[i, k]


@part_of_kernel
def _shown(r, i, ux, uy, uz, h, room, began, x_prev):
    """The share s of a velocity, see `predict_rows`; 1 if the last substep is not known."""
    square = h * (ux * ux + uy * uy + uz * uz)
    along = ux * (x_prev[i, 0] - began[r, 0]) + uy * (x_prev[i, 1] - began[r, 1]) + uz * (x_prev[i, 2] - began[r, 2])
    return max(along / square, 1.0 - room / math.sqrt(h * square), 0.0) if along < square else 1.0
