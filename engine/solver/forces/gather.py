"""Springs as explicit forces that each particle sums over its neighbours, and symplectic Euler in the same pass.

    f_i = sum_j [ k (1 - l0 / l) + c (d . dv) / l² ] d,   d = x_j - x_i,  dv = v_j - v_i,  l = |d|
    v = r (v + f w h) + kick,   x += h v                  r = exp(-air_drag h)

The two ends of a link compute d of opposite sign and the same bracket, bit for bit, so the forces of a link cancel
exactly in double and in single precision. Positions are read from one array and written to another, so neither the
order of particles nor the number of threads matters.

Particles are in blocks of sixteen as in `graph.neighbours`. x and v are relative to a frame that moves uniformly with
their piece and have double precision, indexed [block, axis, lane]. The force needs less: rows (x, y, z, inverse mass)
and rows of v have the solver's precision. These kernels take any; `vector.gather` has the single-precision twins.
"""

from __future__ import annotations

import math

from ...compiler.kernels import kernel, parallel_kernel, prange

# Ends closer than this define no direction [m]; its square is within the range of single precision.
NEAREST = 1e-12


@parallel_kernel
def step_springs(buffers, slots, stiffness, motion, h, count):
    """`count` substeps of undamped springs with one stiffness per block.

    Args:
        buffers, slots, motion: see `forces.columns`, in and out.
        stiffness: (blocks,) h k [N s/m]; h: the substep [s].
    """
    rows = buffers.rows
    spare_rows = buffers.spare_rows
    neighbour = slots.neighbour
    rest = slots.rest
    slot_start = slots.slot_start
    for iteration in range(count):
        old = rows if iteration % 2 == 0 else spare_rows
        new = spare_rows if iteration % 2 == 0 else rows
        for block in prange(stiffness.shape[0]):
            for lane in range(16):
                i = 16 * block + lane
                px = old[i, 0]
                py = old[i, 1]
                pz = old[i, 2]
                fx = px - px
                fy = fx
                fz = fx
                for slot in range(slot_start[block], slot_start[block + 1]):
                    s = 16 * slot + lane
                    j = neighbour[s]
                    dx = old[j, 0] - px
                    dy = old[j, 1] - py
                    dz = old[j, 2] - pz
                    pull = 1.0 - rest[s] / max(math.sqrt(dx * dx + dy * dy + dz * dz), NEAREST)
                    fx += pull * dx
                    fy += pull * dy
                    fz += pull * dz
                scale = old[i, 3] * stiffness[block]
                _move(block, lane, i, scale * fx, scale * fy, scale * fz, old[i, 3], motion, h, new)


@kernel
def _move(block, lane, i, dvx, dvy, dvz, w, motion, h, new):
    """v = r (v + dv) + kick for a free particle; x += h v; writes the particle's row to `new`."""
    shrink = motion.shrink
    kick = motion.kick
    x = motion.x
    v = motion.v
    if w > 0.0:
        v[block, 0, lane] = shrink[block] * (v[block, 0, lane] + dvx) + kick[block, 0]
        v[block, 1, lane] = shrink[block] * (v[block, 1, lane] + dvy) + kick[block, 1]
        v[block, 2, lane] = shrink[block] * (v[block, 2, lane] + dvz) + kick[block, 2]
    for k in range(3):
        x[block, k, lane] += h * v[block, k, lane]
        new[i, k] = x[block, k, lane]
    new[i, 3] = w


@parallel_kernel
def glide_damped(rows, spare_rows, speeds, spare_speeds, slots, stiffness, damping, motion, h, count):
    """`count` substeps of springs with individual stiffness and damping; other arguments as in `step_springs`.

    Args:
        rows, spare_rows: see `forces.columns.GatherBuffers`.
        speeds, spare_speeds: (p, 4), velocities in the layout of `rows`; the last column is not used.
        stiffness: (slots * 16,) k [N/m]; damping: (slots * 16,) c [N s/m].
    """
    neighbour = slots.neighbour
    rest = slots.rest
    slot_start = slots.slot_start
    shrink = motion.shrink
    v = motion.v
    for iteration in range(count):
        old = rows if iteration % 2 == 0 else spare_rows
        new = spare_rows if iteration % 2 == 0 else rows
        old_speeds = speeds if iteration % 2 == 0 else spare_speeds
        new_speeds = spare_speeds if iteration % 2 == 0 else speeds
        for block in prange(shrink.shape[0]):
            for lane in range(16):
                i = 16 * block + lane
                px = old[i, 0]
                py = old[i, 1]
                pz = old[i, 2]
                ux = old_speeds[i, 0]
                uy = old_speeds[i, 1]
                uz = old_speeds[i, 2]
                fx = px - px
                fy = fx
                fz = fx
                for slot in range(slot_start[block], slot_start[block + 1]):
                    s = 16 * slot + lane
                    j = neighbour[s]
                    dx = old[j, 0] - px
                    dy = old[j, 1] - py
                    dz = old[j, 2] - pz
                    inv_length = 1.0 / max(math.sqrt(dx * dx + dy * dy + dz * dz), NEAREST)
                    along = dx * (old_speeds[j, 0] - ux) + dy * (old_speeds[j, 1] - uy) + dz * (old_speeds[j, 2] - uz)
                    pull = stiffness[s] * (1.0 - rest[s] * inv_length) + damping[s] * inv_length * inv_length * along
                    fx += pull * dx
                    fy += pull * dy
                    fz += pull * dz
                scale = h * old[i, 3]
                _move(block, lane, i, scale * fx, scale * fy, scale * fz, old[i, 3], motion, h, new)
                for k in range(3):
                    new_speeds[i, k] = v[block, k, lane]


@parallel_kernel
def enter_frame(x, v, particle, block_piece, origin, drift, rows, speeds, place_x, place_v):
    """Convert to each piece's frame: place_x = x - origin, place_v = v - drift, and the rows of both."""
    for block in prange(block_piece.shape[0]):
        p = block_piece[block]
        for lane in range(16):
            r = 16 * block + lane
            i = particle[r]
            if i >= 0:
                for k in range(3):
                    place_x[block, k, lane] = x[i, k] - origin[p, k]
                    place_v[block, k, lane] = v[i, k] - drift[p, k]
                    rows[r, k] = place_x[block, k, lane]
                    speeds[r, k] = place_v[block, k, lane]


@parallel_kernel
def leave_frame(place_x, place_v, particle, block_piece, origin, drift, x, x_prev, v):
    """The inverse of `enter_frame`; x_prev gets the positions that the world had before."""
    for block in prange(block_piece.shape[0]):
        p = block_piece[block]
        for lane in range(16):
            i = particle[16 * block + lane]
            if i >= 0:
                for k in range(3):
                    x_prev[i, k] = x[i, k]
                    x[i, k] = origin[p, k] + place_x[block, k, lane]
                    v[i, k] = drift[p, k] + place_v[block, k, lane]
