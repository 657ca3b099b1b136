"""The nearest points of walls that an agent must avoid.

Leaves of the tree within reach are listed for a block of near agents. Triangles in them that are within reach of an
agent are listed once with their nearest points, and the three that count are chosen from that list. Where a fine mesh
has more triangles than fit, each of the three is searched for in the tree. Points behind an agent, with respect to its
wanted velocity, are ignored unless they are so near that it must move away from them: a triangle whose nearest point is
behind lies entirely behind.
"""

from __future__ import annotations

import math

from ....compiler.kernels import kernel, part_of_kernel
from ....solver.collide.narrow_phase.nearest import closest_point

# Capacity of the list of triangles of an agent, and columns of the list: nearest point, square of its distance, its
# barycentric weights, triangle.
ENTRIES, PLACE, SQUARE, WEIGHT, TRIANGLE, WIDTH = 24, 0, 3, 4, 7, 8
# Capacity of the list of leaves of a block of agents.
LEAVES = 32
# A point no higher than this above a previous plane belongs to it, as a fraction of `Habits.keep`.
FLAT = 0.05
# A surface is a floor of walkers if the vertical component of its unit normal exceeds this.
FLOOR = 0.7
# Walls nearer than this multiple of `Habits.keep` count even behind an agent.
CLOSE = 2.0


@kernel
def list_leaves(low, high, reach, walls, leaves):
    """List leaves of the tree within reach [m] of a box, low and high (3); returns their count, or more if too many."""
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
def list_near(near, leaves, count, is_second_pass, listed, walls, habits, entries):
    """List triangles of the first `count` leaves within reach of an agent, in entries (ENTRIES, WIDTH) after `listed`.

    Leaves entirely behind the agent, with respect to the velocity that it wants at first, contain no wall that counts
    until it turns: the second pass lists them. Returns the number listed, more than ENTRIES if they do not fit.
    Args: near: place (3) [m], velocity (3) [m/s], reach [m]; is_second_pass: which leaves to list.
    """
    place, velocity, reach = near
    most, close = reach * reach, (CLOSE * habits.keep) ** 2
    for m in range(count):
        node = leaves[m]
        square = square_to_box(place, walls.low, walls.high, node)
        if square >= most or (
            square > close and is_behind(walls.low, walls.high, node, place, velocity)
        ) != is_second_pass:
            continue
        for k in range(walls.first[node], walls.last[node]):
            if not is_beyond(place, reach, walls.points, 3 * k):
                listed = list_one(k, place, most, listed, walls, entries)
                if listed > entries.shape[0]:
                    return listed
    return listed


@part_of_kernel
def list_one(k, place, most, listed, walls, entries):
    """List a triangle if the square of its distance is below `most` [m²]."""
    points, a = walls.points, 3 * k
    u, v, w = closest_point(place[0], place[1], place[2], points, a, a + 1, a + 2)
    tx = u * points[a, 0] + v * points[a + 1, 0] + w * points[a + 2, 0]
    ty = u * points[a, 1] + v * points[a + 1, 1] + w * points[a + 2, 1]
    tz = u * points[a, 2] + v * points[a + 1, 2] + w * points[a + 2, 2]
    square = (place[0] - tx) ** 2 + (place[1] - ty) ** 2 + (place[2] - tz) ** 2
    if square >= most:
        return listed
    if listed < entries.shape[0]:
        entries[listed, PLACE], entries[listed, PLACE + 1], entries[listed, PLACE + 2] = tx, ty, tz
        entries[listed, WEIGHT], entries[listed, WEIGHT + 1], entries[listed, WEIGHT + 2] = u, v, w
        entries[listed, SQUARE], entries[listed, TRIANGLE] = square, walls.order[k]
    return listed + 1


@kernel
def nearest_listed(place, velocity, one, other, habits, entries, count):
    """The nearest listed triangle that counts: triangle or -1, point, barycentric weights, square of its distance."""
    best, found = math.inf, -1
    for k in range(count):
        point = (entries[k, PLACE], entries[k, PLACE + 1], entries[k, PLACE + 2])
        if entries[k, SQUARE] < best and is_relevant(point, entries[k, SQUARE], place, velocity, one, other, habits):
            best, found = entries[k, SQUARE], k
    if found < 0:
        return -1, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), 0.0
    return (
        int(entries[found, TRIANGLE]), (entries[found, PLACE], entries[found, PLACE + 1], entries[found, PLACE + 2]),
        (entries[found, WEIGHT], entries[found, WEIGHT + 1], entries[found, WEIGHT + 2]), best,
    )


@kernel
def nearest_of_all(place, velocity, reach, one, other, walls, habits):
    """As `nearest_listed`, among all triangles within reach [m]."""
    px, py, pz = place
    best, found = reach * reach, -1
    nearest, weights = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    close = (CLOSE * habits.keep) ** 2
    node, end = 0, walls.skip.shape[0]
    while node < end:
        square = square_to_box(place, walls.low, walls.high, node)
        if square >= best or (square > close and is_behind(walls.low, walls.high, node, place, velocity)):
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
            if square < best and is_relevant(point, square, place, velocity, one, other, habits):
                best, found = square, walls.order[k]
                nearest, weights = point, (u, v, w)
        node += 1
    return found, nearest, weights, best


@part_of_kernel
def is_relevant(point, square, place, velocity, one, other, habits):
    """Whether the nearest point of a triangle is not behind an agent, nor covered by a previous plane, nor a floor."""
    close, flat = CLOSE * habits.keep, FLAT * habits.keep
    ahead = 0.0
    for k in range(3):
        ahead += velocity[k] * (point[k] - place[k])
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
    """Squared distance from a place (3) to the box of a node [m²]."""
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
def is_behind(low, high, node, place, velocity):
    """Whether a box lies entirely behind a place, with respect to `velocity` (3)."""
    ahead = 0.0
    for k in range(3):
        ahead += max(velocity[k] * (low[node, k] - place[k]), velocity[k] * (high[node, k] - place[k]))
    return ahead <= 0.0
