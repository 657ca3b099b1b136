"""For how long air may push in the directions it chose, see `gas.volume`.

Where not even for one step, the directions are those of where that step leads, as for every constraint of XPBD: air
that pushes as a hull lay before it turned by t has the torque -2 p V t about its middle, see `volume.would_turn`, and
one of 100 m that burst was turned ever faster, to six times the energy that there was.
"""

from __future__ import annotations

import math

from ....compiler.kernels import kernel, parallel_kernel, prange
from .volume import CRUSHED, sum_blocks

# Columns of what `block_rushes` sums.
RUSH_SUMS = 6


@parallel_kernel
def block_rushes(speed, ids, block_start, gradient, sums):
    """Sums over each block, (blocks, RUSH_SUMS): 1, velocity (3), its square, |dV/dx|."""
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
    """For how long [s] no part with air changes its shape so much that the directions of its air are wrong.

    What dV/dx does not see of a volume is of the second order, d^2 sqrt(A), with A the surface and d how far vertices
    went as seen from their middle: flat limp hulls that rushed through themselves at 100 m/s, and kept their volume,
    were given half as much energy again. It may be a share of the volume, and crushed hulls count as just crushed.
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
    """ahead = at + h (speed + gust), where rows will be after an inner step of h [s], (r, 4) with their masses."""
    for r in prange(at.shape[0]):
        for k in range(3):
            ahead[r, k] = at[r, k] + h * (speed[r, k] + dv_per_step[r, k])
        ahead[r, 3] = at[r, 3]


@parallel_kernel
def _block_ways(at, ahead, ids, block_start, gradient, value):
    """value (blocks,): by how much the way from `at` to `ahead` seems to let each shrink [m³]."""
    for block in prange(block_start.shape[0] - 1):
        total = 0.0
        for q in range(block_start[block], block_start[block + 1]):
            r = ids[q]
            for k in range(3):
                total -= gradient[q, k] * (ahead[r, k] - at[r, k])
        value[block] = total


@kernel
def take_back(at, ahead, ids, block_start, block_part, gradient, value, volume):
    """Volumes (parts,) measured at `ahead` become those from which gradients lead there; value: scratch (blocks,)."""
    _block_ways(at, ahead, ids, block_start, gradient, value)
    sum_blocks(block_part, value, volume)
