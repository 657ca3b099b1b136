"""Particles near an origin of their own piece, in rows, and back again, with all their momentum.

Inner constraints (springs, air) never know where a piece is. They take steps of their own within a substep, and see

    at      (r, 4) float64   positions from the piece's own origin as springs and air last looked at them [m]
    moved   (r, 4)           what was moved since, and the inverse mass (dx, dy, dz, w)
    speed   (r, 4)           velocities [m/s]
    gust    (r, 4)           what gravity adds to the velocity in each inner step [m/s]

A move is small, so `moved` may be in single precision without loss, at a kilometre from the origin as at it.
"""

from __future__ import annotations

from ..jit import parallel_kernel, prange


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
        sums: out (blocks, START_SUMS) for `momentum.piece_turns`.
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
    """After the last inner step: speed += (moved - reached) / h; at += moved; moved = 0."""
    one = moved.dtype.type(1.0)
    per_h = one / h
    for r in prange(moved.shape[0]):
        for k in range(3):
            if moved[r, 3] > 0.0:
                speed[r, k] += (moved[r, k] - reached[r, k]) * per_h
            at[r, k] += moved[r, k]
            moved[r, k] = 0.0


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
