"""Pair tests of the search: connected or out of reach; insertion that keeps rows ascending."""

from __future__ import annotations

import math

import numpy as np

from .....compiler.kernels import kernel
from ...narrow_phase.nearest import closest_point, nearest_parameters

_ONE, _NONE = np.uint64(1), np.uint64(0)


@kernel
def keep_faces(first, count, near, corner, patch_of, is_new, flatness_changed):
    """Keep the entries of a row that did not change; returns their number."""
    kept = 0
    for place in range(first, first + count):
        t = near[place]
        if not (is_new[corner[t, 0]] or is_new[corner[t, 1]] or is_new[corner[t, 2]] or flatness_changed[patch_of[t]]):
            near[first + kept] = t
            kept += 1
    return kept


@kernel
def keep_edges(first, count, near, edge, patch_of, is_new, flatness_changed):
    """Keep the entries of a row that did not change; returns their number."""
    kept = 0
    for place in range(first, first + count):
        e = near[place]
        if not (is_new[edge[e, 0]] or is_new[edge[e, 1]] or flatness_changed[patch_of[e]]):
            near[first + kept] = e
            kept += 1
    return kept


@kernel
def bloom_around(i, neighbour_start, neighbour):
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
def is_out_of_reach(x, v, time, margin, i, a, b, c):
    """Whether particle i is further from a triangle than both can approach in `time`."""
    s0, s1, s2 = closest_point(x[i, 0], x[i, 1], x[i, 2], x, a, b, c)
    square = 0.0
    fastest = 0.0
    for k in range(3):
        apart = x[i, k] - (s0 * x[a, k] + s1 * x[b, k] + s2 * x[c, k])
        square += apart * apart
        most = max(abs(v[i, k] - v[a, k]), abs(v[i, k] - v[b, k]), abs(v[i, k] - v[c, k]))
        fastest += most * most
    return math.sqrt(square) > margin[i] + max(margin[a], margin[b], margin[c]) + time * math.sqrt(fastest)


@kernel
def edges_out_of_reach(x, v, time, margin, reduction, a, b, c, d):
    """Whether two edges are further apart than both can approach in `time`.

    Args: reduction: by how much the sum of both margins is below that of `margin` [m].
    """
    square = 0.0
    fastest = 0.0
    for k in range(3):
        apart = 0.5 * (x[a, k] + x[b, k] - x[c, k] - x[d, k])
        square += apart * apart
        most = max(
            max(abs(v[a, k] - v[c, k]), abs(v[a, k] - v[d, k])), max(abs(v[b, k] - v[c, k]), abs(v[b, k] - v[d, k]))
        )
        fastest += most * most
    around = max(margin[a], margin[b]) + max(margin[c], margin[d]) - reduction + time * math.sqrt(fastest)
    # In most listed pairs even the midpoints are that near.
    if square <= around * around:
        return False
    s, t = nearest_parameters(x, a, b, c, d)
    square = 0.0
    for k in range(3):
        apart = x[a, k] + s * (x[b, k] - x[a, k]) - x[c, k] - t * (x[d, k] - x[c, k])
        square += apart * apart
    return math.sqrt(square) > around


@kernel
def insert(values, first, stop, value):
    """Insert into the ascending range first : stop, so that results do not depend on the layout of the tree."""
    place = stop
    while place > first and values[place - 1] > value:
        values[place] = values[place - 1]
        place -= 1
    values[place] = value
