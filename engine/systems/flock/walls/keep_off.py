"""Obstacle avoidance: a limit on the velocity an agent may want, so that no sum of other wishes outvotes it.

With n from the nearest point of a wall to the agent, d their distance and w its wanted velocity relative to the wall,

    w . n >= -(d - keep) / foresight

so an agent approaches a wall ever more slowly and never comes nearer than `keep`. The speed removed across the wall is
added along the wall, so the agent turns aside instead of stopping. Up to three walls count, the nearest first. A point
that lies on or behind the plane of a previous wall belongs to that wall, as in `fluid.walls`.
"""

from __future__ import annotations

import math

from ....compiler.kernels import kernel, part_of_kernel
from ....solver.collide.narrow_phase.nearest import face_normal
from .near import list_near, nearest_listed, nearest_of_all

# An agent with less than this fraction of its speed along a wall approaches it head on, and turns to its own side.
HEAD_ON = 0.1
# A plane that covers no point.
NO_PLANE = (0.0, 0.0, 0.0, -1e300)
# Number of iterations over the limits of all walls.
ROUNDS = 2


@kernel
def keep_off(agent, wish, leaves, count, walls, motion, habits, entries):
    """Limit the wanted velocity (3) of an agent.

    Args: agent: place, flow (3), its position [m] and the flow that carries it [m/s], search distance for walls [m],
        and side, 1 or -1, to which it turns before a wall that it approaches head on; wish: (3) wanted velocity [m/s];
        leaves: `count` of them are listed, or more than fit, see `list_leaves`; entries: see `list_near`.
    """
    place, flow, reach, side = agent
    near = (place, (wish[0] + flow[0], wish[1] + flow[1], wish[2] + flow[2]), reach)
    listed = entries.shape[0] + 1
    if count <= leaves.shape[0]:
        listed = list_near(near, leaves, count, False, 0, walls, habits, entries)
    speed = math.sqrt(wish[0] ** 2 + wish[1] ** 2 + wish[2] ** 2)
    around = (place, flow, reach, listed)
    first, first_limit = nearest_plane(around, wish, NO_PLANE, NO_PLANE, walls, motion, habits, entries)
    if first_limit > 1e299:
        return wish
    if wish[0] * first[0] + wish[1] * first[1] + wish[2] * first[2] < first_limit:
        wish = turn_aside(wish, first, first_limit, speed, side, habits.walks)
        if listed <= entries.shape[0]:
            around = (place, flow, reach, list_near(near, leaves, count, True, listed, walls, habits, entries))
    second, second_limit = nearest_plane(around, wish, first, NO_PLANE, walls, motion, habits, entries)
    if second_limit > 1e299:
        return wish
    if wish[0] * second[0] + wish[1] * second[1] + wish[2] * second[2] < second_limit:
        wish = turn_aside(wish, second, second_limit, speed, side, habits.walks)
        if around[3] == listed and listed <= entries.shape[0]:
            around = (place, flow, reach, list_near(near, leaves, count, True, listed, walls, habits, entries))
    third, third_limit = nearest_plane(around, wish, first, second, walls, motion, habits, entries)
    for _ in range(ROUNDS):
        if third_limit < 1e299:
            wish = limited(wish, third, third_limit)
        wish = limited(wish, second, second_limit)
        wish = limited(wish, first, first_limit)
    return wish


@kernel
def nearest_plane(around, wish, one, other, walls, motion, habits, entries):
    """The plane (normal, offset) of the nearest wall that two planes do not cover; the least speed along its normal.

    The speed is relative to the flow that carries the agent [m/s]; it is infinite when no wall is within reach [m].
    Args: around: place, flow, reach, and number of triangles listed in `entries`.
    """
    place, flow, reach, listed = around
    velocity = (wish[0] + flow[0], wish[1] + flow[1], wish[2] + flow[2])
    if listed <= entries.shape[0]:
        found, point, weights, square = nearest_listed(place, velocity, one, other, habits, entries, listed)
    else:
        found, point, weights, square = nearest_of_all(place, velocity, reach, one, other, walls, habits)
    if found < 0:
        return NO_PLANE, math.inf
    px, py, pz = place
    a, b, c = walls.corner[found, 0], walls.corner[found, 1], walls.corner[found, 2]
    d = math.sqrt(square)
    if d > 1e-9:
        nx, ny, nz = (px - point[0]) / d, (py - point[1]) / d, (pz - point[2]) / d
    else:
        nx, ny, nz = face_normal(motion.x, a, b, c)
    along = 0.0
    for k in range(3):
        n = nx if k == 0 else ny if k == 1 else nz
        along += n * (weights[0] * motion.v[a, k] + weights[1] * motion.v[b, k] + weights[2] * motion.v[c, k] - flow[k])
    return (nx, ny, nz, nx * point[0] + ny * point[1] + nz * point[2]), along - (d - habits.keep) / habits.foresight


@part_of_kernel
def limited(wish, plane, least):
    """A velocity with at least the component `least` along the normal of a plane [m/s]."""
    deficit = max(0.0, least - (wish[0] * plane[0] + wish[1] * plane[1] + wish[2] * plane[2]))
    return wish[0] + deficit * plane[0], wish[1] + deficit * plane[1], wish[2] + deficit * plane[2]


@kernel
def turn_aside(wish, plane, least, speed, side, walks):
    """A velocity with at least the component `least` along the normal that keeps its speed [m/s] as far as possible."""
    nx, ny, nz, _offset = plane
    across = wish[0] * nx + wish[1] * ny + wish[2] * nz
    if across >= least:
        return wish
    tx, ty, tz = wish[0] - across * nx, wish[1] - across * ny, wish[2] - across * nz
    size = math.sqrt(tx * tx + ty * ty + tz * tz)
    left = math.sqrt(max(speed * speed - least * least, 0.0))
    if size <= HEAD_ON * speed:
        # Sideways and level, or any direction along a floor.
        tx, ty, tz = (ny, -nx, 0.0) if abs(nz) < 0.99 else (0.0, 1.0, 0.0)
        size = side * math.sqrt(tx * tx + ty * ty)
    scale = left / size if size != 0.0 else 0.0
    tx, ty, tz = scale * tx, scale * ty, scale * tz
    if walks:
        tz = 0.0
    return tx + least * nx, ty + least * ny, tz + least * nz
