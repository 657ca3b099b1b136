"""What may touch in near patches: triangles near particles, and edges near edges."""

from __future__ import annotations

import math

from ..jit import kernel, parallel_kernel, prange
from .nearest import closest_point, face_normal, nearest_shares

# Of two edges that meet between corners and faces, one is bent by more than this, or is a rim (cosine).
SHARP = math.cos(math.radians(15.0))
# An edge bent by less than this is a line in a face, which no straight edge meets before its own ends do (cosine).
FLAT = math.cos(math.radians(0.3))


@parallel_kernel
def find_near(
    room, active, patch_body, near_patch_start, near_patch, x, v, time, wide, corner, order, first, last, skip,
    low, high, patch_node, particle_start, particle, edge_start, edge_of, edge, edge_face, neighbour_start, neighbour,
    first_slot, near_start, near, near_count, first_edge_slot, near_edge_start, near_edge, near_edge_count,
):
    """Triangles near the particles, and edges near the sharp edges, of patches that are near others.

    Args:
        room: how many to write of each at most, the others are only counted; active: (m,) patches.
        near_patch_start, near_patch: see `find_near_patches`; x, v: (n, 3) where particles set out, and how fast.
        first_slot, first_edge_slot: (m,) where the particles and the edges of each active patch begin in what follows.
        near_start, near_edge_start: where those of each begin in near and near_edge.
        near, near_edge: out, elements and edges; near_count, near_edge_count: out, how many.
    """
    for m in prange(active.shape[0]):
        p = active[m]
        for place in range(particle_start[p], particle_start[p + 1]):
            slot = first_slot[m] + place - particle_start[p]
            near_count[slot] = _triangles_near(
                room, particle[place], patch_body[p], patch_body, near_patch, near_patch_start[p],
                near_patch_start[p + 1], x, v, time, wide, corner, order, first, last, skip, low, high, patch_node,
                neighbour_start, neighbour, near_start[slot], near,
            )
        for place in range(edge_start[p], edge_start[p + 1]):
            slot = first_edge_slot[m] + place - edge_start[p]
            near_edge_count[slot] = _edges_near(
                room, edge_of[place], patch_body[p], patch_body, near_patch, near_patch_start[p],
                near_patch_start[p + 1], x, v, time, wide, corner, low, high, patch_node, edge_start, edge_of, edge,
                edge_face, neighbour_start, neighbour, near_edge_start[slot], near_edge,
            )


@kernel
def _triangles_near(
    room, i, body, patch_body, near_patch, from_patch, to_patch, x, v, time, wide, corner, order, first, last, skip,
    low, high, patch_node, neighbour_start, neighbour, begin, near,
):
    count = 0
    for look in range(from_patch, to_patch):
        q = near_patch[look]
        own = patch_body[q] == body
        node = patch_node[q]
        stop = skip[node]
        while node < stop:
            if _outside(x, v, time, wide[i], i, low, high, node):
                node = skip[node]
                continue
            for place in range(first[node], last[node]):
                t = order[place]
                a = corner[t, 0]
                b = corner[t, 1]
                c = corner[t, 2]
                if a == b or b == c or _passes_by(x, v, time, wide, i, i, a, b, c):
                    continue
                if _stays_away(x, v, time, wide, i, a, b, c):
                    continue
                if own and (
                    _joined(i, a, neighbour_start, neighbour) or _joined(i, b, neighbour_start, neighbour)
                    or _joined(i, c, neighbour_start, neighbour)
                ):
                    continue
                if count < room:
                    _insert(near, begin, begin + count, t)
                count += 1
            node += 1
    return count


@kernel
def _edges_near(
    room, e, body, patch_body, near_patch, from_patch, to_patch, x, v, time, wide, corner, low, high, patch_node,
    edge_start, edge_of, edge, edge_face, neighbour_start, neighbour, begin, near_edge,
):
    """Of two sharp edges the lower one finds the other."""
    a = edge[e, 0]
    b = edge[e, 1]
    count = 0
    known = False
    for look in range(from_patch, to_patch):
        q = near_patch[look]
        own = patch_body[q] == body
        node = patch_node[q]
        if _edge_outside(x, v, time, wide, a, b, low, high, node):
            continue
        if not known and _bend(e, x, corner, edge_face) >= SHARP:
            return 0
        known = True
        for place in range(edge_start[q], edge_start[q + 1]):
            f = edge_of[place]
            c = edge[f, 0]
            d = edge[f, 1]
            if _passes_by(x, v, time, wide, a, b, c, d, d) or _edges_stay_away(x, v, time, wide, a, b, c, d):
                continue
            if own and (
                _joined(a, c, neighbour_start, neighbour) or _joined(a, d, neighbour_start, neighbour)
                or _joined(b, c, neighbour_start, neighbour) or _joined(b, d, neighbour_start, neighbour)
            ):
                continue
            bend = _bend(f, x, corner, edge_face)
            if bend > FLAT or (f <= e and bend < SHARP):
                continue
            if count < room:
                near_edge[begin + count] = f
            count += 1
    return count


@kernel
def _bend(e, x, corner, edge_face):
    """Cosine of the angle by which the faces beside an edge are bent; -1 for a rim and a loose edge."""
    f = edge_face[e, 0]
    g = edge_face[e, 1]
    if f < 0 or g < 0:
        return -1.0
    fx, fy, fz = face_normal(x, corner[f, 0], corner[f, 1], corner[f, 2])
    gx, gy, gz = face_normal(x, corner[g, 0], corner[g, 1], corner[g, 2])
    return fx * gx + fy * gy + fz * gz


@kernel
def _joined(i, j, neighbour_start, neighbour):
    """Whether two particles are the same or have an edge in common."""
    if i == j:
        return True
    for place in range(neighbour_start[i], neighbour_start[i + 1]):
        if neighbour[place] == j:
            return True
    return False


@kernel
def _outside(x, v, time, around, i, low, high, node):
    """Whether the way of particle i misses a box."""
    for k in range(3):
        end = x[i, k] + time * v[i, k]
        if min(x[i, k], end) - around > high[node, k] or max(x[i, k], end) + around < low[node, k]:
            return True
    return False


@kernel
def _edge_outside(x, v, time, wide, a, b, low, high, node):
    """Whether the way of edge a, b misses a box."""
    around = max(wide[a], wide[b])
    for k in range(3):
        lowest = min(min(x[a, k], x[a, k] + time * v[a, k]), min(x[b, k], x[b, k] + time * v[b, k]))
        highest = max(max(x[a, k], x[a, k] + time * v[a, k]), max(x[b, k], x[b, k] + time * v[b, k]))
        if lowest - around > high[node, k] or highest + around < low[node, k]:
            return True
    return False


@kernel
def _passes_by(x, v, time, wide, i, j, a, b, c):
    """Whether the segment i, j (or point, i = j), seen from the element a, b, c, goes past its box."""
    around = max(wide[i], wide[j]) + max(wide[a], wide[b], wide[c])
    for k in range(3):
        slowest = min(v[i, k], v[j, k]) - max(v[a, k], v[b, k], v[c, k])
        fastest = max(v[i, k], v[j, k]) - min(v[a, k], v[b, k], v[c, k])
        if min(x[i, k], x[j, k]) + min(0.0, time * slowest) - around > max(x[a, k], x[b, k], x[c, k]):
            return True
        if max(x[i, k], x[j, k]) + max(0.0, time * fastest) + around < min(x[a, k], x[b, k], x[c, k]):
            return True
    return False


@kernel
def _stays_away(x, v, time, wide, i, a, b, c):
    """Whether particle i is further from a triangle than both can go towards each other."""
    s0, s1, s2 = closest_point(x[i, 0], x[i, 1], x[i, 2], x, a, b, c)
    square = 0.0
    fastest = 0.0
    for k in range(3):
        apart = x[i, k] - (s0 * x[a, k] + s1 * x[b, k] + s2 * x[c, k])
        square += apart * apart
        most = max(abs(v[i, k] - v[a, k]), abs(v[i, k] - v[b, k]), abs(v[i, k] - v[c, k]))
        fastest += most * most
    return math.sqrt(square) > wide[i] + max(wide[a], wide[b], wide[c]) + time * math.sqrt(fastest)


@kernel
def _edges_stay_away(x, v, time, wide, a, b, c, d):
    """Whether two edges are further apart than both can go towards each other."""
    s, t = nearest_shares(x, a, b, c, d)
    square = 0.0
    fastest = 0.0
    for k in range(3):
        apart = x[a, k] + s * (x[b, k] - x[a, k]) - x[c, k] - t * (x[d, k] - x[c, k])
        square += apart * apart
        most = max(
            max(abs(v[a, k] - v[c, k]), abs(v[a, k] - v[d, k])), max(abs(v[b, k] - v[c, k]), abs(v[b, k] - v[d, k]))
        )
        fastest += most * most
    around = max(wide[a], wide[b]) + max(wide[c], wide[d])
    return math.sqrt(square) > around + time * math.sqrt(fastest)


@kernel
def _insert(values, first, stop, value):
    """Into the ascending range first : stop, so that what is found does not tell how the tree lies in space."""
    place = stop
    while place > first and values[place - 1] > value:
        values[place] = values[place - 1]
        place -= 1
    values[place] = value


@kernel
def split_by_body(
    slot_particle, slot_order, near_start, near_count, near, corner, body, pair_particle, pair_start, pair_stop,
):
    """Pairs of a particle and a body that are near; returns how many.

    Args:
        slot_particle: (slots,); slot_order: (slots,) in which order to go through them.
        near_start, near_count: (slots,) ranges of near, in each of which bodies follow one after another.
        pair_particle, pair_start, pair_stop: out, room for as many as there are near; ranges of near.
    """
    pair = 0
    for slot in slot_order:
        last_body = -1
        for place in range(near_start[slot], near_start[slot] + near_count[slot]):
            other = body[corner[near[place], 0]]
            if other != last_body:
                last_body = other
                pair_particle[pair] = slot_particle[slot]
                pair_start[pair] = place
                pair += 1
            pair_stop[pair - 1] = place + 1
    return pair
