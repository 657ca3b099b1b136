"""Positions near an origin of their own piece, in rows of (x, y, z, inverse mass), and back.

Inner constraints (springs, air) never know where a piece is, so they work on rows: single precision is then as fine
at a kilometre from the world's origin as at it. What they moved goes back into the double positions as a difference.

Inner forces must change neither momentum nor angular momentum. With x_n at the start of the substep, c what the
constraints moved, and v = (x - x_n) / h, that means for each free piece

    sum m c = 0,    R = sum m x_n x c = 0

The first is broken by rounding only. The second by O(h^2) a substep, because constraints act along links as they lie
at x, not at x_n; a spinning body would slow down with nothing touching it. So c loses its mean, and the piece is
turned by a small vector t about its centre, which changes R by J t with J = sum m ((x_n . r) I - r x_n^T),
r = x - centre. Solving J t = -R makes R nought to rounding, while links change only by |t|^2.
"""

from __future__ import annotations

import numpy as np

from ..jit import kernel, parallel_kernel, prange

# Sums of a block: m, m c (3), m x (3), m x_n (3), m x_n x c (3), m x x_n^T (9).
SUMS = 22
# What a piece gets: whether to, shift (3), turn (3), centre (3).
TURN = 10


@parallel_kernel
def take_rows(x, ids, block_start, block_first, rows, taken, block_origin):
    """rows = taken = x - origin; the origin of a block is where particle `block_first` of its piece is."""
    for block in prange(block_start.shape[0] - 1):
        o = block_first[block]
        for k in range(3):
            block_origin[block, k] = x[o, k]
        for r in range(block_start[block], block_start[block + 1]):
            i = ids[r]
            for k in range(3):
                rows[r, k] = x[i, k] - x[o, k]
                taken[r, k] = rows[r, k]


@parallel_kernel
def take_rows_before(x_prev, ids, block_start, block_origin, rows):
    """rows = x_prev - origin, with the origins as `take_rows` had them."""
    for block in prange(block_start.shape[0] - 1):
        for r in range(block_start[block], block_start[block + 1]):
            for k in range(3):
                rows[r, k] = x_prev[ids[r], k] - block_origin[block, k]


@parallel_kernel
def give_rows(rows, taken, ids, block_start, block_origin, mass, x_n, x, sums):
    """x += rows - taken; fills sums (blocks, SUMS) for `piece_turns`."""
    for block in prange(block_start.shape[0] - 1):
        ox = block_origin[block, 0]
        oy = block_origin[block, 1]
        oz = block_origin[block, 2]
        total = 0.0
        cx = 0.0
        cy = 0.0
        cz = 0.0
        px = 0.0
        py = 0.0
        pz = 0.0
        nx = 0.0
        ny = 0.0
        nz = 0.0
        rx = 0.0
        ry = 0.0
        rz = 0.0
        xx = 0.0
        xy = 0.0
        xz = 0.0
        yx = 0.0
        yy = 0.0
        yz = 0.0
        zx = 0.0
        zy = 0.0
        zz = 0.0
        for r in range(block_start[block], block_start[block + 1]):
            i = ids[r]
            m = mass[i]
            ux = rows[r, 0] - taken[r, 0]
            uy = rows[r, 1] - taken[r, 1]
            uz = rows[r, 2] - taken[r, 2]
            x[i, 0] += ux
            x[i, 1] += uy
            x[i, 2] += uz
            bx = x[i, 0] - ox
            by = x[i, 1] - oy
            bz = x[i, 2] - oz
            ax = x_n[i, 0] - ox
            ay = x_n[i, 1] - oy
            az = x_n[i, 2] - oz
            total += m
            cx += m * ux
            cy += m * uy
            cz += m * uz
            px += m * bx
            py += m * by
            pz += m * bz
            nx += m * ax
            ny += m * ay
            nz += m * az
            rx += m * (ay * uz - az * uy)
            ry += m * (az * ux - ax * uz)
            rz += m * (ax * uy - ay * ux)
            xx += m * bx * ax
            xy += m * bx * ay
            xz += m * bx * az
            yx += m * by * ax
            yy += m * by * ay
            yz += m * by * az
            zx += m * bz * ax
            zy += m * bz * ay
            zz += m * bz * az
        sums[block, 0] = total
        sums[block, 1] = cx
        sums[block, 2] = cy
        sums[block, 3] = cz
        sums[block, 4] = px
        sums[block, 5] = py
        sums[block, 6] = pz
        sums[block, 7] = nx
        sums[block, 8] = ny
        sums[block, 9] = nz
        sums[block, 10] = rx
        sums[block, 11] = ry
        sums[block, 12] = rz
        sums[block, 13] = xx
        sums[block, 14] = xy
        sums[block, 15] = xz
        sums[block, 16] = yx
        sums[block, 17] = yy
        sums[block, 18] = yz
        sums[block, 19] = zx
        sums[block, 20] = zy
        sums[block, 21] = zz


@kernel
def piece_turns(sums, piece_block, free, turn):
    """Shift and turn of each piece, (pieces, TURN), from the sums of its blocks piece_block[p] : piece_block[p + 1]."""
    s = np.empty(SUMS)
    for p in range(free.shape[0]):
        turn[p, 0] = 0.0
        if not free[p]:
            continue
        s[:] = 0.0
        for block in range(piece_block[p], piece_block[p + 1]):
            for k in range(SUMS):
                s[k] += sums[block, k]
        _solve_turn(s, turn, p)


@kernel
def _solve_turn(s, turn, p):
    total = s[0]
    shift_x = -s[1] / total
    shift_y = -s[2] / total
    shift_z = -s[3] / total
    mid_x = s[4] / total
    mid_y = s[5] / total
    mid_z = s[6] / total
    # Without its mean, c takes x_n sum (m) x mean (c) off R; about the centre, J loses centre x sum (m x_n)^T.
    rx = s[10] + (s[8] * shift_z - s[9] * shift_y)
    ry = s[11] + (s[9] * shift_x - s[7] * shift_z)
    rz = s[12] + (s[7] * shift_y - s[8] * shift_x)
    xx = s[13] - mid_x * s[7]
    xy = s[14] - mid_x * s[8]
    xz = s[15] - mid_x * s[9]
    yx = s[16] - mid_y * s[7]
    yy = s[17] - mid_y * s[8]
    yz = s[18] - mid_y * s[9]
    zx = s[19] - mid_z * s[7]
    zy = s[20] - mid_z * s[8]
    zz = s[21] - mid_z * s[9]
    trace = xx + yy + zz
    # A piece on one line (a single link) cannot be turned about it and has no say there, so a small share of the
    # trace keeps the matrix invertible.
    xx, yy, zz = trace * (1.0 + 1e-12) - xx, trace * (1.0 + 1e-12) - yy, trace * (1.0 + 1e-12) - zz
    xy, xz, yx, yz, zx, zy = -xy, -xz, -yx, -yz, -zx, -zy
    c_x = yy * zz - yz * zy
    c_y = yz * zx - yx * zz
    c_z = yx * zy - yy * zx
    det = xx * c_x + xy * c_y + xz * c_z
    turn[p, 0] = 1.0
    turn[p, 1] = shift_x
    turn[p, 2] = shift_y
    turn[p, 3] = shift_z
    turn[p, 4] = 0.0
    turn[p, 5] = 0.0
    turn[p, 6] = 0.0
    turn[p, 7] = mid_x
    turn[p, 8] = mid_y
    turn[p, 9] = mid_z
    if det <= 0.0:
        return
    tx = -(rx * c_x + ry * (xz * zy - xy * zz) + rz * (xy * yz - xz * yy)) / det
    ty = -(rx * c_y + ry * (xx * zz - xz * zx) + rz * (xz * yx - xx * yz)) / det
    tz = -(rx * c_z + ry * (xy * zx - xx * zy) + rz * (xx * yy - xy * yx)) / det
    if tx * tx + ty * ty + tz * tz < 0.01:
        turn[p, 4] = tx
        turn[p, 5] = ty
        turn[p, 6] = tz


@parallel_kernel
def turn_rows(ids, block_start, block_piece, block_origin, turn, x):
    """x += shift + turn x (x - centre) for the pieces that are free."""
    for block in prange(block_start.shape[0] - 1):
        p = block_piece[block]
        if turn[p, 0] == 0.0:
            continue
        mx = block_origin[block, 0] + turn[p, 7]
        my = block_origin[block, 1] + turn[p, 8]
        mz = block_origin[block, 2] + turn[p, 9]
        tx = turn[p, 4]
        ty = turn[p, 5]
        tz = turn[p, 6]
        for r in range(block_start[block], block_start[block + 1]):
            i = ids[r]
            bx = x[i, 0] - mx
            by = x[i, 1] - my
            bz = x[i, 2] - mz
            x[i, 0] += turn[p, 1] + ty * bz - tz * by
            x[i, 1] += turn[p, 2] + tz * bx - tx * bz
            x[i, 2] += turn[p, 3] + tx * by - ty * bx
