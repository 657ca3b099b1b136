"""Particles near an origin of their own piece, in rows, and back again, with all their momentum.

Inner constraints (springs, air) never know where a piece is. They take steps of their own within a substep, and see

    at      (r, 4) float64   positions at the start of the substep from the piece's own origin [m]
    moved   (r, 4)           what was moved since, and the inverse mass (dx, dy, dz, w)
    speed   (r, 4)           velocities [m/s]
    gust    (r, 4)           what gravity adds to the velocity in each inner step [m/s]

A move is small, so `moved` may be in single precision without loss, at a kilometre from the origin as at it.

Inner forces must change neither momentum P nor angular momentum L. Rounding and the implicit solve do a little, so a
free piece gets back what it lacks, as a velocity shift + turn x (x - centre) with turn = I^-1 (L0 - L) about the
centre, and its centre goes where its momentum takes it. To rounding in double precision, P and L are kept.
"""

from __future__ import annotations

import numpy as np

from ..jit import kernel, parallel_kernel, prange

# Sums of a block at the start: m, m x (3), m v (3), m x cross v (3).
START_SUMS = 10
# At the end: those and m (x x^T) as xx, yy, zz, xy, xz, yz.
END_SUMS = 16
# What a piece gets: whether to, its centre (3), a shift of place (3), of velocity (3), a turn (3).
TURN = 13


@parallel_kernel
def take_rows(
    x_n, v, inv_mass, mass, ids, block_start, block_first, gx, gy, gz, share, at, moved, speed, gust, origin, sums,
):
    """Begin a solve.

    Gravity is the same wherever a particle goes, so it may come bit by bit: springs then carry it step by step. Other
    forces from outside stay a kick at the start; spread too, one that pulls back would feed energy into what swings.

    Args:
        x_n: (n, 3) where particles were at the start; v: with what all forces from outside have added.
        gx, gy, gz: what gravity has added of that [m/s]; share: part of it that an inner step gets, 1 / steps.
        origin: out (blocks, 3), where particle `block_first` of the block's piece is.
        sums: out (blocks, START_SUMS).
    """
    for block in prange(block_start.shape[0] - 1):
        o = block_first[block]
        ox = x_n[o, 0]
        oy = x_n[o, 1]
        oz = x_n[o, 2]
        origin[block, 0] = ox
        origin[block, 1] = oy
        origin[block, 2] = oz
        total = 0.0
        px = 0.0
        py = 0.0
        pz = 0.0
        qx = 0.0
        qy = 0.0
        qz = 0.0
        lx = 0.0
        ly = 0.0
        lz = 0.0
        for r in range(block_start[block], block_start[block + 1]):
            i = ids[r]
            ax = x_n[i, 0] - ox
            ay = x_n[i, 1] - oy
            az = x_n[i, 2] - oz
            at[r, 0] = ax
            at[r, 1] = ay
            at[r, 2] = az
            m = mass[i]
            vx = v[i, 0]
            vy = v[i, 1]
            vz = v[i, 2]
            bits = share if inv_mass[i] > 0.0 else 0.0
            whole = 1.0 if inv_mass[i] > 0.0 else 0.0
            moved[r, 0] = 0.0
            moved[r, 1] = 0.0
            moved[r, 2] = 0.0
            speed[r, 0] = vx - whole * gx
            speed[r, 1] = vy - whole * gy
            speed[r, 2] = vz - whole * gz
            gust[r, 0] = bits * gx
            gust[r, 1] = bits * gy
            gust[r, 2] = bits * gz
            total += m
            px += m * ax
            py += m * ay
            pz += m * az
            qx += m * vx
            qy += m * vy
            qz += m * vz
            lx += m * (ay * vz - az * vy)
            ly += m * (az * vx - ax * vz)
            lz += m * (ax * vy - ay * vx)
        sums[block, 0] = total
        sums[block, 1] = px
        sums[block, 2] = py
        sums[block, 3] = pz
        sums[block, 4] = qx
        sums[block, 5] = qy
        sums[block, 6] = qz
        sums[block, 7] = lx
        sums[block, 8] = ly
        sums[block, 9] = lz


@parallel_kernel
def place_rows(x, ids, block_start, block_first, at):
    """at = x - origin; the origin of a block is where particle `block_first` is."""
    for block in prange(block_start.shape[0] - 1):
        o = block_first[block]
        for r in range(block_start[block], block_start[block + 1]):
            for k in range(3):
                at[r, k] = x[ids[r], k] - x[o, k]


@parallel_kernel
def drift(moved, reached, began, speed, gust, h, first):
    """The part of an inner step that needs no constraint.

    The step before ends: speed += (moved - reached) / h, unless this is the first. Then speed += gust, began = moved,
    moved += h speed, reached = moved. All (r, 4); the last column of speed and gust is nought.
    """
    one = moved.dtype.type(1.0)
    per_h = one / h
    for r in prange(moved.shape[0]):
        for k in range(3):
            v = speed[r, k]
            if not first and moved[r, 3] > 0.0:
                v += (moved[r, k] - reached[r, k]) * per_h
            v += gust[r, k]
            speed[r, k] = v
            began[r, k] = moved[r, k]
            moved[r, k] += h * v
            reached[r, k] = moved[r, k]


@parallel_kernel
def finish(moved, reached, speed, h):
    """The end of an inner step by itself: speed += (moved - reached) / h."""
    one = moved.dtype.type(1.0)
    per_h = one / h
    for r in prange(moved.shape[0]):
        if moved[r, 3] > 0.0:
            for k in range(3):
                speed[r, k] += (moved[r, k] - reached[r, k]) * per_h


@parallel_kernel
def settle(moved, reached, speed, h, at):
    """After the last inner step: speed += (moved - reached) / h; at += moved."""
    one = moved.dtype.type(1.0)
    per_h = one / h
    for r in prange(moved.shape[0]):
        for k in range(3):
            if moved[r, 3] > 0.0:
                speed[r, k] += (moved[r, k] - reached[r, k]) * per_h
            at[r, k] += moved[r, k]


@parallel_kernel
def end_sums(at, speed, mass, ids, block_start, sums):
    """Sums (blocks, END_SUMS) of what came out, about each piece's origin."""
    for block in prange(block_start.shape[0] - 1):
        total = 0.0
        px = 0.0
        py = 0.0
        pz = 0.0
        qx = 0.0
        qy = 0.0
        qz = 0.0
        lx = 0.0
        ly = 0.0
        lz = 0.0
        xx = 0.0
        yy = 0.0
        zz = 0.0
        xy = 0.0
        xz = 0.0
        yz = 0.0
        for r in range(block_start[block], block_start[block + 1]):
            m = mass[ids[r]]
            ax = at[r, 0]
            ay = at[r, 1]
            az = at[r, 2]
            mx = m * ax
            my = m * ay
            mz = m * az
            vx = float(speed[r, 0])
            vy = float(speed[r, 1])
            vz = float(speed[r, 2])
            total += m
            px += mx
            py += my
            pz += mz
            qx += m * vx
            qy += m * vy
            qz += m * vz
            lx += my * vz - mz * vy
            ly += mz * vx - mx * vz
            lz += mx * vy - my * vx
            xx += mx * ax
            yy += my * ay
            zz += mz * az
            xy += mx * ay
            xz += mx * az
            yz += my * az
        sums[block, 0] = total
        sums[block, 1] = px
        sums[block, 2] = py
        sums[block, 3] = pz
        sums[block, 4] = qx
        sums[block, 5] = qy
        sums[block, 6] = qz
        sums[block, 7] = lx
        sums[block, 8] = ly
        sums[block, 9] = lz
        sums[block, 10] = xx
        sums[block, 11] = yy
        sums[block, 12] = zz
        sums[block, 13] = xy
        sums[block, 14] = xz
        sums[block, 15] = yz


@kernel
def piece_turns(start, end, piece_block, free, h, turn):
    """What each piece gets, (pieces, TURN), from the sums of its blocks piece_block[p] : piece_block[p + 1]."""
    s = np.empty(START_SUMS)
    e = np.empty(END_SUMS)
    for p in range(free.shape[0]):
        turn[p, :] = 0.0
        if not free[p]:
            continue
        s[:] = 0.0
        e[:] = 0.0
        for block in range(piece_block[p], piece_block[p + 1]):
            for k in range(START_SUMS):
                s[k] += start[block, k]
            for k in range(END_SUMS):
                e[k] += end[block, k]
        turn[p, 0] = 1.0
        for k in range(3):
            turn[p, 1 + k] = e[1 + k] / e[0]
            turn[p, 4 + k] = (s[1 + k] + h * s[4 + k] - e[1 + k]) / e[0]
            turn[p, 7 + k] = (s[4 + k] - e[4 + k]) / e[0]
        _solve_turn(s, e, turn, p)


@kernel
def _solve_turn(s, e, turn, p):
    """turn = I^-1 (L0 - L), each about its own centre."""
    cx = turn[p, 1]
    cy = turn[p, 2]
    cz = turn[p, 3]
    rx = (s[7] - (s[2] * s[6] - s[3] * s[5]) / s[0]) - (e[7] - (cy * e[6] - cz * e[5]))
    ry = (s[8] - (s[3] * s[4] - s[1] * s[6]) / s[0]) - (e[8] - (cz * e[4] - cx * e[6]))
    rz = (s[9] - (s[1] * s[5] - s[2] * s[4]) / s[0]) - (e[9] - (cx * e[5] - cy * e[4]))
    mxx = e[10] - cx * e[1]
    myy = e[11] - cy * e[2]
    mzz = e[12] - cz * e[3]
    # A piece on one line cannot be turned about it and has no say there, so a small share of the trace keeps the
    # matrix invertible.
    soft = 1e-12 * (mxx + myy + mzz)
    xx = myy + mzz + soft
    yy = mxx + mzz + soft
    zz = mxx + myy + soft
    xy = -(e[13] - cx * e[2])
    xz = -(e[14] - cx * e[3])
    yz = -(e[15] - cy * e[3])
    c_x = yy * zz - yz * yz
    c_y = yz * xz - xy * zz
    c_z = xy * yz - yy * xz
    det = xx * c_x + xy * c_y + xz * c_z
    if det <= 0.0:
        return
    turn[p, 10] = (rx * c_x + ry * c_y + rz * c_z) / det
    turn[p, 11] = (rx * c_y + ry * (xx * zz - xz * xz) + rz * (xy * xz - xx * yz)) / det
    turn[p, 12] = (rx * c_z + ry * (xy * xz - xx * yz) + rz * (xx * yy - xy * xy)) / det


@parallel_kernel
def give_rows(at, speed, inv_mass, ids, block_start, block_piece, origin, turn, h, x, x_prev):
    """End a solve: x as it came out, and x_prev = x - h v, so that what follows finds v in the difference.

    Held particles stay where they were predicted.
    """
    for block in prange(block_start.shape[0] - 1):
        p = block_piece[block]
        for r in range(block_start[block], block_start[block + 1]):
            i = ids[r]
            if inv_mass[i] == 0.0:
                continue
            bx = at[r, 0] - turn[p, 1]
            by = at[r, 1] - turn[p, 2]
            bz = at[r, 2] - turn[p, 3]
            vx = speed[r, 0] + turn[p, 7] + turn[p, 11] * bz - turn[p, 12] * by
            vy = speed[r, 1] + turn[p, 8] + turn[p, 12] * bx - turn[p, 10] * bz
            vz = speed[r, 2] + turn[p, 9] + turn[p, 10] * by - turn[p, 11] * bx
            x[i, 0] = origin[block, 0] + (at[r, 0] + turn[p, 4])
            x[i, 1] = origin[block, 1] + (at[r, 1] + turn[p, 5])
            x[i, 2] = origin[block, 2] + (at[r, 2] + turn[p, 6])
            x_prev[i, 0] = x[i, 0] - h * vx
            x_prev[i, 1] = x[i, 1] - h * vy
            x_prev[i, 2] = x[i, 2] - h * vz
