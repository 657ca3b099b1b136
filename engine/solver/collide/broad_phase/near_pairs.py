"""Candidate pairs of near patches: triangles near particles, and edges near edges."""

from __future__ import annotations

from ....compiler.kernels import kernel, parallel_kernel, prange
from .bends import EVEN, KEEN, ROUND, SOFT
from .boxes import boxes_miss, lanes_met, set_box
from .near.apart import edges_stay_away, insert, joined, keep_edges, keep_faces, may_be_in, sketch_around, stays_away
from .pooled_lists import UNKNOWN
from .search_horizon import NO_LIMIT

# Patches are dealt to this many groups, so that up to as many threads have equal work.
HANDS = 64
# Which rows to search: all, those whose count is UNKNOWN, or what changed since some particles strayed.
ALL, AGAIN, CHANGED = 0, 1, 2


@parallel_kernel
def find_near_faces(asked, most, changes, active, patches, ways, elements, boxes, rows):
    """Triangles near the particles of active patches.

    Args:
        asked: ALL, AGAIN or CHANGED; changes: `near.columns.SearchChanges`, for CHANGED.
        most: entries of a row from which on soft elements are left out, see `search_horizon.Foresight`.
        active: (m,) patches; patches: `RowColumns`, the patches near each.
        ways, elements, boxes: see `near.columns`; rows: `RowColumns` of each particle, in and out.
    """
    is_new, is_dirty, is_turned = changes
    near_patch_start = patches.start
    near_patch_count = patches.count
    near_patch = patches.pool
    x, v, time, wide = ways
    patch_body = elements.patch_body
    is_soft = elements.is_soft
    corner = elements.corner
    patch_of = elements.patch_of
    face_blocks = elements.face_blocks
    face_at = elements.face_at
    particle_start = elements.particle_start
    particle = elements.particle
    is_tied = elements.is_tied
    neighbour_start = elements.neighbour_start
    neighbour = elements.neighbour
    patch_node = boxes.patch_node
    node_box = boxes.node_box
    origin = boxes.origin
    face_box = boxes.face_box
    own_box = boxes.own_box
    start, room, count, near = rows
    rounds = (active.shape[0] + HANDS - 1) // HANDS
    for m in prange(HANDS * rounds):
        # Neighbouring patches cost alike: dealing them out in turn gives all threads equal work.
        card = (m % rounds) * HANDS + m // rounds
        if card >= active.shape[0]:
            continue
        p = active[card]
        limit = most if is_soft[p] else NO_LIMIT
        for own_place in range(particle_start[p], particle_start[p + 1]):
            i = particle[own_place]
            if asked == AGAIN and count[i] != UNKNOWN:
                continue
            whole = asked != CHANGED or is_new[i] or is_turned[p]
            found = 0 if whole else keep_faces(start[i], count[i], near, corner, patch_of, is_new, is_turned)
            set_box(x, v, time, wide, i, i, own_box, p)
            around = sketch_around(i, neighbour_start, neighbour)
            for look in range(near_patch_start[p], near_patch_start[p] + near_patch_count[p]):
                q = near_patch[look]
                if not (whole or is_dirty[q]) or boxes_miss(own_box, p, node_box, patch_node[q]):
                    continue
                own = is_tied or patch_body[q] == patch_body[p]
                for block in range(face_blocks[q], face_blocks[q + 1]):
                    if is_soft[q] and found >= limit:
                        break
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
                        # Most candidates that come this far share an edge with the particle.
                        if own and may_be_in(around, a, b, c) and (
                            joined(i, a, neighbour_start, neighbour) or joined(i, b, neighbour_start, neighbour)
                            or joined(i, c, neighbour_start, neighbour)
                        ):
                            continue
                        if stays_away(x, v, time, wide, i, a, b, c):
                            continue
                        if found < room[i]:
                            insert(near, start[i], start[i] + found, t)
                        found += 1
            count[i] = found


@parallel_kernel
def find_near_edges(asked, most, changes, active, patches, ways, elements, boxes, rows):
    """Edges near the sharp and rounded edges of active patches; of two sharp ones only the lower index lists the pair.

    Args:
        asked: ALL, AGAIN or CHANGED; changes: `near.columns.SearchChanges`, for CHANGED.
        most: entries of a row from which on soft elements are left out, see `search_horizon.Foresight`.
        active: (m,) patches; patches: `RowColumns`, the patches near each.
        ways, elements, boxes: see `near.columns`; rows: `RowColumns` of each edge, in and out.
    """
    is_new, is_dirty, is_turned = changes
    near_patch_start = patches.start
    near_patch_count = patches.count
    near_patch = patches.pool
    x, v, time, wide = ways
    patch_body = elements.patch_body
    is_soft = elements.is_soft
    edge = elements.edge
    patch_of = elements.edge_patch
    bend = elements.bend
    edge_blocks = elements.edge_blocks
    edge_at = elements.edge_at
    edge_start = elements.edge_start
    edge_of = elements.edge_of
    is_tied = elements.is_tied
    neighbour_start = elements.neighbour_start
    neighbour = elements.neighbour
    spare = elements.spare
    patch_node = boxes.patch_node
    node_box = boxes.node_box
    origin = boxes.origin
    edge_box = boxes.edge_box
    own_box = boxes.own_box
    start, room, count, near = rows
    rounds = (active.shape[0] + HANDS - 1) // HANDS
    for m in prange(HANDS * rounds):
        # Neighbouring patches cost alike: dealing them out in turn gives all threads equal work.
        card = (m % rounds) * HANDS + m // rounds
        if card >= active.shape[0]:
            continue
        p = active[card]
        limit = most if is_soft[p] else NO_LIMIT
        for own_place in range(edge_start[p], edge_start[p + 1]):
            e = edge_of[own_place]
            if asked == AGAIN and count[e] != UNKNOWN:
                continue
            a = edge[e, 0]
            b = edge[e, 1]
            whole = asked != CHANGED or is_new[a] or is_new[b] or is_turned[p]
            found = 0 if whole else keep_edges(start[e], count[e], near, edge, patch_of, is_new, is_turned)
            if bend[e] != EVEN:
                is_plain = bend[e] == SOFT
                set_box(x, v, time, wide, a, b, own_box, p)
                around = sketch_around(a, neighbour_start, neighbour) | sketch_around(b, neighbour_start, neighbour)
                for look in range(near_patch_start[p], near_patch_start[p] + near_patch_count[p]):
                    q = near_patch[look]
                    # Soft edges list only soft ones that come after them; edges of a patch are in order.
                    if is_plain and (
                        not is_soft[q] or edge_start[q] == edge_start[q + 1] or edge_of[edge_start[q + 1] - 1] <= e
                    ):
                        continue
                    if not (whole or is_dirty[q]) or boxes_miss(own_box, p, node_box, patch_node[q]):
                        continue
                    own = is_tied or patch_body[q] == patch_body[p]
                    for block in range(edge_blocks[q], edge_blocks[q + 1]):
                        if is_soft[q] and found >= limit:
                            break
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
                            # Each pair once: of a class by number, soft edges by sharp and rounded ones.
                            if (bend[e] == ROUND or f <= e) if bend[f] == bend[e] else (
                                bend[e] != KEEN and bend[f] != SOFT
                            ):
                                continue
                            if own and may_be_in(around, c, d, d) and (
                                joined(a, c, neighbour_start, neighbour) or joined(a, d, neighbour_start, neighbour)
                                or joined(b, c, neighbour_start, neighbour)
                                or joined(b, d, neighbour_start, neighbour)
                            ):
                                continue
                            less = spare[e] + spare[f] if spare[e] > 0.0 and spare[f] > 0.0 else 0.0
                            if edges_stay_away(x, v, time, wide, less, a, b, c, d):
                                continue
                            if found < room[e]:
                                insert(near, start[e], start[e] + found, f)
                            found += 1
            count[e] = found


@kernel
def list_pairs(
    first, near_start, near_count, near, body_of, edge_start, edge_count, near_edge, pair_particle, pair_start,
    pair_stop, edge_pair,
):
    """Pairs of a particle and a body that are near, and of near edges; returns how many of the first.

    Args:
        first: the first particle that collides; near_start, near_count, near: see `pooled_lists.Rows`, of each
            particle; bodies follow one after another.
        body_of: (t,) body of each triangle; edge_start, edge_count, near_edge: the same of each edge.
        pair_particle, pair_start, pair_stop: out, room for as many as there are near; ranges of near.
        edge_pair: out (l, 2), one row for each near pair, ascending by edge.
    """
    pair = 0
    for i in range(first, near_start.shape[0]):
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
