"""Rigid bodies in the inner steps of soft bodies: both sides are stopped in the inner step in which they meet.

Contacts of rigid bodies have their own table beside that of `contact.contacts`. It is solved after that table in every
inner step, contact after contact. The separation of a pair follows from the displacements of its rows and bodies, so
nothing is written for the many pairs that are not near. A body follows its predicted motion plus the velocity changes
by impulses. Gravity and water are applied gradually, as for springs; other forces act as an impulse at the start of the
substep. A contact with W of `sides` that violates its separation by d along n applies the impulse

    J = n d / (W h)     to its particles, and to the body at the particles' point

Contacts between rigid bodies, and with kinematic particles, are solved here as well: a soft body carried by a light
crate on the ground needs the support of the ground. But these impulses act only in the inner steps. At the end of the
substep a body keeps the impulses from soft particles, and its other contacts are solved again with all bodies. Each
inner step starts them from its part of the impulses of the last substep, because one sweep alone lets a body sink.
"""

from __future__ import annotations

import math

from .....compiler.kernels import kernel, part_of_kernel
from ....collide.response.effective_mass_limits import least_weight
from ...sides import point_velocity
from .bodies import advance_bodies, apply_step_impulse, end_bodies, sides_response


@part_of_kernel
def _rows_displacement(m, inner, values):
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
def _sides_displacement(m, steps, by_rows, inner, sides, levers, displacement):
    """Relative displacement of the sides in so many inner steps.

    Args: by_rows: the part by their rows [m]; levers: of both sides; displacement: (b, 6) of bodies beyond their
        predicted motion [m, rad].
    """
    creep = inner.creep
    ax, ay, az = point_velocity(m, sides[m, 0], 1.0, levers[0], displacement)
    bx, by, bz = point_velocity(m, sides[m, 1], -1.0, levers[1], displacement)
    return (
        steps * creep[m, 0] + by_rows[0] + (ax + bx), steps * creep[m, 1] + by_rows[1] + (ay + by),
        steps * creep[m, 2] + by_rows[2] + (az + bz),
    )


@part_of_kernel
def _update_levers(m, contacts, inner, began, centre_displacement):
    """Set the levers to the point of the soft particles, from the centres, as both are when an inner step begins."""
    if not contacts.soft[m]:
        return
    by_rows = _rows_displacement(m, inner, began)
    a, b = contacts.sides[m, 0], contacts.sides[m, 1]
    for k in range(3):
        if a >= 0:
            inner.lever_a[m, k] = inner.start_lever_a[m, k] - by_rows[k] - centre_displacement[a, k]
        if b >= 0:
            inner.lever_b[m, k] = inner.start_lever_b[m, k] + by_rows[k] - centre_displacement[b, k]


@kernel
def settle_contacts(g, contacts, inner, moved):
    """Add the displacements of the rows of the contacts of island g to the separations, before their reset to zero."""
    normal, separation = contacts.normal, inner.separation
    for place in range(inner.of_contacts[g], inner.of_contacts[g + 1]):
        m = inner.contact[place]
        dx, dy, dz = _rows_displacement(m, inner, moved)
        separation[m] += normal[m, 0] * dx + normal[m, 1] * dy + normal[m, 2] * dz
        if contacts.soft[m]:
            inner.start_lever_a[m, 0] -= dx
            inner.start_lever_a[m, 1] -= dy
            inner.start_lever_a[m, 2] -= dz
            inner.start_lever_b[m, 0] += dx
            inner.start_lever_b[m, 1] += dy
            inner.start_lever_b[m, 2] += dz


@part_of_kernel
def _warm_start(m, steps, contacts, inner, bodies, rows, row_block, impulse, left, h):
    """Start contact m from its part of the impulses of the last substep."""
    before, normal = contacts.impulse, contacts.normal
    if before[m, 0] > 0.0 and inner.separation[m] < math.inf:
        jx = (before[m, 0] * normal[m, 0] + before[m, 1]) / steps
        jy = (before[m, 0] * normal[m, 1] + before[m, 2]) / steps
        jz = (before[m, 0] * normal[m, 2] + before[m, 3]) / steps
        _update_levers(m, contacts, inner, rows.began, bodies.centre_displacement)
        apply_step_impulse(m, (jx, jy, jz), contacts, inner, bodies, rows, row_block, impulse, left, h)


@part_of_kernel
def _rows_inv_mass(m, inner, moved):
    """Inverse mass of the rows of contact m [1/kg], and the same limited by `least_weight`."""
    full_inv_mass = 0.0
    most = 0.0
    for e in range(4):
        part = inner.parts[m, e] * float(moved[inner.rows[m, e], 3])
        full_inv_mass += inner.parts[m, e] * part
        most = max(most, abs(part))
    return full_inv_mass, least_weight(full_inv_mass, most)


@part_of_kernel
def _friction(m, lam, rows_inv_mass, slide, warm_friction, contacts, inner, bodies, h):
    """Friction impulse that stops a slide, limited by Coulomb friction, with that of the warm start [N s].

    Args: lam: normal impulse [N s]; rows_inv_mass: see `_rows_inv_mass`; slide: relative displacement of the sides in
        this step [m]; warm_friction: friction impulse of the warm start, three numbers [N s].
    """
    nx, ny, nz = contacts.normal[m, 0], contacts.normal[m, 1], contacts.normal[m, 2]
    ux, uy, uz = slide
    along = nx * ux + ny * uy + nz * uz
    ux -= along * nx
    uy -= along * ny
    uz -= along * nz
    square = ux * ux + uy * uy + uz * uz
    impulse_per_slide = 0.0
    # W across, times the square of the slide.
    ax, ay, az = sides_response(m, contacts, inner, bodies, ux, uy, uz)
    across = rows_inv_mass * square + (ux * ax + uy * ay + uz * az)
    if across > 0.0:
        impulse_per_slide = square / (across * h)
    fx, fy, fz = (
        warm_friction[0] - impulse_per_slide * ux, warm_friction[1] - impulse_per_slide * uy,
        warm_friction[2] - impulse_per_slide * uz,
    )
    square = fx * fx + fy * fy + fz * fz
    most = contacts.friction[m] * lam
    if square > most * most:
        part = most / math.sqrt(square)
        fx *= part
        fy *= part
        fz *= part
    return fx, fy, fz


@part_of_kernel
def _solve_contact(m, steps, contacts, inner, bodies, rows, row_block, impulse, left, h):
    """Solve contact m if its sides come too close."""
    if not inner.separation[m] < math.inf:
        return
    before, moved, began = contacts.impulse, rows.moved, rows.began
    nx, ny, nz = contacts.normal[m, 0], contacts.normal[m, 1], contacts.normal[m, 2]
    rows_displacement = _rows_displacement(m, inner, moved)
    ux, uy, uz = _sides_displacement(
        m, steps - left + 1, rows_displacement, inner, contacts.sides, (inner.start_lever_a, inner.start_lever_b),
        bodies.displacement,
    )
    depth = -(inner.separation[m] + nx * ux + ny * uy + nz * uz)
    if not (depth > 0.0 or before[m, 0] > 0.0):
        return
    _update_levers(m, contacts, inner, began, bodies.centre_displacement)
    fx, fy, fz = _rows_displacement(m, inner, began)
    by_rows = rows_displacement[0] - fx, rows_displacement[1] - fy, rows_displacement[2] - fz
    ux, uy, uz = _sides_displacement(
        m, 1, by_rows, inner, contacts.sides, (inner.lever_a, inner.lever_b), bodies.step_displacement
    )
    # Remove no more than the approach, as in `contact.contacts`.
    approach = min(depth, -(nx * ux + ny * uy + nz * uz))
    if not (approach > 0.0 or before[m, 0] > 0.0):
        return
    full_inv_mass, rows_inv_mass = _rows_inv_mass(m, inner, moved)
    ax, ay, az = sides_response(m, contacts, inner, bodies, nx, ny, nz)
    total_inv_mass = rows_inv_mass + nx * ax + ny * ay + nz * az
    if not total_inv_mass > 0.0:
        return
    # The next contact depends on this impulse, but the reciprocal does not depend on the previous contact.
    warm_impulse = before[m, 0] / steps
    lam = max(warm_impulse + approach * (1.0 / (total_inv_mass * h)), 0.0)
    contacts.normal_impulse[m] += lam
    # Slide that remains after the normal impulse.
    gain = lam - warm_impulse
    ux += h * gain * (full_inv_mass * nx + ax)
    uy += h * gain * (full_inv_mass * ny + ay)
    uz += h * gain * (full_inv_mass * nz + az)
    gx, gy, gz = before[m, 1] / steps, before[m, 2] / steps, before[m, 3] / steps
    fx, fy, fz = _friction(m, lam, rows_inv_mass, (ux, uy, uz), (gx, gy, gz), contacts, inner, bodies, h)
    jx, jy, jz = gain * nx + fx - gx, gain * ny + fy - gy, gain * nz + fz - gz
    apply_step_impulse(m, (jx, jy, jz), contacts, inner, bodies, rows, row_block, impulse, left, h)


@kernel
def solve_bodies(g, left, islands, contacts, inner, bodies, rows, row_block, impulse):
    """Run one inner step for the bodies of island g: advance them, and stop pairs that come too close.

    Args:
        left: inner steps until the substep ends, including this one; islands: `constraints.islands.Islands`.
        contacts: `columns.RigidContactColumns`; normal_impulse: in and out.
        inner: `columns.InnerContacts`; bodies: `columns.InnerBodies`; rate, displacement, centre_displacement, gave: in
            and out.
        rows: `constraints.columns.MovingRows`; row_block, impulse: see `tables.rows.Rows`.
    """
    steps = islands.steps[g]
    h = islands.length[g]
    first = inner.of_contacts[g]
    count = inner.of_contacts[g + 1] - first
    advance_bodies(g, h, bodies)
    for place in range(first, first + count):
        _warm_start(inner.contact[place], steps, contacts, inner, bodies, rows, row_block, impulse, left, h)
    for place in range(count):
        m = inner.contact[first + (place if left % 2 == 0 else count - 1 - place)]
        _solve_contact(m, steps, contacts, inner, bodies, rows, row_block, impulse, left, h)
    end_bodies(g, (left - steps) * h, h, bodies)
