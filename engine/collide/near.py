"""What may touch in near patches: triangles near particles, and edges near edges."""

from __future__ import annotations

import math

from ..jit import kernel, parallel_kernel, prange
from .nearest import closest_point, face_normal, nearest_shares

# Of two edges that meet between corners and faces, one is bent by more than this, or is a rim (cosine). An edge l on a
# round surface rises angle l / 8 above its corners: two of 30° less than the fifth of l that corners keep by default.
SHARP = math.cos(math.radians(30.0))
# An edge bent by less than this is a line in a face, which no straight edge meets before its own ends do (cosine).
FLAT = math.cos(math.radians(0.3))


# How an edge is bent.
EVEN, BLUNT, KEEN = 0, 1, 2


@parallel_kernel
def find_bends(active, edge_start, edge_of, edge_face, x, corner, bend):
    """How the edges of active patches are bent: out bend (e,) int8, EVEN, BLUNT or KEEN."""
    for m in prange(active.shape[0]):
        for place in range(edge_start[active[m]], edge_start[active[m] + 1]):
            e = edge_of[place]
            f = edge_face[e, 0]
            g = edge_face[e, 1]
            along = -1.0
            if f >= 0 and g >= 0:
                fx, fy, fz = face_normal(x, corner[f, 0], corner[f, 1], corner[f, 2])
                gx, gy, gz = face_normal(x, corner[g, 0], corner[g, 1], corner[g, 2])
                along = fx * gx + fy * gy + fz * gz
            bend[e] = EVEN if along > FLAT else (BLUNT if along > SHARP else KEEN)


@parallel_kernel
def find_near(
    active, patch_body, near_patch_start, near_patch, x, v, time, wide, corner, order, first, last, skip, low, high,
    patch_node, particle_start, particle, edge_start, edge_first, edge_last, edge_of, edge, bend, neighbour_start,
    neighbour, near_start, near_room, near_count, near, near_edge_start, near_edge_room, near_edge_count, near_edge,
):
    """Triangles near the particles, and edges near the keen edges, of active patches.

    Args:
        active: (m,) patches; near_patch_start, near_patch: see `find_near_patches`.
        x, v: (n, 3) where particles set out, and how fast.
        near_start ... near, near_edge_start ... near_edge: see `rows.Rows`, of each particle and of each edge: in where
            to write and how many; out how many there are, and which.
    """
    for m in prange(active.shape[0]):
        _triangles_near(
            active[m], patch_body, near_patch_start, near_patch, x, v, time, wide, corner, order, first, last, skip,
            low, high, patch_node, particle_start, particle, neighbour_start, neighbour, near_start, near_room,
            near_count, near,
        )
        _edges_near(
            active[m], patch_body, near_patch_start, near_patch, x, v, time, wide, skip, low, high, patch_node,
            edge_start, edge_first, edge_last, edge_of, edge, bend, neighbour_start, neighbour, near_edge_start,
            near_edge_room, near_edge_count, near_edge,
        )


@kernel
def _triangles_near(
    p, patch_body, near_patch_start, near_patch, x, v, time, wide, corner, order, first, last, skip, low, high,
    patch_node, particle_start, particle, neighbour_start, neighbour, near_start, near_room, near_count, near,
):
    """Of a whole patch, for a call with so many arrays takes longer than to look at a particle."""
    for own_place in range(particle_start[p], particle_start[p + 1]):
        i = particle[own_place]
        begin = near_start[i]
        room = near_room[i]
        count = 0
        lx, ly, lz, hx, hy, hz = _way_box(x, v, time, wide, i, i)
        for look in range(near_patch_start[p], near_patch_start[p + 1]):
            q = near_patch[look]
            own = patch_body[q] == patch_body[p]
            node = patch_node[q]
            stop = skip[node]
            while node < stop:
                if _misses(lx, ly, lz, hx, hy, hz, low, high, node):
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
        near_count[i] = count


@kernel
def _edges_near(
    p, patch_body, near_patch_start, near_patch, x, v, time, wide, skip, low, high, patch_node, edge_start, edge_first,
    edge_last, edge_of, edge, bend, neighbour_start, neighbour, near_edge_start, near_edge_room, near_edge_count,
    near_edge,
):
    """Keen edges find what is near them; of two the lower one finds the other."""
    for own_place in range(edge_start[p], edge_start[p + 1]):
        e = edge_of[own_place]
        begin = near_edge_start[e]
        room = near_edge_room[e]
        count = 0
        if bend[e] == KEEN:
            a = edge[e, 0]
            b = edge[e, 1]
            lx, ly, lz, hx, hy, hz = _way_box(x, v, time, wide, a, b)
            for look in range(near_patch_start[p], near_patch_start[p + 1]):
                q = near_patch[look]
                own = patch_body[q] == patch_body[p]
                node = patch_node[q]
                stop = skip[node]
                while node < stop:
                    if _misses(lx, ly, lz, hx, hy, hz, low, high, node):
                        node = skip[node]
                        continue
                    for place in range(edge_first[node], edge_last[node]):
                        f = edge_of[place]
                        if bend[f] == EVEN or (f <= e and bend[f] == KEEN):
                            continue
                        c = edge[f, 0]
                        d = edge[f, 1]
                        if _passes_by(x, v, time, wide, a, b, c, d, d):
                            continue
                        if _edges_stay_away(x, v, time, wide, a, b, c, d):
                            continue
                        if own and (
                            _joined(a, c, neighbour_start, neighbour) or _joined(a, d, neighbour_start, neighbour)
                            or _joined(b, c, neighbour_start, neighbour) or _joined(b, d, neighbour_start, neighbour)
                        ):
                            continue
                        if count < room:
                            _insert(near_edge, begin, begin + count, f)
                        count += 1
                    node += 1
        near_edge_count[e] = count


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
def _way_box(x, v, time, wide, a, b):
    """Lowest and highest corner of the box around the way of segment a, b (or particle, a = b)."""
    around = max(wide[a], wide[b])
    lx, hx = _span(x[a, 0], time * v[a, 0], x[b, 0], time * v[b, 0])
    ly, hy = _span(x[a, 1], time * v[a, 1], x[b, 1], time * v[b, 1])
    lz, hz = _span(x[a, 2], time * v[a, 2], x[b, 2], time * v[b, 2])
    return lx - around, ly - around, lz - around, hx + around, hy + around, hz + around


@kernel
def _span(one, way, other, other_way):
    """Least and most of two numbers that change by their ways."""
    return (
        min(one + min(way, 0.0), other + min(other_way, 0.0)), max(one + max(way, 0.0), other + max(other_way, 0.0))
    )


@kernel
def _misses(lx, ly, lz, hx, hy, hz, low, high, node):
    """Whether a box does not meet that of a node."""
    return (
        lx > high[node, 0] or hx < low[node, 0] or ly > high[node, 1] or hy < low[node, 1]
        or lz > high[node, 2] or hz < low[node, 2]
    )


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
def list_pairs(near_start, near_count, near, corner, body, pair_particle, pair_start, pair_stop):
    """Pairs of a particle and a body that are near; returns how many.

    Args:
        near_start, near_count, near: see `rows.Rows`, of each particle; bodies follow one after another.
        pair_particle, pair_start, pair_stop: out, room for as many as there are near; ranges of near.
    """
    pair = 0
    for i in range(near_start.shape[0]):
        last_body = -1
        for place in range(near_start[i], near_start[i] + near_count[i]):
            other = body[corner[near[place], 0]]
            if other != last_body:
                last_body = other
                pair_particle[pair] = i
                pair_start[pair] = place
                pair += 1
            pair_stop[pair - 1] = place + 1
    return pair
