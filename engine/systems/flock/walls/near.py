"""The nearest point of a wall that an agent has to heed.

Leaves of the tree within reach are listed for a block of agents that are near each other. Triangles in them that are
within reach of an agent are listed once with their nearest points, and the three that count are chosen from that list;
where a fine mesh has more of them than fit, each is searched for in the tree. Points behind an agent, seen
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
# Leaves that are listed for a block of agents.
LEAVES = 32
# A point so little above a plane found before belongs to it, as a share of how near agents come to walls.
FLAT = 0.05
# What walkers stand on leans less than this: the upright part of its normal.
FLOOR = 0.7
# Walls nearer than so many times as near as agents come count behind them as well.
CLOSE = 2.0


@kernel
def list_leaves(low, high, reach, walls, leaves):
    """List leaves of the tree within reach [m] of a box, low and high (3); how many, or more than have room."""
    count, node, end = 0, 0, walls.skip.shape[0]
    while node < end:
        square = 0.0
        for k in range(3):
            square += max(walls.low[node, k] - high[k], 0.0, low[k] - walls.high[node, k]) ** 2
        if square >= reach * reach:
            node = walls.skip[node]
            continue
        if walls.last[node] > walls.first[node]:
            if count == leaves.shape[0]:
                return count + 1
            leaves[count] = node
            count += 1
        node += 1
    return count


@kernel
def list_near(near, leaves, count, is_late, listed, walls, habits, room):
    """List triangles of the first `count` leaves within reach of an agent in room (LISTED, WIDTH), after `listed` ones.

    Leaves that lie wholly behind the agent, as it wants to go at first, hold no wall that counts until it turns: they
    are listed late. Returns how many are listed, or more than have room.
    Args: near: place (3) [m], ways (3), reach [m]; is_late: which leaves to list.
    """
    place, ways, reach = near
    most, close = reach * reach, (CLOSE * habits.keep) ** 2
    for m in range(count):
        node = leaves[m]
        square = square_to_box(place, walls.low, walls.high, node)
        if square >= most or (square > close and is_behind(walls.low, walls.high, node, place, ways)) != is_late:
            continue
        for k in range(walls.first[node], walls.last[node]):
            if not is_beyond(place, reach, walls.points, 3 * k):
                listed = list_one(k, place, most, listed, walls, room)
                if listed > room.shape[0]:
                    return listed
    return listed


@part_of_kernel
def list_one(k, place, most, listed, walls, room):
    """List a triangle if the square of its distance is below `most` [m²]."""
    points, a = walls.points, 3 * k
    u, v, w = closest_point(place[0], place[1], place[2], points, a, a + 1, a + 2)
    tx = u * points[a, 0] + v * points[a + 1, 0] + w * points[a + 2, 0]
    ty = u * points[a, 1] + v * points[a + 1, 1] + w * points[a + 2, 1]
    tz = u * points[a, 2] + v * points[a + 1, 2] + w * points[a + 2, 2]
    square = (place[0] - tx) ** 2 + (place[1] - ty) ** 2 + (place[2] - tz) ** 2
    if square >= most:
        return listed
    if listed < room.shape[0]:
        room[listed, PLACE], room[listed, PLACE + 1], room[listed, PLACE + 2] = tx, ty, tz
        room[listed, SHARE], room[listed, SHARE + 1], room[listed, SHARE + 2] = u, v, w
        room[listed, SQUARE], room[listed, TRIANGLE] = square, walls.order[k]
    return listed + 1


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
def nearest_of_all(place, ways, reach, one, other, walls, habits):
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
            points, a = walls.points, 3 * k
            u, v, w = closest_point(px, py, pz, points, a, a + 1, a + 2)
            point = (
                u * points[a, 0] + v * points[a + 1, 0] + w * points[a + 2, 0],
                u * points[a, 1] + v * points[a + 1, 1] + w * points[a + 2, 1],
                u * points[a, 2] + v * points[a + 1, 2] + w * points[a + 2, 2],
            )
            square = (px - point[0]) ** 2 + (py - point[1]) ** 2 + (pz - point[2]) ** 2
            if square < best and counts(point, square, place, ways, one, other, habits):
                best, found = square, walls.order[k]
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
def is_beyond(place, reach, points, a):
    """Whether the box of the triangle whose corners begin at row a is farther than reach [m] along any axis."""
    for k in range(3):
        low = min(points[a, k], points[a + 1, k], points[a + 2, k])
        high = max(points[a, k], points[a + 1, k], points[a + 2, k])
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
