"""How long the gradients of enclosed air stay valid, see `constraints.gas.volume`.

If they are not valid for even one step, they are evaluated at the positions after that step, as in an implicit method.
Air that pushes in the directions from before a rotation t has the torque -2 p V t about the centre, see `may_rotate` in
`constraints.gas.changes`: it made a hull of 100 m that burst rotate ever faster, up to six times its energy.
"""

from __future__ import annotations

import math

from ...compiler.kernels import kernel, parallel_kernel, prange
from ..constraints.gas.changes import may_rotate
from ..constraints.gas.columns import SPEED_SUMS
from ..constraints.gas.volume import CRUSHED, sum_blocks
from .measured_air import measure_air


@parallel_kernel
def block_rushes(speed, air, g):
    """Sums over each block of island g, `air.speed_sums`: count, velocity (3), its square, |dV/dx|."""
    ids = air.ids
    gradient = air.gradient
    sums = air.speed_sums
    own = air.block
    start = air.block_start
    for place in prange(air.of_blocks[g], air.of_blocks[g + 1]):
        block = own[place]
        vx = 0.0
        vy = 0.0
        vz = 0.0
        square = 0.0
        area = 0.0
        for q in range(start[block], start[block + 1]):
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
        sums[block, 0] = start[block + 1] - start[block]
        sums[block, 1] = vx
        sums[block, 2] = vy
        sums[block, 3] = vz
        sums[block, 4] = square
        sums[block, 5] = area


@kernel
def steady_time(speed, air, parts, g, fraction):
    """Time [s] for which no part of island g with air changes its shape enough to invalidate the gradients.

    The change of volume that dV/dx does not capture is of second order, d^2 sqrt(A), with A the surface and d the
    displacement of vertices relative to their mean. It may reach `fraction` of the volume; a crushed hull counts as
    just crushed. Without this limit, flat limp hulls that passed through themselves at 100 m/s at constant volume
    gained half of their energy again.
    """
    block_rushes(speed, air, g)
    sums = air.speed_sums
    longest = 1e30
    is_first = True
    for place in range(air.of_blocks[g], air.of_blocks[g + 1]):
        block = air.block[place]
        part = air.block_part[block]
        if not is_first:
            for k in range(SPEED_SUMS):
                sums[block, k] += sums[block - 1, k]
        is_first = False
        if block + 1 < air.block_part.shape[0] and air.block_part[block + 1] == part:
            continue
        is_first = True
        if not parts.active[part]:
            continue
        count = sums[block, 0]
        middle = (sums[block, 1] ** 2 + sums[block, 2] ** 2 + sums[block, 3] ** 2) / count
        spread = max(0.0, sums[block, 4] - middle) / count * math.sqrt(sums[block, 5])
        allowed = fraction * max(abs(parts.volume[part]), CRUSHED * parts.rest_volume[part])
        if longest * longest * spread > allowed:
            longest = math.sqrt(allowed / spread)
    return longest


@kernel
def steady_steps(rows, blocks, islands, g, h, air, surface, parts, rims, fraction, held):
    """Number of inner steps of h [s] in which volumes of island g change by less than `fraction`.

    Call it after `measure_air`. If the number is less than two, the gradients are evaluated after the next step.
    """
    time = steady_time(rows.speed, air, parts, g, fraction)
    if time < 2.0 * h or may_rotate(parts, g, h, held):
        look_ahead(rows, blocks, islands, g, h, air, surface, parts, rims)
        return 1
    return int(min(time / h, 1e9))


@kernel
def is_held(rows, blocks, islands, g):
    """Whether any row of island g is held, so that nothing restores the momentum of its piece."""
    for place in range(islands.block_start[g], islands.block_start[g + 1]):
        block = islands.block[place]
        for r in range(blocks.start[block], blocks.start[block + 1]):
            if rows.at[r, 3] == 0.0:
                return True
    return False


@kernel
def look_ahead(rows, blocks, islands, g, h, air, surface, parts, rims):
    """Measure the gradients where rows will be after a step, and extrapolate the volumes back accordingly."""
    _extrapolate_rows(rows, blocks, islands, g, h, surface.ahead)
    measure_air(surface.ahead, g, air, surface, parts, rims)
    _block_decreases(rows.at, surface.ahead, air, surface.id_value, g)
    sum_blocks(air.block[air.of_blocks[g] : air.of_blocks[g + 1]], air.block_part, surface.id_value, parts.volume)


@kernel
def _extrapolate_rows(rows, blocks, islands, g, h, ahead):
    """ahead = at + h (speed + dv_per_step), positions after an inner step of h [s], (r, 4) with inverse masses."""
    own = islands.block
    start = blocks.start
    at = rows.at
    speed = rows.speed
    dv_per_step = rows.dv_per_step
    for place in range(islands.block_start[g], islands.block_start[g + 1]):
        for r in range(start[own[place]], start[own[place] + 1]):
            for k in range(3):
                ahead[r, k] = at[r, k] + h * (speed[r, k] + dv_per_step[r, k])
            ahead[r, 3] = at[r, 3]


@kernel
def _block_decreases(at, ahead, air, value, g):
    """value (blocks,): first-order decrease of each volume of island g from `at` to `ahead` [m³]."""
    own = air.block
    start = air.block_start
    ids = air.ids
    gradient = air.gradient
    for place in range(air.of_blocks[g], air.of_blocks[g + 1]):
        block = own[place]
        total = 0.0
        for q in range(start[block], start[block + 1]):
            r = ids[q]
            for k in range(3):
                total -= gradient[q, k] * (ahead[r, k] - at[r, k])
        value[block] = total
