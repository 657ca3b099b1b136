"""Who may touch whom in the frame to come: particles against the triangles of other bodies.

Every particle may travel its `reach` before the search must be repeated; boxes of triangles are widened by the
reach of their own corners, particles look around by theirs.
"""

from __future__ import annotations

import math

import numpy as np

from ..jit import kernel, parallel_kernel, prange
from .nearest import closest_point


@kernel
def set_reach(x, v, time, h, slack, reach, x_found):
    """reach = |v| time + slack [m], at most 2 slack and a substep's way: fast particles search oftener, not further.

    x_found remembers where the search was made.
    """
    for i in range(x.shape[0]):
        speed = (v[i, 0] * v[i, 0] + v[i, 1] * v[i, 1] + v[i, 2] * v[i, 2]) ** 0.5
        reach[i] = min(speed * time + slack, speed * h + 2.0 * slack)
        for k in range(3):
            x_found[i, k] = x[i, k]


@kernel
def outran(x, x_found, reach, travelled):
    """Fills travelled (n,), the way of each particle since the search [m]; whether some went beyond its reach."""
    beyond = False
    for i in range(x.shape[0]):
        dx = x[i, 0] - x_found[i, 0]
        dy = x[i, 1] - x_found[i, 1]
        dz = x[i, 2] - x_found[i, 2]
        travelled[i] = math.sqrt(dx * dx + dy * dy + dz * dz)
        beyond |= travelled[i] > reach[i]
    return beyond


@kernel
def find_close_bodies(x, reach, radius, body, meets, tree_start, low, high, own_low, own_high, close):
    """close (bodies, bodies): the box of a's particles meets the box of b's triangles, and a meets b at all.

    Args:
        low, high: (nodes, 3) of all trees, refitted; own_low, own_high: (bodies, 3) scratch.
    """
    own_low[:] = np.inf
    own_high[:] = -np.inf
    for i in range(x.shape[0]):
        around = reach[i] + radius[i]
        for k in range(3):
            own_low[body[i], k] = min(own_low[body[i], k], x[i, k] - around)
            own_high[body[i], k] = max(own_high[body[i], k], x[i, k] + around)
    for a in range(meets.shape[0]):
        for b in range(meets.shape[0]):
            root = tree_start[b]
            close[a, b] = meets[a, b] and root < tree_start[b + 1]
            for k in range(3):
                if close[a, b] and (own_low[a, k] > high[root, k] or own_high[a, k] < low[root, k]):
                    close[a, b] = False


@parallel_kernel
def find_near(
    x, reach, radius, body, close, tree_start, first, last, skip, low, high, order, triangles,
    found, found_distance, found_count, pair_count,
):
    """Triangles near each particle, body after body.

    Args:
        close: (bodies, bodies) bool; tree_start: (bodies + 1,) ranges of nodes, empty for bodies without triangles.
        found: out (n, room) triangles of each particle; found_distance: out (n, room) float32 how far each is [m].
        found_count: out (n,) how many there are, also past the room.
        pair_count: out (n, bodies), how many of them belong to each body.
    """
    bodies = close.shape[0]
    room = found.shape[1]
    for i in prange(x.shape[0]):
        around = reach[i] + radius[i]
        count = 0
        for other in range(bodies):
            before = count
            if close[body[i], other]:
                node = tree_start[other]
                while node < tree_start[other + 1]:
                    if _apart(x, i, around, low, high, node):
                        node = skip[node]
                        continue
                    for place in range(first[node], last[node]):
                        t = order[place]
                        wide = around + _corner_reach(reach, radius, triangles, t)
                        if _box_apart(x, i, wide, triangles, t):
                            continue
                        distance = _distance(x, i, triangles, t)
                        if distance <= wide:
                            if count < room:
                                found[i, count] = t
                                found_distance[i, count] = distance
                            count += 1
                    node += 1
            pair_count[i, other] = count - before
        found_count[i] = count


@kernel
def list_pairs(
    found, found_distance, found_count, pair_count, pair_particle, pair_start, near_triangle, near_distance,
):
    """Lay the found triangles end to end, a pair of particle and body after the other; in a pair the nearest first."""
    pair = 0
    place = 0
    for i in range(found.shape[0]):
        own = 0
        if found_count[i] == 0:
            continue
        for other in range(pair_count.shape[1]):
            count = pair_count[i, other]
            if count > 0:
                pair_particle[pair] = i
                pair_start[pair] = place
                for k in range(own, own + count):
                    _insert(near_triangle, near_distance, pair_start[pair], place, found[i, k], found_distance[i, k])
                    place += 1
                own += count
                pair += 1
    pair_start[pair] = place


@kernel
def _insert(near_triangle, near_distance, first, stop, triangle, distance):
    """Into the sorted range first:stop, behind those as near."""
    place = stop
    while place > first and near_distance[place - 1] > distance:
        near_distance[place] = near_distance[place - 1]
        near_triangle[place] = near_triangle[place - 1]
        place -= 1
    near_distance[place] = distance
    near_triangle[place] = triangle


@kernel
def _apart(x, i, around, low, high, node):
    for k in range(3):
        if x[i, k] + around < low[node, k] or x[i, k] - around > high[node, k]:
            return True
    return False


@kernel
def _corner_reach(reach, radius, triangles, t):
    a = triangles[t, 0]
    b = triangles[t, 1]
    c = triangles[t, 2]
    return max(reach[a] + radius[a], reach[b] + radius[b], reach[c] + radius[c])


@kernel
def _box_apart(x, i, wide, triangles, t):
    """Whether the box of triangle t, widened, leaves particle i out."""
    a = triangles[t, 0]
    b = triangles[t, 1]
    c = triangles[t, 2]
    for k in range(3):
        if x[i, k] + wide < min(x[a, k], x[b, k], x[c, k]) or x[i, k] - wide > max(x[a, k], x[b, k], x[c, k]):
            return True
    return False


@kernel
def _distance(x, i, triangles, t):
    a = triangles[t, 0]
    b = triangles[t, 1]
    c = triangles[t, 2]
    s0, s1, s2 = closest_point(x[i, 0], x[i, 1], x[i, 2], x, a, b, c)
    dx = x[i, 0] - (s0 * x[a, 0] + s1 * x[b, 0] + s2 * x[c, 0])
    dy = x[i, 1] - (s0 * x[a, 1] + s1 * x[b, 1] + s2 * x[c, 1])
    dz = x[i, 2] - (s0 * x[a, 2] + s1 * x[b, 2] + s2 * x[c, 2])
    return math.sqrt(dx * dx + dy * dy + dz * dz)
