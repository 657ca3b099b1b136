"""Cubic cells of a stable Neo-Hookean solid (Smith, de Goes, Kim 2018) as XPBD constraints (Macklin, Müller 2021).

A cell of side s consists of five tetrahedra: one on every second corner, with a third of the volume, and one at each of
the other corners, with a sixth each. Cells alternate with their mirror image, so that neighbours divide their common
face alike. With the deformation gradient F of a tetrahedron, J = det F, and Lamé's mu and lambda, the energy is
    sum over tetrahedra  V_t mu/2 (tr F^T F + (J - 2)²)  +  V lambda/2 (det F_c - 1)²

F_c is the gradient at the centre of the cell. The first two terms are the Neo-Hookean law for lambda = 0. Its gradient
is 0 for every rotation, and it restores inverted tetrahedra. The term with lambda acts once per cell: in every
tetrahedron it would lock long before a Poisson ratio of 0.49.

The two constraints of a tetrahedron, sqrt(tr F^T F) and J - 2, oppose each other at rest, so both are solved together,
as a system of two by two: one after another would never come to rest. With K = mu V_t h², gradients g and h and
inverse masses w,

    | sum w g.g + 1/K   sum w g.h       |  | a |       | |F|   |
    | sum w g.h         sum w h.h + 1/K |  | b |  =  - | J - 2 |,    x += w (a g + b h)
"""

from __future__ import annotations

import math

from ....compiler.kernels import kernel, parallel_kernel, part_of_kernel, prange

# A stage with so few tasks is finished by one thread before others wake up.
FEW_TASKS = 4
# Below this norm of F (sqrt(3) at rest) a tetrahedron has no defined direction of force.
LEAST_LENGTH = 1e-6


@parallel_kernel
def relax_cells(rows, cells):
    """Solve all cells once, stage after stage.

    Args: rows: `columns.MovingRows`, `moved` is in and out; cells: `CellColumns`.
    """
    task_start = cells.task_start
    stage_start = cells.stage_start
    stages = stage_start.shape[0] - 1
    for stage in range(stages):
        first = stage_start[stage]
        stop = stage_start[stage + 1]
        if stop - first <= FEW_TASKS:
            for task in range(first, stop):
                _relax_task(rows, cells, task_start[task], task_start[task + 1])
        else:
            for task in prange(first, stop):
                _relax_task(rows, cells, task_start[task], task_start[task + 1])


@kernel
def _relax_task(rows, cells, start, stop):
    at = rows.at
    moved = rows.moved
    corner = cells.corner
    for c in range(start, stop):
        a = corner[c, 0]
        b = corner[c, 1]
        d = corner[c, 2]
        e = corner[c, 3]
        f = corner[c, 4]
        g = corner[c, 5]
        i = corner[c, 6]
        j = corner[c, 7]
        per = cells.per_side[c]
        k = cells.shear[c]
        if cells.odd[c]:
            _corner_tet(at, moved, a, b, d, f, per, per, per, k / 6.0)
            _corner_tet(at, moved, e, d, b, j, -per, -per, per, k / 6.0)
            _corner_tet(at, moved, g, f, j, b, -per, per, -per, k / 6.0)
            _corner_tet(at, moved, i, j, f, d, per, -per, -per, k / 6.0)
            _middle_tet(at, moved, j, b, d, f, 0.5 * per, k / 3.0)
        else:
            _corner_tet(at, moved, b, a, e, g, -per, per, per, k / 6.0)
            _corner_tet(at, moved, d, e, a, i, per, -per, per, k / 6.0)
            _corner_tet(at, moved, f, g, i, a, per, per, -per, k / 6.0)
            _corner_tet(at, moved, j, i, g, e, -per, -per, -per, k / 6.0)
            _middle_tet(at, moved, a, i, g, e, -0.5 * per, k / 3.0)
        if cells.bulk[c] > 0.0:
            _volume(at, moved, corner, c, 0.25 * per, cells.bulk[c])


@part_of_kernel
def _multipliers(f2, j, dd, dh, hh, k):
    """a / |F| and b of a tetrahedron; f2 = |F|², sums over w of the gradients |F| g and h, K."""
    length = math.sqrt(f2)
    per_k = 1.0 / k
    a11 = dd / f2 + per_k
    a12 = dh / length
    a22 = hh + per_k
    per = 1.0 / (a11 * a22 - a12 * a12)
    a = per * (a12 * (j - 2.0) - a22 * length)
    b = per * (a12 * length - a11 * (j - 2.0))
    return a / length, b


@part_of_kernel
def _corner_tet(at, moved, o, p, q, r, su, sv, sw, k):
    """The tetrahedron of corner o and its neighbours p, q, r along x, y, z; signed 1/s give the directions."""
    ux = su * ((at[p, 0] - at[o, 0]) + (moved[p, 0] - moved[o, 0]))
    uy = su * ((at[p, 1] - at[o, 1]) + (moved[p, 1] - moved[o, 1]))
    uz = su * ((at[p, 2] - at[o, 2]) + (moved[p, 2] - moved[o, 2]))
    vx = sv * ((at[q, 0] - at[o, 0]) + (moved[q, 0] - moved[o, 0]))
    vy = sv * ((at[q, 1] - at[o, 1]) + (moved[q, 1] - moved[o, 1]))
    vz = sv * ((at[q, 2] - at[o, 2]) + (moved[q, 2] - moved[o, 2]))
    wx = sw * ((at[r, 0] - at[o, 0]) + (moved[r, 0] - moved[o, 0]))
    wy = sw * ((at[r, 1] - at[o, 1]) + (moved[r, 1] - moved[o, 1]))
    wz = sw * ((at[r, 2] - at[o, 2]) + (moved[r, 2] - moved[o, 2]))
    f2 = ux * ux + uy * uy + uz * uz + vx * vx + vy * vy + vz * vz + wx * wx + wy * wy + wz * wz
    if not f2 > LEAST_LENGTH * LEAST_LENGTH or not k > 0.0:
        return
    px = su * (vy * wz - vz * wy)
    py = su * (vz * wx - vx * wz)
    pz = su * (vx * wy - vy * wx)
    det = (ux * px + uy * py + uz * pz) / su
    qx = sv * (wy * uz - wz * uy)
    qy = sv * (wz * ux - wx * uz)
    qz = sv * (wx * uy - wy * ux)
    rx = sw * (uy * vz - uz * vy)
    ry = sw * (uz * vx - ux * vz)
    rz = sw * (ux * vy - uy * vx)
    ux *= su
    uy *= su
    uz *= su
    vx *= sv
    vy *= sv
    vz *= sv
    wx *= sw
    wy *= sw
    wz *= sw
    ox = -(ux + vx + wx)
    oy = -(uy + vy + wy)
    oz = -(uz + vz + wz)
    nx = -(px + qx + rx)
    ny = -(py + qy + ry)
    nz = -(pz + qz + rz)
    mo = moved[o, 3]
    mp = moved[p, 3]
    mq = moved[q, 3]
    mr = moved[r, 3]
    dd = mo * (ox * ox + oy * oy + oz * oz) + mp * (ux * ux + uy * uy + uz * uz)
    dd += mq * (vx * vx + vy * vy + vz * vz) + mr * (wx * wx + wy * wy + wz * wz)
    dh = mo * (ox * nx + oy * ny + oz * nz) + mp * (ux * px + uy * py + uz * pz)
    dh += mq * (vx * qx + vy * qy + vz * qz) + mr * (wx * rx + wy * ry + wz * rz)
    hh = mo * (nx * nx + ny * ny + nz * nz) + mp * (px * px + py * py + pz * pz)
    hh += mq * (qx * qx + qy * qy + qz * qz) + mr * (rx * rx + ry * ry + rz * rz)
    a, b = _multipliers(f2, det, dd, dh, hh, k)
    moved[o, 0] += mo * (a * ox + b * nx)
    moved[o, 1] += mo * (a * oy + b * ny)
    moved[o, 2] += mo * (a * oz + b * nz)
    moved[p, 0] += mp * (a * ux + b * px)
    moved[p, 1] += mp * (a * uy + b * py)
    moved[p, 2] += mp * (a * uz + b * pz)
    moved[q, 0] += mq * (a * vx + b * qx)
    moved[q, 1] += mq * (a * vy + b * qy)
    moved[q, 2] += mq * (a * vz + b * qz)
    moved[r, 0] += mr * (a * wx + b * rx)
    moved[r, 1] += mr * (a * wy + b * ry)
    moved[r, 2] += mr * (a * wz + b * rz)


@part_of_kernel
def _middle_tet(at, moved, o, p, q, r, s, k):
    """The tetrahedron of every second corner: p, q, r are at the face diagonals from o.

    With 2/s times s the signed half per side: F's columns are s (o + p - q - r), s (o + q - p - r), s (o + r - p - q).
    """
    ax = (at[p, 0] - at[o, 0]) + (moved[p, 0] - moved[o, 0])
    ay = (at[p, 1] - at[o, 1]) + (moved[p, 1] - moved[o, 1])
    az = (at[p, 2] - at[o, 2]) + (moved[p, 2] - moved[o, 2])
    bx = (at[q, 0] - at[o, 0]) + (moved[q, 0] - moved[o, 0])
    by = (at[q, 1] - at[o, 1]) + (moved[q, 1] - moved[o, 1])
    bz = (at[q, 2] - at[o, 2]) + (moved[q, 2] - moved[o, 2])
    cx = (at[r, 0] - at[o, 0]) + (moved[r, 0] - moved[o, 0])
    cy = (at[r, 1] - at[o, 1]) + (moved[r, 1] - moved[o, 1])
    cz = (at[r, 2] - at[o, 2]) + (moved[r, 2] - moved[o, 2])
    ux = s * (ax - bx - cx)
    uy = s * (ay - by - cy)
    uz = s * (az - bz - cz)
    vx = s * (bx - ax - cx)
    vy = s * (by - ay - cy)
    vz = s * (bz - az - cz)
    wx = s * (cx - ax - bx)
    wy = s * (cy - ay - by)
    wz = s * (cz - az - bz)
    f2 = ux * ux + uy * uy + uz * uz + vx * vx + vy * vy + vz * vz + wx * wx + wy * wy + wz * wz
    if not f2 > LEAST_LENGTH * LEAST_LENGTH or not k > 0.0:
        return
    px = vy * wz - vz * wy
    py = vz * wx - vx * wz
    pz = vx * wy - vy * wx
    det = ux * px + uy * py + uz * pz
    qx = wy * uz - wz * uy
    qy = wz * ux - wx * uz
    qz = wx * uy - wy * ux
    rx = uy * vz - uz * vy
    ry = uz * vx - ux * vz
    rz = ux * vy - uy * vx
    # Gradients of o, p, q, r: s times the sums of the columns with the signs above.
    ox = s * (ux + vx + wx)
    oy = s * (uy + vy + wy)
    oz = s * (uz + vz + wz)
    ex = s * (ux - vx - wx)
    ey = s * (uy - vy - wy)
    ez = s * (uz - vz - wz)
    fx = s * (vx - ux - wx)
    fy = s * (vy - uy - wy)
    fz = s * (vz - uz - wz)
    gx = s * (wx - ux - vx)
    gy = s * (wy - uy - vy)
    gz = s * (wz - uz - vz)
    nx = s * (px + qx + rx)
    ny = s * (py + qy + ry)
    nz = s * (pz + qz + rz)
    hx = s * (px - qx - rx)
    hy = s * (py - qy - ry)
    hz = s * (pz - qz - rz)
    ix = s * (qx - px - rx)
    iy = s * (qy - py - ry)
    iz = s * (qz - pz - rz)
    jx = s * (rx - px - qx)
    jy = s * (ry - py - qy)
    jz = s * (rz - pz - qz)
    mo = moved[o, 3]
    mp = moved[p, 3]
    mq = moved[q, 3]
    mr = moved[r, 3]
    dd = mo * (ox * ox + oy * oy + oz * oz) + mp * (ex * ex + ey * ey + ez * ez)
    dd += mq * (fx * fx + fy * fy + fz * fz) + mr * (gx * gx + gy * gy + gz * gz)
    dh = mo * (ox * nx + oy * ny + oz * nz) + mp * (ex * hx + ey * hy + ez * hz)
    dh += mq * (fx * ix + fy * iy + fz * iz) + mr * (gx * jx + gy * jy + gz * jz)
    hh = mo * (nx * nx + ny * ny + nz * nz) + mp * (hx * hx + hy * hy + hz * hz)
    hh += mq * (ix * ix + iy * iy + iz * iz) + mr * (jx * jx + jy * jy + jz * jz)
    a, b = _multipliers(f2, det, dd, dh, hh, k)
    moved[o, 0] += mo * (a * ox + b * nx)
    moved[o, 1] += mo * (a * oy + b * ny)
    moved[o, 2] += mo * (a * oz + b * nz)
    moved[p, 0] += mp * (a * ex + b * hx)
    moved[p, 1] += mp * (a * ey + b * hy)
    moved[p, 2] += mp * (a * ez + b * hz)
    moved[q, 0] += mq * (a * fx + b * ix)
    moved[q, 1] += mq * (a * fy + b * iy)
    moved[q, 2] += mq * (a * fz + b * iz)
    moved[r, 0] += mr * (a * gx + b * jx)
    moved[r, 1] += mr * (a * gy + b * jy)
    moved[r, 2] += mr * (a * gz + b * jz)


@part_of_kernel
def _along(at, moved, corner, c, bit, s):
    """Column of F at the cell's centre: s times (sum of the corners with the bit set minus that of the others)."""
    x = 0.0
    y = 0.0
    z = 0.0
    for n in range(8):
        if n & bit:
            o = corner[c, n - bit]
            p = corner[c, n]
            x += (at[p, 0] - at[o, 0]) + (moved[p, 0] - moved[o, 0])
            y += (at[p, 1] - at[o, 1]) + (moved[p, 1] - moved[o, 1])
            z += (at[p, 2] - at[o, 2]) + (moved[p, 2] - moved[o, 2])
    return s * x, s * y, s * z


@part_of_kernel
def _volume(at, moved, corner, c, s, k):
    """Constrain det F at the cell's centre to 1, with K = lambda V h²."""
    ux, uy, uz = _along(at, moved, corner, c, 1, s)
    vx, vy, vz = _along(at, moved, corner, c, 2, s)
    wx, wy, wz = _along(at, moved, corner, c, 4, s)
    px = s * (vy * wz - vz * wy)
    py = s * (vz * wx - vx * wz)
    pz = s * (vx * wy - vy * wx)
    qx = s * (wy * uz - wz * uy)
    qy = s * (wz * ux - wx * uz)
    qz = s * (wx * uy - wy * ux)
    rx = s * (uy * vz - uz * vy)
    ry = s * (uz * vx - ux * vz)
    rz = s * (ux * vy - uy * vx)
    off = (ux * px + uy * py + uz * pz) / s - 1.0
    whole = 0.0
    for n in range(8):
        i = 1.0 if n & 1 else -1.0
        j = 1.0 if n & 2 else -1.0
        m = 1.0 if n & 4 else -1.0
        x = i * px + j * qx + m * rx
        y = i * py + j * qy + m * ry
        z = i * pz + j * qz + m * rz
        whole += moved[corner[c, n], 3] * (x * x + y * y + z * z)
    step = -k * off / (k * whole + 1.0)
    for n in range(8):
        i = 1.0 if n & 1 else -1.0
        j = 1.0 if n & 2 else -1.0
        m = 1.0 if n & 4 else -1.0
        row = corner[c, n]
        part = step * moved[row, 3]
        moved[row, 0] += part * (i * px + j * qx + m * rx)
        moved[row, 1] += part * (i * py + j * qy + m * ry)
        moved[row, 2] += part * (i * pz + j * qz + m * rz)
