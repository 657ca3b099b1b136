"""Who may touch whom in the frame to come: particles against the triangles of other bodies.

Every particle may travel its `reach` before the search must be repeated; boxes of triangles are widened by the
reach of their own corners, particles look around by theirs.
"""

from __future__ import annotations

from ..jit import kernel, parallel_kernel, prange


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
def outran(x, x_found, reach):
    """Whether some particle has gone further than its reach."""
    for i in range(x.shape[0]):
        dx = x[i, 0] - x_found[i, 0]
        dy = x[i, 1] - x_found[i, 1]
        dz = x[i, 2] - x_found[i, 2]
        if dx * dx + dy * dy + dz * dz > reach[i] * reach[i]:
            return True
    return False


@parallel_kernel
def find_near(
    x, reach, radius, body, meets, tree_start, first, last, skip, low, high, order, triangles,
    found, found_count, pair_count,
):
    """Triangles near each particle, body after body.

    Args:
        meets: (bodies, bodies) bool; tree_start: (bodies + 1,) ranges of nodes, empty for bodies without triangles.
        found: out (n, room) triangles of each particle; found_count: out (n,) how many there are, also past the room.
        pair_count: out (n, bodies), how many of them belong to each body.
    """
    bodies = meets.shape[0]
    room = found.shape[1]
    for i in prange(x.shape[0]):
        around = reach[i] + radius[i]
        count = 0
        for other in range(bodies):
            before = count
            if meets[body[i], other]:
                node = tree_start[other]
                while node < tree_start[other + 1]:
                    if _apart(x, i, around, low, high, node):
                        node = skip[node]
                        continue
                    for place in range(first[node], last[node]):
                        if _near_triangle(x, i, around, reach, radius, triangles, order[place]):
                            if count < room:
                                found[i, count] = order[place]
                            count += 1
                    node += 1
            pair_count[i, other] = count - before
        found_count[i] = count


@kernel
def list_pairs(found, pair_count, pair_particle, pair_start, near_triangle):
    """Lay the found triangles end to end, a pair of particle and body after the other."""
    pair = 0
    place = 0
    for i in range(found.shape[0]):
        own = 0
        for other in range(pair_count.shape[1]):
            count = pair_count[i, other]
            if count > 0:
                pair_particle[pair] = i
                pair_start[pair] = place
                for k in range(count):
                    near_triangle[place] = found[i, own + k]
                    place += 1
                own += count
                pair += 1
    pair_start[pair] = place


@kernel
def _apart(x, i, around, low, high, node):
    for k in range(3):
        if x[i, k] + around < low[node, k] or x[i, k] - around > high[node, k]:
            return True
    return False


@kernel
def _near_triangle(x, i, around, reach, radius, triangles, t):
    """Whether the box of triangle t, widened by its corners' reach, comes near particle i."""
    a = triangles[t, 0]
    b = triangles[t, 1]
    c = triangles[t, 2]
    wide = around + max(reach[a] + radius[a], reach[b] + radius[b], reach[c] + radius[c])
    for k in range(3):
        if x[i, k] + wide < min(x[a, k], x[b, k], x[c, k]) or x[i, k] - wide > max(x[a, k], x[b, k], x[c, k]):
            return False
    return True
