"""One contact for each particle and body that are near: the closest triangle, its normal and the point on it.

A closed surface has an inside, and its triangles push outward. An open one has two sides; a particle belongs to the
side of the triangle it was on when the substep began, so it cannot come through in one substep.
"""

from __future__ import annotations

import math

from ..jit import kernel, parallel_kernel, prange


@kernel
def closest_point(px, py, pz, x, a, b, c):
    """Barycentric coordinates (u, v, w) of the point of triangle a, b, c closest to p (Ericson 2005, 5.1.5)."""
    abx = x[b, 0] - x[a, 0]
    aby = x[b, 1] - x[a, 1]
    abz = x[b, 2] - x[a, 2]
    acx = x[c, 0] - x[a, 0]
    acy = x[c, 1] - x[a, 1]
    acz = x[c, 2] - x[a, 2]
    apx = px - x[a, 0]
    apy = py - x[a, 1]
    apz = pz - x[a, 2]
    d1 = abx * apx + aby * apy + abz * apz
    d2 = acx * apx + acy * apy + acz * apz
    if d1 <= 0.0 and d2 <= 0.0:
        return 1.0, 0.0, 0.0
    ab2 = abx * abx + aby * aby + abz * abz
    ac2 = acx * acx + acy * acy + acz * acz
    abac = abx * acx + aby * acy + abz * acz
    d3 = d1 - ab2
    d4 = d2 - abac
    if d3 >= 0.0 and d4 <= d3:
        return 0.0, 1.0, 0.0
    vc = d1 * d4 - d3 * d2
    if vc <= 0.0 and d1 >= 0.0 and d3 <= 0.0 and d1 > d3:
        v = d1 / (d1 - d3)
        return 1.0 - v, v, 0.0
    d5 = d1 - abac
    d6 = d2 - ac2
    if d6 >= 0.0 and d5 <= d6:
        return 0.0, 0.0, 1.0
    vb = d5 * d2 - d1 * d6
    if vb <= 0.0 and d2 >= 0.0 and d6 <= 0.0 and d2 > d6:
        w = d2 / (d2 - d6)
        return 1.0 - w, 0.0, w
    va = d3 * d6 - d5 * d4
    if va <= 0.0 and (d4 - d3) >= 0.0 and (d5 - d6) >= 0.0 and (d4 - d3) + (d5 - d6) > 0.0:
        w = (d4 - d3) / ((d4 - d3) + (d5 - d6))
        return 0.0, 1.0 - w, w
    total = va + vb + vc
    if total <= 0.0:
        return 1.0, 0.0, 0.0
    return va / total, vb / total, vc / total


@kernel
def _face(x, a, b, c):
    """Unit normal of a triangle; zeros for one without area."""
    ex = x[b, 0] - x[a, 0]
    ey = x[b, 1] - x[a, 1]
    ez = x[b, 2] - x[a, 2]
    fx = x[c, 0] - x[a, 0]
    fy = x[c, 1] - x[a, 1]
    fz = x[c, 2] - x[a, 2]
    nx = ey * fz - ez * fy
    ny = ez * fx - ex * fz
    nz = ex * fy - ey * fx
    size = math.sqrt(nx * nx + ny * ny + nz * nz)
    if size <= 1e-300:
        return 0.0, 0.0, 0.0
    return nx / size, ny / size, nz / size


@kernel
def _far(x, i, a, b, c, away):
    for k in range(3):
        if x[i, k] + away < min(x[a, k], x[b, k], x[c, k]) or x[i, k] - away > max(x[a, k], x[b, k], x[c, k]):
            return True
    return False


@parallel_kernel
def find_contacts(
    pair_particle, pair_start, near_triangle, x, x_prev, v, triangles, closed, radius, depth,
    touching, corner, share, normal, gap, approach,
):
    """The contact of each pair of particle and body.

    Args:
        pair_particle: (pairs,); pair_start: (pairs + 1,) ranges of near_triangle.
        closed: (t,) bool, triangle of a surface with an inside.
        depth: triangles whose box is further away than this beyond the gap and the substep's way are passed over [m].

    Outputs:
        touching: (pairs,) bool; corner: (pairs, 3) particles; share: (pairs, 3) barycentric; normal: (pairs, 3) from
        the surface to the particle; gap: (pairs,) distance to keep [m]; approach: (pairs,) normal speed [m/s].
    """
    for pair in prange(pair_particle.shape[0]):
        touching[pair] = False
        i = pair_particle[pair]
        way = max(abs(x[i, 0] - x_prev[i, 0]), abs(x[i, 1] - x_prev[i, 1]), abs(x[i, 2] - x_prev[i, 2]))
        best = math.inf
        best_facing = -1.0
        for place in range(pair_start[pair], pair_start[pair + 1]):
            t = near_triangle[place]
            a = triangles[t, 0]
            b = triangles[t, 1]
            c = triangles[t, 2]
            if _far(x, i, a, b, c, way + depth + radius[i] + radius[a]):
                continue
            fx, fy, fz = _face(x, a, b, c)
            if fx * fx + fy * fy + fz * fz < 0.5:
                continue
            side = 1.0
            if not closed[t]:
                gx, gy, gz = _face(x_prev, a, b, c)
                before = (
                    gx * (x_prev[i, 0] - x_prev[a, 0])
                    + gy * (x_prev[i, 1] - x_prev[a, 1])
                    + gz * (x_prev[i, 2] - x_prev[a, 2])
                )
                side = 1.0 if before >= 0.0 else -1.0
            s0, s1, s2 = closest_point(x[i, 0], x[i, 1], x[i, 2], x, a, b, c)
            dx = x[i, 0] - (s0 * x[a, 0] + s1 * x[b, 0] + s2 * x[c, 0])
            dy = x[i, 1] - (s0 * x[a, 1] + s1 * x[b, 1] + s2 * x[c, 1])
            dz = x[i, 2] - (s0 * x[a, 2] + s1 * x[b, 2] + s2 * x[c, 2])
            distance = math.sqrt(dx * dx + dy * dy + dz * dz)
            along = side * (fx * dx + fy * dy + fz * dz)
            # Of triangles that share the closest edge, the one that faces the particle most knows its side.
            facing = abs(along) / max(distance, 1e-12)
            if distance > best + 1e-9 or (distance > best - 1e-9 and facing <= best_facing):
                continue
            best = distance
            best_facing = facing
            keep = radius[i] + s0 * radius[a] + s1 * radius[b] + s2 * radius[c]
            outside = along > 0.0
            # Springs may still push it in after this, so a little more than touching counts.
            touching[pair] = not outside or distance < keep + 0.5 * (radius[i] + keep)
            if outside and distance > 1e-9:
                nx = dx / distance
                ny = dy / distance
                nz = dz / distance
            else:
                nx = side * fx
                ny = side * fy
                nz = side * fz
            corner[pair, 0] = a
            corner[pair, 1] = b
            corner[pair, 2] = c
            share[pair, 0] = s0
            share[pair, 1] = s1
            share[pair, 2] = s2
            normal[pair, 0] = nx
            normal[pair, 1] = ny
            normal[pair, 2] = nz
            gap[pair] = keep
            approach[pair] = (
                nx * (v[i, 0] - s0 * v[a, 0] - s1 * v[b, 0] - s2 * v[c, 0])
                + ny * (v[i, 1] - s0 * v[a, 1] - s1 * v[b, 1] - s2 * v[c, 1])
                + nz * (v[i, 2] - s0 * v[a, 2] - s1 * v[b, 2] - s2 * v[c, 2])
            )
