"""Air in closed pieces: the gas law as a constraint on the enclosed volume.

(p0 + dp) V = N is constant. An over-pressure p moves each vertex by h^2 w p grad V, so the volume grows by h^2 W p,
with W = sum w |grad V|^2. The pressure that is consistent with the resulting volume solves

    V = V_now + h^2 W (N / V - p0)      a quadratic in V with one positive root:

This is XPBD's multiplier for the gas law itself instead of its tangent, so a part never inverts and no pressure is too
high. But it assumes that nothing resists the expansion. A skin at rest pushes all of it back, and air that expects to
grow by h^2 W p then presses too little, by the fraction g = h^2 W N / V^2, its stiffness. So the expected expansion
h^2 W p is reduced by the fraction of the last expansion that other constraints reversed, as long as air without any
expected expansion is stable: for g up to STEADY. p0 replaces N / V where that is smaller, otherwise the outside air
would push by more than the whole volume. A balloon's skin then carries the pressure of the gas law; free air is solved
as above.

Open rims are capped by a fan around the centre of the rim, whose part of the force is spread evenly over the rim. The
surface is then closed, so air causes no net force.
"""

from __future__ import annotations

import math

from ....compiler.kernels import kernel, parallel_kernel, part_of_kernel, prange
from ..drift import drift

AMBIENT = 101325.0  # [Pa]
# Air in less than this fraction of its piece's rest volume counts as crushed.
CRUSHED = 0.05
# Largest stiffness g, see above, for which the expected expansion is reduced; above 4 it would oscillate.
STEADY = 0.5


@parallel_kernel
def triangle_normals(rows, blocks, triangles, block_start, block_origin, normal, volume):
    """normal = (x_b - x_a) x (x_c - x_a) of each triangle; a sixth of it is its part of dV/dx at each corner.

    Args:
        blocks: (k,) the blocks of triangles to measure.
        triangles: (t, 3) int32 rows; normal: out (t, 4), the last column is not used.
        block_origin: (blocks,) row relative to which volumes are computed; volume: out (blocks,) float64 [m³].
    """
    for place in prange(blocks.shape[0]):
        block = blocks[place]
        volume[block] = normals_of_block(
            rows, triangles, block_start[block], block_start[block + 1], block_origin[block], normal
        )


@kernel
def normals_of_block(rows, triangles, first, stop, o, normal):
    """As `triangle_normals`, for the triangles first : stop; returns their volume relative to row o."""
    ox = rows[o, 0]
    oy = rows[o, 1]
    oz = rows[o, 2]
    total = 0.0
    for t in range(first, stop):
        a = triangles[t, 0]
        b = triangles[t, 1]
        c = triangles[t, 2]
        ax = rows[a, 0]
        ay = rows[a, 1]
        az = rows[a, 2]
        bx = rows[b, 0] - ax
        by = rows[b, 1] - ay
        bz = rows[b, 2] - az
        cx = rows[c, 0] - ax
        cy = rows[c, 1] - ay
        cz = rows[c, 2] - az
        nx = by * cz - bz * cy
        ny = bz * cx - bx * cz
        nz = bx * cy - by * cx
        normal[t, 0] = nx
        normal[t, 1] = ny
        normal[t, 2] = nz
        total += (ax - ox) * nx + (ay - oy) * ny + (az - oz) * nz
    return total / 6.0


@parallel_kernel
def vertex_gradients(rows, blocks, ids, normal, corner_start, corners, block_start, gradient, weight):
    """dV/dx of each row in some blocks (k,), summed over its triangles `corners`; weight: sums of w |dV/dx|^2 [m⁴/kg].

    Gradients (q, 4) have 0 in their last column.
    """
    for place in prange(blocks.shape[0]):
        block = blocks[place]
        weight[block] = gradients_of_block(
            rows, ids, normal, corner_start, corners, block_start[block], block_start[block + 1], gradient
        )


@kernel
def gradients_of_block(rows, ids, normal, corner_start, corners, begin, end, gradient):
    """As `vertex_gradients`, for the rows at the positions begin : end; returns their sum of w |dV/dx|^2."""
    total = 0.0
    stop = corner_start[begin]
    for q in range(begin, end):
        first = stop
        stop = corner_start[q + 1]
        t = corners[first]
        gx = normal[t, 0]
        gy = normal[t, 1]
        gz = normal[t, 2]
        for e in range(first + 1, stop):
            t = corners[e]
            gx += normal[t, 0]
            gy += normal[t, 1]
            gz += normal[t, 2]
        gradient[q, 0] = gx / 6.0
        gradient[q, 1] = gy / 6.0
        gradient[q, 2] = gz / 6.0
        total += rows[ids[q], 3] * (gx * gx + gy * gy + gz * gz)
    return total / 36.0


@kernel
def block_weights(rows, blocks, ids, block_start, gradient, weight):
    """Recompute the sum of w |dV/dx|^2 over some blocks (k,), after caps have added to the gradients."""
    for place in range(blocks.shape[0]):
        block = blocks[place]
        total = 0.0
        for q in range(block_start[block], block_start[block + 1]):
            gx = gradient[q, 0]
            gy = gradient[q, 1]
            gz = gradient[q, 2]
            total += rows[ids[q], 3] * (gx * gx + gy * gy + gz * gz)
        weight[block] = total


@kernel
def sum_blocks(blocks, block_part, block_value, total):
    """Add the values of some blocks (k,) to the totals of their parts, in order."""
    for place in range(blocks.shape[0]):
        block = blocks[place]
        total[block_part[block]] += block_value[block]


@parallel_kernel
def block_changes(moved, began, air, g):
    """Sums of dV/dx . dx over each block of island g, `change` (blocks, 2): for `moved` and for `began` [m³]."""
    # Numba removes a loop as dead code if it writes only to arrays that it reads from a tuple.
    change = air.change
    for place in prange(air.of_blocks[g], air.of_blocks[g + 1]):
        block = air.block[place]
        total = 0.0
        before = 0.0
        for q in range(air.block_start[block], air.block_start[block + 1]):
            total += change_of_row(moved, air.gradient, air.ids[q], q)
            before += change_of_row(began, air.gradient, air.ids[q], q)
        change[block, 0] = total
        change[block, 1] = before


@kernel
def drift_and_change(rows, blocks, islands, g, h, air):
    """`constraints.drift.drift`, then `block_changes`; the twin `vector.drift.drift_and_change` does both in one loop.

    Args: rows ... h: see `drift`; air: `gas.columns.AirRows`, `change` is written.
    """
    drift(rows, blocks, islands, g, h)
    block_changes(rows.moved, rows.began, air, g)


@part_of_kernel
def change_of_row(moved, gradient, r, q):
    """dV/dx . dx of row r, whose gradient is at position q."""
    return gradient[q, 0] * moved[r, 0] + gradient[q, 1] * moved[r, 1] + gradient[q, 2] * moved[r, 2]


@kernel
def least_volume(rest, amount):
    """Volume below which pressure stays constant [m³]; thin air (N below p0 times rest volume) has a smaller one."""
    return CRUSHED * min(rest, amount / AMBIENT)


@kernel
def gas_pressures(parts, g, volume, ended, h):
    """Pressure of each piece of island g from the quadratic above, and the push that it causes.

    Crushed air has the pressure of the smallest volume that does not count as crushed.

    Args:
        parts: `gas.columns.AirParts`, out: `pressure`, `push`, `still`, `last`.
        volume: (parts,) for the current positions; ended: (parts,) at the end of the previous inner step [m³].
        h: the inner step [s].
    """
    weight = parts.weight
    amount = parts.amount
    active = parts.active
    rest = parts.rest_volume
    pressure = parts.pressure
    push = parts.push
    still = parts.still
    last = parts.last
    for place in range(parts.of_parts[g], parts.of_parts[g + 1]):
        p = parts.part[place]
        pressure[p] = 0.0
        push[p] = 0.0
        still[p] = 0.0
        theta = h * h * weight[p]
        if not active[p] or theta <= 0.0:
            last[p, 0] = 0.0
            continue
        expected = theta
        if volume[p] > CRUSHED * rest[p] and last[p, 0] != 0.0:
            taken_back = max(0.0, min(1.0, (last[p, 1] - ended[p]) / last[p, 0]))
            steady = STEADY * volume[p] / max(amount[p] / volume[p], AMBIENT)
            expected -= min(theta * taken_back, steady)
        after = volume[p]
        if expected > 0.0:
            b = volume[p] - expected * AMBIENT
            root = math.sqrt(b * b + 4.0 * expected * amount[p])
            after = 0.5 * (b + root) if b > 0.0 else 2.0 * expected * amount[p] / (root - b)
        pressure[p] = amount[p] / max(after, least_volume(rest[p], amount[p])) - AMBIENT
        push[p] = h * h * pressure[p]
        last[p, 0] = theta * pressure[p]
        last[p, 1] = volume[p] + last[p, 0]
        if volume[p] < CRUSHED * rest[p]:
            still[p] = 1.0
            if amount[p] < AMBIENT * rest[p] and last[p, 0] > 0.0:
                still[p] -= min(1.0, max(0.0, ended[p] - volume[p]) / last[p, 0])


@parallel_kernel
def push_apart(rows, air, parts, g):
    """moved += push w dV/dx; in crushed pieces `reached` and `began` move too, by the fraction `still`: no velocity.

    Contacts and pins can crush a piece without doing the work that such a pressure would store. A hull with thin air
    collapses until it is crushed; if it rebounded at that speed it would collapse again, so it first stops shrinking.

    Args: rows: `MovingRows`; air: `gas.columns.AirRows`; parts: `gas.columns.AirParts` after `gas_pressures`.
    """
    for place in prange(air.of_blocks[g], air.of_blocks[g + 1]):
        block = air.block[place]
        part = air.block_part[block]
        scale = parts.push[part]
        if scale != 0.0:
            push_rows(rows, air, air.block_start[block], air.block_start[block + 1], scale, parts.still[part])


@part_of_kernel
def push_rows(rows, air, first, stop, scale, without):
    """As `push_apart`, for the rows air.ids[first : stop]; without: `still` of the piece."""
    moved = rows.moved
    reached = rows.reached
    began = rows.began
    gradient = air.gradient
    for q in range(first, stop):
        r = air.ids[q]
        s = scale * moved[r, 3]
        moved[r, 0] += s * gradient[q, 0]
        moved[r, 1] += s * gradient[q, 1]
        moved[r, 2] += s * gradient[q, 2]
        if without > 0.0:
            s *= without
            reached[r, 0] += s * gradient[q, 0]
            began[r, 0] += s * gradient[q, 0]
            reached[r, 1] += s * gradient[q, 1]
            began[r, 1] += s * gradient[q, 1]
            reached[r, 2] += s * gradient[q, 2]
            began[r, 2] += s * gradient[q, 2]
