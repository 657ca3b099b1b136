"""How long the gradients of enclosed air stay valid, see `gas.volume`.

If not even for one step, the gradients are taken where that step leads, as in an implicit method. Air that pushes in
the directions from before a rotation t has the torque -2 p V t about the centre, see `volume.would_turn`: a hull of
100 m that burst was spun ever faster by it, up to six times its energy.
"""

from __future__ import annotations

import math

from ....compiler.kernels import kernel, parallel_kernel, prange
from .volume import CRUSHED, sum_blocks

# Number of columns of the sums of `block_rushes`.
RUSH_SUMS = 6


@parallel_kernel
def block_rushes(speed, ids, block_start, gradient, sums):
    """Sums over each block, (blocks, RUSH_SUMS): count, velocity (3), its square, |dV/dx|."""
    for block in prange(block_start.shape[0] - 1):
        vx = 0.0
        vy = 0.0
        vz = 0.0
        square = 0.0
        area = 0.0
        for q in range(block_start[block], block_start[block + 1]):
            r = ids[q]
            sx = float(speed[r, 0])
            sy = float(speed[r, 1])
            sz = float(speed[r, 2])
            gx = float(gradient[q, 0])
            gy = float(gradient[q, 1])
            gz = float(gradient[q, 2])
            vx += sx
            vy += sy
            vz += sz
            square += sx * sx + sy * sy + sz * sz
            area += math.sqrt(gx * gx + gy * gy + gz * gz)
        sums[block, 0] = block_start[block + 1] - block_start[block]
        sums[block, 1] = vx
        sums[block, 2] = vy
        sums[block, 3] = vz
        sums[block, 4] = square
        sums[block, 5] = area


@kernel
def steady_time(speed, ids, block_start, block_part, gradient, volume, rest, active, share, sums):
    """Time [s] for which no part with air changes its shape enough to invalidate the gradients.

    The change of volume that dV/dx does not capture is of second order, d^2 sqrt(A), with A the surface and d the
    displacement of vertices relative to their mean. It may reach the fraction `share` of the volume; a crushed hull
    counts as just crushed. Without this limit, flat limp hulls that rushed through themselves at 100 m/s at constant
    volume gained half of their energy again.
    """
    block_rushes(speed, ids, block_start, gradient, sums)
    longest = 1e30
    first = 0
    for block in range(block_part.shape[0]):
        part = block_part[block]
        if block > first:
            for k in range(RUSH_SUMS):
                sums[block, k] += sums[block - 1, k]
        if block + 1 < block_part.shape[0] and block_part[block + 1] == part:
            continue
        first = block + 1
        if not active[part]:
            continue
        count = sums[block, 0]
        middle = (sums[block, 1] ** 2 + sums[block, 2] ** 2 + sums[block, 3] ** 2) / count
        rush = max(0.0, sums[block, 4] - middle) / count * math.sqrt(sums[block, 5])
        room = share * max(abs(volume[part]), CRUSHED * rest[part])
        if longest * longest * rush > room:
            longest = math.sqrt(room / rush)
    return longest


@parallel_kernel
def go_ahead(at, speed, dv_per_step, h, ahead):
    """ahead = at + h (speed + dv_per_step), positions after an inner step of h [s], (r, 4) with inverse masses."""
    for r in prange(at.shape[0]):
        for k in range(3):
            ahead[r, k] = at[r, k] + h * (speed[r, k] + dv_per_step[r, k])
        ahead[r, 3] = at[r, 3]


@parallel_kernel
def _block_ways(at, ahead, ids, block_start, gradient, value):
    """value (blocks,): first-order decrease of each volume on the way from `at` to `ahead` [m³]."""
    for block in prange(block_start.shape[0] - 1):
        total = 0.0
        for q in range(block_start[block], block_start[block + 1]):
            r = ids[q]
            for k in range(3):
                total -= gradient[q, k] * (ahead[r, k] - at[r, k])
        value[block] = total


@kernel
def take_back(at, ahead, ids, block_start, block_part, gradient, value, volume):
    """Extrapolate volumes (parts,) from `ahead` back to `at`, by the gradients; value: scratch (blocks,) [m³]."""
    _block_ways(at, ahead, ids, block_start, gradient, value)
    sum_blocks(block_part, value, volume)
