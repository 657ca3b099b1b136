"""Water on triangles: hydrostatic pressure integrated exactly over the wet part, and the area it wets.

F = -integral of rho g depth n dA (Archimedes). Depth is linear over a triangle, so on any sub-triangle of area A
with corner depths d_s the share that goes to corner k, weighted by its linear coordinate N_k, is

    integral of depth N_k dA = A / 12 (sum d_s  sum N_s + sum d_s N_s)

A triangle that crosses the surface is clipped there into one or two wet sub-triangles.
"""

from __future__ import annotations

import math

from ..jit import kernel, parallel_kernel, prange

# What the water does to a triangle stands in a row: its unit normal, RISE, three times LIFT, nothing, three times WET.
RISE, LIFT, WET = 3, 4, 8
WATER_COLUMNS = 12


@kernel
def _add_wet(area, d0, d1, d2, n00, n01, n02, n10, n11, n12, n20, n21, n22, t, water):
    """Adds a sub-triangle whose corner s has depth d_s and coordinates (n_s0, n_s1, n_s2) in triangle t."""
    sum_d = d0 + d1 + d2
    water[t, LIFT] += area / 12.0 * (sum_d * (n00 + n10 + n20) + d0 * n00 + d1 * n10 + d2 * n20)
    water[t, LIFT + 1] += area / 12.0 * (sum_d * (n01 + n11 + n21) + d0 * n01 + d1 * n11 + d2 * n21)
    water[t, LIFT + 2] += area / 12.0 * (sum_d * (n02 + n12 + n22) + d0 * n02 + d1 * n12 + d2 * n22)
    water[t, WET] += area / 3.0 * (n00 + n10 + n20)
    water[t, WET + 1] += area / 3.0 * (n01 + n11 + n21)
    water[t, WET + 2] += area / 3.0 * (n02 + n12 + n22)


@parallel_kernel
def piece_volumes(x, triangles, start, member, volume, top):
    """Volume [m³] and highest Z [m] of each piece, (pieces,), from its closed surface.

    Args: start, member: compressed lists of the triangles of each piece, ascending.
    """
    for p in prange(top.shape[0]):
        o = triangles[member[start[p]], 0]
        ox = x[o, 0]
        oy = x[o, 1]
        oz = x[o, 2]
        highest = oz
        total = 0.0
        for place in range(start[p], start[p + 1]):
            t = member[place]
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
            highest = max(highest, oz + max(az, bz, cz))
            six = ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx)
            total += six / 6.0
        volume[p] = total
        top[p] = highest


@kernel
def lifted_shares(volume, rest_volume, share):
    """How much of its lift each piece gets: all, but less when crushed and none when turned inside out.

    Water presses a limp hull together and through itself; it would then go on to blow up the reversed hull.
    """
    for p in range(volume.shape[0]):
        share[p] = min(1.0, max(0.0, volume[p] / rest_volume[p]))


# Of a triangle stretched beyond so many times its rest area, the water sees no more: four times is a balloon of eight
# times its volume, and beyond it lift grows faster than any spring holds.
MOST_SPREAD = 4.0
# A piece taller than so many times its rest size feels no more pressure further down: springs that give in to water
# would else let it pull itself into a thread that falls for ever.
MOST_HEIGHT = 2.0


@parallel_kernel
def wet_triangles(x, triangles, piece, share, top, size, heft, most, rest_area, height, water):
    """What the water does to each triangle.

    Args:
        piece: (t,) piece of each; share: (pieces,) of the lift that each gets; rest_area: (t,) [m²].
        top: (pieces,) highest Z [m]; size: (pieces,) across at rest [m].
        heft: (pieces,) size times mass of a square metre [kg/m]; most: of the depth of the top over heft, that presses
            [m²/kg]. A substep that goes on pushing what it has crushed long ago puts energy in, so pressure is no more
            than would by itself move a wall across its piece in one. What is the same all around lifts nothing.
        height: level of the surface [m].
        water: out (t, WATER_COLUMNS), of wet triangles
            their unit normal;
            LIFT + k, integral of depth N_k over the wet part for each corner k [m³];
            WET + k, wet area of each corner [m²], nought where it is dry;
            RISE, share of the lift that changes with height: none where depth is held to its bound.
    """
    for t in prange(triangles.shape[0]):
        for k in range(3):
            water[t, LIFT + k] = 0.0
            water[t, WET + k] = 0.0
        a = triangles[t, 0]
        b = triangles[t, 1]
        c = triangles[t, 2]
        under = max(height - top[piece[t]], 0.0)
        level = height - max(under - most * heft[piece[t]], 0.0)
        deepest = max(level - top[piece[t]], 0.0) + MOST_HEIGHT * size[piece[t]]
        da = min(level - x[a, 2], deepest)
        db = min(level - x[b, 2], deepest)
        dc = min(level - x[c, 2], deepest)
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
        water[t, 0] = nx / twice
        water[t, 1] = ny / twice
        water[t, 2] = nz / twice
        area = min(0.5 * twice, MOST_SPREAD * rest_area[t])
        if da >= 0.0 and db >= 0.0 and dc >= 0.0:
            _add_wet(area, da, db, dc, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, t, water)
        else:
            _clip(area, da, db, dc, t, water)
        water[t, RISE] = 0.0 if da == deepest and db == deepest and dc == deepest else share[piece[t]]
        for k in range(3):
            water[t, LIFT + k] *= share[piece[t]]


@kernel
def _clip(area, da, db, dc, t, water):
    """Cut a triangle at depth 0. First turn its corners so that the one alone on its side comes first."""
    first = 0
    if (da > 0.0) == (db > 0.0):
        first = 2
    elif (da > 0.0) == (dc > 0.0):
        first = 1
    d0 = da if first == 0 else (db if first == 1 else dc)
    d1 = db if first == 0 else (dc if first == 1 else da)
    d2 = dc if first == 0 else (da if first == 1 else db)
    p = 1.0 if first == 0 else 0.0
    q = 1.0 if first == 1 else 0.0
    r = 1.0 if first == 2 else 0.0
    # Coordinates of the turned corners: corner 0 is (p, q, r), corner 1 (r, p, q), corner 2 (q, r, p).
    s = d0 / (d0 - d1)
    u = d0 / (d0 - d2)
    s0 = p + s * (r - p)
    s1 = q + s * (p - q)
    s2 = r + s * (q - r)
    u0 = p + u * (q - p)
    u1 = q + u * (r - q)
    u2 = r + u * (p - r)
    if d0 > 0.0:
        _add_wet(area * s * u, d0, 0.0, 0.0, p, q, r, s0, s1, s2, u0, u1, u2, t, water)
    else:
        _add_wet(area * (1.0 - s), 0.0, d1, d2, s0, s1, s2, r, p, q, q, r, p, t, water)
        _add_wet(area * s * (1.0 - u), 0.0, d2, 0.0, s0, s1, s2, q, r, p, u0, u1, u2, t, water)


# Speed below which drag is linear rather than quadratic [m/s]: a floating body comes to rest.
CREEP = 0.1
# A substep can follow bobbing of up to this omega² h² = h² w rho g A (symplectic Euler breaks at 4). A lighter body,
# under 0.1 kg a square metre at 10 substeps and 24 fps, is lifted less and floats that much deeper.
MOST_STIFF = 2.0


@parallel_kernel
def float_particles(
    ids, corner_start, corners, skin, piece, size, water, inv_mass, gx, gy, gz, density, drag, ux, uy, uz, h, anew, v,
    late, slope,
):
    """Buoyancy and drag on each particle of a surface.

        v = u + (v0 - u) s + h g + h w (-rho g sum n lift),  c = w rho drag A max(|v0 - u|, CREEP) / 2
        s = 1 - h c as far as h c = 1/2, then 1 / (4 h c)

    The explicit s leaves the terminal speed where weight and drag balance, at any substep; beyond 1/2 it only stays
    positive.

    Drag brakes v0, the velocity before this substep's gravity: at rest each particle's weight and lift differ, links
    carry the rest, and braking that difference would let a body sink into balance at the wrong depth.

    Args:
        ids: (q,) particles; corner_start, corners: compressed lists of their triangle corners.
        skin: so many triangles from the first are dragged, the rest are lids; piece ... water: see `wet_triangles`.
        Nobody is pushed farther in a substep than its piece is across: it would turn a limp hull inside out.
        (gx, gy, gz): gravity [m/s²], its length counts. (ux, uy, uz): velocity of the water [m/s].
        anew: whether this is the first water of the substep, which finds the lift of the last in `late` and `slope`.
        late, slope: (n, 3) in and out, see `world.Late`: lift, and how it changes where a particle rises.
    """
    g = math.sqrt(gx * gx + gy * gy + gz * gz)
    for q in prange(ids.shape[0]):
        i = ids[q]
        w = inv_mass[i]
        if w <= 0.0:
            continue
        if anew:
            for k in range(3):
                late[i, k] = 0.0
                slope[i, k] = 0.0
        fx = 0.0
        fy = 0.0
        fz = 0.0
        sx = 0.0
        sy = 0.0
        sz = 0.0
        area = 0.0
        dragged = 0.0
        for e in range(corner_start[q], corner_start[q + 1]):
            t = corners[e] // 3
            k = corners[e] % 3
            wet = water[t, WET + k]
            if wet > 0.0:
                area += wet
                if t < skin:
                    dragged += wet
                sx += water[t, RISE] * wet * water[t, 0]
                sy += water[t, RISE] * wet * water[t, 1]
                sz += water[t, RISE] * wet * water[t, 2]
                fx -= water[t, LIFT + k] * water[t, 0]
                fy -= water[t, LIFT + k] * water[t, 1]
                fz -= water[t, LIFT + k] * water[t, 2]
        if area > 0.0:
            stiff = h * h * w * density * g * area
            push = h * w * density * g * min(1.0, MOST_STIFF / max(stiff, 1e-300))
            way = h * push * math.sqrt(fx * fx + fy * fy + fz * fz)
            across = size[piece[corners[corner_start[q]] // 3]]
            if way > across:
                push *= across / way
            vx = v[i, 0] - h * gx - ux
            vy = v[i, 1] - h * gy - uy
            vz = v[i, 2] - h * gz - uz
            speed = math.sqrt(vx * vx + vy * vy + vz * vz)
            brake = 0.5 * h * w * density * drag * dragged * max(speed, CREEP)
            shrink = 1.0 - brake if brake < 0.5 else 0.25 / brake
            v[i, 0] = ux + vx * shrink + h * gx + push * fx
            v[i, 1] = uy + vy * shrink + h * gy + push * fy
            v[i, 2] = uz + vz * shrink + h * gz + push * fz
            late[i, 0] += push * fx
            late[i, 1] += push * fy
            late[i, 2] += push * fz
            slope[i, 0] += push * sx
            slope[i, 1] += push * sy
            slope[i, 2] += push * sz


@parallel_kernel
def lift_by_depth(x, inv_mass, height, push, v):
    """v_z += push (height - z) for every free particle below the level; push: h times the linear buoyancy [1/s]."""
    for i in prange(v.shape[0]):
        depth = height - x[i, 2]
        if depth > 0.0 and inv_mass[i] > 0.0:
            v[i, 2] += push * depth
