"""Water on the surfaces of spring graphs: buoyancy and drag of each particle, in one pass over tiles.

A tile (`graph.tiles`) contains up to two thousand nearby particles. One thread sums the forces on their triangles in
its own scratch rows (see `forces.wet`) and then applies them, so sums never leave the caches. A triangle between tiles
is evaluated by each tile that contains one of its corners, always in the order of the tile. So the bits do not depend
on the threads. In the same pass particles get their added mass, see `added_mass`.
"""

from __future__ import annotations

import math

import numpy as np

from ...compiler.kernels import kernel, parallel_kernel, part_of_kernel, prange
from .added_mass import add_mass
from .waves import stream_at, stream_change_at, wave_at
from .wet import wet_weights


@parallel_kernel
def measure_parts(x, triangles, part_start, part_piece, origin, volume, area, top):
    """Volume [m³], area [m²] and highest Z [m] of each part of a piece.

    Args: part_start: (parts + 1,) ranges of triangles; part_piece: (parts,) piece of each part; origin: (pieces,)
    particle relative to which volume is computed.
    """
    for p in prange(part_piece.shape[0]):
        o = origin[part_piece[p]]
        ox = x[o, 0]
        oy = x[o, 1]
        oz = x[o, 2]
        highest = -math.inf
        total = 0.0
        double_area = 0.0
        for t in range(part_start[p], part_start[p + 1]):
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
            highest = max(highest, max(az, bz, cz))
            total += ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx)
            nx = (by - ay) * (cz - az) - (bz - az) * (cy - ay)
            ny = (bz - az) * (cx - ax) - (bx - ax) * (cz - az)
            nz = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
            double_area += math.sqrt(nx * nx + ny * ny + nz * nz)
        volume[p] = total / 6.0
        area[p] = 0.5 * double_area
        top[p] = oz + highest


@kernel
def sum_parts(part_piece, part_volume, part_area, part_top, volume, area, top):
    """Volume, area and highest Z of each piece, (pieces,), from those of its parts, summed in order."""
    for p in range(volume.shape[0]):
        volume[p] = 0.0
        area[p] = 0.0
        top[p] = -math.inf
    for p in range(part_piece.shape[0]):
        volume[part_piece[p]] += part_volume[p]
        area[part_piece[p]] += part_area[p]
        top[part_piece[p]] = max(top[part_piece[p]], part_top[p])


# Limit of the effective area of a stretched triangle, in rest areas. Four times the area corresponds to a balloon of
# eight times its volume; beyond that, buoyancy would grow faster than any spring force.
MAX_SPREAD = 4.0
# Depth at which pressure stops growing, in rest sizes of the piece below its top. Without this limit a soft piece could
# stretch itself into an ever longer thread.
MAX_HEIGHT = 2.0
# A solid compressed down to this fraction of its volume still displaces its rest volume; beyond that it displaces less.
MIN_PRESSED = 0.8


@kernel
def find_levels(volume, rest_volume, top, size, crush_scale, depth_limit, height, rise, lift_fraction, level, deepest):
    """Reference level and depth limits of each piece in the water.

    Args:
        volume, rest_volume: (pieces,) [m³]; top: highest Z [m]; size: diameter at rest [m].
        crush_scale: size times mass per area [kg/m]; 0 for solids.
        depth_limit: limit of the pressing depth of the top, divided by crush_scale [m²/kg]. Pressure that keeps
            crushing a piece adds energy every substep, so it is limited to what would move a wall across its piece in
            one substep.
            Uniform pressure causes no buoyancy, so this limit does not change buoyancy.
        height: of the water surface without waves [m]; rise: (pieces,) of waves above it at each piece [m].
        lift_fraction: out, fraction of the buoyancy that applies: 1, less for a crushed piece, 0 for an inverted one.
            Water would otherwise press a limp hull through itself and then inflate the inverted hull. A solid displaces
            its rest volume: the slight compression does not occur in real jelly, rubber and soaked sponge.
        level: out, Z from which depth is measured where there are no waves [m].
        deepest: out, depth beyond which pressure is constant [m].
    """
    for p in range(volume.shape[0]):
        ratio = max(0.0, volume[p] / rest_volume[p])
        lift_fraction[p] = (
            min(1.0, ratio) if crush_scale[p] > 0.0 else min(1.0 / max(ratio, MIN_PRESSED), ratio / MIN_PRESSED**2)
        )
        depth = max(height + rise[p] - top[p], 0.0)
        level[p] = height - max(depth - depth_limit * crush_scale[p], 0.0)
        deepest[p] = max(level[p] + rise[p] - top[p], 0.0) + MAX_HEIGHT * size[p]


# Below this speed drag is linear rather than quadratic [m/s], so that a floating body comes to rest.
CREEP = 0.1
# Largest omega² h² of bobbing that is integrated, with omega² h² = h² w rho g A (symplectic Euler is unstable above 4).
# An open sheet lighter than 0.1 kg per square metre, at 10 substeps and 24 fps, is lifted less and floats deeper.
MAX_STIFF = 2.0
# Sums per particle: -n lift (3), wet area, n wet weighted by the buoyancy fraction (3), wet area with drag.
SUMS = 8


@parallel_kernel
def float_tiles(particles, surface, levels, scratch, gravity, density, drag, flow, h, is_first):
    """Buoyancy and drag on each particle of a surface.

        v = u + (v0 - u) s + h g m w + h w (-rho g sum n lift),  c = w rho drag A max(|v0 - u|, CREEP) / 2,  w = 1 / m'
        s = 1 - h c up to h c = 1/2, then 1 / (4 h c)

    With the explicit s the terminal speed balances weight and drag for any substep length; beyond 1/2, s only has to
    stay positive.

    Drag acts on v0, the velocity before this substep's gravity. At rest the weight and the buoyancy of one particle
    differ and links carry the difference; drag on that difference would let a body come to rest at the wrong depth.

    Args:
        particles, surface, levels: see `forces.columns`. In one substep no particle moves farther than the diameter of
            its piece; a longer move would invert a limp hull.
        scratch: (threads, particles in a tile + 1, SUMS).
        gravity: three numbers [m/s²], buoyancy uses their length; flow: velocity of the water without waves [m/s].
        density: [kg/m³]; drag: coefficient; h: the substep [s].
        is_first: whether this is the first water of the substep, so that `particles.dv_per_step`, `dv_gradient` and
            `added` still contain other values and are cleared.
    """
    tile_start = surface.tile_start
    ids = surface.ids
    ids_piece = surface.ids_piece
    entry_start = surface.entry_start
    inv_mass = particles.inv_mass
    dv_per_step = particles.dv_per_step
    dv_gradient = particles.dv_gradient
    added = particles.added
    tiles = tile_start.shape[0] - 1
    scratch_count = scratch.shape[0]
    for task in prange(scratch_count):
        # As in `rigid.hulls.contacts.find_touching`.
        own = np.int64(task)
        for tile in range(tiles * own // scratch_count, tiles * (own + 1) // scratch_count):
            first = tile_start[tile]
            stop = tile_start[tile + 1]
            for q in range(stop - first):
                for k in range(SUMS):
                    scratch[own, q, k] = 0.0
            _sum_tile(
                particles.x, particles.waves, surface, levels, entry_start[tile], entry_start[tile + 1], scratch, own
            )
            for q in range(first, stop):
                i = ids[q]
                if inv_mass[i] <= 0.0:
                    continue
                if is_first:
                    added[i] = 0.0
                    for k in range(3):
                        dv_per_step[i, k] = 0.0
                        dv_gradient[i, k] = 0.0
                if scratch[own, q - first, 3] > 0.0:
                    _apply(scratch, own, q - first, i, ids_piece[q], levels, gravity, density, drag, flow, h, particles)


@part_of_kernel
def _sum_tile(x, waves, surface, levels, first, stop, scratch, own):
    """Sum forces on the corners of some triangles; corners in other tiles use the last scratch row."""
    triangles = surface.triangles
    piece = surface.piece
    is_lid = surface.is_lid
    rest_area = surface.rest_area
    entry_triangle = surface.entry_triangle
    entry_place = surface.entry_place
    lift_fraction = levels.lift_fraction
    level = levels.level
    deepest = levels.deepest
    for e in range(first, stop):
        t = entry_triangle[e]
        p = piece[t]
        a = triangles[t, 0]
        b = triangles[t, 1]
        c = triangles[t, 2]
        da = min(level[p] + wave_at(waves, a) - x[a, 2], deepest[p])
        db = min(level[p] + wave_at(waves, b) - x[b, 2], deepest[p])
        dc = min(level[p] + wave_at(waves, c) - x[c, 2], deepest[p])
        if da <= 0.0 and db <= 0.0 and dc <= 0.0:
            continue
        ex = x[b, 0] - x[a, 0]
        ey = x[b, 1] - x[a, 1]
        ez = x[b, 2] - x[a, 2]
        fx = x[c, 0] - x[a, 0]
        fy = x[c, 1] - x[a, 1]
        fz = x[c, 2] - x[a, 2]
        nx = ey * fz - ez * fy
        ny = ez * fx - ex * fz
        nz = ex * fy - ey * fx
        double_area = math.sqrt(nx * nx + ny * ny + nz * nz)
        if double_area <= 0.0:
            continue
        max_area = MAX_SPREAD * rest_area[t]
        alpha = 0.5 if 0.5 * double_area <= max_area else max_area / double_area
        la, lb, lc, wa, wb, wc = wet_weights(da, db, dc, alpha)
        gradient = 0.0 if da == deepest[p] and db == deepest[p] and dc == deepest[p] else lift_fraction[p]
        drag_area = 0.0 if is_lid[t] else double_area
        _add(scratch, own, entry_place[e, 0], lift_fraction[p] * la, wa, gradient, double_area, drag_area, nx, ny, nz)
        _add(scratch, own, entry_place[e, 1], lift_fraction[p] * lb, wb, gradient, double_area, drag_area, nx, ny, nz)
        _add(scratch, own, entry_place[e, 2], lift_fraction[p] * lc, wc, gradient, double_area, drag_area, nx, ny, nz)


@part_of_kernel
def _add(scratch, own, place, lift, wet, gradient, double_area, drag_area, nx, ny, nz):
    scratch[own, place, 0] -= lift * nx
    scratch[own, place, 1] -= lift * ny
    scratch[own, place, 2] -= lift * nz
    scratch[own, place, 3] += wet * double_area
    scratch[own, place, 4] += gradient * wet * nx
    scratch[own, place, 5] += gradient * wet * ny
    scratch[own, place, 6] += gradient * wet * nz
    scratch[own, place, 7] += wet * drag_area


@part_of_kernel
def _apply(scratch, own, place, i, piece, levels, gravity, density, drag, flow, h, particles):
    """Apply the sums of particle i to its mass and velocity."""
    v = particles.v
    dv_per_step = particles.dv_per_step
    dv_gradient = particles.dv_gradient
    gx, gy, gz = gravity
    g = math.sqrt(gx * gx + gy * gy + gz * gz)
    ux, uy, uz = flow
    sx, sy, sz = stream_at(particles.waves, i)
    ux, uy, uz = ux + sx, uy + sy, uz + sz
    weightless, kept = add_mass(i, density * levels.follows[piece] * scratch[own, place, 3], particles)
    w = particles.inv_mass[i]
    fx = scratch[own, place, 0]
    fy = scratch[own, place, 1]
    fz = scratch[own, place, 2]
    stiff = h * h * w * density * g * scratch[own, place, 3]
    dv_scale = h * w * density * g * min(1.0, MAX_STIFF / max(stiff, 1e-300))
    displacement = h * dv_scale * math.sqrt(fx * fx + fy * fy + fz * fz)
    if displacement > levels.size[piece]:
        dv_scale *= levels.size[piece] / displacement
    vx = kept * (v[i, 0] - h * gx - ux)
    vy = kept * (v[i, 1] - h * gy - uy)
    vz = kept * (v[i, 2] - h * gz - uz)
    speed = math.sqrt(vx * vx + vy * vy + vz * vz)
    brake = 0.5 * h * w * density * drag * scratch[own, place, 7] * max(speed, CREEP)
    shrink = 1.0 - brake if brake < 0.5 else 0.25 / brake
    fx = dv_scale * fx - weightless * h * gx
    fy = dv_scale * fy - weightless * h * gy
    fz = dv_scale * fz - weightless * h * gz
    sx, sy, sz = stream_change_at(particles.waves, i)
    v[i, 0] = ux + vx * shrink + h * gx + fx + weightless * sx
    v[i, 1] = uy + vy * shrink + h * gy + fy + weightless * sy
    v[i, 2] = uz + vz * shrink + h * gz + fz + weightless * sz
    dv_per_step[i, 0] += fx
    dv_per_step[i, 1] += fy
    dv_per_step[i, 2] += fz
    dv_gradient[i, 0] += dv_scale * scratch[own, place, 4]
    dv_gradient[i, 1] += dv_scale * scratch[own, place, 5]
    dv_gradient[i, 2] += dv_scale * scratch[own, place, 6]


@parallel_kernel
def lift_by_depth(x, inv_mass, height, waves, rate, v):
    """v_z += rate (height - z) for every free particle below the level.

    Args: waves: see `waves.wave_at`; rate: h times the linear buoyancy [1/s].
    """
    for i in prange(v.shape[0]):
        depth = height + wave_at(waves, i) - x[i, 2]
        if depth > 0.0 and inv_mass[i] > 0.0:
            v[i, 2] += rate * depth
