"""Contacts push apart, rub and bounce. One after another, in a fixed order: each sees what the last one did.

With s_k the barycentric shares of the point touched, a correction d along the unit vector n moves

    x_i += w_i / W n d,   x_k -= s_k w_k / W n d,   W = w_i + sum s_k^2 w_k

which keeps momentum, and angular momentum as far as n joins the two points.

Only what stops an approach is an impulse. Overlap that was there before is undone by moving x and x_prev alike: the
points part, but gain no speed, so that recovery puts nothing into a pile but what it squeezes springs by.
"""

from __future__ import annotations

import math

from ..jit import kernel

# Overlap is undone no faster than this, so that bodies which start inside each other part instead of exploding [m/s].
RECOVERY_SPEED = 1.0


# Held corners leave a contact near them to a free one far off, which a long lever would throw away; no lever is longer.
SHORTEST_LEVER = 0.1


@kernel
def pair_weight(w, wa, wb, wc, s0, s1, s2):
    """W of a pair [1/kg], or as much as gives no corner more than 1 / SHORTEST_LEVER of a correction."""
    wa = s0 * wa
    wb = s1 * wb
    wc = s2 * wc
    return max(w + s0 * wa + s1 * wb + s2 * wc, SHORTEST_LEVER * max(wa, wb, wc))


@kernel
def _weight(m, particle, corner, share, inv_mass):
    return pair_weight(
        inv_mass[particle[m]], inv_mass[corner[m, 0]], inv_mass[corner[m, 1]], inv_mass[corner[m, 2]],
        share[m, 0], share[m, 1], share[m, 2],
    )


@kernel
def _apart(m, particle, corner, share, values, k):
    """Component k of what the sides of a pair differ by."""
    return (
        values[particle[m], k] - share[m, 0] * values[corner[m, 0], k] - share[m, 1] * values[corner[m, 1], k]
        - share[m, 2] * values[corner[m, 2], k]
    )


@kernel
def _shift(m, particle, corner, share, inv_mass, weight, dx, dy, dz, x):
    """Moves the particle and the point it touches apart by (dx, dy, dz) in all."""
    i = particle[m]
    part = inv_mass[i] / weight
    x[i, 0] += part * dx
    x[i, 1] += part * dy
    x[i, 2] += part * dz
    for e in range(3):
        c = corner[m, e]
        part = share[m, e] * inv_mass[c] / weight
        x[c, 0] -= part * dx
        x[c, 1] -= part * dy
        x[c, 2] -= part * dz


@kernel
def list_touching(
    touching, pair_particle, pair_corner, pair_share, pair_normal, pair_gap, pair_approach, pair_friction, body,
    particle, corner, share, normal, gap, friction, approach, held, energy,
):
    """The touching ones of all pairs side by side, see `holds.Holds`; returns how many.

    Args: pair_friction: (bodies, bodies).
    """
    count = 0
    energy[0] = 0.0
    for pair in range(touching.shape[0]):
        if not touching[pair]:
            continue
        particle[count] = pair_particle[pair]
        for k in range(3):
            corner[count, k] = pair_corner[pair, k]
            share[count, k] = pair_share[pair, k]
            normal[count, k] = pair_normal[pair, k]
        gap[count] = pair_gap[pair]
        friction[count] = pair_friction[body[particle[count]], body[corner[count, 0]]]
        approach[count] = pair_approach[pair]
        held[count] = 0.0
        count += 1
    return count


@kernel
def solve_contacts(
    count, particle, corner, share, normal, gap, friction, held, energy, inv_mass, x_prev, h, x, recovered, went,
):
    """Separate touching pairs and hold them by Coulomb friction.

    Args:
        count ... energy: see `holds.Holds`; held, energy: in and out.
        x_prev: in and out, follows what is recovery and no impulse.
        recovered: scratch (n, 3), how far recovery moved each particle [m]; all pairs together keep to the speed.
        went: whether particles went from x_prev to x. After inner steps x_prev is but x - h v: what swings within a
            substep never was there, and to be moved so far would bend its springs. An impulse then leaves x alone.
    """
    most = RECOVERY_SPEED * h
    # Either the end of a way is moved, or its beginning the other way.
    end = x if went else x_prev
    sign = 1.0 if went else -1.0
    for m in range(count):
        for k in range(3):
            recovered[particle[m], k] = 0.0
            for e in range(3):
                recovered[corner[m, e], k] = 0.0
    for m in range(count):
        weight = _weight(m, particle, corner, share, inv_mass)
        if weight <= 0.0:
            continue
        nx = normal[m, 0]
        ny = normal[m, 1]
        nz = normal[m, 2]
        overlap = gap[m] - (
            nx * _apart(m, particle, corner, share, x, 0) + ny * _apart(m, particle, corner, share, x, 1)
            + nz * _apart(m, particle, corner, share, x, 2)
        )
        if overlap <= 0.0:
            continue
        # Ways are subtracted, not places: where the surface stands still, nothing of its coordinates' rounding is left.
        ux = _way(m, particle, corner, share, x, x_prev, 0)
        uy = _way(m, particle, corner, share, x, x_prev, 1)
        uz = _way(m, particle, corner, share, x, x_prev, 2)
        parted = (
            nx * _apart(m, particle, corner, share, recovered, 0)
            + ny * _apart(m, particle, corner, share, recovered, 1)
            + nz * _apart(m, particle, corner, share, recovered, 2)
        )
        along = nx * ux + ny * uy + nz * uz - parted
        push = min(overlap, max(-along, 0.0))
        # What presses back slows recovery: inner steps hold what it squeezes, and each substep would squeeze it more.
        pressed = held[m] / most
        way = most / (1.0 + pressed * pressed)
        held[m] += push
        energy[0] -= push * (2.0 * along + push) / (2.0 * weight * h * h)
        part = min(overlap - (push if went else 0.0), max(way - max(along, 0.0) - parted, 0.0))
        hold = friction[m] * push
        push *= sign
        _shift(m, particle, corner, share, inv_mass, weight, push * nx, push * ny, push * nz, end)
        _shift(m, particle, corner, share, inv_mass, weight, part * nx, part * ny, part * nz, x)
        _shift(m, particle, corner, share, inv_mass, weight, part * nx, part * ny, part * nz, recovered)
        tx = ux - (along + parted) * nx
        ty = uy - (along + parted) * ny
        tz = uz - (along + parted) * nz
        slide = math.sqrt(tx * tx + ty * ty + tz * tz)
        if slide > 0.0 and hold > 0.0:
            scale = -sign * min(1.0, hold / slide)
            _shift(m, particle, corner, share, inv_mass, weight, scale * tx, scale * ty, scale * tz, end)
    for m in range(count):
        _follow(particle[m], recovered, x_prev)
        for e in range(3):
            _follow(corner[m, e], recovered, x_prev)


@kernel
def _way(m, particle, corner, share, x, x_prev, k):
    """Component k of how far the sides of a pair have moved apart in the substep."""
    i = particle[m]
    way = x[i, k] - x_prev[i, k]
    for e in range(3):
        c = corner[m, e]
        way -= share[m, e] * (x[c, k] - x_prev[c, k])
    return way


@kernel
def _follow(i, recovered, x_prev):
    """x_prev += recovered, once for each particle."""
    for k in range(3):
        x_prev[i, k] += recovered[i, k]
        recovered[i, k] = 0.0


@kernel
def bounce(
    count, particle, corner, share, normal, approach, held, energy, inv_mass, body, restitution, slowest, v,
):
    """Part pairs that were kept from coming closer at the share `restitution` (bodies, bodies) of their approach.

    Below `slowest` [m/s] they do not part at all. Springs push each substep anew, contacts push back, and what is
    left of both would else be a speed of its own that shakes resting bodies from substep to substep. Pairs that share
    particles would together give back more than was there; all get no more than the energy taken.

    Args:
        count ... energy: see `holds.Holds`.
    """
    taken = energy[0]
    for m in range(count):
        if held[m] <= 0.0:
            continue
        e = restitution[body[particle[m]], body[corner[m, 0]]] if approach[m] < -slowest else 0.0
        nx = normal[m, 0]
        ny = normal[m, 1]
        nz = normal[m, 2]
        now = (
            nx * _apart(m, particle, corner, share, v, 0) + ny * _apart(m, particle, corner, share, v, 1)
            + nz * _apart(m, particle, corner, share, v, 2)
        )
        after = -e * approach[m]
        weight = _weight(m, particle, corner, share, inv_mass)
        if weight <= 0.0:
            continue
        added = (after * after - now * now) / (2.0 * weight)
        if added > taken:
            after = math.sqrt(now * now + 2.0 * weight * taken)
            added = taken
        taken -= max(added, 0.0)
        gain = after - now
        _shift(m, particle, corner, share, inv_mass, weight, gain * nx, gain * ny, gain * nz, v)
