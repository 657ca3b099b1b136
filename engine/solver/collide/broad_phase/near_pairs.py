"""Candidate pairs of near patches: triangles near particles, and edges near edges."""

from __future__ import annotations

from ....compiler.kernels import kernel, parallel_kernel, prange
from .bends import FLAT_EDGE, ROUND_EDGE, SHARP_EDGE, SOFT_EDGE
from .boxes import boxes_miss, overlapping_lanes, set_box
from .near.apart import (
    bloom_around,
    edges_out_of_reach,
    insert,
    is_out_of_reach,
    joined,
    keep_edges,
    keep_faces,
    may_be_in,
)
from .pooled_lists import UNKNOWN
from .search_horizon import NO_LIMIT

# Patches are distributed over this many groups, so that up to as many threads have equal work.
GROUPS = 64
# Which rows to search: all, those whose count is UNKNOWN, or those changed since some particles deviated.
ALL, AGAIN, CHANGED = 0, 1, 2


@parallel_kernel
def find_near_faces(mode, most, changes, active, patches, prediction, elements, boxes, rows):
    """Triangles near the particles of active patches.

    Args:
        mode: ALL, AGAIN or CHANGED; changes: `near.columns.SearchChanges`, for CHANGED.
        most: number of entries of a row beyond which soft elements are left out, see `search_horizon.SearchHorizon`.
        active: (m,) patches; patches: `RowColumns`, the patches near each.
        prediction, elements, boxes: see `near.columns`; rows: `RowColumns` of each particle, in and out.
    """
    is_new, is_dirty, flatness_changed = changes
    near_patch_start = patches.start
    near_patch_count = patches.count
    near_patch = patches.pool
    x, v, time, margin = prediction
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
    start, capacity, count, near = rows
    rounds = (active.shape[0] + GROUPS - 1) // GROUPS
    for m in prange(GROUPS * rounds):
        # Neighbouring patches cost alike: distributing them in turn gives all threads equal work.
        task = (m % rounds) * GROUPS + m // rounds
        if task >= active.shape[0]:
            continue
        p = active[task]
        limit = most if is_soft[p] else NO_LIMIT
        for own_place in range(particle_start[p], particle_start[p + 1]):
            i = particle[own_place]
            if mode == AGAIN and count[i] != UNKNOWN:
                continue
            is_searched_anew = mode != CHANGED or is_new[i] or flatness_changed[p]
            found = 0 if is_searched_anew else keep_faces(
                start[i], count[i], near, corner, patch_of, is_new, flatness_changed
            )
            set_box(x, v, time, margin, i, i, own_box, p)
            around = bloom_around(i, neighbour_start, neighbour)
            for near_place in range(near_patch_start[p], near_patch_start[p] + near_patch_count[p]):
                q = near_patch[near_place]
                if not (is_searched_anew or is_dirty[q]) or boxes_miss(own_box, p, node_box, patch_node[q]):
                    continue
                own = is_tied or patch_body[q] == patch_body[p]
                for block in range(face_blocks[q], face_blocks[q + 1]):
                    if is_soft[q] and found >= limit:
                        break
                    mask = overlapping_lanes(own_box, p, origin, q, face_box, block)
                    lane = -1
                    while mask != 0:
                        lane += 1
                        meets = mask & 1
                        mask >>= 1
                        if meets == 0:
                            continue
                        t = face_at[block, lane]
                        a = corner[t, 0]
                        b = corner[t, 1]
                        c = corner[t, 2]
                        if not (is_searched_anew or flatness_changed[q] or is_new[a] or is_new[b] or is_new[c]):
                            continue
                        if a == b or b == c:
                            continue
                        # Most candidates that reach this test share an edge with the particle.
                        if own and may_be_in(around, a, b, c) and (
                            joined(i, a, neighbour_start, neighbour) or joined(i, b, neighbour_start, neighbour)
                            or joined(i, c, neighbour_start, neighbour)
                        ):
                            continue
                        if is_out_of_reach(x, v, time, margin, i, a, b, c):
                            continue
                        if found < capacity[i]:
                            insert(near, start[i], start[i] + found, t)
                        found += 1
            count[i] = found


@parallel_kernel
def find_near_edges(mode, most, changes, active, patches, prediction, elements, boxes, rows):
    """Edges near the soft, sharp and rounded edges of active patches; within a class the lower index lists the pair.

    Args:
        mode: ALL, AGAIN or CHANGED; changes: `near.columns.SearchChanges`, for CHANGED.
        most: number of entries of a row beyond which soft elements are left out, see `search_horizon.SearchHorizon`.
        active: (m,) patches; patches: `RowColumns`, the patches near each.
        prediction, elements, boxes: see `near.columns`; rows: `RowColumns` of each edge, in and out.
    """
    is_new, is_dirty, flatness_changed = changes
    near_patch_start = patches.start
    near_patch_count = patches.count
    near_patch = patches.pool
    x, v, time, margin = prediction
    patch_body = elements.patch_body
    is_soft = elements.is_soft
    edge = elements.edge
    patch_of = elements.edge_patch
    edge_class = elements.edge_class
    edge_blocks = elements.edge_blocks
    edge_at = elements.edge_at
    edge_start = elements.edge_start
    edge_of = elements.edge_of
    is_tied = elements.is_tied
    neighbour_start = elements.neighbour_start
    neighbour = elements.neighbour
    margin_reduction = elements.margin_reduction
    patch_node = boxes.patch_node
    node_box = boxes.node_box
    origin = boxes.origin
    edge_box = boxes.edge_box
    own_box = boxes.own_box
    start, capacity, count, near = rows
    rounds = (active.shape[0] + GROUPS - 1) // GROUPS
    for m in prange(GROUPS * rounds):
        # Neighbouring patches cost alike: distributing them in turn gives all threads equal work.
        task = (m % rounds) * GROUPS + m // rounds
        if task >= active.shape[0]:
            continue
        p = active[task]
        limit = most if is_soft[p] else NO_LIMIT
        for own_place in range(edge_start[p], edge_start[p + 1]):
            e = edge_of[own_place]
            if mode == AGAIN and count[e] != UNKNOWN:
                continue
            a = edge[e, 0]
            b = edge[e, 1]
            is_searched_anew = mode != CHANGED or is_new[a] or is_new[b] or flatness_changed[p]
            found = 0 if is_searched_anew else keep_edges(
                start[e], count[e], near, edge, patch_of, is_new, flatness_changed
            )
            if edge_class[e] != FLAT_EDGE:
                is_soft_edge = edge_class[e] == SOFT_EDGE
                set_box(x, v, time, margin, a, b, own_box, p)
                around = bloom_around(a, neighbour_start, neighbour) | bloom_around(b, neighbour_start, neighbour)
                for near_place in range(near_patch_start[p], near_patch_start[p] + near_patch_count[p]):
                    q = near_patch[near_place]
                    # Soft edges list only soft ones of higher index; edges of a patch are ascending.
                    if is_soft_edge and (
                        not is_soft[q] or edge_start[q] == edge_start[q + 1] or edge_of[edge_start[q + 1] - 1] <= e
                    ):
                        continue
                    if not (is_searched_anew or is_dirty[q]) or boxes_miss(own_box, p, node_box, patch_node[q]):
                        continue
                    own = is_tied or patch_body[q] == patch_body[p]
                    for block in range(edge_blocks[q], edge_blocks[q + 1]):
                        if is_soft[q] and found >= limit:
                            break
                        mask = overlapping_lanes(own_box, p, origin, q, edge_box, block)
                        lane = -1
                        while mask != 0:
                            lane += 1
                            meets = mask & 1
                            mask >>= 1
                            if meets == 0:
                                continue
                            f = edge_at[block, lane]
                            c = edge[f, 0]
                            d = edge[f, 1]
                            if not (is_searched_anew or flatness_changed[q] or is_new[c] or is_new[d]):
                                continue
                            # Each pair once: within a class by index; soft edges are listed by sharp and rounded ones.
                            if (edge_class[e] == ROUND_EDGE or f <= e) if edge_class[f] == edge_class[e] else (
                                edge_class[e] != SHARP_EDGE and edge_class[f] != SOFT_EDGE
                            ):
                                continue
                            if own and may_be_in(around, c, d, d) and (
                                joined(a, c, neighbour_start, neighbour) or joined(a, d, neighbour_start, neighbour)
                                or joined(b, c, neighbour_start, neighbour)
                                or joined(b, d, neighbour_start, neighbour)
                            ):
                                continue
                            reduction = (
                                margin_reduction[e] + margin_reduction[f]
                                if margin_reduction[e] > 0.0 and margin_reduction[f] > 0.0 else 0.0
                            )
                            if edges_out_of_reach(x, v, time, margin, reduction, a, b, c, d):
                                continue
                            if found < capacity[e]:
                                insert(near, start[e], start[e] + found, f)
                            found += 1
            count[e] = found


@kernel
def list_pairs(
    first, near_start, near_count, near, body_of, edge_start, edge_count, near_edge, pair_particle, pair_start,
    pair_stop, edge_pair,
):
    """List pairs of a particle and a near body, and pairs of near edges; returns the number of the former.

    Args:
        first: the first particle that collides; near_start, near_count, near: see `pooled_lists.Rows`, triangles of
            each particle, grouped by body.
        body_of: (t,) body of each triangle; edge_start, edge_count, near_edge: rows of each edge.
        pair_particle, pair_start, pair_stop: out, with capacity for all entries of near; ranges of near.
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
    listed = 0
    for e in range(edge_start.shape[0]):
        for place in range(edge_start[e], edge_start[e] + edge_count[e]):
            edge_pair[listed, 0] = e
            edge_pair[listed, 1] = near_edge[place]
            listed += 1
    return pair
