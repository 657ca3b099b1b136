"""Obstacle avoidance: a limit on the velocity an agent may want, so that no sum of other wishes outvotes it.

With n from the nearest point of a wall to the agent, d their distance and w the velocity it wants, seen from the wall,

    w . n >= -(d - keep) / foresight

so an agent nears a wall ever more slowly and never comes nearer than `keep`; what is taken from its speed across the
wall it gets along the wall, and so turns aside instead of stopping. Up to three walls count, the nearest first. A
point that lies on or behind the plane of a wall found before belongs to that wall, as in `fluid.walls`. Boxes of the
tree that lie behind an agent are passed over, unless they are so near that it must get away from them.
"""

from __future__ import annotations

import math

from ...compiler.kernels import kernel, part_of_kernel
from ...solver.collide.narrow_phase.nearest import closest_point, face_normal

# A point so little above a plane found before belongs to it, as a share of how near agents come to walls.
FLAT = 0.05
# What walkers stand on leans less than this: the upright part of its normal.
FLOOR = 0.7
# With less than this share of its speed along a wall an agent does not know which way to turn.
HEAD_ON = 0.1
# A plane that covers no point.
NO_PLANE = (0.0, 0.0, 0.0, -1e300)
# Times that the limits of all walls are taken in turn.
ROUNDS = 2


@part_of_kernel
def reach_of(wish, flow, habits):
    """How far an agent looks for walls [m] that wants to go at `wish` and is carried at `flow`, (3) each [m/s]."""
    speed = math.sqrt(wish[0] ** 2 + wish[1] ** 2 + wish[2] ** 2)
    return habits.keep + (speed + math.sqrt(flow[0] ** 2 + flow[1] ** 2 + flow[2] ** 2)) * habits.foresight


@kernel
def keep_off(place, wish, flow, reach, side, walls, motion, habits):
    """The velocity (3) that an agent may want.

    Args: place, wish, flow: (3) tuples, where it is [m], what it wants and what carries it [m/s]; reach: see
        `reach_of`; side: 1 or -1, where it turns to before a wall that it flies at head on.
    """
    speed = math.sqrt(wish[0] ** 2 + wish[1] ** 2 + wish[2] ** 2)
    first, first_limit = nearest_plane(place, wish, flow, reach, NO_PLANE, NO_PLANE, walls, motion, habits)
    if first_limit > 1e299:
        return wish
    wish = turn_aside(wish, first, first_limit, speed, side, habits.walks)
    second, second_limit = nearest_plane(place, wish, flow, reach, first, NO_PLANE, walls, motion, habits)
    if second_limit > 1e299:
        return wish
    wish = turn_aside(wish, second, second_limit, speed, side, habits.walks)
    third, third_limit = nearest_plane(place, wish, flow, reach, first, second, walls, motion, habits)
    for _ in range(ROUNDS):
        if third_limit < 1e299:
            wish = limited(wish, third, third_limit)
        wish = limited(wish, second, second_limit)
        wish = limited(wish, first, first_limit)
    return wish


@kernel
def nearest_plane(place, wish, flow, reach, one, other, walls, motion, habits):
    """The plane (normal, offset) of the nearest wall that two planes do not cover; the least speed along its normal.

    The speed is relative to what carries the agent [m/s]; it is infinite when no wall is within reach [m].
    """
    px, py, pz = place
    best, found = reach * reach, -1
    qx, qy, qz = 0.0, 0.0, 0.0
    sx, sy, sz = 0.0, 0.0, 0.0
    flat, close = FLAT * habits.keep, 4.0 * habits.keep * habits.keep
    ways = (wish[0] + flow[0], wish[1] + flow[1], wish[2] + flow[2])
    node, end = 0, walls.skip.shape[0]
    while node < end:
        dx = max(walls.low[node, 0] - px, 0.0, px - walls.high[node, 0])
        dy = max(walls.low[node, 1] - py, 0.0, py - walls.high[node, 1])
        dz = max(walls.low[node, 2] - pz, 0.0, pz - walls.high[node, 2])
        square = dx * dx + dy * dy + dz * dz
        if square >= best or (square > close and is_behind(walls.low, walls.high, node, place, ways)):
            node = walls.skip[node]
            continue
        for k in range(walls.first[node], walls.last[node]):
            t = walls.order[k]
            a, b, c = walls.corner[t, 0], walls.corner[t, 1], walls.corner[t, 2]
            u, v, w = closest_point(px, py, pz, motion.x, a, b, c)
            tx = u * motion.x[a, 0] + v * motion.x[b, 0] + w * motion.x[c, 0]
            ty = u * motion.x[a, 1] + v * motion.x[b, 1] + w * motion.x[c, 1]
            tz = u * motion.x[a, 2] + v * motion.x[b, 2] + w * motion.x[c, 2]
            square = (px - tx) ** 2 + (py - ty) ** 2 + (pz - tz) ** 2
            is_floor = habits.walks and (pz - tz) ** 2 > FLOOR * FLOOR * square
            is_covered = covers(one, tx, ty, tz, flat) or covers(other, tx, ty, tz, flat)
            if square < best and not is_floor and not is_covered:
                best, found = square, t
                qx, qy, qz, sx, sy, sz = tx, ty, tz, u, v, w
        node += 1
    if found < 0:
        return NO_PLANE, math.inf
    a, b, c = walls.corner[found, 0], walls.corner[found, 1], walls.corner[found, 2]
    d = math.sqrt(best)
    if d > 1e-9:
        nx, ny, nz = (px - qx) / d, (py - qy) / d, (pz - qz) / d
    else:
        nx, ny, nz = face_normal(motion.x, a, b, c)
    along = 0.0
    for k in range(3):
        n = nx if k == 0 else ny if k == 1 else nz
        along += n * (sx * motion.v[a, k] + sy * motion.v[b, k] + sz * motion.v[c, k] - flow[k])
    return (nx, ny, nz, nx * qx + ny * qy + nz * qz), along - (d - habits.keep) / habits.foresight


@part_of_kernel
def is_behind(low, high, node, place, ways):
    """Whether a whole box lies behind a place, seen the way that goes along `ways` (3)."""
    ahead = 0.0
    for k in range(3):
        ahead += max(ways[k] * (low[node, k] - place[k]), ways[k] * (high[node, k] - place[k]))
    return ahead <= 0.0


@part_of_kernel
def covers(plane, x, y, z, flat):
    """Whether a point lies on or behind a plane."""
    return plane[0] * x + plane[1] * y + plane[2] * z - plane[3] <= flat


@part_of_kernel
def limited(wish, plane, least):
    """A velocity that is at least so fast along the normal of a plane."""
    lack = max(0.0, least - (wish[0] * plane[0] + wish[1] * plane[1] + wish[2] * plane[2]))
    return wish[0] + lack * plane[0], wish[1] + lack * plane[1], wish[2] + lack * plane[2]


@kernel
def turn_aside(wish, plane, least, speed, side, walks):
    """A velocity that is at least so fast along the normal, and keeps its speed [m/s] as far as it can."""
    nx, ny, nz, _offset = plane
    across = wish[0] * nx + wish[1] * ny + wish[2] * nz
    if across >= least:
        return wish
    tx, ty, tz = wish[0] - across * nx, wish[1] - across * ny, wish[2] - across * nz
    size = math.sqrt(tx * tx + ty * ty + tz * tz)
    left = math.sqrt(max(speed * speed - least * least, 0.0))
    if size <= HEAD_ON * speed:
        # Sideways and level, or any way along a floor.
        tx, ty, tz = (ny, -nx, 0.0) if abs(nz) < 0.99 else (0.0, 1.0, 0.0)
        size = side * math.sqrt(tx * tx + ty * ty)
    scale = left / size if size != 0.0 else 0.0
    tx, ty, tz = scale * tx, scale * ty, scale * tz
    if walks:
        tz = 0.0
    return tx + least * nx, ty + least * ny, tz + least * nz
