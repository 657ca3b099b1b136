"""The nearest point of a wall that an agent has to heed.

Triangles within reach are listed once for an agent, with their nearest points, and the three that count are chosen from
that list; where a fine mesh has more of them than fit, each is searched for in the tree. Points behind an agent, seen
the way it goes, are passed over unless they are so near that it must get away from them: a triangle whose nearest point
is behind lies behind as a whole.
"""

from __future__ import annotations

import math

from ....compiler.kernels import kernel, part_of_kernel
from ....solver.collide.narrow_phase.nearest import closest_point

# Triangles that are listed for an agent, and columns of the list: nearest point, square of its distance, its shares of
# the corners, triangle.
LISTED, PLACE, SQUARE, SHARE, TRIANGLE, WIDTH = 24, 0, 3, 4, 7, 8
# A point so little above a plane found before belongs to it, as a share of how near agents come to walls.
FLAT = 0.05
# What walkers stand on leans less than this: the upright part of its normal.
FLOOR = 0.7
# Walls nearer than so many times as near as agents come count behind them as well.
CLOSE = 2.0


@kernel
def list_near(place, reach, walls, motion, room):
    """List triangles within reach [m] of a place (3) in room (LISTED, WIDTH); how many, or more than have room."""
    px, py, pz = place
    most, count = reach * reach, 0
    node, end = 0, walls.skip.shape[0]
    while node < end:
        if square_to_box(place, walls.low, walls.high, node) >= most:
            node = walls.skip[node]
            continue
        for k in range(walls.first[node], walls.last[node]):
            t = walls.order[k]
            a, b, c = walls.corner[t, 0], walls.corner[t, 1], walls.corner[t, 2]
            if is_beyond(place, reach, motion.x, a, b, c):
                continue
            u, v, w = closest_point(px, py, pz, motion.x, a, b, c)
            tx = u * motion.x[a, 0] + v * motion.x[b, 0] + w * motion.x[c, 0]
            ty = u * motion.x[a, 1] + v * motion.x[b, 1] + w * motion.x[c, 1]
            tz = u * motion.x[a, 2] + v * motion.x[b, 2] + w * motion.x[c, 2]
            square = (px - tx) ** 2 + (py - ty) ** 2 + (pz - tz) ** 2
            if square >= most:
                continue
            if count == room.shape[0]:
                return count + 1
            room[count, PLACE], room[count, PLACE + 1], room[count, PLACE + 2] = tx, ty, tz
            room[count, SHARE], room[count, SHARE + 1], room[count, SHARE + 2] = u, v, w
            room[count, SQUARE], room[count, TRIANGLE] = square, t
            count += 1
        node += 1
    return count


@kernel
def nearest_listed(place, ways, one, other, habits, room, count):
    """Of the listed ones the nearest that counts: triangle or -1, point, shares of corners, square of its distance."""
    best, found = math.inf, -1
    for k in range(count):
        point = (room[k, PLACE], room[k, PLACE + 1], room[k, PLACE + 2])
        if room[k, SQUARE] < best and counts(point, room[k, SQUARE], place, ways, one, other, habits):
            best, found = room[k, SQUARE], k
    if found < 0:
        return -1, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), 0.0
    return (
        int(room[found, TRIANGLE]), (room[found, PLACE], room[found, PLACE + 1], room[found, PLACE + 2]),
        (room[found, SHARE], room[found, SHARE + 1], room[found, SHARE + 2]), best,
    )


@kernel
def nearest_of_all(place, ways, reach, one, other, walls, motion, habits):
    """As `nearest_listed`, among all triangles within reach [m]."""
    px, py, pz = place
    best, found = reach * reach, -1
    nearest, shares = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    close = (CLOSE * habits.keep) ** 2
    node, end = 0, walls.skip.shape[0]
    while node < end:
        square = square_to_box(place, walls.low, walls.high, node)
        if square >= best or (square > close and is_behind(walls.low, walls.high, node, place, ways)):
            node = walls.skip[node]
            continue
        for k in range(walls.first[node], walls.last[node]):
            t = walls.order[k]
            a, b, c = walls.corner[t, 0], walls.corner[t, 1], walls.corner[t, 2]
            u, v, w = closest_point(px, py, pz, motion.x, a, b, c)
            point = (
                u * motion.x[a, 0] + v * motion.x[b, 0] + w * motion.x[c, 0],
                u * motion.x[a, 1] + v * motion.x[b, 1] + w * motion.x[c, 1],
                u * motion.x[a, 2] + v * motion.x[b, 2] + w * motion.x[c, 2],
            )
            square = (px - point[0]) ** 2 + (py - point[1]) ** 2 + (pz - point[2]) ** 2
            if square < best and counts(point, square, place, ways, one, other, habits):
                best, found = square, t
                nearest, shares = point, (u, v, w)
        node += 1
    return found, nearest, shares, best


@part_of_kernel
def counts(point, square, place, ways, one, other, habits):
    """Whether the nearest point of a triangle is neither behind an agent, nor of a plane found before, nor a floor."""
    close, flat = CLOSE * habits.keep, FLAT * habits.keep
    ahead = 0.0
    for k in range(3):
        ahead += ways[k] * (point[k] - place[k])
    if ahead <= 0.0 and square > close * close:
        return False
    if habits.walks and (place[2] - point[2]) ** 2 > FLOOR * FLOOR * square:
        return False
    return not (covers(one, point, flat) or covers(other, point, flat))


@part_of_kernel
def covers(plane, point, flat):
    """Whether a point lies on or behind a plane."""
    return plane[0] * point[0] + plane[1] * point[1] + plane[2] * point[2] - plane[3] <= flat


@part_of_kernel
def square_to_box(place, low, high, node):
    """The square of the distance from a place (3) to the box of a node [m²]."""
    square = 0.0
    for k in range(3):
        square += max(low[node, k] - place[k], 0.0, place[k] - high[node, k]) ** 2
    return square


@part_of_kernel
def is_beyond(place, reach, x, a, b, c):
    """Whether the box of a triangle is farther than reach [m] along any axis."""
    for k in range(3):
        low, high = min(x[a, k], x[b, k], x[c, k]), max(x[a, k], x[b, k], x[c, k])
        if low - place[k] >= reach or place[k] - high >= reach:
            return True
    return False


@part_of_kernel
def is_behind(low, high, node, place, ways):
    """Whether a whole box lies behind a place, seen the way that goes along `ways` (3)."""
    ahead = 0.0
    for k in range(3):
        ahead += max(ways[k] * (low[node, k] - place[k]), ways[k] * (high[node, k] - place[k]))
    return ahead <= 0.0
