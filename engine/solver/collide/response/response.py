"""Contact response: separation, friction and restitution, by Gauss-Seidel in a fixed order.

With the signed weights s_k of the particles of a contact, a correction d along the unit normal n moves

    x_k += s_k w_k / W n d,   W = sum s_k^2 w_k

This conserves linear momentum, because weights sum to zero, and angular momentum as far as n joins the two points.

Only the part that stops an approach is an impulse. Overlap from before is removed by moving x and x_prev alike: the
points separate but gain no velocity, so recovery adds no energy to a pile except by compressing springs.
"""

from __future__ import annotations

import math

from ....compiler.kernels import kernel
from .effective_mass_limits import least_weight, limit_pin_drive, pins_in, within_reach
from .reaction import push_body, supporting_body

# Speed limit of overlap recovery: bodies that start inside each other separate instead of exploding [m/s].
RECOVERY_SPEED = 1.0

# A particle that passed through is set back in front of the surface, to at most this fraction of the rest separation
# and at least LEAST_BEFORE [m].
BEFORE = 0.1
LEAST_BEFORE = 1e-6


@kernel
def contact_inv_mass(m, contact, weight, inv_mass):
    """W of a contact [1/kg], see `least_weight`."""
    inv_mass_sum = 0.0
    most = 0.0
    for e in range(4):
        part = weight[m, e] * inv_mass[contact[m, e]]
        inv_mass_sum += weight[m, e] * part
        most = max(most, abs(part))
    return least_weight(inv_mass_sum, most)


@kernel
def sides_apart(m, contact, weight, normal, values):
    """Difference between the sides of a contact along its normal."""
    found = 0.0
    for e in range(4):
        i = contact[m, e]
        found += weight[m, e] * (
            normal[m, 0] * values[i, 0] + normal[m, 1] * values[i, 1] + normal[m, 2] * values[i, 2]
        )
    return found


@kernel
def _relative_displacement(m, contact, weight, x, x_prev, k):
    """Component k of the relative displacement of the sides in the substep [m]."""
    # Sum displacements, not positions: on a static surface no rounding error of its coordinates remains.
    displacement = 0.0
    for e in range(4):
        i = contact[m, e]
        displacement += weight[m, e] * (x[i, k] - x_prev[i, k])
    return displacement


@kernel
def _limit_correction(m, contact, weight, normal, inv_mass, total_inv_mass, correction, along, x, x_prev):
    """Limit a correction, see `within_reach` and `limit_pin_drive`."""
    inv_mass_sum = 0.0
    own = 0.0
    for e in range(4):
        i = contact[m, e]
        if inv_mass[i] == 0.0:
            continue
        inv_mass_sum += weight[m, e] * weight[m, e] * inv_mass[i]
        for k in range(3):
            own += weight[m, e] * normal[m, k] * (x[i, k] - x_prev[i, k])
    correction = within_reach(correction, along, own, total_inv_mass, inv_mass_sum)
    driven, free_fraction = pins_in(m, contact, weight, normal, inv_mass, x, x_prev)
    return limit_pin_drive(correction, along, driven, free_fraction)


@kernel
def shift_sides(m, contact, weight, inv_mass, total_inv_mass, dx, dy, dz, x):
    """Separate the sides of a contact by (dx, dy, dz) in total."""
    for e in range(4):
        i = contact[m, e]
        part = weight[m, e] * inv_mass[i] / total_inv_mass
        x[i, 0] += part * dx
        x[i, 1] += part * dy
        x[i, 2] += part * dz


@kernel
def list_touching(slots, found, pair_friction, kind, count, buffer):
    """Append touching contacts to a contact buffer after its first `count`; returns the new count.

    Args:
        slots: (m,) slots of these contacts; found: `narrow_phase.columns.FoundContacts`.
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
        buffer.held[count] = buffer.beside[count] = 0.0
        count += 1
    return count


@kernel
def longest_displacement(m, contact, weight, inv_mass, total_inv_mass):
    """Largest displacement of a particle of a contact for each metre of overlap that is removed, at least 1.

    Near held vertices a free one moves by up to 1 / SHORTEST_LEVER. That stretches its springs, which return the
    energy as speed.
    """
    most = 1.0
    for e in range(4):
        most = max(most, abs(weight[m, e]) * inv_mass[contact[m, e]] / total_inv_mass)
    return most


@kernel
def solve_contacts(first, count, through, buffer, inv_mass, x0, x_prev, h, x, recovered, moved_linearly):
    """Separate touching pairs and apply Coulomb friction.

    Args:
        first, count: range of contacts; through: whether they passed through a surface, and are set back in front of
            it at once; otherwise overlap is removed at RECOVERY_SPEED at most.
        buffer: `solver.contact_buffer.BufferColumns`; held, energy: in and out.
        x0: (n, 3) at the start of the substep [m]; x_prev: in and out, follows recovery but not impulses.
        recovered: scratch (n, 3), displacement of each particle by recovery [m]; the speed limit applies to the sum.
        moved_linearly: whether particles moved linearly from x_prev to x. After inner steps x_prev is only x - h v:
            particles that oscillate within a substep were never there, and moving x would strain springs. Impulses
            then leave x unchanged.
    """
    contact, weight, normal = buffer.contact, buffer.weight, buffer.normal
    rest_separation, held = buffer.rest_separation, buffer.held
    most = RECOVERY_SPEED * h
    # Move the end positions, or the start positions in the opposite direction.
    end = x if moved_linearly else x_prev
    sign = 1.0 if moved_linearly else -1.0
    for m in range(first, count):
        for e in range(4):
            for k in range(3):
                recovered[contact[m, e], k] = 0.0
    for m in range(first, count):
        total_inv_mass = contact_inv_mass(m, contact, weight, inv_mass)
        if total_inv_mass <= 0.0:
            continue
        target = rest_separation[m]
        if through:
            # Set back no further than the separation before: more would strain springs more than the passage did.
            target = max(min(BEFORE * rest_separation[m], sides_apart(m, contact, weight, normal, x0)), LEAST_BEFORE)
        overlap = target - sides_apart(m, contact, weight, normal, x)
        if overlap <= 0.0:
            continue
        nx = normal[m, 0]
        ny = normal[m, 1]
        nz = normal[m, 2]
        ux = _relative_displacement(m, contact, weight, x, x_prev, 0)
        uy = _relative_displacement(m, contact, weight, x, x_prev, 1)
        uz = _relative_displacement(m, contact, weight, x, x_prev, 2)
        recovery = sides_apart(m, contact, weight, normal, recovered)
        along = nx * ux + ny * uy + nz * uz - recovery
        correction = max(-along, 0.0) if through else min(overlap, max(-along, 0.0))
        correction = _limit_correction(
            m, contact, weight, normal, inv_mass, total_inv_mass, correction, along, x, x_prev
        )
        correction *= total_inv_mass / (total_inv_mass + buffer.beside[m])
        # Resistance slows recovery: inner steps keep what recovery compresses, and each substep would compress it more.
        resistance = held[m] / most
        allowed = most / (1.0 + resistance * resistance)
        held[m] += correction
        buffer.energy[0] -= correction * (2.0 * along + correction) / (2.0 * total_inv_mass * h * h)
        part = max(overlap - (correction if moved_linearly else 0.0), 0.0)
        if not through:
            allowed /= longest_displacement(m, contact, weight, inv_mass, total_inv_mass)
            part = min(part, max(allowed - max(along, 0.0) - recovery, 0.0))
        friction_limit = buffer.friction[m] * correction
        correction *= sign
        shift_sides(
            m, contact, weight, inv_mass, total_inv_mass, correction * nx, correction * ny, correction * nz, end
        )
        shift_sides(m, contact, weight, inv_mass, total_inv_mass, part * nx, part * ny, part * nz, x)
        shift_sides(m, contact, weight, inv_mass, total_inv_mass, part * nx, part * ny, part * nz, recovered)
        tx = ux - (along + recovery) * nx
        ty = uy - (along + recovery) * ny
        tz = uz - (along + recovery) * nz
        slide = math.sqrt(tx * tx + ty * ty + tz * tz)
        if slide > 0.0 and friction_limit > 0.0:
            scale = -sign * min(1.0, friction_limit / slide)
            shift_sides(m, contact, weight, inv_mass, total_inv_mass, scale * tx, scale * ty, scale * tz, end)
    for m in range(first, count):
        for e in range(4):
            i = contact[m, e]
            # Clearing `recovered` applies it once for each particle.
            for k in range(3):
                x_prev[i, k] += recovered[i, k]
                recovered[i, k] = 0.0


@kernel
def bounce(count, buffer, inv_mass, kind, restitution, slowest, still, v, rigid_of, x, gained):
    """Apply restitution (kinds, kinds): pairs that were stopped separate at that fraction of their approach speed.

    Below an approach of `slowest` [m/s] they do not separate at all: springs and contacts act against each other in
    every substep, and the remainder would otherwise shake resting bodies. Pairs that share particles could together
    return more energy than they had; their total is limited to the energy that was removed.

    Args:
        buffer: `solver.contact_buffer.BufferColumns`, the first `count` contacts of it.
        kind: (n,) of each particle's body; still: (n, 3) zeros; v: in and out (n, 3) [m/s].
        rigid_of: (n,) int32, rigid body of each particle, or -1; x: (n, 3) [m].
        gained: in and out, changes of the momenta of rigid bodies, see `reaction.Momenta`.
    """
    contact, weight, normal, approach = buffer.contact, buffer.weight, buffer.normal, buffer.approach
    energy_left = buffer.energy[0]
    for m in range(count):
        if buffer.held[m] <= 0.0:
            continue
        e = restitution[kind[contact[m, 0]], kind[contact[m, 3]]] if approach[m] < -slowest else 0.0
        now = sides_apart(m, contact, weight, normal, v)
        after = -e * approach[m]
        total_inv_mass = contact_inv_mass(m, contact, weight, inv_mass)
        if total_inv_mass <= 0.0:
            continue
        body = supporting_body(m, contact, rigid_of)
        if body >= 0:
            total_inv_mass += buffer.beside[m]
        added = (after * after - now * now) / (2.0 * total_inv_mass)
        if added > energy_left:
            after = math.sqrt(now * now + 2.0 * total_inv_mass * energy_left)
            added = energy_left
        energy_left -= max(added, 0.0)
        driven, free_fraction = pins_in(m, contact, weight, normal, inv_mass, v, still)
        gain = limit_pin_drive(after - now, now - after, (1.0 + e) * driven, free_fraction)
        shift_sides(
            m, contact, weight, inv_mass, total_inv_mass, gain * normal[m, 0], gain * normal[m, 1], gain * normal[m, 2],
            v
        )
        if body >= 0:
            push_body(m, body, contact, weight, normal, rigid_of, gain / total_inv_mass, x, gained)
