"""Edge against edge: contacts that vertices and faces do not find."""

from __future__ import annotations

from ....compiler.kernels import kernel, part_of_kernel
from .inside import are_tangled, keeps_side
from .nearest import face_normal, nearest_shares
from .place import (
    AROUND,
    ASTRAY,
    FINE_EDGE_REACH,
    FINE_EDGES,
    REACH,
    SHALLOW,
    SURELY,
    between,
    difference,
    note,
    spread_of,
)
from .sweep import across_at, passage


@part_of_kernel
def touch_edges(only_through, notes_close, e, f, box, ways, surfaces, pair, slot, found):
    """Whether edges e and f touch; writes their contact, and whether they are close, see `touch_faces`.

    Args: box: around the motion of the first, see `box_of_edge`; others: see `contacts.find_face_contacts`.
    """
    x0, x, piece, radius, slack = ways.x0, ways.x, ways.piece, ways.radius, ways.slack
    edge, edge_face = surfaces.edge, surfaces.edge_face
    contact, weight = found.contact, found.weight
    lx, ly, lz, hx, hy, hz = box
    a = edge[e, 0]
    b = edge[e, 1]
    c = edge[f, 0]
    d = edge[f, 1]
    own = piece[a] == piece[c]
    are_fine = surfaces.is_fine[e] and surfaces.is_fine[f]
    spread = spread_of(max(slack[a], slack[b]), max(slack[c], slack[d]))
    reach = (FINE_EDGE_REACH if are_fine else REACH) * spread
    share = FINE_EDGES if are_fine else 1.0
    keep = share * (max(radius[a], radius[b]) + max(radius[c], radius[d]))
    apart = _apart(lx, ly, lz, hx, hy, hz, x0, x, c, d)
    if notes_close and apart <= AROUND * keep + ASTRAY * spread:
        found.close[pair] = True
    if apart > (AROUND * keep if only_through else keep + reach):
        return False
    through = False
    s = 0.0
    t = 0.0
    time = 1.0
    came_from = 0.0
    # Edges further apart cannot pass through each other.
    if apart <= AROUND * (keep + spread):
        time, came_from, s, t = passage(only_through, True, x0, x, a, b, c, d)
        through = time <= 1.0
    if through and only_through and not own and ways.body[a] == ways.body[c]:
        u, w = nearest_shares(x, a, b, c, d)
        through = _are_further(SHALLOW * keep, x, a, b, c, d, u, w)
    if not through:
        if only_through:
            return False
        s, t = nearest_shares(x, a, b, c, d)
        loose = edge_face[e, 0] < 0 or edge_face[f, 0] < 0
        if not loose and (s <= 0.0 or s >= 1.0 or t <= 0.0 or t >= 1.0):
            return False
        if _are_further(SURELY * (keep + reach), x, a, b, c, d, s, t):
            return False
    contact[slot, 0] = a
    contact[slot, 1] = b
    contact[slot, 2] = c
    contact[slot, 3] = d
    if through:
        s = max(0.0, min(1.0, s))
        t = max(0.0, min(1.0, t))
    weight[slot, 0] = 1.0 - s
    weight[slot, 1] = s
    weight[slot, 2] = t - 1.0
    weight[slot, 3] = -t
    # A motion that passes through ends on the wrong side; its start gives the right one.
    nx, ny, nz, distance = between(slot, contact, weight, x0 if through else x)
    if distance <= 1e-9 or through:
        # Across both edges where they meet: in the motion of the points that meet, both sides are apart along that.
        ax, ay, az = across_at(x0, x, time if through and distance > 1e-9 else 1.0, a, b, c, d)
        if ax * ax + ay * ay + az * az <= 0.5:
            return False
        side = 1.0 if came_from > 0.0 else -1.0
        if distance <= 1e-9:
            # Edges that start in one place part along the way out of the bodies that their faces enclose.
            out = own or (_leads_out(e, -ax, -ay, -az, x0, surfaces) and _leads_out(f, ax, ay, az, x0, surfaces))
            side = 1.0 if out else -1.0
            # Rounding decides on which side they were: only where they end tells whether they passed.
            dx, dy, dz = difference(slot, contact, weight, x)
            if only_through and side * (ax * dx + ay * dy + az * dz) >= -SHALLOW * keep:
                return False
        nx = side * ax
        ny = side * ay
        nz = side * az
    # What soft bodies pass from outside is kept out, whichever way their faces are turned.
    move = ways.inv_mass[a] + ways.inv_mass[b] > 0.0 and ways.inv_mass[c] + ways.inv_mass[d] > 0.0
    passes = through and move and not are_tangled(ways.body[a], ways.body[c], ways)
    if not own and not passes and distance > 1e-9 and not (
        (keeps_side(e, f, edge, ways) or _leads_out(e, -nx, -ny, -nz, x0 if through else x, surfaces))
        and (keeps_side(f, e, edge, ways) or _leads_out(f, nx, ny, nz, x0 if through else x, surfaces))
    ):
        return False
    note(slot, (nx, ny, nz), ways.body[a] == ways.body[c], share, ways, found)
    if through:
        return True
    return distance < found.rest_separation[slot] + reach


@kernel
def box_of_edge(x0, x, a, b):
    """Box around the motion of an edge [m]: three low coordinates, three high ones."""
    return (
        _least(x0, x, a, b, 0), _least(x0, x, a, b, 1), _least(x0, x, a, b, 2),
        _most(x0, x, a, b, 0), _most(x0, x, a, b, 1), _most(x0, x, a, b, 2),
    )


@kernel
def _least(x0, x, a, b, k):
    return min(min(x0[a, k], x0[b, k]), min(x[a, k], x[b, k]))


@kernel
def _most(x0, x, a, b, k):
    return max(max(x0[a, k], x0[b, k]), max(x[a, k], x[b, k]))


@part_of_kernel
def _apart(lx, ly, lz, hx, hy, hz, x0, x, c, d):
    """Largest gap along an axis between the box of an edge's motion and the box (lx, ..) to (hx, ..) [m]."""
    return max(
        max(lx - _most(x0, x, c, d, 0), _least(x0, x, c, d, 0) - hx),
        max(ly - _most(x0, x, c, d, 1), _least(x0, x, c, d, 1) - hy),
        max(lz - _most(x0, x, c, d, 2), _least(x0, x, c, d, 2) - hz),
    )


@part_of_kernel
def _are_further(far, x, a, b, c, d, s, t):
    """Whether two points of edges are further apart than `far`."""
    square = 0.0
    for k in range(3):
        apart = (1.0 - s) * x[a, k] + s * x[b, k] - (1.0 - t) * x[c, k] - t * x[d, k]
        square += apart * apart
    return square > far * far


@kernel
def _leads_out(e, nx, ny, nz, x, surfaces):
    """Whether a direction from edge e points out of the body that its faces enclose."""
    corner = surfaces.corner
    f = surfaces.edge_face[e, 0]
    g = surfaces.edge_face[e, 1]
    if f < 0 or g < 0 or not surfaces.closed[f]:
        return True
    fx, fy, fz = face_normal(x, corner[f, 0], corner[f, 1], corner[f, 2])
    gx, gy, gz = face_normal(x, corner[g, 0], corner[g, 1], corner[g, 2])
    return nx * (fx + gx) + ny * (fy + gy) + nz * (fz + gz) > 0.0
