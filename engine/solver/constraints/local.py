"""Conversion between particles and rows relative to an origin of their own piece, with sums of momentum.

Internal constraints (springs, air) do not depend on where a piece is. They take inner steps within a substep, on

    at           (r, 4) float64   positions relative to the piece's origin when springs and air were last measured [m]
    moved        (r, 4)           displacement since then, and the inverse mass (dx, dy, dz, w)
    speed        (r, 4)           velocities [m/s]
    dv_per_step  (r, 4)           velocity change by external forces in each inner step [m/s]
    dv_gradient  (r, 4)           increase of that change per metre of height [1/s]

A displacement is small, so `moved` loses nothing in single precision, even a kilometre from the world's origin.
"""

from __future__ import annotations

from ...compiler.kernels import parallel_kernel, prange
from ...compiler.prefetch import ROWS_AHEAD, fetch


@parallel_kernel
def take_rows(particles, blocks, gravity, fraction, rows, origin, sums):
    """Begin a solve; `rows.moved` is 0, as `settle` leaves it.

    Gravity, and forces whose change along the path is known, are spread over the inner steps. Springs then carry them
    step by step, and a load at rest does not vibrate. Other external forces remain an impulse at the start: a restoring
    force that is spread would feed energy into oscillations.

    Args:
        particles: `columns.ParticleColumns`; blocks: `columns.RowBlocks`.
        gravity: velocity change that gravity has added in the substep, three numbers [m/s].
        fraction: (blocks,) fraction of it for one inner step, 1 / steps.
        rows: `columns.MovingRows`, out: `at`, `speed`, `dv_per_step`, `dv_gradient`.
        origin: out (blocks, 3), position of particle `blocks.first` [m].
        sums: out (blocks, START_SUMS) for `momentum.piece_corrections`.
    """
    x_n = particles.x
    v = particles.v
    spread_dv = particles.dv_per_step
    spread_gradient = particles.dv_gradient
    inv_mass = particles.inv_mass
    mass = particles.mass
    ids = blocks.ids
    block_start = blocks.start
    block_first = blocks.first
    at = rows.at
    speed = rows.speed
    dv_per_step = rows.dv_per_step
    dv_gradient = rows.dv_gradient
    gx, gy, gz = gravity
    has_spread = spread_dv.shape[0] > 0
    final = ids.shape[0] - 1
    for block in prange(block_start.shape[0] - 1):
        o = block_first[block]
        ox = x_n[o, 0]
        oy = x_n[o, 1]
        oz = x_n[o, 2]
        origin[block, 0] = ox
        origin[block, 1] = oy
        origin[block, 2] = oz
        total = 0.0
        px = py = pz = 0.0
        qx = qy = qz = 0.0
        lx = ly = lz = 0.0
        dx = dy = dz = 0.0
        tx = ty = tz = 0.0
        energy = 0.0
        for r in range(block_start[block], block_start[block + 1]):
            later = ids[min(r + ROWS_AHEAD, final)]
            fetch(x_n, later)
            fetch(v, later)
            fetch(inv_mass, later)
            fetch(mass, later)
            if has_spread:
                fetch(spread_dv, later)
                fetch(spread_gradient, later)
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
            sx = 0.0
            sy = 0.0
            sz = 0.0
            if inv_mass[i] > 0.0:
                sx = gx
                sy = gy
                sz = gz
                if has_spread:
                    sx += spread_dv[i, 0]
                    sy += spread_dv[i, 1]
                    sz += spread_dv[i, 2]
                    for k in range(3):
                        dv_gradient[r, k] = fraction[block] * spread_gradient[i, k]
            speed[r, 0] = vx - sx
            speed[r, 1] = vy - sy
            speed[r, 2] = vz - sz
            dv_per_step[r, 0] = fraction[block] * sx
            dv_per_step[r, 1] = fraction[block] * sy
            dv_per_step[r, 2] = fraction[block] * sz
            dx += m * sx
            dy += m * sy
            dz += m * sz
            tx += m * (ay * sz - az * sy)
            ty += m * (az * sx - ax * sz)
            tz += m * (ax * sy - ay * sx)
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
            energy += 0.5 * m * (vx * vx + vy * vy + vz * vz)
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
        sums[block, 10] = dx
        sums[block, 11] = dy
        sums[block, 12] = dz
        sums[block, 13] = tx
        sums[block, 14] = ty
        sums[block, 15] = tz
        sums[block, 16] = energy


@parallel_kernel
def settle(rows, blocks, islands, g, h, mass, sums):
    """Complete the last inner step of island g: speed += (moved - reached) / h, at += moved, moved = 0.

    dv_per_step grows by dv_gradient times the height gained.

    Args:
        rows: `columns.MovingRows`, in and out; blocks: `columns.RowBlocks`; islands: `islands.Islands`.
        h: the inner step [s], in the rows' precision; mass: (n,) [kg].
        sums: out (blocks, END_SUMS) for `momentum.piece_corrections`, about each piece's origin.
    """
    at = rows.at
    moved = rows.moved
    reached = rows.reached
    speed = rows.speed
    dv_per_step = rows.dv_per_step
    dv_gradient = rows.dv_gradient
    ids = blocks.ids
    block_start = blocks.start
    one = moved.dtype.type(1.0)
    per_h = one / h
    final = ids.shape[0] - 1
    own = islands.block
    for place in prange(islands.block_start[g], islands.block_start[g + 1]):
        block = own[place]
        total = 0.0
        px = py = pz = 0.0
        qx = qy = qz = 0.0
        lx = ly = lz = 0.0
        xx = yy = zz = 0.0
        xy = xz = yz = 0.0
        energy = 0.0
        for r in range(block_start[block], block_start[block + 1]):
            fetch(mass, ids[min(r + ROWS_AHEAD, final)])
            up = moved[r, 2]
            for k in range(3):
                if moved[r, 3] > 0.0:
                    speed[r, k] += (moved[r, k] - reached[r, k]) * per_h
                dv_per_step[r, k] += dv_gradient[r, k] * up
                at[r, k] += moved[r, k]
                moved[r, k] = 0.0
                reached[r, k] = 0.0
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
            energy += 0.5 * m * (vx * vx + vy * vy + vz * vz)
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
        sums[block, 16] = energy


@parallel_kernel
def give_rows(rows, places, inv_mass, blocks, origin, turn, h):
    """End a solve: write the new x, and x_prev = x - h v, so that the following stages find v in their difference.

    Held particles stay at their predicted positions.

    Args:
        rows: `columns.MovingRows`; places: `columns.Places`, out; inv_mass: (n,) [1/kg]; blocks: `columns.RowBlocks`.
        origin: (blocks, 3) [m], see `take_rows`; turn: (pieces, TURN), see `momentum.piece_corrections`.
        h: the substep [s].
    """
    at = rows.at
    speed = rows.speed
    x = places.x
    x_prev = places.x_prev
    ids = blocks.ids
    block_start = blocks.start
    block_piece = blocks.piece
    final = ids.shape[0] - 1
    for block in prange(block_start.shape[0] - 1):
        p = block_piece[block]
        for r in range(block_start[block], block_start[block + 1]):
            later = ids[min(r + ROWS_AHEAD, final)]
            fetch(x, later)
            fetch(x_prev, later)
            fetch(inv_mass, later)
            i = ids[r]
            if inv_mass[i] == 0.0:
                continue
            bx = at[r, 0] - turn[p, 1]
            by = at[r, 1] - turn[p, 2]
            bz = at[r, 2] - turn[p, 3]
            vx = turn[p, 16] * speed[r, 0] + turn[p, 7] + turn[p, 11] * bz - turn[p, 12] * by
            vy = turn[p, 16] * speed[r, 1] + turn[p, 8] + turn[p, 12] * bx - turn[p, 10] * bz
            vz = turn[p, 16] * speed[r, 2] + turn[p, 9] + turn[p, 10] * by - turn[p, 11] * bx
            x[i, 0] = origin[block, 0] + (at[r, 0] + turn[p, 4] + (turn[p, 14] * bz - turn[p, 15] * by))
            x[i, 1] = origin[block, 1] + (at[r, 1] + turn[p, 5] + (turn[p, 15] * bx - turn[p, 13] * bz))
            x[i, 2] = origin[block, 2] + (at[r, 2] + turn[p, 6] + (turn[p, 13] * by - turn[p, 14] * bx))
            x_prev[i, 0] = x[i, 0] - h * vx
            x_prev[i, 1] = x[i, 1] - h * vy
            x_prev[i, 2] = x[i, 2] - h * vz
