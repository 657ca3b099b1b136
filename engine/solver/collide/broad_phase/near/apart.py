"""Pair tests of the search: connected or too far apart; insertion that keeps rows ascending."""

from __future__ import annotations

import math

import numpy as np

from .....compiler.kernels import kernel
from ...narrow_phase.nearest import closest_point, nearest_shares

_ONE, _NONE = np.uint64(1), np.uint64(0)


@kernel
def keep_faces(first, count, near, corner, patch_of, is_new, is_turned):
    """Keep the entries of a row that did not change; returns their number."""
    kept = 0
    for place in range(first, first + count):
        t = near[place]
        if not (is_new[corner[t, 0]] or is_new[corner[t, 1]] or is_new[corner[t, 2]] or is_turned[patch_of[t]]):
            near[first + kept] = t
            kept += 1
    return kept


@kernel
def keep_edges(first, count, near, edge, patch_of, is_new, is_turned):
    """Keep the entries of a row that did not change; returns their number."""
    kept = 0
    for place in range(first, first + count):
        e = near[place]
        if not (is_new[edge[e, 0]] or is_new[edge[e, 1]] or is_turned[patch_of[e]]):
            near[first + kept] = e
            kept += 1
    return kept


@kernel
def sketch_around(i, neighbour_start, neighbour):
    """A particle and its neighbours as a 64-bit Bloom filter of their indices."""
    found = _ONE << np.uint64(i & 63)
    for place in range(neighbour_start[i], neighbour_start[i + 1]):
        found |= _ONE << np.uint64(neighbour[place] & 63)
    return found


@kernel
def may_be_in(around, a, b, c):
    """Whether one of three particles may be in a filter; False is certain."""
    asked = (_ONE << np.uint64(a & 63)) | (_ONE << np.uint64(b & 63)) | (_ONE << np.uint64(c & 63))
    return around & asked != _NONE


@kernel
def joined(i, j, neighbour_start, neighbour):
    """Whether two particles are the same or share an edge."""
    if i == j:
        return True
    for place in range(neighbour_start[i], neighbour_start[i + 1]):
        if neighbour[place] == j:
            return True
    return False


@kernel
def stays_away(x, v, time, wide, i, a, b, c):
    """Whether particle i is further from a triangle than both can approach in `time`.

    Along the line between their closest points the particle lies on one side of a plane and the triangle on the other.
    The gap between both is a concave function of time, so it is least at the start or at the end.
    """
    around = wide[i] + max(wide[a], wide[b], wide[c])
    # Most pairs that are listed have the triangle's middle so near.
    square = 0.0
    for k in range(3):
        apart = x[i, k] - (x[a, k] + x[b, k] + x[c, k]) / 3.0
        square += apart * apart
    if square <= around * around:
        return False
    s0, s1, s2 = closest_point(x[i, 0], x[i, 1], x[i, 2], x, a, b, c)
    nx, ny, nz, gap = _direction(
        x[i, 0] - (s0 * x[a, 0] + s1 * x[b, 0] + s2 * x[c, 0]), x[i, 1] - (s0 * x[a, 1] + s1 * x[b, 1] + s2 * x[c, 1]),
        x[i, 2] - (s0 * x[a, 2] + s1 * x[b, 2] + s2 * x[c, 2]),
    )
    if gap <= around:
        return False
    one, one_later = _along(x, v, time, i, i, nx, ny, nz)
    least, least_later = _along(x, v, time, i, a, nx, ny, nz)
    for j in (b, c):
        now, later = _along(x, v, time, i, j, nx, ny, nz)
        least = max(least, now)
        least_later = max(least_later, later)
    return min(one - least, one_later - least_later) > around


@kernel
def edges_stay_away(x, v, time, wide, less, a, b, c, d):
    """Whether two edges are further apart than both can approach in `time`, see `stays_away`.

    Args: less: what the margin of both is smaller than `wide` [m].
    """
    around = max(wide[a], wide[b]) + max(wide[c], wide[d]) - less
    # Most pairs that are listed have their middles so near.
    square = 0.0
    for k in range(3):
        apart = 0.5 * (x[a, k] + x[b, k] - x[c, k] - x[d, k])
        square += apart * apart
    if square <= around * abs(around):
        return False
    s, t = nearest_shares(x, a, b, c, d)
    nx, ny, nz, gap = _direction(
        x[a, 0] + s * (x[b, 0] - x[a, 0]) - x[c, 0] - t * (x[d, 0] - x[c, 0]),
        x[a, 1] + s * (x[b, 1] - x[a, 1]) - x[c, 1] - t * (x[d, 1] - x[c, 1]),
        x[a, 2] + s * (x[b, 2] - x[a, 2]) - x[c, 2] - t * (x[d, 2] - x[c, 2]),
    )
    if gap <= around:
        return False
    one, one_later = _along(x, v, time, a, a, nx, ny, nz)
    two, two_later = _along(x, v, time, a, b, nx, ny, nz)
    three, three_later = _along(x, v, time, a, c, nx, ny, nz)
    four, four_later = _along(x, v, time, a, d, nx, ny, nz)
    return min(min(one, two) - max(three, four), min(one_later, two_later) - max(three_later, four_later)) > around


@kernel
def _direction(dx, dy, dz):
    """Unit vector along a difference, and its length."""
    length = math.sqrt(dx * dx + dy * dy + dz * dz)
    scale = 1.0 / max(length, 1e-300)
    return scale * dx, scale * dy, scale * dz, length


@kernel
def _along(x, v, time, origin, i, nx, ny, nz):
    """How far particle i lies beyond another one along a direction, now and after `time`, if the other stayed [m]."""
    now = nx * (x[i, 0] - x[origin, 0]) + ny * (x[i, 1] - x[origin, 1]) + nz * (x[i, 2] - x[origin, 2])
    return now, now + time * (nx * v[i, 0] + ny * v[i, 1] + nz * v[i, 2])


@kernel
def insert(values, first, stop, value):
    """Insert into the ascending range first : stop, so that results do not depend on the layout of the tree."""
    place = stop
    while place > first and values[place - 1] > value:
        values[place] = values[place - 1]
        place -= 1
    values[place] = value
