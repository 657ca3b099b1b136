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
from .wet import wet_shares


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
        twice = 0.0
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
            twice += math.sqrt(nx * nx + ny * ny + nz * nz)
        volume[p] = total / 6.0
        area[p] = 0.5 * twice
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


# Effective area of a stretched triangle, at most this many times its rest area. Four times corresponds to a balloon
# of eight times its volume; beyond that, buoyancy would grow faster than any spring force.
MOST_SPREAD = 4.0
# Depth at which pressure stops growing, in rest sizes of the piece below its top. Without this limit a soft piece could
# stretch itself into an ever longer thread.
MOST_HEIGHT = 2.0
# Fraction of its volume down to which a compressed solid displaces its rest volume, and less beyond.
MOST_PRESSED = 0.8


@kernel
def find_levels(volume, rest_volume, top, size, heft, most, height, rise, share, level, deepest):
    """Reference level and depth limits of each piece in the water.

    Args:
        volume, rest_volume: (pieces,) [m³]; top: highest Z [m]; size: diameter at rest [m].
        heft: size times mass per area [kg/m]; 0 for solids.
        most: limit of the pressing depth of the top, divided by heft [m²/kg]. Pressure that keeps crushing a piece
            adds energy every substep, so it is limited to what would move a wall across its piece in one substep.
            Uniform pressure causes no buoyancy, so this changes none.
        height: of the water surface without waves [m]; rise: (pieces,) of waves above it at each piece [m].
        share: out, fraction of the buoyancy that applies: 1, less for a crushed piece, 0 for an inverted one. Water
            would otherwise press a limp hull through itself and then inflate the inverted hull. A solid displaces its
            rest volume: what little it is compressed, real jelly, rubber and soaked sponge are not.
        level: out, Z from which depth is measured where there are no waves [m].
        deepest: out, depth beyond which pressure is constant [m].
    """
    for p in range(volume.shape[0]):
        left = max(0.0, volume[p] / rest_volume[p])
        share[p] = min(1.0, left) if heft[p] > 0.0 else min(1.0 / max(left, MOST_PRESSED), left / MOST_PRESSED**2)
        under = max(height + rise[p] - top[p], 0.0)
        level[p] = height - max(under - most * heft[p], 0.0)
        deepest[p] = max(level[p] + rise[p] - top[p], 0.0) + MOST_HEIGHT * size[p]


# Below this speed drag is linear rather than quadratic [m/s], so that a floating body comes to rest.
CREEP = 0.1
# Largest omega² h² of bobbing that is integrated, with omega² h² = h² w rho g A (symplectic Euler is unstable above 4).
# An open sheet lighter than 0.1 kg per square metre, at 10 substeps and 24 fps, is lifted less and floats deeper.
MOST_STIFF = 2.0
# Sums per particle: -n lift (3), wet area, n wet weighted by the buoyancy fraction (3), wet area with drag.
SUMS = 8


@parallel_kernel
def float_tiles(particles, surface, levels, room, gravity, density, drag, flow, h, anew):
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
        room: scratch (threads, particles in a tile + 1, SUMS).
        gravity: three numbers [m/s²], buoyancy uses their length; flow: velocity of the water without waves [m/s].
        density: [kg/m³]; drag: coefficient; h: the substep [s].
        anew: whether this is the first water of the substep, so that `particles.dv_per_step`, `dv_gradient` and `added`
            still contain other values and are cleared.
    """
    tile_start = surface.tile_start
    ids = surface.ids
    ids_piece = surface.ids_piece
    entry_start = surface.entry_start
    inv_mass = particles.inv_mass
    spread_force = particles.dv_per_step
    dv_gradient = particles.dv_gradient
    added = particles.added
    tiles = tile_start.shape[0] - 1
    rooms = room.shape[0]
    for task in prange(rooms):
        # As in `rigid.hulls.contacts.find_touching`.
        own = np.int64(task)
        for tile in range(tiles * own // rooms, tiles * (own + 1) // rooms):
            first = tile_start[tile]
            stop = tile_start[tile + 1]
            for q in range(stop - first):
                for k in range(SUMS):
                    room[own, q, k] = 0.0
            _sum_tile(
                particles.x, particles.waves, surface, levels, entry_start[tile], entry_start[tile + 1], room, own
            )
            for q in range(first, stop):
                i = ids[q]
                if inv_mass[i] <= 0.0:
                    continue
                if anew:
                    added[i] = 0.0
                    for k in range(3):
                        spread_force[i, k] = 0.0
                        dv_gradient[i, k] = 0.0
                if room[own, q - first, 3] > 0.0:
                    _push(room, own, q - first, i, ids_piece[q], levels, gravity, density, drag, flow, h, particles)


@part_of_kernel
def _sum_tile(x, waves, surface, levels, first, stop, room, own):
    """Sum forces on the corners of some triangles; corners in other tiles use the last scratch row."""
    triangles = surface.triangles
    piece = surface.piece
    is_lid = surface.is_lid
    rest_area = surface.rest_area
    entry_triangle = surface.entry_triangle
    entry_place = surface.entry_place
    share = levels.share
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
        twice = math.sqrt(nx * nx + ny * ny + nz * nz)
        if twice <= 0.0:
            continue
        most = MOST_SPREAD * rest_area[t]
        alpha = 0.5 if 0.5 * twice <= most else most / twice
        la, lb, lc, wa, wb, wc = wet_shares(da, db, dc, alpha)
        rise = 0.0 if da == deepest[p] and db == deepest[p] and dc == deepest[p] else share[p]
        dragged = 0.0 if is_lid[t] else twice
        _add(room, own, entry_place[e, 0], share[p] * la, wa, rise, twice, dragged, nx, ny, nz)
        _add(room, own, entry_place[e, 1], share[p] * lb, wb, rise, twice, dragged, nx, ny, nz)
        _add(room, own, entry_place[e, 2], share[p] * lc, wc, rise, twice, dragged, nx, ny, nz)


@part_of_kernel
def _add(room, own, place, lift, wet, rise, twice, dragged, nx, ny, nz):
    room[own, place, 0] -= lift * nx
    room[own, place, 1] -= lift * ny
    room[own, place, 2] -= lift * nz
    room[own, place, 3] += wet * twice
    room[own, place, 4] += rise * wet * nx
    room[own, place, 5] += rise * wet * ny
    room[own, place, 6] += rise * wet * nz
    room[own, place, 7] += wet * dragged


@part_of_kernel
def _push(room, own, place, i, piece, levels, gravity, density, drag, flow, h, particles):
    """Apply the sums of particle i to its mass and velocity."""
    v = particles.v
    spread_force = particles.dv_per_step
    dv_gradient = particles.dv_gradient
    gx, gy, gz = gravity
    g = math.sqrt(gx * gx + gy * gy + gz * gz)
    ux, uy, uz = flow
    sx, sy, sz = stream_at(particles.waves, i)
    ux, uy, uz = ux + sx, uy + sy, uz + sz
    floats, kept = add_mass(i, density * levels.follows[piece] * room[own, place, 3], particles)
    w = particles.inv_mass[i]
    fx = room[own, place, 0]
    fy = room[own, place, 1]
    fz = room[own, place, 2]
    stiff = h * h * w * density * g * room[own, place, 3]
    push = h * w * density * g * min(1.0, MOST_STIFF / max(stiff, 1e-300))
    way = h * push * math.sqrt(fx * fx + fy * fy + fz * fz)
    if way > levels.size[piece]:
        push *= levels.size[piece] / way
    vx = kept * (v[i, 0] - h * gx - ux)
    vy = kept * (v[i, 1] - h * gy - uy)
    vz = kept * (v[i, 2] - h * gz - uz)
    speed = math.sqrt(vx * vx + vy * vy + vz * vz)
    brake = 0.5 * h * w * density * drag * room[own, place, 7] * max(speed, CREEP)
    shrink = 1.0 - brake if brake < 0.5 else 0.25 / brake
    fx = push * fx - floats * h * gx
    fy = push * fy - floats * h * gy
    fz = push * fz - floats * h * gz
    sx, sy, sz = stream_change_at(particles.waves, i)
    v[i, 0] = ux + vx * shrink + h * gx + fx + floats * sx
    v[i, 1] = uy + vy * shrink + h * gy + fy + floats * sy
    v[i, 2] = uz + vz * shrink + h * gz + fz + floats * sz
    spread_force[i, 0] += fx
    spread_force[i, 1] += fy
    spread_force[i, 2] += fz
    dv_gradient[i, 0] += push * room[own, place, 4]
    dv_gradient[i, 1] += push * room[own, place, 5]
    dv_gradient[i, 2] += push * room[own, place, 6]


@parallel_kernel
def lift_by_depth(x, inv_mass, height, waves, push, v):
    """v_z += push (height - z) for every free particle below the level.

    Args: waves: see `waves.wave_at`; push: h times the linear buoyancy [1/s].
    """
    for i in prange(v.shape[0]):
        depth = height + wave_at(waves, i) - x[i, 2]
        if depth > 0.0 and inv_mass[i] > 0.0:
            v[i, 2] += push * depth
