"""Contacts in the inner steps: no pair comes closer than its rest separation, or than at the start of the substep.

Stiff springs oscillate several times in a substep. A contact that stopped them only at its end would let them deform by
the displacement of a whole substep, and they would return that as energy from nowhere. Here the contact stops them in
the inner step in which the pair touches. The normal n stays constant during a substep. With the signed weights s_k of
the particles and their displacements d_k, n . sum s_k d_k is the displacement along the normal. A violation d of
`separation` moves

    x_k += s_k w_k / W n d,   W = sum s_k^2 w_k

with Coulomb friction against the tangential displacement of the inner step. Overlap from before the substep is left to
`response.response`.
"""

from __future__ import annotations

from ....compiler.kernels import kernel, parallel_kernel, part_of_kernel, prange
from ...collide.response.effective_mass_limits import least_weight, limit_pin_drive, pins_in, within_reach
from ..momentum import CONTACT_SUMS
from .contact_order import row_of
from .impulses import friction_fraction, shift_rows
from .one_sided import hold_one


@kernel
def begin_contacts(buffer, count, order, x, x_prev, row, spare, islands, contacts):
    """Fill the table of contacts at the start of a substep, in the order of `contact_order.sort_contacts`.

    Args:
        buffer: `contact_buffer.BufferColumns`, the first `count` contacts of it; order: (m,) contact of each row.
        x, x_prev: (n, 3); particles without a row move linearly from x_prev to x.
        row, spare: row of each particle, and the row of particles without one, see `contact_order.row_of`.
        islands: `islands.Islands`; particles without a row move in equal parts in the inner steps of the island.
        contacts: `constraints.columns.ContactColumns`; out: rows, sides, planes, separation, creep; held, 0.
    """
    contact, weight, normal = buffer.contact, buffer.weight, buffer.normal
    rows, sides, planes = contacts.rows, contacts.sides, contacts.planes
    separation, creep, held = contacts.separation, contacts.creep, contacts.held
    for q in range(count):
        m = order[q]
        own = 0
        steps = 1
        for e in range(4):
            r = row_of(contact[m, e], row, spare)
            if r != spare:
                steps = islands.steps[islands.of_block[contacts.row_block[r]]]
        for k in range(3):
            creep[q, k] = 0.0
            planes[q, k] = normal[m, k]
        apart = 0.0
        for e in range(4):
            i = contact[m, e]
            r = row_of(i, row, spare)
            if r != spare and weight[m, e] != 0.0:
                rows[q, own] = r
                sides[q, own] = weight[m, e]
                own += 1
            for k in range(3):
                apart += normal[m, k] * weight[m, e] * x_prev[i, k]
                if r == spare:
                    creep[q, k] += weight[m, e] * (x[i, k] - x_prev[i, k]) / steps
        for e in range(own, 4):
            rows[q, e] = spare
            sides[q, e] = 0.0
        planes[q, 3] = buffer.friction[m]
        separation[q] = max(apart - buffer.rest_separation[m], 0.0)
        held[q] = 0.0


@kernel
def end_contacts(count, order, contacts, buffer):
    """Report to the `contact_buffer.BufferColumns` the accumulated corrections of contacts and the energy removed."""
    for q in range(count):
        buffer.held[order[q]] += contacts.held[q]
    for block in range(contacts.energy.shape[0]):
        buffer.energy[0] += contacts.energy[block]


@part_of_kernel
def _difference(rows, sides, values, m):
    """Weighted difference of the row values between the sides of pair m."""
    dx = 0.0
    dy = 0.0
    dz = 0.0
    for e in range(4):
        part = sides[m, e]
        if part == 0.0:
            break
        r = rows[m, e]
        dx += part * values[r, 0]
        dy += part * values[r, 1]
        dz += part * values[r, 2]
    return dx, dy, dz


@part_of_kernel
def _total_inv_mass(rows, sides, moved, m):
    """W of a pair [1/kg], see `response.effective_mass_limits.least_weight`."""
    inv_mass_sum = 0.0
    most = 0.0
    for e in range(4):
        part = sides[m, e] * float(moved[rows[m, e], 3])
        inv_mass_sum += sides[m, e] * part
        most = max(most, abs(part))
    return least_weight(inv_mass_sum, most)


@part_of_kernel
def _limit_correction(rows, sides, planes, moved, began, m, total_inv_mass, correction, along):
    """Limit a correction, see `response.effective_mass_limits.within_reach` and `limit_pin_drive`."""
    inv_mass_sum = 0.0
    own = 0.0
    pinned = False
    for e in range(4):
        r = rows[m, e]
        w = float(moved[r, 3])
        if w == 0.0:
            pinned = pinned or sides[m, e] != 0.0
            continue
        inv_mass_sum += sides[m, e] * sides[m, e] * w
        for k in range(3):
            own += sides[m, e] * planes[m, k] * (float(moved[r, k]) - float(began[r, k]))
    correction = within_reach(correction, along, own, total_inv_mass, inv_mass_sum)
    if not pinned:
        return correction
    driven, bearing = pins_in(m, rows, sides, planes, moved[:, 3], moved, began)
    return limit_pin_drive(correction, along, driven, bearing)


@parallel_kernel
def hold_apart(rows, contacts, islands, g, done, left, h):
    """Stop pairs of island g that came too close in an inner step, by Gauss-Seidel within each block of rows.

    Args:
        rows: `constraints.columns.MovingRows`; contacts: `constraints.columns.ContactColumns`. Its `own`, `columns`
            and `is_even` are for the twin `vector.contacts.hold_apart`, which takes sixteen pairs at a time.
        islands: `islands.Islands`.
        done: inner steps since `separation` was measured, including this one; left: inner steps until the substep ends,
            including this one; h: length of an inner step [s].
    """
    start = contacts.start
    steps = islands.steps[g]
    own = islands.block
    for place in prange(islands.block_start[g], islands.block_start[g + 1]):
        block = own[place]
        hold_range(start[block], start[block + 1], block, rows, contacts, done, left, steps, h)
    hold_others(rows, contacts, islands, g, done, left, h)


@kernel
def hold_others(rows, contacts, islands, g, done, left, h):
    """The pairs of island g whose rows belong to several blocks."""
    several = islands.of_block.shape[0] + g
    removed = 0.0
    for m in range(contacts.start[several], contacts.start[several + 1]):
        removed += _hold_several(m, rows, contacts, done, left, islands.steps[g], h)
    contacts.energy[several] += removed


@kernel
def hold_range(first, stop, block, rows, contacts, done, left, steps, h):
    """The pairs first : stop of the table, all in this block; their impulses are accumulated in local variables."""
    sides, impulse = contacts.sides, contacts.impulse
    removed = 0.0
    time = left * h
    own = _load_impulse(impulse, block)
    for m in range(first, stop):
        if sides[m, 1] == 0.0:
            lost, jx, jy, jz, mx, my, mz = hold_one(m, rows, contacts, done, steps, h)
            removed += lost
            own = (
                own[0] + jx, own[1] + jy, own[2] + jz, own[3] + time * jx, own[4] + time * jy, own[5] + time * jz,
                own[6] + mx, own[7] + my, own[8] + mz,
                own[9] + time * time * jx, own[10] + time * time * jy, own[11] + time * time * jz,
            )
        else:
            _store_impulse(impulse, block, own)
            removed += _hold_several(m, rows, contacts, done, left, steps, h)
            own = _load_impulse(impulse, block)
    _store_impulse(impulse, block, own)
    contacts.energy[block] += removed


@part_of_kernel
def _load_impulse(impulse, p):
    return (
        impulse[p, 0], impulse[p, 1], impulse[p, 2], impulse[p, 3], impulse[p, 4], impulse[p, 5], impulse[p, 6],
        impulse[p, 7], impulse[p, 8], impulse[p, 9], impulse[p, 10], impulse[p, 11],
    )


@part_of_kernel
def _store_impulse(impulse, p, values):
    for k in range(CONTACT_SUMS):
        impulse[p, k] = values[k]


@part_of_kernel
def _hold_several(m, moving, contacts, done, left, steps, h):
    """Stop pair m if it came too close; returns the kinetic energy removed [J]."""
    moved, began = moving.moved, moving.began
    rows, sides, planes, creep = contacts.rows, contacts.sides, contacts.planes, contacts.creep
    nx = planes[m, 0]
    ny = planes[m, 1]
    nz = planes[m, 2]
    ux, uy, uz = _difference(rows, sides, moved, m)
    away = nx * (ux + done * creep[m, 0]) + ny * (uy + done * creep[m, 1]) + nz * (uz + done * creep[m, 2])
    depth = -(contacts.separation[m] + away)
    if not depth > 0.0:
        return 0.0
    total_inv_mass = _total_inv_mass(rows, sides, moved, m)
    if not total_inv_mass > 0.0:
        return 0.0
    fx, fy, fz = _difference(rows, sides, began, m)
    ux += creep[m, 0] - fx
    uy += creep[m, 1] - fy
    uz += creep[m, 2] - fz
    along = nx * ux + ny * uy + nz * uz
    # Remove no more than the approach: a pair that already separates is left alone, even if still too close.
    correction = min(depth, max(-along, 0.0))
    correction = _limit_correction(rows, sides, planes, moved, began, m, total_inv_mass, correction, along)
    if correction <= 0.0:
        return 0.0
    contacts.held[m] += correction * steps
    removed = _energy_removed(rows, sides, planes, creep, moving.reached, began, m, correction, along) / (
        2.0 * total_inv_mass * h * h
    )
    ux -= along * nx
    uy -= along * ny
    uz -= along * nz
    friction = friction_fraction(planes[m, 3] * correction, ux * ux + uy * uy + uz * uz)
    displacement = (correction * nx - friction * ux, correction * ny - friction * uy, correction * nz - friction * uz)
    shift_rows(
        moving.at, began, moved, rows, sides, contacts.row_block, m, total_inv_mass, displacement, h, left * h,
        contacts.impulse,
    )
    return removed


@part_of_kernel
def _energy_removed(rows, sides, planes, creep, reached, began, m, correction, along):
    """Energy that a correction removes of the motion `along`, times 2 W h^2 [m²].

    Counts only the velocity from the start of the inner step. Removing velocity that springs and air added within the
    step is no loss, because the pair has not moved by it. Otherwise a pair that is pressed together would appear to
    lose energy in every step, which would then return as a bounce.
    """
    ux, uy, uz = _difference(rows, sides, reached, m)
    fx, fy, fz = _difference(rows, sides, began, m)
    approach = planes[m, 0] * (ux - fx + creep[m, 0])
    approach += planes[m, 1] * (uy - fy + creep[m, 1])
    approach += planes[m, 2] * (uz - fz + creep[m, 2])
    # Other contacts may have stopped the same particles already.
    approach = min(max(approach, along), 0.0)
    stop = min(correction, -approach)
    return -stop * (2.0 * approach + stop)


@kernel
def update_separation(moved, contacts, islands, g, done):
    """Add the displacement of the pairs of island g to `separation`, before the rows' displacements are reset to zero.

    Args: done: inner steps since `separation` was measured.
    """
    start = contacts.start
    for place in range(islands.block_start[g], islands.block_start[g + 1]):
        block = islands.block[place]
        _add_displacement(start[block], start[block + 1], moved, contacts, done)
    several = islands.of_block.shape[0] + g
    _add_displacement(start[several], start[several + 1], moved, contacts, done)


@kernel
def _add_displacement(first, stop, moved, contacts, done):
    """As `update_separation`, for the pairs first : stop of the table."""
    rows, sides, planes = contacts.rows, contacts.sides, contacts.planes
    separation, creep = contacts.separation, contacts.creep
    for m in range(first, stop):
        dx, dy, dz = _difference(rows, sides, moved, m)
        separation[m] += planes[m, 0] * (dx + done * creep[m, 0])
        separation[m] += planes[m, 1] * (dy + done * creep[m, 1])
        separation[m] += planes[m, 2] * (dz + done * creep[m, 2])
