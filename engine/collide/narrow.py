"""One contact for each particle and body that are near: the closest triangle, its normal and the point on it.

A closed surface has an inside, and its triangles push outward. An open one has two sides; a particle belongs to the
side of the triangle it was on when the substep began, so it cannot come through in one substep.
"""

from __future__ import annotations

import math

from ..jit import kernel, parallel_kernel, prange
from .nearest import closest_point


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


@parallel_kernel
def find_contacts(
    pair_particle, pair_start, near_triangle, near_distance, x, x_prev, v, travelled, triangles, closed, radius,
    depth, touching, corner, share, normal, gap, approach,
):
    """The contact of each pair of particle and body.

    Args:
        pair_particle: (pairs,); pair_start: (pairs + 1,) ranges of near_triangle.
        near_distance: how far each near triangle was when the search was made [m].
        travelled: (n,) float64, the way of each particle since then [m].
        closed: (t,) bool, triangle of a surface with an inside.
        depth: triangles further away than this beyond the gap and the substep's way are passed over [m].

    Outputs:
        touching: (pairs,) bool; corner: (pairs, 3) particles; share: (pairs, 3) barycentric; normal: (pairs, 3) from
        the surface to the particle; gap: (pairs,) distance to keep [m]; approach: (pairs,) normal speed [m/s].
    """
    for pair in prange(pair_particle.shape[0]):
        touching[pair] = False
        i = pair_particle[pair]
        mx = x[i, 0] - x_prev[i, 0]
        my = x[i, 1] - x_prev[i, 1]
        mz = x[i, 2] - x_prev[i, 2]
        far = math.sqrt(mx * mx + my * my + mz * mz) + depth + radius[i] + travelled[i]
        best = math.inf
        best_facing = -1.0
        for place in range(pair_start[pair], pair_start[pair + 1]):
            t = near_triangle[place]
            a = triangles[t, 0]
            b = triangles[t, 1]
            c = triangles[t, 2]
            least = near_distance[place] - max(travelled[a], travelled[b], travelled[c])
            if least > far + radius[a] or least - travelled[i] > best:
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
            # Springs still push it after this, often further than the gap: what they may bring near counts as well, and
            # only the response sees whether they did.
            touching[pair] = not outside or distance < keep + 0.5 * depth
            # Over the middle of a face the way to it is its normal, without the rounding of the point.
            inside_face = s0 > 0.0 and s1 > 0.0 and s2 > 0.0
            if outside and distance > 1e-9 and not inside_face:
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
