"""Contacts among the inner steps: no pair comes closer than its gap, or than it was when the substep began.

Springs that a substep does not resolve swing several times in it. A contact that stops them at its end only has by
then bent them by a whole substep's way, and they give that back as speed from nowhere; here it stops them in the step
in which they meet. The plane of a contact stands still during a substep. With the signed shares s_k of its particles
and d_k what they were moved, n . sum s_k d_k is the way along the normal, and what is missing of `separation`, d, moves

    x_k += s_k w_k / W n d,   W = sum s_k^2 w_k

and rubs by Coulomb's law against what the step moved across. Overlap that was there before is left to
`response.response`.
"""

from __future__ import annotations

from ....compiler.kernels import kernel, parallel_kernel, part_of_kernel, prange
from ...collide.response.effective_mass_limits import least_weight, pins_in, within_reach, without_lever
from ..momentum import GIVEN
from .contact_order import row_of
from .impulses import rubbing, shift_rows
from .one_sided import hold_one


@kernel
def begin_holds(buffer, count, order, x, x_prev, row, spare, steps, contacts):
    """Begin a substep: fills the table of contacts, in the order of `contact_order.sort_holds`.

    Args:
        buffer: `contact_buffer.BufferColumns`, the first `count` contacts of it; order: (m,) which comes where.
        x, x_prev: (n, 3), particles without a row move evenly from x_prev to x.
        row, spare: row of each particle, and the row of those that have none, see `contact_order.row_of`.
        steps: inner steps of the substep.
        contacts: `constraints.columns.ContactColumns`; out: rows, sides, planes, separation, creep; held, 0.
    """
    contact, weight, normal = buffer.contact, buffer.weight, buffer.normal
    rows, sides, planes = contacts.rows, contacts.sides, contacts.planes
    separation, creep, held = contacts.separation, contacts.creep, contacts.held
    for q in range(count):
        m = order[q]
        own = 0
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
def end_holds(count, order, contacts, buffer):
    """Tell the `contact_buffer.BufferColumns` how far each contact was held and what energy that took."""
    for q in range(count):
        buffer.held[order[q]] += contacts.held[q]
    for block in range(contacts.energy.shape[0]):
        buffer.energy[0] += contacts.energy[block]


@part_of_kernel
def _apart(rows, sides, values, m):
    """What the rows of pair m differ by, weighted by their shares."""
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
    whole = 0.0
    most = 0.0
    for e in range(4):
        part = sides[m, e] * float(moved[rows[m, e], 3])
        whole += sides[m, e] * part
        most = max(most, abs(part))
    return least_weight(whole, most)


@part_of_kernel
def _give(rows, sides, planes, moved, began, m, total_inv_mass, push, along):
    """See `response.effective_mass_limits.within_reach` and `without_lever`."""
    whole = 0.0
    own = 0.0
    pinned = False
    for e in range(4):
        r = rows[m, e]
        w = float(moved[r, 3])
        if w == 0.0:
            pinned = pinned or sides[m, e] != 0.0
            continue
        whole += sides[m, e] * sides[m, e] * w
        for k in range(3):
            own += sides[m, e] * planes[m, k] * (float(moved[r, k]) - float(began[r, k]))
    push = within_reach(push, along, own, total_inv_mass, whole)
    if not pinned:
        return push
    driven, bearing = pins_in(m, rows, sides, planes, moved[:, 3], moved, began)
    return without_lever(push, along, driven, bearing)


@parallel_kernel
def hold_apart(rows, contacts, done, left, steps, h):
    """Stop pairs that came too close in an inner step, one after another in each block of rows.

    Args:
        rows: `constraints.columns.MovingRows`; contacts: `constraints.columns.ContactColumns`. Its `own`, `columns`
            and `is_even` are for the twin `vector.contacts.hold_apart`, which takes sixteen at a time.
        done: inner steps since `separation` was measured, with this one; left: until the substep ends, with this one.
        steps: inner steps a substep; h: of one [s].
    """
    start = contacts.start
    for block in prange(start.shape[0] - 2):
        hold_range(start[block], start[block + 1], block, rows, contacts, done, left, steps, h)
    hold_others(rows, contacts, done, left, steps, h)


@kernel
def hold_others(rows, contacts, done, left, steps, h):
    """The pairs whose rows lie in several blocks."""
    start = contacts.start
    blocks = start.shape[0] - 2
    taken = 0.0
    for m in range(start[blocks], start[blocks + 1]):
        taken += _hold_several(m, rows, contacts, done, left, steps, h)
    contacts.energy[blocks] += taken


@kernel
def hold_range(first, stop, block, rows, contacts, done, left, steps, h):
    """The pairs first : stop of the table, whose rows all lie in this block; what they give is kept at hand."""
    sides, impulse = contacts.sides, contacts.impulse
    taken = 0.0
    late = left * h
    own = _given_to(impulse, block)
    for m in range(first, stop):
        if sides[m, 1] == 0.0:
            lost, jx, jy, jz, mx, my, mz = hold_one(m, rows, contacts, done, steps, h)
            taken += lost
            own = (
                own[0] + jx, own[1] + jy, own[2] + jz, own[3] + late * jx, own[4] + late * jy, own[5] + late * jz,
                own[6] + mx, own[7] + my, own[8] + mz,
            )
        else:
            _give_to(impulse, block, own)
            taken += _hold_several(m, rows, contacts, done, left, steps, h)
            own = _given_to(impulse, block)
    _give_to(impulse, block, own)
    contacts.energy[block] += taken


@part_of_kernel
def _given_to(impulse, p):
    return (
        impulse[p, 0], impulse[p, 1], impulse[p, 2], impulse[p, 3], impulse[p, 4], impulse[p, 5], impulse[p, 6],
        impulse[p, 7], impulse[p, 8],
    )


@part_of_kernel
def _give_to(impulse, p, values):
    for k in range(GIVEN):
        impulse[p, k] = values[k]


@part_of_kernel
def _hold_several(m, moving, contacts, done, left, steps, h):
    """Stop pair m if it came too close; returns what that took of its motion [J]."""
    moved, began = moving.moved, moving.began
    rows, sides, planes, creep = contacts.rows, contacts.sides, contacts.planes, contacts.creep
    nx = planes[m, 0]
    ny = planes[m, 1]
    nz = planes[m, 2]
    ux, uy, uz = _apart(rows, sides, moved, m)
    away = nx * (ux + done * creep[m, 0]) + ny * (uy + done * creep[m, 1]) + nz * (uz + done * creep[m, 2])
    depth = -(contacts.separation[m] + away)
    if not depth > 0.0:
        return 0.0
    total_inv_mass = _total_inv_mass(rows, sides, moved, m)
    if not total_inv_mass > 0.0:
        return 0.0
    fx, fy, fz = _apart(rows, sides, began, m)
    ux += creep[m, 0] - fx
    uy += creep[m, 1] - fy
    uz += creep[m, 2] - fz
    along = nx * ux + ny * uy + nz * uz
    # Only what stops an approach: a pair that parts again, but not yet far enough, is left alone.
    push = min(depth, max(-along, 0.0))
    push = _give(rows, sides, planes, moved, began, m, total_inv_mass, push, along)
    if push <= 0.0:
        return 0.0
    contacts.held[m] += push * steps
    taken = _taken(rows, sides, planes, creep, moving.reached, began, m, push, along) / (2.0 * total_inv_mass * h * h)
    ux -= along * nx
    uy -= along * ny
    uz -= along * nz
    friction = rubbing(planes[m, 3] * push, ux * ux + uy * uy + uz * uz)
    way = (push * nx - friction * ux, push * ny - friction * uy, push * nz - friction * uz)
    shift_rows(
        moving.at, began, moved, rows, sides, contacts.row_block, m, total_inv_mass, way, h, left * h, contacts.impulse
    )
    return taken


@part_of_kernel
def _taken(rows, sides, planes, creep, reached, began, m, push, along):
    """What a push takes of the motion `along` [J], times twice the inverse mass by which it goes and h^2.

    Only what stops the speed with which the step began. What springs and air gave in the step they have not lost, for
    the pair has not moved: who is pressed against another would seem to bring energy in each step, which would bounce.
    """
    ux, uy, uz = _apart(rows, sides, reached, m)
    fx, fy, fz = _apart(rows, sides, began, m)
    came = planes[m, 0] * (ux - fx + creep[m, 0])
    came += planes[m, 1] * (uy - fy + creep[m, 1])
    came += planes[m, 2] * (uz - fz + creep[m, 2])
    # Others may have stopped the same particles.
    came = min(max(came, along), 0.0)
    stop = min(push, -came)
    return -stop * (2.0 * came + stop)


@kernel
def spend_room(count, moved, contacts, done):
    """Before rows begin to count from nought again: `separation` has grown by what the pairs have moved apart."""
    rows, sides, planes = contacts.rows, contacts.sides, contacts.planes
    separation, creep = contacts.separation, contacts.creep
    for m in range(count):
        dx, dy, dz = _apart(rows, sides, moved, m)
        separation[m] += planes[m, 0] * (dx + done * creep[m, 0])
        separation[m] += planes[m, 1] * (dy + done * creep[m, 1])
        separation[m] += planes[m, 2] * (dz + done * creep[m, 2])
