"""Which particles lie within a soft body, and which pairs of soft bodies collide as solids with an inside.

A soft body may be compressed until one of its walls passes through the opposite one. A body pressed against it then
faces the inner side of the far wall, and would be mistaken for a body inside. So two soft bodies keep each other on the
side on which they were, as sheets do, unless they intersect when the substep begins (`motion.tangled`). A held or rigid
particle or an agent truly inside has the winding number one, the sum of the solid angles of all faces over 4 pi.
Outside two exchanged walls it is zero.
"""

from __future__ import annotations

import math

import numpy as np

from ....compiler.kernels import kernel
from .nearest import closest_point
from .sweep import volume_at

# Threshold for a winding number, which is an integer up to rounding.
HALF = 0.5


@kernel
def is_solid(i, a, b, c, t, motion, surfaces):
    """Whether the body of triangle t acts on particle i as a solid with an inside, not as a sheet with two sides."""
    inv_mass, piece = motion.inv_mass, motion.piece
    if not surfaces.closed[t] or piece[a] == piece[i]:
        return False
    if inv_mass[a] == 0.0 and inv_mass[b] == 0.0 and inv_mass[c] == 0.0:
        return True
    if inv_mass[i] == 0.0 or motion.is_agent[i]:
        return motion.inside[i]
    return are_tangled(motion.body[a], motion.body[i], motion)


@kernel
def are_tangled(one, other, motion):
    """Whether two soft bodies intersect, or may do so; pieces of a body that was cut up always may."""
    if one == other or not motion.knows_tangled:
        return True
    key = min(one, other) * motion.bodies + max(one, other)
    place = np.searchsorted(motion.tangled, key)
    return place < motion.tangled.shape[0] and motion.tangled[place] == key


@kernel
def keeps_side(e, f, edge, motion):
    """Whether edge e belongs to a soft body and f to a rigid or held one that is not within it, see `is_solid`."""
    inv_mass, inside = motion.inv_mass, motion.inside
    a, b, c, d = edge[e, 0], edge[e, 1], edge[f, 0], edge[f, 1]
    if inv_mass[c] > 0.0 or inv_mass[d] > 0.0 or inside[c] or inside[d]:
        return False
    return inv_mass[a] > 0.0 or inv_mass[b] > 0.0


@kernel
def find_inside(pairs, motion, surfaces, face_start):
    """Fill `motion.inside` for the particles of near pairs.

    Args: pairs, motion, surfaces: see `columns`; face_start: (bodies + 1,) ranges of the triangles of each body.
    """
    x, inv_mass, inside, corner = motion.x0, motion.inv_mass, motion.inside, surfaces.corner
    for m in range(pairs.particle.shape[0]):
        inside[pairs.particle[m]] = False
    for m in range(pairs.particle.shape[0]):
        i = pairs.particle[m]
        if inside[i] or (inv_mass[i] > 0.0 and not motion.is_agent[i]):
            continue
        nearest = math.inf
        below = False
        for place in range(pairs.start[m], pairs.stop[m]):
            t = pairs.near[place]
            a, b, c = corner[t, 0], corner[t, 1], corner[t, 2]
            if not surfaces.closed[t] or (inv_mass[a] == 0.0 and inv_mass[b] == 0.0 and inv_mass[c] == 0.0):
                continue
            r, s, u = closest_point(x[i, 0], x[i, 1], x[i, 2], x, a, b, c)
            square = 0.0
            for k in range(3):
                square += (x[i, k] - r * x[a, k] - s * x[b, k] - u * x[c, k]) ** 2
            if square < nearest:
                nearest = square
                below = volume_at(x, a, b, c, i) < 0.0
        if below:
            owner = motion.body[corner[pairs.near[pairs.start[m]], 0]]
            inside[i] = winding(i, face_start[owner], face_start[owner + 1], x, surfaces) > HALF


@kernel
def winding(i, first, stop, x, surfaces):
    """Winding number of the closed faces among first : stop about particle i."""
    corner = surfaces.corner
    angle = 0.0
    for t in range(first, stop):
        if not surfaces.closed[t]:
            continue
        a, b, c = corner[t, 0], corner[t, 1], corner[t, 2]
        ax, ay, az = x[a, 0] - x[i, 0], x[a, 1] - x[i, 1], x[a, 2] - x[i, 2]
        bx, by, bz = x[b, 0] - x[i, 0], x[b, 1] - x[i, 1], x[b, 2] - x[i, 2]
        cx, cy, cz = x[c, 0] - x[i, 0], x[c, 1] - x[i, 1], x[c, 2] - x[i, 2]
        p = math.sqrt(ax * ax + ay * ay + az * az)
        q = math.sqrt(bx * bx + by * by + bz * bz)
        r = math.sqrt(cx * cx + cy * cy + cz * cz)
        spanned = ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx)
        along = p * q * r + r * (ax * bx + ay * by + az * bz) + p * (bx * cx + by * cy + bz * cz)
        along += q * (cx * ax + cy * ay + cz * az)
        # Van Oosterom and Strackee 1983.
        angle += 2.0 * math.atan2(spanned, along)
    return angle / (4.0 * math.pi)
