"""Air in closed pieces: the gas law on the enclosed volume.

The air holds (p0 + dp) V = N constant. A pressure p moves each vertex by h^2 w p grad V, so the volume grows by
h^2 W p with W = sum w |grad V|^2. With p_applied already in the positions, the pressure that fits the volume it
leads to solves

    V = V_now + h^2 W (N / V - p0 - p_applied)      a quadratic in V with one positive root:

XPBD's accumulated multiplier for the gas law itself instead of its tangent, so a part never turns inside out and
no pressure is too high. Several passes, each followed by the springs, converge to the implicit solve of both.

Open rims are capped by a fan around the middle of the rim, whose share of the force goes to the rim evenly: the
surface is closed, so the air moves nothing by itself.
"""

from __future__ import annotations

import math

from ..jit import kernel, parallel_kernel, prange

AMBIENT = 101325.0  # [Pa]


@kernel
def _corner_volume(x, triangles, t, ox, oy, oz):
    a = triangles[t, 0]
    b = triangles[t, 1]
    c = triangles[t, 2]
    ax = x[a, 0] - ox
    ay = x[a, 1] - oy
    az = x[a, 2] - oz
    bx = x[b, 0] - ox
    by = x[b, 1] - oy
    bz = x[b, 2] - oz
    cx = x[c, 0] - ox
    cy = x[c, 1] - oy
    cz = x[c, 2] - oz
    return (ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx)) / 6.0


@parallel_kernel
def block_volumes(x, triangles, block_start, block_origin, volume):
    """Volume of each block of triangles about vertex `block_origin`; blocks are fixed, so sums are too."""
    for block in prange(block_start.shape[0] - 1):
        o = block_origin[block]
        total = 0.0
        for t in range(block_start[block], block_start[block + 1]):
            total += _corner_volume(x, triangles, t, x[o, 0], x[o, 1], x[o, 2])
        volume[block] = total


@parallel_kernel
def block_gradients(x, triangles, ids, corner_start, corners, block_start, gradient):
    """dV/dx of each listed vertex, 1/6 sum (x_b - x_i) x (x_c - x_i)."""
    for block in prange(block_start.shape[0] - 1):
        for q in range(block_start[block], block_start[block + 1]):
            i = ids[q]
            gx = 0.0
            gy = 0.0
            gz = 0.0
            for e in range(corner_start[q], corner_start[q + 1]):
                t = corners[e] // 3
                k = corners[e] % 3
                b = triangles[t, (k + 1) % 3]
                c = triangles[t, (k + 2) % 3]
                bx = x[b, 0] - x[i, 0]
                by = x[b, 1] - x[i, 1]
                bz = x[b, 2] - x[i, 2]
                cx = x[c, 0] - x[i, 0]
                cy = x[c, 1] - x[i, 1]
                cz = x[c, 2] - x[i, 2]
                gx += by * cz - bz * cy
                gy += bz * cx - bx * cz
                gz += bx * cy - by * cx
            gradient[q, 0] = gx / 6.0
            gradient[q, 1] = gy / 6.0
            gradient[q, 2] = gz / 6.0


@parallel_kernel
def block_weights(ids, inv_mass, block_start, gradient, weight):
    """Sum of w |dV/dx|^2 over each block of vertices [m⁴/kg]."""
    for block in prange(block_start.shape[0] - 1):
        total = 0.0
        for q in range(block_start[block], block_start[block + 1]):
            gx = gradient[q, 0]
            gy = gradient[q, 1]
            gz = gradient[q, 2]
            total += inv_mass[ids[q]] * (gx * gx + gy * gy + gz * gz)
        weight[block] = total


@kernel
def sum_blocks(block_part, block_value, total):
    """Adds each block's value to its part's total, in order."""
    for block in range(block_part.shape[0]):
        total[block_part[block]] += block_value[block]


@kernel
def _rim_middle(x, rim_i, start, stop):
    mx = 0.0
    my = 0.0
    mz = 0.0
    for e in range(start, stop):
        mx += x[rim_i[e], 0]
        my += x[rim_i[e], 1]
        mz += x[rim_i[e], 2]
    count = stop - start
    return mx / count, my / count, mz / count


@kernel
def _cap_normal(x, i, j, mx, my, mz):
    """A sixth of the cross product of the fan triangle (middle, j, i) over the open edge i -> j."""
    ax = x[j, 0] - mx
    ay = x[j, 1] - my
    az = x[j, 2] - mz
    bx = x[i, 0] - mx
    by = x[i, 1] - my
    bz = x[i, 2] - mz
    return (ay * bz - az * by) / 6.0, (az * bx - ax * bz) / 6.0, (ax * by - ay * bx) / 6.0


@kernel
def cap_volumes(x, rim_start, rim_i, rim_j, rim_part, part_origin, volume):
    """Adds the volume under each rim's cap to its part."""
    for rim in range(rim_start.shape[0] - 1):
        mx, my, mz = _rim_middle(x, rim_i, rim_start[rim], rim_start[rim + 1])
        o = part_origin[rim_part[rim]]
        for e in range(rim_start[rim], rim_start[rim + 1]):
            nx, ny, nz = _cap_normal(x, rim_i[e], rim_j[e], mx, my, mz)
            volume[rim_part[rim]] += (mx - x[o, 0]) * nx + (my - x[o, 1]) * ny + (mz - x[o, 2]) * nz


@kernel
def cap_gradients(x, rim_start, rim_i, rim_j, rim_qi, rim_qj, gradient):
    """Adds the caps' share to the gradients of rim vertices; `rim_q*` are their places in `gradient`.

    All corners of a triangle in a closed surface have the same gradient; the middle's goes to the rim evenly.
    """
    for rim in range(rim_start.shape[0] - 1):
        start = rim_start[rim]
        stop = rim_start[rim + 1]
        mx, my, mz = _rim_middle(x, rim_i, start, stop)
        sx = 0.0
        sy = 0.0
        sz = 0.0
        for e in range(start, stop):
            nx, ny, nz = _cap_normal(x, rim_i[e], rim_j[e], mx, my, mz)
            for q in (rim_qi[e], rim_qj[e]):
                gradient[q, 0] += nx
                gradient[q, 1] += ny
                gradient[q, 2] += nz
            sx += nx
            sy += ny
            sz += nz
        count = stop - start
        for e in range(start, stop):
            q = rim_qi[e]
            gradient[q, 0] += sx / count
            gradient[q, 1] += sy / count
            gradient[q, 2] += sz / count


@kernel
def gas_pressures(volume, weight, amount, active, h, pressure, push):
    """Pressure of each part from the quadratic above, and how far it still has to push.

    Args:
        volume: of the positions as they are now [m³]; weight: W [m⁴/kg]; amount: N [Pa m³].
        pressure: applied so far in this substep, in and out [Pa].
        push: out, h² (new - applied pressure).
    """
    for p in range(weight.shape[0]):
        push[p] = 0.0
        theta = h * h * weight[p]
        if not active[p] or theta <= 0.0:
            continue
        b = volume[p] - theta * (pressure[p] + AMBIENT)
        root = math.sqrt(b * b + 4.0 * theta * amount[p])
        after = 0.5 * (b + root) if b > 0.0 else 2.0 * theta * amount[p] / (root - b)
        new = amount[p] / after - AMBIENT
        push[p] = h * h * (new - pressure[p])
        pressure[p] = new


@parallel_kernel
def push_apart(ids, block_start, block_part, gradient, inv_mass, push, x):
    """x += push w dV/dx."""
    for block in prange(block_start.shape[0] - 1):
        scale = push[block_part[block]]
        if scale != 0.0:
            for q in range(block_start[block], block_start[block + 1]):
                i = ids[q]
                s = scale * inv_mass[i]
                x[i, 0] += s * gradient[q, 0]
                x[i, 1] += s * gradient[q, 1]
                x[i, 2] += s * gradient[q, 2]
