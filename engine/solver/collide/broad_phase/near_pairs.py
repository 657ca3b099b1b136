"""What may touch in near patches: triangles near particles, and edges near edges."""

from __future__ import annotations

import math

import numpy as np

from ....compiler.kernels import kernel, parallel_kernel, prange
from ..narrow_phase.nearest import closest_point, face_normal, nearest_shares
from .boxes import boxes_miss, lanes_met, set_box
from .pooled_lists import UNKNOWN

# Edges meet between corners and faces where one of them is bent by more than this, or is a rim. An edge of length l on
# a round surface rises by angle l / 8 above its corners; what rises less than it keeps apart needs not be asked against
# another such edge. Of 45° that is the tenth of l that corners keep by default: what is bent more is always asked.
SHARP = math.radians(45.0)
# An edge of what does not bend that is bent by less than this is a line in a face, which no straight edge meets before
# its own ends or the ends of the face do. Soft faces are bent before they are looked at again.
FLAT = math.radians(0.3)


# No more threads than this are served evenly.
HANDS = 64
_ONE, _NONE = np.uint64(1), np.uint64(0)
# How an edge is bent.
EVEN, BLUNT, KEEN = 0, 1, 2
# Whose rows are asked for: all, those whose count is UNKNOWN, or what changed since some particles strayed.
ALL, AGAIN, CHANGED = 0, 1, 2


@parallel_kernel
def find_bends(active, edge_start, edge_of, edge_face, x, corner, edge, keep, is_soft, bend):
    """How the edges of active patches are bent: out bend (e,) int8, EVEN, BLUNT or KEEN.

    Args: keep: (e,) what each edge and those that meet it keep [m]; is_soft: (e,) bool, whether it bends.
    """
    for m in prange(active.shape[0]):
        for place in range(edge_start[active[m]], edge_start[active[m] + 1]):
            e = edge_of[place]
            f = edge_face[e, 0]
            g = edge_face[e, 1]
            angle = math.pi
            if f >= 0 and g >= 0:
                fx, fy, fz = face_normal(x, corner[f, 0], corner[f, 1], corner[f, 2])
                gx, gy, gz = face_normal(x, corner[g, 0], corner[g, 1], corner[g, 2])
                angle = math.acos(max(-1.0, min(1.0, fx * gx + fy * gy + fz * gz)))
            square = 0.0
            for k in range(3):
                square += (x[edge[e, 1], k] - x[edge[e, 0], k]) ** 2
            is_sharp = angle >= SHARP or (angle > FLAT and 0.125 * angle * math.sqrt(square) > keep[e])
            if is_sharp:
                bend[e] = KEEN
            else:
                bend[e] = BLUNT if is_soft[e] or angle > FLAT else EVEN


@parallel_kernel
def find_near_faces(
    asked, is_new, is_dirty, is_turned, active, patch_body, near_patch_start, near_patch_count, near_patch, x, v, time,
    wide, corner, patch_of, patch_node, node_box, origin, face_blocks, face_at, face_box, particle_start, particle,
    is_tied, neighbour_start, neighbour, own_box, start, room, count, near,
):
    """Triangles near the particles of active patches.

    Args:
        asked: ALL, AGAIN or CHANGED; then, what changed: is_new: (n,) bool, particles that strayed, is_dirty: (p,)
            bool, patches that have any, is_turned: (p,) bool, of which all counts as new, see `find_turned`.
        active: (m,) patches; near_patch_start ... near_patch: see `rows.Rows`, of each patch.
        patch_of: (t,) patch of each triangle.
        x, v: (n, 3) where particles set out, and how fast; time: how long [s]; wide: (n,) [m].
        node_box, origin, face_box: see `refit_patches`; own_box: (p, 12), to work with.
        is_tied ... neighbour: see `elements.Elements`.
        start ... near: see `rows.Rows`, of each particle: in where to write and how many; out how many there are.
    """
    rounds = (active.shape[0] + HANDS - 1) // HANDS
    for m in prange(HANDS * rounds):
        # Who has much to do lies side by side: dealt out like cards, every thread gets its share of them.
        card = (m % rounds) * HANDS + m // rounds
        if card >= active.shape[0]:
            continue
        p = active[card]
        for own_place in range(particle_start[p], particle_start[p + 1]):
            i = particle[own_place]
            if asked == AGAIN and count[i] != UNKNOWN:
                continue
            whole = asked != CHANGED or is_new[i] or is_turned[p]
            found = 0 if whole else _keep_faces(start[i], count[i], near, corner, patch_of, is_new, is_turned)
            set_box(x, v, time, wide, i, i, own_box, p)
            around = sketch_around(i, neighbour_start, neighbour)
            for look in range(near_patch_start[p], near_patch_start[p] + near_patch_count[p]):
                q = near_patch[look]
                if not (whole or is_dirty[q]) or boxes_miss(own_box, p, node_box, patch_node[q]):
                    continue
                own = is_tied or patch_body[q] == patch_body[p]
                for block in range(face_blocks[q], face_blocks[q + 1]):
                    met = lanes_met(own_box, p, origin, q, face_box, block)
                    lane = -1
                    while met != 0:
                        lane += 1
                        meets = met & 1
                        met >>= 1
                        if meets == 0:
                            continue
                        t = face_at[block, lane]
                        a = corner[t, 0]
                        b = corner[t, 1]
                        c = corner[t, 2]
                        if not (whole or is_turned[q] or is_new[a] or is_new[b] or is_new[c]):
                            continue
                        if a == b or b == c:
                            continue
                        # Most that come so far are joined.
                        if own and may_be_in(around, a, b, c) and (
                            _joined(i, a, neighbour_start, neighbour) or _joined(i, b, neighbour_start, neighbour)
                            or _joined(i, c, neighbour_start, neighbour)
                        ):
                            continue
                        if _stays_away(x, v, time, wide, i, a, b, c):
                            continue
                        if found < room[i]:
                            _insert(near, start[i], start[i] + found, t)
                        found += 1
            count[i] = found


@parallel_kernel
def find_near_edges(
    asked, is_new, is_dirty, is_turned, active, patch_body, near_patch_start, near_patch_count, near_patch, x, v, time,
    wide, edge, patch_of, bend, patch_node, node_box, origin, edge_blocks, edge_at, edge_box, edge_start, edge_of,
    is_tied, neighbour_start, neighbour, own_box, start, room, count, near,
):
    """Edges near the keen edges of active patches; of two keen ones the lower one finds the other.

    Args: as `find_near_faces`, with rows of each edge; bend: see `find_bends`.
    """
    rounds = (active.shape[0] + HANDS - 1) // HANDS
    for m in prange(HANDS * rounds):
        # Who has much to do lies side by side: dealt out like cards, every thread gets its share of them.
        card = (m % rounds) * HANDS + m // rounds
        if card >= active.shape[0]:
            continue
        p = active[card]
        for own_place in range(edge_start[p], edge_start[p + 1]):
            e = edge_of[own_place]
            if asked == AGAIN and count[e] != UNKNOWN:
                continue
            a = edge[e, 0]
            b = edge[e, 1]
            whole = asked != CHANGED or is_new[a] or is_new[b] or is_turned[p]
            found = 0 if whole else _keep_edges(start[e], count[e], near, edge, patch_of, is_new, is_turned)
            if bend[e] == KEEN:
                set_box(x, v, time, wide, a, b, own_box, p)
                around = sketch_around(a, neighbour_start, neighbour) | sketch_around(b, neighbour_start, neighbour)
                for look in range(near_patch_start[p], near_patch_start[p] + near_patch_count[p]):
                    q = near_patch[look]
                    if not (whole or is_dirty[q]) or boxes_miss(own_box, p, node_box, patch_node[q]):
                        continue
                    own = is_tied or patch_body[q] == patch_body[p]
                    for block in range(edge_blocks[q], edge_blocks[q + 1]):
                        met = lanes_met(own_box, p, origin, q, edge_box, block)
                        lane = -1
                        while met != 0:
                            lane += 1
                            meets = met & 1
                            met >>= 1
                            if meets == 0:
                                continue
                            f = edge_at[block, lane]
                            c = edge[f, 0]
                            d = edge[f, 1]
                            if not (whole or is_turned[q] or is_new[c] or is_new[d]):
                                continue
                            if f <= e and bend[f] == KEEN:
                                continue
                            if own and may_be_in(around, c, d, d) and (
                                _joined(a, c, neighbour_start, neighbour) or _joined(a, d, neighbour_start, neighbour)
                                or _joined(b, c, neighbour_start, neighbour)
                                or _joined(b, d, neighbour_start, neighbour)
                            ):
                                continue
                            if _edges_stay_away(x, v, time, wide, a, b, c, d):
                                continue
                            if found < room[e]:
                                _insert(near, start[e], start[e] + found, f)
                            found += 1
            count[e] = found


@kernel
def _keep_faces(first, count, near, corner, patch_of, is_new, is_turned):
    """Leave in a row what did not change; returns how many that are."""
    kept = 0
    for place in range(first, first + count):
        t = near[place]
        if not (is_new[corner[t, 0]] or is_new[corner[t, 1]] or is_new[corner[t, 2]] or is_turned[patch_of[t]]):
            near[first + kept] = t
            kept += 1
    return kept


@kernel
def _keep_edges(first, count, near, edge, patch_of, is_new, is_turned):
    """Leave in a row what did not change; returns how many that are."""
    kept = 0
    for place in range(first, first + count):
        e = near[place]
        if not (is_new[edge[e, 0]] or is_new[edge[e, 1]] or is_turned[patch_of[e]]):
            near[first + kept] = e
            kept += 1
    return kept


@kernel
def sketch_around(i, neighbour_start, neighbour):
    """A particle and its neighbours as a set of 64 bits, each of which stands for many numbers."""
    found = _ONE << np.uint64(i & 63)
    for place in range(neighbour_start[i], neighbour_start[i + 1]):
        found |= _ONE << np.uint64(neighbour[place] & 63)
    return found


@kernel
def may_be_in(around, a, b, c):
    """Whether one of three particles may be in a set; it is not where this says no."""
    asked = (_ONE << np.uint64(a & 63)) | (_ONE << np.uint64(b & 63)) | (_ONE << np.uint64(c & 63))
    return around & asked != _NONE


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
def list_pairs(
    near_start, near_count, near, body_of, edge_start, edge_count, near_edge, pair_particle, pair_start, pair_stop,
    edge_pair,
):
    """Pairs of a particle and a body that are near, and of near edges; returns how many of the first.

    Args:
        near_start, near_count, near: see `rows.Rows`, of each particle; bodies follow one after another.
        body_of: (t,) body of each triangle; edge_start, edge_count, near_edge: see `rows.Rows`, of each edge.
        pair_particle, pair_start, pair_stop: out, room for as many as there are near; ranges of near.
        edge_pair: out (l, 2), as many as there are: edges are met in their own order, wherever in space they are.
    """
    pair = 0
    for i in range(near_start.shape[0]):
        last_body = -1
        for place in range(near_start[i], near_start[i] + near_count[i]):
            other = body_of[near[place]]
            if other != last_body:
                last_body = other
                pair_particle[pair] = i
                pair_start[pair] = place
                pair += 1
            pair_stop[pair - 1] = place + 1
    met = 0
    for e in range(edge_start.shape[0]):
        for place in range(edge_start[e], edge_start[e] + edge_count[e]):
            edge_pair[met, 0] = e
            edge_pair[met, 1] = near_edge[place]
            met += 1
    return pair
