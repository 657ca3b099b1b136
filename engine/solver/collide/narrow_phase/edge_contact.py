"""Edge against edge: contacts that vertices and faces do not find."""

from __future__ import annotations

from ....compiler.kernels import kernel, part_of_kernel
from .inside import are_tangled, keeps_side
from .nearest import face_normal, nearest_parameters
from .place import (
    DISPLACED_FRACTION,
    FINE_EDGE_REACH,
    FINE_EDGES,
    PASSAGE_MARGIN,
    REACH,
    ROUNDING_MARGIN,
    SHALLOW,
    between,
    difference,
    spread_of,
    write_separation,
)
from .sweep import across_at, passage


@part_of_kernel
def touch_edges(only_through, notes_close, e, f, box, motion, surfaces, pair, slot, found):
    """Whether edges e and f touch; writes their contact, and whether they are close, see `touch_faces`.

    Args: box: around the motion of edge e, see `box_of_edge`; others: see `contacts.find_face_contacts`.
    """
    x0, x, piece, radius, slack = motion.x0, motion.x, motion.piece, motion.radius, motion.slack
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
    fraction = FINE_EDGES if are_fine else 1.0
    keep = fraction * (max(radius[a], radius[b]) + max(radius[c], radius[d]))
    apart = _box_separation(lx, ly, lz, hx, hy, hz, x0, x, c, d)
    if notes_close and apart <= PASSAGE_MARGIN * keep + DISPLACED_FRACTION * spread:
        found.close[pair] = True
    if apart > (PASSAGE_MARGIN * keep if only_through else keep + reach):
        return False
    through = False
    s = 0.0
    t = 0.0
    time = 1.0
    came_from = 0.0
    # Edges further apart cannot pass through each other.
    if apart <= PASSAGE_MARGIN * (keep + spread):
        time, came_from, s, t = passage(only_through, True, x0, x, a, b, c, d)
        through = time <= 1.0
    if through and only_through and not own and motion.body[a] == motion.body[c]:
        u, w = nearest_parameters(x, a, b, c, d)
        through = _are_further(SHALLOW * keep, x, a, b, c, d, u, w)
    if not through:
        if only_through:
            return False
        s, t = nearest_parameters(x, a, b, c, d)
        loose = edge_face[e, 0] < 0 or edge_face[f, 0] < 0
        if not loose and (s <= 0.0 or s >= 1.0 or t <= 0.0 or t >= 1.0):
            return False
        if _are_further(ROUNDING_MARGIN * (keep + reach), x, a, b, c, d, s, t):
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
    # A motion that passes through ends on the wrong side; the start gives the correct normal.
    nx, ny, nz, distance = between(slot, contact, weight, x0 if through else x)
    if distance <= 1e-9 or through:
        # Perpendicular to both edges at the time of passage: the contact points separate along it before and after.
        ax, ay, az = across_at(x0, x, time if through and distance > 1e-9 else 1.0, a, b, c, d)
        if ax * ax + ay * ay + az * az <= 0.5:
            return False
        side = 1.0 if came_from > 0.0 else -1.0
        if distance <= 1e-9:
            # Edges that start at the same point separate outward from the bodies that their faces enclose.
            out = own or (_leads_out(e, -ax, -ay, -az, x0, surfaces) and _leads_out(f, ax, ay, az, x0, surfaces))
            side = 1.0 if out else -1.0
            # Rounding decides on which side they started: only their end positions show whether they passed.
            dx, dy, dz = difference(slot, contact, weight, x)
            if only_through and side * (ax * dx + ay * dy + az * dz) >= -SHALLOW * keep:
                return False
        nx = side * ax
        ny = side * ay
        nz = side * az
    # Edges of soft bodies that pass from outside are kept out, whatever the orientation of their faces.
    move = motion.inv_mass[a] + motion.inv_mass[b] > 0.0 and motion.inv_mass[c] + motion.inv_mass[d] > 0.0
    passes = through and move and not are_tangled(motion.body[a], motion.body[c], motion)
    if not own and not passes and distance > 1e-9 and not (
        (keeps_side(e, f, edge, motion) or _leads_out(e, -nx, -ny, -nz, x0 if through else x, surfaces))
        and (keeps_side(f, e, edge, motion) or _leads_out(f, nx, ny, nz, x0 if through else x, surfaces))
    ):
        return False
    write_separation(slot, (nx, ny, nz), motion.body[a] == motion.body[c], fraction, motion, found)
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
def _box_separation(lx, ly, lz, hx, hy, hz, x0, x, c, d):
    """Largest separation along an axis of the box of an edge's motion and the box (lx, ..) to (hx, ..) [m]."""
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
