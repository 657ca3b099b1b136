"""Contacts push apart, rub and bounce. One after another, in a fixed order: each sees what the last one did.

With s_k the signed shares of the particles of a contact, a correction d along the unit vector n moves

    x_k += s_k w_k / W n d,   W = sum s_k^2 w_k

which keeps momentum, for shares sum to nought, and angular momentum as far as n joins the two points.

Only what stops an approach is an impulse. Overlap that was there before is undone by moving x and x_prev alike: the
points part, but gain no speed, so that recovery puts nothing into a pile but what it squeezes springs by.
"""

from __future__ import annotations

import math

from ....compiler.kernels import kernel
from .effective_mass_limits import least_weight, pins_in, within_reach, without_lever

# Overlap is undone no faster than this, so that bodies which start inside each other part instead of exploding [m/s].
RECOVERY_SPEED = 1.0

# Who was on the way through is set back so far before the surface, as a share of the gap, or so many metres.
BEFORE = 0.1
LEAST_BEFORE = 1e-6


@kernel
def contact_inv_mass(m, contact, weight, inv_mass):
    """W of a contact, see `least_weight`."""
    whole = 0.0
    most = 0.0
    for e in range(4):
        part = weight[m, e] * inv_mass[contact[m, e]]
        whole += weight[m, e] * part
        most = max(most, abs(part))
    return least_weight(whole, most)


@kernel
def sides_apart(m, contact, weight, normal, values):
    """What the sides of a contact differ by along its normal."""
    found = 0.0
    for e in range(4):
        i = contact[m, e]
        found += weight[m, e] * (
            normal[m, 0] * values[i, 0] + normal[m, 1] * values[i, 1] + normal[m, 2] * values[i, 2]
        )
    return found


@kernel
def _way(m, contact, weight, x, x_prev, k):
    """Component k of how far the sides have moved apart in the substep."""
    # Ways are added up, not places: where the surface stands still, nothing of its coordinates' rounding is left.
    way = 0.0
    for e in range(4):
        i = contact[m, e]
        way += weight[m, e] * (x[i, k] - x_prev[i, k])
    return way


@kernel
def _give(m, contact, weight, normal, inv_mass, total_inv_mass, push, along, x, x_prev):
    """See `within_reach` and `without_lever`."""
    whole = 0.0
    own = 0.0
    for e in range(4):
        i = contact[m, e]
        if inv_mass[i] == 0.0:
            continue
        whole += weight[m, e] * weight[m, e] * inv_mass[i]
        for k in range(3):
            own += weight[m, e] * normal[m, k] * (x[i, k] - x_prev[i, k])
    push = within_reach(push, along, own, total_inv_mass, whole)
    driven, bearing = pins_in(m, contact, weight, normal, inv_mass, x, x_prev)
    return without_lever(push, along, driven, bearing)


@kernel
def shift_sides(m, contact, weight, inv_mass, total_inv_mass, dx, dy, dz, x):
    """Moves the sides of a contact apart by (dx, dy, dz) in all."""
    for e in range(4):
        i = contact[m, e]
        part = weight[m, e] * inv_mass[i] / total_inv_mass
        x[i, 0] += part * dx
        x[i, 1] += part * dy
        x[i, 2] += part * dz


@kernel
def list_touching(slots, found, pair_friction, kind, count, buffer):
    """Append those that touch to a contact buffer behind its first `count`; returns the new count.

    Args:
        slots: (m,) where they are found; found: `narrow_phase.columns.FoundContacts`.
        kind: (n,) of each particle's body; pair_friction: (kinds, kinds).
        buffer: out, `solver.contact_buffer.BufferColumns`.
    """
    contact = buffer.contact
    for slot in slots:
        for e in range(4):
            contact[count, e] = found.contact[slot, e]
            buffer.weight[count, e] = found.weight[slot, e]
        for k in range(3):
            buffer.normal[count, k] = found.normal[slot, k]
        buffer.rest_separation[count] = found.rest_separation[slot]
        buffer.friction[count] = pair_friction[kind[contact[count, 0]], kind[contact[count, 3]]]
        buffer.approach[count] = found.approach[slot]
        buffer.held[count] = 0.0
        count += 1
    return count


@kernel
def solve_contacts(first, count, through, buffer, inv_mass, x0, x_prev, h, x, recovered, went):
    """Separate touching pairs and hold them by Coulomb friction.

    Args:
        first, count: which contacts; through: whether they were on the way through a surface, and are set back before
            it at once; else overlap is undone no faster than RECOVERY_SPEED.
        buffer: `solver.contact_buffer.BufferColumns`; held, energy: in and out.
        x0: (n, 3) where the substep began [m]; x_prev: in and out, follows what is recovery and no impulse.
        recovered: scratch (n, 3), how far recovery moved each particle [m]; all pairs together keep to the speed.
        went: whether particles went from x_prev to x. After inner steps x_prev is but x - h v: what swings within a
            substep never was there, and to be moved so far would bend its springs. An impulse then leaves x alone.
    """
    contact, weight, normal = buffer.contact, buffer.weight, buffer.normal
    rest_separation, held = buffer.rest_separation, buffer.held
    most = RECOVERY_SPEED * h
    # Either the end of a way is moved, or its beginning the other way.
    end = x if went else x_prev
    sign = 1.0 if went else -1.0
    for m in range(first, count):
        for e in range(4):
            for k in range(3):
                recovered[contact[m, e], k] = 0.0
    for m in range(first, count):
        total_inv_mass = contact_inv_mass(m, contact, weight, inv_mass)
        if total_inv_mass <= 0.0:
            continue
        wanted = rest_separation[m]
        if through:
            # No further before it than it was: that would bend springs more than the way through has.
            wanted = max(min(BEFORE * rest_separation[m], sides_apart(m, contact, weight, normal, x0)), LEAST_BEFORE)
        overlap = wanted - sides_apart(m, contact, weight, normal, x)
        if overlap <= 0.0:
            continue
        nx = normal[m, 0]
        ny = normal[m, 1]
        nz = normal[m, 2]
        ux = _way(m, contact, weight, x, x_prev, 0)
        uy = _way(m, contact, weight, x, x_prev, 1)
        uz = _way(m, contact, weight, x, x_prev, 2)
        parted = sides_apart(m, contact, weight, normal, recovered)
        along = nx * ux + ny * uy + nz * uz - parted
        push = max(-along, 0.0) if through else min(overlap, max(-along, 0.0))
        push = _give(m, contact, weight, normal, inv_mass, total_inv_mass, push, along, x, x_prev)
        # What presses back slows recovery: inner steps hold what it squeezes, and each substep would squeeze it more.
        pressed = held[m] / most
        way = most / (1.0 + pressed * pressed)
        held[m] += push
        buffer.energy[0] -= push * (2.0 * along + push) / (2.0 * total_inv_mass * h * h)
        part = max(overlap - (push if went else 0.0), 0.0)
        if not through:
            part = min(part, max(way - max(along, 0.0) - parted, 0.0))
        hold = buffer.friction[m] * push
        push *= sign
        shift_sides(m, contact, weight, inv_mass, total_inv_mass, push * nx, push * ny, push * nz, end)
        shift_sides(m, contact, weight, inv_mass, total_inv_mass, part * nx, part * ny, part * nz, x)
        shift_sides(m, contact, weight, inv_mass, total_inv_mass, part * nx, part * ny, part * nz, recovered)
        tx = ux - (along + parted) * nx
        ty = uy - (along + parted) * ny
        tz = uz - (along + parted) * nz
        slide = math.sqrt(tx * tx + ty * ty + tz * tz)
        if slide > 0.0 and hold > 0.0:
            scale = -sign * min(1.0, hold / slide)
            shift_sides(m, contact, weight, inv_mass, total_inv_mass, scale * tx, scale * ty, scale * tz, end)
    for m in range(first, count):
        for e in range(4):
            i = contact[m, e]
            # Once for each particle.
            for k in range(3):
                x_prev[i, k] += recovered[i, k]
                recovered[i, k] = 0.0


@kernel
def bounce(count, buffer, inv_mass, kind, restitution, slowest, still, v):
    """Part pairs that were kept from coming closer at the share `restitution` (kinds, kinds) of their approach.

    Below `slowest` [m/s] they do not part at all. Springs push each substep anew, contacts push back, and what is
    left of both would else be a speed of its own that shakes resting bodies from substep to substep. Pairs that share
    particles would together give back more than was there; all get no more than the energy taken.

    Args:
        buffer: `solver.contact_buffer.BufferColumns`, the first `count` contacts of it.
        kind: (n,) of each particle's body; still: (n, 3) noughts.
    """
    contact, weight, normal, approach = buffer.contact, buffer.weight, buffer.normal, buffer.approach
    taken = buffer.energy[0]
    for m in range(count):
        if buffer.held[m] <= 0.0:
            continue
        e = restitution[kind[contact[m, 0]], kind[contact[m, 3]]] if approach[m] < -slowest else 0.0
        now = sides_apart(m, contact, weight, normal, v)
        after = -e * approach[m]
        total_inv_mass = contact_inv_mass(m, contact, weight, inv_mass)
        if total_inv_mass <= 0.0:
            continue
        added = (after * after - now * now) / (2.0 * total_inv_mass)
        if added > taken:
            after = math.sqrt(now * now + 2.0 * total_inv_mass * taken)
            added = taken
        taken -= max(added, 0.0)
        driven, bearing = pins_in(m, contact, weight, normal, inv_mass, v, still)
        gain = without_lever(after - now, now - after, (1.0 + e) * driven, bearing)
        shift_sides(
            m, contact, weight, inv_mass, total_inv_mass, gain * normal[m, 0], gain * normal[m, 1], gain * normal[m, 2],
            v
        )
