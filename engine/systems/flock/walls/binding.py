"""Find the agents of a block whose wanted velocity violates the limit of any wall; only these search for the limits.

For each triangle near a block a loop without branches computes the distance d of every agent. With the vector r to the
triangle's nearest point and the agent's wanted velocity u in world space, it tests whether

    d (d - keep) <= foresight (u . r + d w) + tolerance

where w is an upper bound of the speed of the triangle's corners. This is the limit that `keep_off` would set for the
wall, or a stricter one, whether or not the wall is among the three that count. Numbers are in single precision,
relative to the block; the tolerance exceeds their rounding error.
"""

from __future__ import annotations

import math

import numpy as np

from ....compiler.kernels import kernel, part_of_kernel
from ..block import BLOCK, FLOW_X, PX, REACH, X, scaled, three
from .near import FLOOR

# Columns of `FlockScratch.sense`: positions of agents relative to the centre of their block [m], wanted velocity in
# world space [m/s], search distance for walls [m], whether a wall limits the agent, and a lower bound of the distance
# to the nearest wall [m].
PLACE, VELOCITY, LOOK_DISTANCE, BINDS, NEAREST, WIDTH = 0, 3 * BLOCK, 6 * BLOCK, 7 * BLOCK, 8 * BLOCK, 9 * BLOCK
# Rounding error of lengths, as a fraction of the size of a triangle and its distance.
ROUNDING = 2e-6
NOUGHT, ONE = np.float32(0.0), np.float32(1.0)


@kernel
def find_bound(box, reach, leaves, count, walls, motion, habits, block, sense):
    """Set `BINDS` of agents that a wall limits, and `NEAREST`.

    Args: box: around agents that search for walls, its low and high corner (3) [m]; reach: walls farther than this from
        the box are skipped [m]; leaves: `count` of them are listed, see `list_leaves`; block: see `block`; sense:
        (WIDTH,) float32.
    """
    middle = 0.5 * (box[0][0] + box[1][0]), 0.5 * (box[0][1] + box[1][1]), 0.5 * (box[0][2] + box[1][2])
    for k in range(BLOCK):
        place, wanted, flow = three(block, k + PX), three(block, k + X), three(block, k + FLOW_X)
        for axis in range(3):
            sense[k + PLACE + BLOCK * axis] = place[axis] - middle[axis]
            sense[k + VELOCITY + BLOCK * axis] = wanted[axis] + flow[axis]
        sense[k + LOOK_DISTANCE], sense[k + BINDS], sense[k + NEAREST] = block[k + REACH], 0.0, reach
    for m in range(count):
        for triangle in range(walls.first[leaves[m]], walls.last[leaves[m]]):
            if is_near(triangle, box, reach, walls.points):
                bind(corners_of(triangle, middle, walls.points), speed_bound(triangle, walls, motion), reach, habits,
                     sense)


@part_of_kernel
def is_near(triangle, box, reach, points):
    """Whether the bounding box of a triangle is within reach [m] of a box."""
    square = 0.0
    for k in range(3):
        a, b, c = points[3 * triangle, k], points[3 * triangle + 1, k], points[3 * triangle + 2, k]
        square += max(min(a, b, c) - box[1][k], 0.0, box[0][k] - max(a, b, c)) ** 2
    return square < reach * reach


@part_of_kernel
def corners_of(triangle, middle, points):
    """A corner (3) relative to `middle` (3) [m], and the edge vectors from it to the other two."""
    a = 3 * triangle
    return (
        (points[a, 0] - middle[0], points[a, 1] - middle[1], points[a, 2] - middle[2]),
        (points[a + 1, 0] - points[a, 0], points[a + 1, 1] - points[a, 1], points[a + 1, 2] - points[a, 2]),
        (points[a + 2, 0] - points[a, 0], points[a + 2, 1] - points[a, 1], points[a + 2, 2] - points[a, 2]),
    )


@part_of_kernel
def speed_bound(triangle, walls, motion):
    """Upper bound of the speed of the corners [m/s]."""
    most = 0.0
    for end in range(3):
        v = motion.v[walls.corner[walls.order[triangle], end]]
        most = max(most, sum_of(v))
    return most


@kernel
def bind(corners, wall_speed, reach, habits, sense):
    """Set `BINDS` of the agents that one triangle limits, and update `NEAREST`; args: corners: see `corners_of`."""
    corner, ab, ac = corners
    bc = (ac[0] - ab[0], ac[1] - ab[1], ac[2] - ab[2])
    normal, size = cross(ab, ac), dot(ab, ab) + dot(ac, ac)
    rounding = ROUNDING * (sum_of(corner) + sum_of(ab) + sum_of(ac))
    # Bounds of the rounding error of the distance, and of both sides of the inequality.
    margin = np.float32(rounding)
    tolerance = np.float32(rounding * (4.0 * reach + habits.keep + habits.foresight * wall_speed))
    # A degenerate triangle is treated as its three edges.
    area = math.sqrt(dot(normal, normal))
    flat, per_area = (np.float32(-1.0), 0.0) if area <= 1e-12 * size else (NOUGHT, 1.0 / area)
    normal = scaled(per_area, normal)
    in_ab, in_bc, in_ac = single(cross(normal, ab)), single(cross(normal, bc)), single(cross(ac, normal))
    per_ab, per_ac, per_bc = inverse(dot(ab, ab)), inverse(dot(ac, ac)), inverse(dot(bc, bc))
    normal, corner, ab, ac, bc = single(normal), single(corner), single(ab), single(ac), single(bc)
    keep, foresight, speed = np.float32(habits.keep), np.float32(habits.foresight), np.float32(wall_speed)
    level = np.float32(FLOOR * FLOOR if habits.walks else 2.0)
    for k in range(BLOCK):
        place, velocity = three(sense, k + PLACE), three(sense, k + VELOCITY)
        ap = (place[0] - corner[0], place[1] - corner[1], place[2] - corner[2])
        bp = (ap[0] - ab[0], ap[1] - ab[1], ap[2] - ab[2])
        to = nearer(to_segment(ap, ab, per_ab), to_segment(ap, ac, per_ac))
        to = nearer(to, to_segment(bp, bc, per_bc))
        inside = min(min(dot(in_ab, ap), dot(in_ac, ap)), dot(in_bc, bp)) + flat
        high = -dot(normal, ap)
        rx = high * normal[0] if inside >= NOUGHT else to[0]
        ry = high * normal[1] if inside >= NOUGHT else to[1]
        rz = high * normal[2] if inside >= NOUGHT else to[2]
        square = rx * rx + ry * ry + rz * rz
        d = math.sqrt(square)
        excess = foresight * (
            rx * velocity[0] + ry * velocity[1] + rz * velocity[2] + d * speed
        ) + tolerance - d * (d - keep)
        # NaN counts as limited.
        is_free = (excess < NOUGHT) | (d >= sense[k + LOOK_DISTANCE]) | (rz * rz > level * square)
        sense[k + BINDS] = sense[k + BINDS] if is_free else ONE
        sense[k + NEAREST] = sense[k + NEAREST] if d - margin > sense[k + NEAREST] else d - margin


@part_of_kernel
def to_segment(ap, ab, per_ab):
    """Vector (3) from a point p to the nearest point of segment ab; args: ap: from a to p (3)."""
    fraction = dot(ap, ab) * per_ab
    fraction = fraction if fraction > NOUGHT else NOUGHT
    fraction = fraction if fraction < ONE else ONE
    return fraction * ab[0] - ap[0], fraction * ab[1] - ap[1], fraction * ab[2] - ap[2]


@part_of_kernel
def nearer(one, other):
    """The shorter of two vectors."""
    is_one = dot(one, one) < dot(other, other)
    return one[0] if is_one else other[0], one[1] if is_one else other[1], one[2] if is_one else other[2]


@part_of_kernel
def inverse(square):
    """1 over a number in single precision, 0 for 0."""
    return ONE / np.float32(square) if square > 1e-30 else NOUGHT


@part_of_kernel
def single(vector):
    """A vector in single precision."""
    return np.float32(vector[0]), np.float32(vector[1]), np.float32(vector[2])


@part_of_kernel
def sum_of(vector):
    """|x| + |y| + |z|, an upper bound of the length."""
    return abs(vector[0]) + abs(vector[1]) + abs(vector[2])


@part_of_kernel
def dot(a, b):
    """Dot product."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@part_of_kernel
def cross(a, b):
    """Cross product."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]
