"""Rim contact of two convex bodies: faces with opposed normals, but neither lies over the other."""

from __future__ import annotations

import math

from ....compiler.kernels import kernel
from ...collide.narrow_phase.nearest import segment_parameters

# Edges whose squared sine is smaller count as parallel; they touch along a segment, at two points.
ALONG = 1e-3
# Below this distance the direction between edges is undefined [m].
TOUCH = 1e-9


@kernel
def touch_rims(bodies, faces, shapes, offset, keep, of_a, card, axis, pair, origin, point):
    """Contact points of the closest edges of two faces; returns their number. Writes the axis between the edges.

    Args:
        bodies: both bodies, one and other; faces: the face of each; shapes: `columns.HullShapes`.
        offset: displacement of `other` relative to `one`, three numbers [m]; of_a: whether `one` is A.
        origin: displacement of `one`, three numbers [m]; for the rest see `manifold.touch_hulls`.
    """
    first_corner = shapes.first_corner
    at = shapes.at
    loop_start = shapes.loop_start
    loop = shapes.loop
    one, other = bodies
    face, facing = faces
    sx, sy, sz = offset
    ox, oy, oz = origin
    least = keep * keep
    best = -1
    best_other = -1
    for k in range(loop_start[face], loop_start[face + 1]):
        i, j = _ends(k, face, one, first_corner, loop_start, loop)
        for m in range(loop_start[facing], loop_start[facing + 1]):
            p, q = _ends(m, facing, other, first_corner, loop_start, loop)
            s, t = _barycentric(at, i, j, p, q, sx, sy, sz)
            dx = at[p, 0] + sx + t * (at[q, 0] - at[p, 0]) - at[i, 0] - s * (at[j, 0] - at[i, 0])
            dy = at[p, 1] + sy + t * (at[q, 1] - at[p, 1]) - at[i, 1] - s * (at[j, 1] - at[i, 1])
            dz = at[p, 2] + sz + t * (at[q, 2] - at[p, 2]) - at[i, 2] - s * (at[j, 2] - at[i, 2])
            far = dx * dx + dy * dy + dz * dz
            # Prefer parallel edges over ends of other edges at the same distance: they give two points.
            near = far if _is_along(at, i, j, p, q) else 1.001 * far
            if near < least and far > TOUCH * TOUCH:
                least = near
                best = k
                best_other = m
                side = (1.0 if of_a else -1.0) / math.sqrt(far)
                axis[card, 3] = side * dx
                axis[card, 4] = side * dy
                axis[card, 5] = side * dz
    if best < 0:
        return 0
    i, j = _ends(best, face, one, first_corner, loop_start, loop)
    p, q = _ends(best_other, facing, other, first_corner, loop_start, loop)
    ux = at[j, 0] - at[i, 0]
    uy = at[j, 1] - at[i, 1]
    uz = at[j, 2] - at[i, 2]
    wx = at[q, 0] - at[p, 0]
    wy = at[q, 1] - at[p, 1]
    wz = at[q, 2] - at[p, 2]
    uu = ux * ux + uy * uy + uz * uz
    ww = wx * wx + wy * wy + wz * wz
    uw = ux * wx + uy * wy + uz * wz
    count = 1
    s, t = _barycentric(at, i, j, p, q, sx, sy, sz)
    last = s
    if _is_along(at, i, j, p, q):
        # Overlap of the two parallel edges.
        rx = at[p, 0] + sx - at[i, 0]
        ry = at[p, 1] + sy - at[i, 1]
        rz = at[p, 2] + sz - at[i, 2]
        begin = (ux * rx + uy * ry + uz * rz) / uu
        low = max(0.0, min(begin, begin + uw / uu))
        high = min(1.0, max(begin, begin + uw / uu))
        if high > low:
            count = 2
            s = low
            last = high
    on = 0 if of_a else 3
    off = 3 if of_a else 0
    for k in range(count):
        weight = s if k == 0 else last
        px = at[i, 0] + weight * ux
        py = at[i, 1] + weight * uy
        pz = at[i, 2] + weight * uz
        if count == 2:
            t = ((px - at[p, 0] - sx) * wx + (py - at[p, 1] - sy) * wy + (pz - at[p, 2] - sz) * wz) / ww
            t = max(0.0, min(1.0, t))
        point[pair, k, on] = px + ox
        point[pair, k, on + 1] = py + oy
        point[pair, k, on + 2] = pz + oz
        point[pair, k, off] = at[p, 0] + sx + t * wx + ox
        point[pair, k, off + 1] = at[p, 1] + sy + t * wy + oy
        point[pair, k, off + 2] = at[p, 2] + sz + t * wz + oz
    return count


@kernel
def _ends(k, face, body, first_corner, loop_start, loop):
    """Corners of the face edge that begins at index k of the loops."""
    after = k + 1 if k + 1 < loop_start[face + 1] else loop_start[face]
    return first_corner[body] + loop[k], first_corner[body] + loop[after]


@kernel
def _is_along(at, i, j, p, q):
    """Whether two edges count as parallel."""
    ux = at[j, 0] - at[i, 0]
    uy = at[j, 1] - at[i, 1]
    uz = at[j, 2] - at[i, 2]
    wx = at[q, 0] - at[p, 0]
    wy = at[q, 1] - at[p, 1]
    wz = at[q, 2] - at[p, 2]
    whole = (ux * ux + uy * uy + uz * uz) * (wx * wx + wy * wy + wz * wz)
    return whole - (ux * wx + uy * wy + uz * wz) ** 2 < ALONG * whole


@kernel
def _barycentric(at, i, j, p, q, sx, sy, sz):
    """As `narrow_phase.nearest.nearest_parameters`, with the second segment moved by s."""
    ux = at[j, 0] - at[i, 0]
    uy = at[j, 1] - at[i, 1]
    uz = at[j, 2] - at[i, 2]
    wx = at[q, 0] - at[p, 0]
    wy = at[q, 1] - at[p, 1]
    wz = at[q, 2] - at[p, 2]
    rx = at[i, 0] - at[p, 0] - sx
    ry = at[i, 1] - at[p, 1] - sy
    rz = at[i, 2] - at[p, 2] - sz
    uu = ux * ux + uy * uy + uz * uz
    ww = wx * wx + wy * wy + wz * wz
    uw = ux * wx + uy * wy + uz * wz
    ur = ux * rx + uy * ry + uz * rz
    wr = wx * rx + wy * ry + wz * rz
    return segment_parameters(uu, ww, uw, ur, wr)
