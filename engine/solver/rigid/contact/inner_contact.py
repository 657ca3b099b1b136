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

from ....compiler.kernels import kernel, part_of_kernel
from ...collide.response.effective_mass_limits import least_weight
from ...constraints.contact.impulses import shift_rows
from ..sides import add_rate, push_rate, rigid_way

# Columns of a body's impulses from soft particles in a substep: impulse (3), its moment about the centre at the start
# (3), impulse times its delay (3), the same for all contacts (3), for ties alone the moment times its delay (3), and
# impulse times its delay squared (3). A delay is minus the time from the start of the substep.
GAVE = 18


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
def _push(m, gives, contacts, inner, bodies, rows, row_block, impulse, left, h):
    """Apply an impulse (jx, jy, jz) [N s] to both sides: displacements of this step [m], and `bodies.now`."""
    jx, jy, jz = gives
    sides, lever_a, lever_b, light, inverse = contacts.sides, inner.lever_a, inner.lever_b, bodies.light, bodies.inverse
    now, first = bodies.now, 0 if contacts.soft[m] else 6
    shift_rows(
        rows.at, rows.began, rows.moved, inner.rows, inner.parts, row_block, m, 1.0, (h * jx, h * jy, h * jz), h,
        left * h, impulse,
    )
    for side in range(2):
        b = sides[m, side]
        if b < 0:
            continue
        sign = 1.0 if side == 0 else -1.0
        lever = lever_a if side == 0 else lever_b
        push_rate(m, b, sign, lever, light, inverse, h * jx, h * jy, h * jz, bodies.way)
        push_rate(m, b, sign, lever, light, inverse, h * jx, h * jy, h * jz, bodies.gone)
        now[b, first] += sign * jx
        now[b, first + 1] += sign * jy
        now[b, first + 2] += sign * jz
        if not contacts.soft[m]:
            continue
        now[b, 3] += sign * (lever[m, 1] * jz - lever[m, 2] * jy)
        now[b, 4] += sign * (lever[m, 2] * jx - lever[m, 0] * jz)
        now[b, 5] += sign * (lever[m, 0] * jy - lever[m, 1] * jx)


@part_of_kernel
def _note_given(b, late, bodies):
    """Add the impulses of an inner step to the record of body b; late: minus the time since the substep began [s]."""
    now, went, gave = bodies.now, bodies.went, bodies.gave
    for k in range(3):
        j = now[b, k]
        gave[b, k] += j
        gave[b, 3 + k] += now[b, 3 + k]
        gave[b, 6 + k] += late * j
        gave[b, 9 + k] += late * (j + now[b, 6 + k])
        gave[b, 15 + k] += late * late * j
    gave[b, 3] += went[b, 1] * now[b, 2] - went[b, 2] * now[b, 1]
    gave[b, 4] += went[b, 2] * now[b, 0] - went[b, 0] * now[b, 2]
    gave[b, 5] += went[b, 0] * now[b, 1] - went[b, 1] * now[b, 0]


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
    normal, sides = contacts.normal, contacts.sides
    parts, separation, lever_a, lever_b = inner.parts, inner.separation, inner.lever_a, inner.lever_b
    firsts, levers = (inner.first_a, inner.first_b), (lever_a, lever_b)
    moved, began, inverse, velocity = rows.moved, rows.began, bodies.inverse, bodies.velocity
    kick, rate, way, gone, went = bodies.kick, bodies.rate, bodies.way, bodies.gone, bodies.went
    before = contacts.impulse
    for place in range(bodies.of_bodies[g], bodies.of_bodies[g + 1]):
        b = bodies.body[place]
        for k in range(6):
            rate[b, k] += kick[b, k]
            way[b, k] = h * rate[b, k]
            gone[b, k] += way[b, k]
        for k in range(9):
            bodies.now[b, k] = 0.0
    for place in range(first, first + count):
        m = inner.contact[place]
        if before[m, 0] > 0.0 and separation[m] < math.inf:
            jx = (before[m, 0] * normal[m, 0] + before[m, 1]) / steps
            jy = (before[m, 0] * normal[m, 1] + before[m, 2]) / steps
            jz = (before[m, 0] * normal[m, 2] + before[m, 3]) / steps
            _take_levers(m, contacts, inner, began, went)
            _push(m, (jx, jy, jz), contacts, inner, bodies, rows, row_block, impulse, left, h)
    for place in range(count):
        m = inner.contact[first + (place if left % 2 == 0 else count - 1 - place)]
        if not separation[m] < math.inf:
            continue
        nx = normal[m, 0]
        ny = normal[m, 1]
        nz = normal[m, 2]
        now = _rows_parted(m, inner, moved)
        ux, uy, uz = _parted(m, steps - left + 1, now, inner, sides, firsts, gone)
        depth = -(separation[m] + nx * ux + ny * uy + nz * uz)
        if not (depth > 0.0 or before[m, 0] > 0.0):
            continue
        _take_levers(m, contacts, inner, began, went)
        fx, fy, fz = _rows_parted(m, inner, began)
        ux, uy, uz = _parted(m, 1, (now[0] - fx, now[1] - fy, now[2] - fz), inner, sides, levers, way)
        along = nx * ux + ny * uy + nz * uz
        # Remove no more than the approach, as in `contact.contacts`.
        push = min(depth, -along)
        if not (push > 0.0 or before[m, 0] > 0.0):
            continue
        own = 0.0
        most = 0.0
        for e in range(4):
            part = parts[m, e] * float(moved[inner.rows[m, e], 3])
            own += parts[m, e] * part
            most = max(most, abs(part))
        light = least_weight(own, most)
        ax, ay, az = rigid_way(m, sides[m, 0], lever_a, bodies.light, inverse, nx, ny, nz)
        bx, by, bz = rigid_way(m, sides[m, 1], lever_b, bodies.light, inverse, nx, ny, nz)
        ax += bx
        ay += by
        az += bz
        total_inv_mass = light + nx * ax + ny * ay + nz * az
        if not total_inv_mass > 0.0:
            continue
        # The next contact waits for this one, and not for the reciprocal.
        given = before[m, 0] / steps
        lam = max(given + push * (1.0 / (total_inv_mass * h)), 0.0)
        contacts.normal_impulse[m] += lam
        # What of the slide the normal impulse leaves.
        gain = lam - given
        ux += h * gain * (own * nx + ax)
        uy += h * gain * (own * ny + ay)
        uz += h * gain * (own * nz + az)
        along = nx * ux + ny * uy + nz * uz
        ux -= along * nx
        uy -= along * ny
        uz -= along * nz
        square = ux * ux + uy * uy + uz * uz
        hold = 0.0
        # W across, times the square of the slide.
        ax, ay, az = rigid_way(m, sides[m, 0], lever_a, bodies.light, inverse, ux, uy, uz)
        bx, by, bz = rigid_way(m, sides[m, 1], lever_b, bodies.light, inverse, ux, uy, uz)
        across = light * square + (ux * (ax + bx) + uy * (ay + by) + uz * (az + bz))
        if across > 0.0:
            hold = square / (across * h)
        gx, gy, gz = before[m, 1] / steps, before[m, 2] / steps, before[m, 3] / steps
        fx, fy, fz = gx - hold * ux, gy - hold * uy, gz - hold * uz
        square = fx * fx + fy * fy + fz * fz
        most = contacts.friction[m] * lam
        if square > most * most:
            part = most / math.sqrt(square)
            fx *= part
            fy *= part
            fz *= part
        jx, jy, jz = gain * nx + fx - gx, gain * ny + fy - gy, gain * nz + fz - gz
        _push(m, (jx, jy, jz), contacts, inner, bodies, rows, row_block, impulse, left, h)
    for place in range(bodies.of_bodies[g], bodies.of_bodies[g + 1]):
        b = bodies.body[place]
        _note_given(b, (left - steps) * h, bodies)
        for k in range(3):
            went[b, k] += h * velocity[b, k] + way[b, k]
        for k in range(6):
            rate[b, k] = way[b, k] / h
