"""Finds the axis of largest separation, least penetration or last entry of two convex bodies (separating axis test).

Two convex bodies are disjoint exactly if a face normal of one of them separates them, or the cross product of an edge
of each. Only cross products of edges whose arcs cross on the sphere of normals are relevant (Gregorius 2013). Fast
bodies move in a straight line within a substep: each axis then has an interval in which the bodies overlap along it,
and they meet along the axis whose interval begins last (Ericson 2005, 5.5.8).
"""

from __future__ import annotations

import math

from ....compiler.kernels import kernel

# An edge axis must be better than a face axis by this fraction of the distance to keep: faces give four contact points.
FACES_FIRST = 0.25
# Edges whose squared sine of the angle between them is smaller are parallel and have no cross product.
PARALLEL = 1e-6
# Pairs of edge directions are tested first if there are at least so many pairs of edges for each of them, and if the
# pairs of directions fit the bits of one integer.
EDGE_PAIRS_PER_TEST, MOST_DIRECTION_PAIRS = 4, 62
# Kinds of axes.
NO_AXIS, FACE_OF_A, FACE_OF_B, EDGES = 0, 1, 2, 3


@kernel
def _consider_axis(kind, one, other, n, apart, m, keep, fast, handicap, card, axis):
    """Take an axis into account; returns False if it separates the bodies during the whole motion.

    Args: n: the axis, three numbers; apart: separation of B from A along it at the end [m]; m: displacement of B
        relative to A [m]; keep: distance that counts as touching [m]; handicap: subtracted from the separation where
        axes are compared [m].
        axis: in and out, row `card`: separation, fraction of the motion at entry, at exit, n, kind, one, other.
    """
    nx, ny, nz = n
    mx, my, mz = m
    if not fast:
        if apart > keep:
            return False
        if apart - handicap > axis[card, 0]:
            axis[card, 0] = apart - handicap
            axis[card, 3] = nx
            axis[card, 4] = ny
            axis[card, 5] = nz
            axis[card, 6] = kind
            axis[card, 7] = one
            axis[card, 8] = other
        return True
    before = apart - (nx * mx + ny * my + nz * mz)
    if apart > keep and before > keep:
        return False
    if apart > keep:
        axis[card, 2] = min(axis[card, 2], (before - keep) / (before - apart))
        return True
    # Bodies that overlap from the start take the axis of least penetration.
    enters = (before - keep) / (before - apart) if before > keep else 0.0
    if enters > axis[card, 1] or (enters == axis[card, 1] and before - handicap > axis[card, 0]):
        axis[card, 0] = before - handicap
        axis[card, 1] = enters
        axis[card, 3] = nx
        axis[card, 4] = ny
        axis[card, 5] = nz
        axis[card, 6] = kind
        axis[card, 7] = one
        axis[card, 8] = other
    return True


@kernel
def _candidate_directions(a, b, shapes, keep, handicap, card, axis):
    """Direction pairs whose axis may be better than the best known one, as bits; -1 if one separates the bodies.

    Along a cross product of two edges, the corners bound the separation for all edges of these two directions.

    Args: shapes: see `find_axis`; handicap: see `_consider_axis`.
    """
    shape = shapes.shape
    first_corner = shapes.first_corner
    at = shapes.at
    edge = shapes.edge
    direction_start = shapes.direction_start
    direction_edge = shapes.direction_edge
    s = shape[a]
    t = shape[b]
    direction_count = direction_start[t + 1] - direction_start[t]
    found = 0
    for i in range(direction_start[s + 1] - direction_start[s]):
        e = direction_edge[direction_start[s] + i]
        ux, uy, uz = _vector_between(at, first_corner[a] + edge[e, 0], first_corner[a] + edge[e, 1])
        uu = ux * ux + uy * uy + uz * uz
        for j in range(direction_count):
            f = direction_edge[direction_start[t] + j]
            wx, wy, wz = _vector_between(at, first_corner[b] + edge[f, 0], first_corner[b] + edge[f, 1])
            nx = uy * wz - uz * wy
            ny = uz * wx - ux * wz
            nz = ux * wy - uy * wx
            size = nx * nx + ny * ny + nz * nz
            if size <= PARALLEL * uu * (wx * wx + wy * wy + wz * wz):
                continue
            low_a, high_a = _ends_along(nx, ny, nz, a, shapes)
            low_b, high_b = _ends_along(nx, ny, nz, b, shapes)
            apart = max(low_b - high_a, low_a - high_b) / math.sqrt(size)
            if apart > keep:
                return -1
            if apart - handicap > axis[card, 0]:
                found |= 1 << (i * direction_count + j)
    return found


@kernel
def _vector_between(at, p, q):
    """Vector from corner p to corner q."""
    return at[q, 0] - at[p, 0], at[q, 1] - at[p, 1], at[q, 2] - at[p, 2]


@kernel
def _ends_along(nx, ny, nz, body, shapes):
    """Minimum and maximum of n . v over the corners of a body."""
    at, extent = shapes.at, shapes.extent
    if shapes.is_box[body]:
        middle = nx * extent[body, 0] + ny * extent[body, 1] + nz * extent[body, 2]
        half = abs(nx * extent[body, 3] + ny * extent[body, 4] + nz * extent[body, 5])
        half += abs(nx * extent[body, 6] + ny * extent[body, 7] + nz * extent[body, 8])
        half += abs(nx * extent[body, 9] + ny * extent[body, 10] + nz * extent[body, 11])
        return middle - half, middle + half
    least = math.inf
    most = -math.inf
    for k in range(shapes.first_corner[body], shapes.first_corner[body + 1]):
        along = nx * at[k, 0] + ny * at[k, 1] + nz * at[k, 2]
        least = min(least, along)
        most = max(most, along)
    return least, most


@kernel
def is_separated_by_face(face, a, b, shapes, m, keep, fast):
    """Whether the face that separated two bodies in an earlier test separates them again.

    Args: face: number of the face plus one, negative for a face of B, 0 for none; all others: see `find_axis`.
    """
    if face == 0:
        return False
    one = a if face > 0 else b
    other = b if face > 0 else a
    f = abs(face) - 1
    first_corner = shapes.first_corner
    at = shapes.at
    normal = shapes.normal
    at_face = first_corner[one] + shapes.loop[shapes.loop_start[shapes.face_start[shapes.shape[one]] + f]]
    nx = normal[shapes.first_normal[one] + f, 0]
    ny = normal[shapes.first_normal[one] + f, 1]
    nz = normal[shapes.first_normal[one] + f, 2]
    plane = nx * at[at_face, 0] + ny * at[at_face, 1] + nz * at[at_face, 2]
    least, _most = _ends_along(nx, ny, nz, other, shapes)
    apart = least - plane
    travel = nx * m[0] + ny * m[1] + nz * m[2]
    return apart > keep and (not fast or apart - (travel if face > 0 else -travel) > keep)


@kernel
def find_axis(a, b, shapes, centre, m, keep, handicap, fast, card, scratch):
    """Find the contact axis of two bodies; False if an axis separates them.

    Args:
        a, b: bodies; shapes: `columns.HullShapes`; centre: (b, 3) [m].
        m: displacement of B relative to A in the substep, three numbers [m]; keep: contact distance [m].
        handicap: by how much edge axes must be better than face axes [m].
        fast: whether the bodies may tunnel, or overlap past their middles, in a substep.
        card: row of the scratch; scratch: `columns.HullScratch`, out: `axis`, see `_consider_axis`; n points from A to
            B. Where a face separates the bodies, column 7 is the face as `is_separated_by_face` takes it, else 0.
    """
    shape = shapes.shape
    first_corner = shapes.first_corner
    first_normal = shapes.first_normal
    at = shapes.at
    normal = shapes.normal
    face_start = shapes.face_start
    loop_start = shapes.loop_start
    loop = shapes.loop
    edge_start = shapes.edge_start
    edge = shapes.edge
    edge_face = shapes.edge_face
    edge_direction = shapes.edge_direction
    direction_start = shapes.direction_start
    across = scratch.across
    axis = scratch.axis
    axis[card, 0] = -math.inf
    axis[card, 1] = 0.0
    axis[card, 2] = math.inf
    axis[card, 6] = NO_AXIS
    axis[card, 7] = 0.0
    for side_index in range(2):
        one = a if side_index == 0 else b
        other = b if side_index == 0 else a
        side = 1.0 if side_index == 0 else -1.0
        s = shape[one]
        for f in range(face_start[s + 1] - face_start[s]):
            at_face = first_corner[one] + loop[loop_start[face_start[s] + f]]
            nx = normal[first_normal[one] + f, 0]
            ny = normal[first_normal[one] + f, 1]
            nz = normal[first_normal[one] + f, 2]
            plane = nx * at[at_face, 0] + ny * at[at_face, 1] + nz * at[at_face, 2]
            least, _most = _ends_along(nx, ny, nz, other, shapes)
            apart = least - plane
            if not _consider_axis(
                FACE_OF_A + side_index, f, 0, (side * nx, side * ny, side * nz), apart, m, keep, fast, 0.0, card, axis
            ):
                axis[card, 7] = side * (f + 1)
                return False
    s = shape[a]
    t = shape[b]
    direction_count = direction_start[t + 1] - direction_start[t]
    pairs = direction_count * (direction_start[s + 1] - direction_start[s])
    edges = (edge_start[s + 1] - edge_start[s]) * (edge_start[t + 1] - edge_start[t])
    # Fast bodies may meet along any axis.
    chosen = not fast and pairs <= MOST_DIRECTION_PAIRS and EDGE_PAIRS_PER_TEST * pairs <= edges
    found = 0
    if chosen:
        found = _candidate_directions(a, b, shapes, keep, handicap, card, axis)
        if found < 0:
            axis[card, 7] = 0.0
            return False
        if found == 0:
            return axis[card, 6] != NO_AXIS
    for e in range(edge_start[s], edge_start[s + 1]):
        row = found >> (edge_direction[e] * direction_count) if chosen else 0
        if chosen and row & ((1 << direction_count) - 1) == 0:
            continue
        p = first_corner[a] + edge[e, 0]
        ux, uy, uz = _vector_between(at, p, first_corner[a] + edge[e, 1])
        uu = ux * ux + uy * uy + uz * uz
        n1 = first_normal[a] + edge_face[e, 0]
        n2 = first_normal[a] + edge_face[e, 1]
        # Projection of the edge on each normal of B, shared by the edges of a face.
        for f in range(face_start[t + 1] - face_start[t]):
            k = first_normal[b] + f
            across[card, f] = normal[k, 0] * ux + normal[k, 1] * uy + normal[k, 2] * uz
        for f in range(edge_start[t], edge_start[t + 1]):
            if chosen and (row >> edge_direction[f]) & 1 == 0:
                continue
            one = -across[card, edge_face[f, 0]]
            two = -across[card, edge_face[f, 1]]
            if one * two >= 0.0:
                continue
            q = first_corner[b] + edge[f, 0]
            wx, wy, wz = _vector_between(at, q, first_corner[b] + edge[f, 1])
            three = normal[n1, 0] * wx + normal[n1, 1] * wy + normal[n1, 2] * wz
            four = normal[n2, 0] * wx + normal[n2, 1] * wy + normal[n2, 2] * wz
            if three * four >= 0.0 or one * four <= 0.0:
                continue
            nx = uy * wz - uz * wy
            ny = uz * wx - ux * wz
            nz = ux * wy - uy * wx
            size = nx * nx + ny * ny + nz * nz
            if size <= PARALLEL * uu * (wx * wx + wy * wy + wz * wz):
                continue
            out = nx * (at[p, 0] - centre[a, 0]) + ny * (at[p, 1] - centre[a, 1]) + nz * (at[p, 2] - centre[a, 2])
            scale = (1.0 if out > 0.0 else -1.0) / math.sqrt(size)
            nx *= scale
            ny *= scale
            nz *= scale
            dx, dy, dz = _vector_between(at, p, q)
            apart = nx * dx + ny * dy + nz * dz
            if not _consider_axis(EDGES, e, f, (nx, ny, nz), apart, m, keep, fast, handicap, card, axis):
                axis[card, 7] = 0.0
                return False
    if axis[card, 6] == EDGES:
        axis[card, 0] += handicap
    return axis[card, 6] != NO_AXIS and axis[card, 1] < axis[card, 2]
