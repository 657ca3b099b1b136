"""Contact manifold of two convex bodies: up to four points that represent their common area.

For a face contact, the face of the other body with the most opposed normal is clipped by planes through the sides of
the reference face (Sutherland and Hodgman 1974). Four points of the result are kept: the deepest, the one furthest
from it, and on each side of their line the one that spans the largest triangle. An edge contact is one point.
"""

from __future__ import annotations

import math

from ....compiler.kernels import kernel
from .axes import EDGES, FACE_OF_A
from .rims import touch_rims

# Most points kept of a pair; most corners of a clipped polygon.
POINTS = 4
MOST_CUT_CORNERS = 64
# Faces whose normals have a cosine above this are inclined to each other; they touch only at their rims.
NOT_OPPOSED = -0.996


@kernel
def touch_hulls(a, b, shapes, card, s, keep, pair, scratch, point):
    """Compute the contact points of two touching bodies; returns their number.

    Args:
        a, b, shapes, card, scratch: see `find_axis`, which has filled `scratch.axis`.
        s: displacement of B to its pose when they meet, three numbers [m]; keep: distance that counts as touching [m].
        point: out, row `pair`, (., POINTS, 6), on A and on the displaced B [m].
    """
    shape = shapes.shape
    first_corner = shapes.first_corner
    first_normal = shapes.first_normal
    at = shapes.at
    normal = shapes.normal
    face_start = shapes.face_start
    loop_start = shapes.loop_start
    loop = shapes.loop
    edge = shapes.edge
    axis = scratch.axis
    cut = scratch.cut
    sx, sy, sz = s
    nx = axis[card, 3]
    ny = axis[card, 4]
    nz = axis[card, 5]
    if axis[card, 6] == EDGES:
        e = int(axis[card, 7])
        f = int(axis[card, 8])
        _cross(e, f, first_corner[a], first_corner[b], at, edge, sx, sy, sz, pair, point)
        return 1
    of_a = axis[card, 6] == FACE_OF_A
    one = a if of_a else b
    other = b if of_a else a
    # Outward normal of the face, and the displacements of the two bodies.
    side = 1.0 if of_a else -1.0
    ox, oy, oz = (0.0, 0.0, 0.0) if of_a else (sx, sy, sz)
    px, py, pz = (sx, sy, sz) if of_a else (0.0, 0.0, 0.0)
    nx *= side
    ny *= side
    nz *= side
    against = shape[other]
    least = 2.0
    # A literal 0 would have its own type, for which numba would compile `touch_rims` again.
    facing = face_start[against]
    for f in range(face_start[against + 1] - face_start[against]):
        m = first_normal[other] + f
        along = nx * normal[m, 0] + ny * normal[m, 1] + nz * normal[m, 2]
        if along < least:
            least = along
            facing = face_start[against] + f
    face = face_start[shape[one]] + int(axis[card, 7])
    first = loop_start[face]
    stop = loop_start[face + 1]
    i = first_corner[one] + loop[first]
    level = nx * (at[i, 0] + ox) + ny * (at[i, 1] + oy) + nz * (at[i, 2] + oz)
    count = 0
    lowest = math.inf
    for k in range(loop_start[facing], loop_start[facing + 1]):
        i = first_corner[other] + loop[k]
        cut[card, 0, count, 0] = at[i, 0] + px
        cut[card, 0, count, 1] = at[i, 1] + py
        cut[card, 0, count, 2] = at[i, 2] + pz
        lowest = min(lowest, nx * (at[i, 0] + px) + ny * (at[i, 1] + py) + nz * (at[i, 2] + pz) - level)
        count += 1
    now = 0
    for k in range(first, stop):
        i = first_corner[one] + loop[k]
        j = first_corner[one] + loop[k + 1 if k + 1 < stop else first]
        ux = at[j, 0] - at[i, 0]
        uy = at[j, 1] - at[i, 1]
        uz = at[j, 2] - at[i, 2]
        # Outward normal of the side plane.
        cx = uy * nz - uz * ny
        cy = uz * nx - ux * nz
        cz = ux * ny - uy * nx
        plane = cx * (at[i, 0] + ox) + cy * (at[i, 1] + oy) + cz * (at[i, 2] + oz)
        count = _clip(card, cut, now, count, cx, cy, cz, plane)
        now = 1 - now
        if count == 0:
            break
    nearest = math.inf
    for k in range(count):
        apart = nx * cut[card, now, k, 0] + ny * cut[card, now, k, 1] + nz * cut[card, now, k, 2] - level
        nearest = min(nearest, apart)
    # The nearest part of the other face lies outside this face, so the contact normal is not the face normal.
    if count == 0 or (nearest > lowest > 0.0 and least > NOT_OPPOSED):
        rims = touch_rims(
            (one, other), (face, facing), shapes, (px - ox, py - oy, pz - oz), keep, of_a, card, axis, pair,
            (ox, oy, oz), point,
        )
        if rims > 0:
            return rims
    left = 0
    for k in range(count):
        apart = nx * cut[card, now, k, 0] + ny * cut[card, now, k, 1] + nz * cut[card, now, k, 2] - level
        if apart <= keep:
            for e in range(3):
                cut[card, now, left, e] = cut[card, now, k, e]
            cut[card, now, left, 3] = apart
            left += 1
    if left > POINTS:
        left = _choose(card, cut, now, left, nx, ny, nz)
    elif left == POINTS:
        # Place opposite corners next to each other, as `_choose` does. With the order around the face, stacks of ten
        # bodies swayed.
        _swap(card, cut, now, 1, 2)
    for k in range(left):
        on = 3 if of_a else 0
        off = 0 if of_a else 3
        apart = cut[card, now, k, 3]
        point[pair, k, on] = cut[card, now, k, 0]
        point[pair, k, on + 1] = cut[card, now, k, 1]
        point[pair, k, on + 2] = cut[card, now, k, 2]
        point[pair, k, off] = cut[card, now, k, 0] - apart * nx
        point[pair, k, off + 1] = cut[card, now, k, 1] - apart * ny
        point[pair, k, off + 2] = cut[card, now, k, 2] - apart * nz
    return left


@kernel
def _clip(card, cut, now, count, cx, cy, cz, plane):
    """Clip polygon cut[now] to the half space below a plane, into cut[1 - now]; returns the number of corners."""
    found = 0
    last = count - 1
    below = cx * cut[card, now, last, 0] + cy * cut[card, now, last, 1] + cz * cut[card, now, last, 2] - plane
    for k in range(count):
        here = cx * cut[card, now, k, 0] + cy * cut[card, now, k, 1] + cz * cut[card, now, k, 2] - plane
        if (here <= 0.0) != (below <= 0.0) and found < MOST_CUT_CORNERS:
            part = below / (below - here)
            for e in range(3):
                from_last = cut[card, now, k, e] - cut[card, now, last, e]
                cut[card, 1 - now, found, e] = cut[card, now, last, e] + part * from_last
            found += 1
        if here <= 0.0 and found < MOST_CUT_CORNERS:
            for e in range(3):
                cut[card, 1 - now, found, e] = cut[card, now, k, e]
            found += 1
        last = k
        below = here
    return found


@kernel
def _choose(card, cut, now, count, nx, ny, nz):
    """Move the deepest point and the widest spread ones to the front; returns how many are kept."""
    best = 0
    for k in range(1, count):
        if cut[card, now, k, 3] < cut[card, now, best, 3] - 1e-9:
            best = k
    _swap(card, cut, now, 0, best)
    best = 1
    most = -1.0
    for k in range(1, count):
        far = 0.0
        for e in range(3):
            far += (cut[card, now, k, e] - cut[card, now, 0, e]) ** 2
        if far > most:
            most = far
            best = k
    _swap(card, cut, now, 1, best)
    kept = 2
    for side_index in range(2):
        side = 1.0 if side_index == 0 else -1.0
        best = -1
        widest = 1e-9 * most
        for k in range(kept, count):
            area = side * _area(card, cut, now, 0, 1, k, nx, ny, nz)
            if area > widest:
                widest = area
                best = k
        if best >= 0:
            _swap(card, cut, now, kept, best)
            kept += 1
    return kept


@kernel
def _swap(card, cut, now, i, j):
    for e in range(4):
        kept = cut[card, now, i, e]
        cut[card, now, i, e] = cut[card, now, j, e]
        cut[card, now, j, e] = kept


@kernel
def _area(card, cut, now, i, j, k, nx, ny, nz):
    """Twice the signed area of a triangle of points projected along n."""
    ux = cut[card, now, j, 0] - cut[card, now, i, 0]
    uy = cut[card, now, j, 1] - cut[card, now, i, 1]
    uz = cut[card, now, j, 2] - cut[card, now, i, 2]
    wx = cut[card, now, k, 0] - cut[card, now, i, 0]
    wy = cut[card, now, k, 1] - cut[card, now, i, 1]
    wz = cut[card, now, k, 2] - cut[card, now, i, 2]
    return nx * (uy * wz - uz * wy) + ny * (uz * wx - ux * wz) + nz * (ux * wy - uy * wx)


@kernel
def _cross(e, f, first_a, first_b, at, edge, sx, sy, sz, pair, point):
    """Closest points of two edges' lines."""
    p = first_a + edge[e, 0]
    q = first_b + edge[f, 0]
    ux = at[first_a + edge[e, 1], 0] - at[p, 0]
    uy = at[first_a + edge[e, 1], 1] - at[p, 1]
    uz = at[first_a + edge[e, 1], 2] - at[p, 2]
    wx = at[first_b + edge[f, 1], 0] - at[q, 0]
    wy = at[first_b + edge[f, 1], 1] - at[q, 1]
    wz = at[first_b + edge[f, 1], 2] - at[q, 2]
    rx = at[p, 0] - at[q, 0] - sx
    ry = at[p, 1] - at[q, 1] - sy
    rz = at[p, 2] - at[q, 2] - sz
    uu = ux * ux + uy * uy + uz * uz
    ww = wx * wx + wy * wy + wz * wz
    uw = ux * wx + uy * wy + uz * wz
    ur = ux * rx + uy * ry + uz * rz
    wr = wx * rx + wy * ry + wz * rz
    across = uu * ww - uw * uw
    s = max(0.0, min(1.0, (uw * wr - ww * ur) / across))
    t = max(0.0, min(1.0, (uu * wr - uw * ur) / across))
    point[pair, 0, 0] = at[p, 0] + s * ux
    point[pair, 0, 1] = at[p, 1] + s * uy
    point[pair, 0, 2] = at[p, 2] + s * uz
    point[pair, 0, 3] = at[q, 0] + sx + t * wx
    point[pair, 0, 4] = at[q, 1] + sy + t * wy
    point[pair, 0, 5] = at[q, 2] + sz + t * wz
