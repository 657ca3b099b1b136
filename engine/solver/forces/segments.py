"""Forces of segments: air pressure outward from a segment's centre, and repulsion between segments.

    pressure    f = p (x - c) / |x - c| on each vertex, c the centre of mass of its segment
    repulsion   f = max(minimum, d - r_a - r_b)^-n (c_a - c_b) / d on each vertex of segment a, d = |c_a - c_b|

Repulsion uses only the centres of segments, so a pair of bodies costs one distance per pair of segments. Bodies whose
bounding spheres are too far apart are skipped.
"""

from __future__ import annotations

import math

from ...compiler.kernels import parallel_kernel, prange


@parallel_kernel
def inflate_segments(x, mass, inv_mass, start, members, force, h, centre, v):
    """v += h w f, with the pressure force above.

    Args:
        start, members: compressed lists of the segments' particles; force: (s,) [N], 0 for none.
        centre: out (s, 3) [m]; summed relative to the segment's first vertex to keep precision far from the origin.
    """
    for s in prange(centre.shape[0]):
        o = members[start[s]]
        total = 0.0
        sx = 0.0
        sy = 0.0
        sz = 0.0
        for e in range(start[s], start[s + 1]):
            i = members[e]
            total += mass[i]
            sx += mass[i] * (x[i, 0] - x[o, 0])
            sy += mass[i] * (x[i, 1] - x[o, 1])
            sz += mass[i] * (x[i, 2] - x[o, 2])
        centre[s, 0] = x[o, 0] + sx / total
        centre[s, 1] = x[o, 1] + sy / total
        centre[s, 2] = x[o, 2] + sz / total
        if force[s] != 0.0:
            for e in range(start[s], start[s + 1]):
                i = members[e]
                dx = x[i, 0] - centre[s, 0]
                dy = x[i, 1] - centre[s, 1]
                dz = x[i, 2] - centre[s, 2]
                length = math.sqrt(dx * dx + dy * dy + dz * dz)
                if length > 0.0:
                    dv_scale = h * inv_mass[i] * force[s] / length
                    v[i, 0] += dv_scale * dx
                    v[i, 1] += dv_scale * dy
                    v[i, 2] += dv_scale * dz


@parallel_kernel
def repel_segments(centre, radius, body, body_start, near, exponent, minimum, start, members, inv_mass, h, v):
    """v += h w f, with the repulsion above.

    Args:
        centre: (s, 3) [m]; radius: (s,) [m]; body: (s,) int64; body_start: (bodies + 1,) ranges of segments.
        near: (bodies, bodies) bool; exponent, minimum: (bodies, bodies).
        start, members: as in `inflate_segments`; inv_mass: (n,) [1/kg]; h: [s]; v: (n, 3) in and out [m/s].
    """
    for s in prange(centre.shape[0]):
        a = body[s]
        fx = 0.0
        fy = 0.0
        fz = 0.0
        for b in range(near.shape[0]):
            if near[a, b]:
                for t in range(body_start[b], body_start[b + 1]):
                    dx = centre[s, 0] - centre[t, 0]
                    dy = centre[s, 1] - centre[t, 1]
                    dz = centre[s, 2] - centre[t, 2]
                    d = math.sqrt(dx * dx + dy * dy + dz * dz)
                    if d > 0.0:
                        size = max(minimum[a, b], d - radius[s] - radius[t]) ** -exponent[a, b] / d
                        fx += size * dx
                        fy += size * dy
                        fz += size * dz
        if fx != 0.0 or fy != 0.0 or fz != 0.0:
            for e in range(start[s], start[s + 1]):
                i = members[e]
                dv_scale = h * inv_mass[i]
                v[i, 0] += dv_scale * fx
                v[i, 1] += dv_scale * fy
                v[i, 2] += dv_scale * fz
