"""Rigid bodies in the inner steps of soft ones: both sides are stopped in the inner step in which they meet.

Contacts of rigid bodies have a table of their own beside that of `contact.contacts`. It is solved after that table in
every inner step, contact after contact. How far apart a pair is follows from how far its rows and bodies have come, so
nothing is written for the many that are not near. A body follows its predicted motion plus what it has gained. Gravity
and water are applied in parts, as for springs; other forces are an impulse at the start of the substep. A contact with
W of `sides` that violates its separation by d along n gives

    J = n d / (W h)     to its particles, and to the body at the particles' point

Contacts between rigid bodies, and with kinematic particles, are solved here as well: a soft body carried by a light
crate on the ground needs the support of the ground. But these impulses serve only the inner steps. At the end of the
substep a body keeps the impulses from soft particles, and its other contacts are solved again with all bodies. Each
inner step starts them from its part of the impulses of the last substep, since one sweep alone leaves a body sinking.
"""

from __future__ import annotations

import math

from .....compiler.kernels import kernel, part_of_kernel
from ....collide.response.effective_mass_limits import least_weight
from ...sides import add_rate
from .bodies import advance_bodies, bodies_way, push, settle_bodies


@part_of_kernel
def _rows_parted(m, inner, values):
    """Difference of the row values between the sides of a contact."""
    rows, parts = inner.rows, inner.parts
    dx = 0.0
    dy = 0.0
    dz = 0.0
    for e in range(4):
        part = parts[m, e]
        if part != 0.0:
            r = rows[m, e]
            dx += part * values[r, 0]
            dy += part * values[r, 1]
            dz += part * values[r, 2]
    return dx, dy, dz


@part_of_kernel
def _parted(m, steps, by_rows, inner, sides, levers, way):
    """Relative displacement of the sides in so many inner steps.

    Args: by_rows: by their rows; levers: of both sides; way: (b, 6) of bodies beyond their predicted motion [m].
    """
    creep = inner.creep
    ax, ay, az = add_rate(m, sides[m, 0], 1.0, levers[0], way)
    bx, by, bz = add_rate(m, sides[m, 1], -1.0, levers[1], way)
    return (
        steps * creep[m, 0] + by_rows[0] + (ax + bx), steps * creep[m, 1] + by_rows[1] + (ay + by),
        steps * creep[m, 2] + by_rows[2] + (az + bz),
    )


@part_of_kernel
def _take_levers(m, contacts, inner, began, went):
    """Set the levers to where the point of the soft particles is as an inner step begins, and the centres are."""
    if not contacts.soft[m]:
        return
    by_rows = _rows_parted(m, inner, began)
    a, b = contacts.sides[m, 0], contacts.sides[m, 1]
    for k in range(3):
        if a >= 0:
            inner.lever_a[m, k] = inner.first_a[m, k] - by_rows[k] - went[a, k]
        if b >= 0:
            inner.lever_b[m, k] = inner.first_b[m, k] + by_rows[k] - went[b, k]


@kernel
def settle_contacts(g, contacts, inner, moved):
    """Note how far the rows of the contacts of island g have moved, before that is reset to zero."""
    normal, separation = contacts.normal, inner.separation
    for place in range(inner.of_contacts[g], inner.of_contacts[g + 1]):
        m = inner.contact[place]
        dx, dy, dz = _rows_parted(m, inner, moved)
        separation[m] += normal[m, 0] * dx + normal[m, 1] * dy + normal[m, 2] * dz
        if contacts.soft[m]:
            inner.first_a[m, 0] -= dx
            inner.first_a[m, 1] -= dy
            inner.first_a[m, 2] -= dz
            inner.first_b[m, 0] += dx
            inner.first_b[m, 1] += dy
            inner.first_b[m, 2] += dz


@part_of_kernel
def _begin(m, steps, contacts, inner, bodies, rows, row_block, impulse, left, h):
    """Start contact m from its part of the impulses of the last substep."""
    before, normal = contacts.impulse, contacts.normal
    if before[m, 0] > 0.0 and inner.separation[m] < math.inf:
        jx = (before[m, 0] * normal[m, 0] + before[m, 1]) / steps
        jy = (before[m, 0] * normal[m, 1] + before[m, 2]) / steps
        jz = (before[m, 0] * normal[m, 2] + before[m, 3]) / steps
        _take_levers(m, contacts, inner, rows.began, bodies.went)
        push(m, (jx, jy, jz), contacts, inner, bodies, rows, row_block, impulse, left, h)


@part_of_kernel
def _rows_inv_mass(m, inner, moved):
    """Inverse mass of the rows of contact m [1/kg], and what `least_weight` makes of it."""
    own = 0.0
    most = 0.0
    for e in range(4):
        part = inner.parts[m, e] * float(moved[inner.rows[m, e], 3])
        own += inner.parts[m, e] * part
        most = max(most, abs(part))
    return own, least_weight(own, most)


@part_of_kernel
def _friction(m, lam, light, parted, begun, contacts, inner, bodies, h):
    """Impulse [N s] that stops a slide as far as friction does, with what the contact has begun with, three numbers.

    Args: lam: normal impulse [N s]; light: see `_rows_inv_mass`; parted: how the sides have parted in this step [m].
    """
    nx, ny, nz = contacts.normal[m, 0], contacts.normal[m, 1], contacts.normal[m, 2]
    ux, uy, uz = parted
    along = nx * ux + ny * uy + nz * uz
    ux -= along * nx
    uy -= along * ny
    uz -= along * nz
    square = ux * ux + uy * uy + uz * uz
    hold = 0.0
    # W across, times the square of the slide.
    ax, ay, az = bodies_way(m, contacts, inner, bodies, ux, uy, uz)
    across = light * square + (ux * ax + uy * ay + uz * az)
    if across > 0.0:
        hold = square / (across * h)
    fx, fy, fz = begun[0] - hold * ux, begun[1] - hold * uy, begun[2] - hold * uz
    square = fx * fx + fy * fy + fz * fz
    most = contacts.friction[m] * lam
    if square > most * most:
        part = most / math.sqrt(square)
        fx *= part
        fy *= part
        fz *= part
    return fx, fy, fz


@part_of_kernel
def _hold(m, steps, contacts, inner, bodies, rows, row_block, impulse, left, h):
    """Stop contact m where its sides come too close."""
    if not inner.separation[m] < math.inf:
        return
    before, moved, began = contacts.impulse, rows.moved, rows.began
    nx, ny, nz = contacts.normal[m, 0], contacts.normal[m, 1], contacts.normal[m, 2]
    now = _rows_parted(m, inner, moved)
    ux, uy, uz = _parted(m, steps - left + 1, now, inner, contacts.sides, (inner.first_a, inner.first_b), bodies.gone)
    depth = -(inner.separation[m] + nx * ux + ny * uy + nz * uz)
    if not (depth > 0.0 or before[m, 0] > 0.0):
        return
    _take_levers(m, contacts, inner, began, bodies.went)
    fx, fy, fz = _rows_parted(m, inner, began)
    by_rows = now[0] - fx, now[1] - fy, now[2] - fz
    ux, uy, uz = _parted(m, 1, by_rows, inner, contacts.sides, (inner.lever_a, inner.lever_b), bodies.way)
    # Remove no more than the approach, as in `contact.contacts`.
    way = min(depth, -(nx * ux + ny * uy + nz * uz))
    if not (way > 0.0 or before[m, 0] > 0.0):
        return
    own, light = _rows_inv_mass(m, inner, moved)
    ax, ay, az = bodies_way(m, contacts, inner, bodies, nx, ny, nz)
    total_inv_mass = light + nx * ax + ny * ay + nz * az
    if not total_inv_mass > 0.0:
        return
    # The next contact waits for this one, and not for the reciprocal.
    given = before[m, 0] / steps
    lam = max(given + way * (1.0 / (total_inv_mass * h)), 0.0)
    contacts.normal_impulse[m] += lam
    # What of the slide the normal impulse leaves.
    gain = lam - given
    ux += h * gain * (own * nx + ax)
    uy += h * gain * (own * ny + ay)
    uz += h * gain * (own * nz + az)
    gx, gy, gz = before[m, 1] / steps, before[m, 2] / steps, before[m, 3] / steps
    fx, fy, fz = _friction(m, lam, light, (ux, uy, uz), (gx, gy, gz), contacts, inner, bodies, h)
    jx, jy, jz = gain * nx + fx - gx, gain * ny + fy - gy, gain * nz + fz - gz
    push(m, (jx, jy, jz), contacts, inner, bodies, rows, row_block, impulse, left, h)


@kernel
def hold_bodies(g, left, islands, contacts, inner, bodies, rows, row_block, impulse):
    """Run one inner step for the bodies of island g: advance them, and stop pairs that come too close.

    Args:
        left: inner steps until the substep ends, including this one; islands: `constraints.islands.Islands`.
        contacts: `columns.RigidContactColumns`; normal_impulse: in and out.
        inner: `columns.InnerContacts`; bodies: `columns.InnerBodies`; rate, gone, went, gave: in and out.
        rows: `constraints.columns.MovingRows`; row_block, impulse: see `tables.rows.Rows`.
    """
    steps = islands.steps[g]
    h = islands.length[g]
    first = inner.of_contacts[g]
    count = inner.of_contacts[g + 1] - first
    advance_bodies(g, h, bodies)
    for place in range(first, first + count):
        _begin(inner.contact[place], steps, contacts, inner, bodies, rows, row_block, impulse, left, h)
    for place in range(count):
        m = inner.contact[first + (place if left % 2 == 0 else count - 1 - place)]
        _hold(m, steps, contacts, inner, bodies, rows, row_block, impulse, left, h)
    settle_bodies(g, (left - steps) * h, h, bodies)
