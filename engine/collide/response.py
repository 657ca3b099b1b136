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
def _weight(i, a, b, c, s0, s1, s2, inv_mass):
    """W of a pair [1/kg], or as much as gives no corner more than 1 / SHORTEST_LEVER of a correction."""
    wa = s0 * inv_mass[a]
    wb = s1 * inv_mass[b]
    wc = s2 * inv_mass[c]
    return max(inv_mass[i] + s0 * wa + s1 * wb + s2 * wc, SHORTEST_LEVER * max(wa, wb, wc))


@kernel
def _shift(i, a, b, c, s0, s1, s2, inv_mass, dx, dy, dz, x):
    """Moves the particle and the point it touches apart by (dx, dy, dz) in all."""
    total = _weight(i, a, b, c, s0, s1, s2, inv_mass)
    m = inv_mass[i] / total
    ma = s0 * inv_mass[a] / total
    mb = s1 * inv_mass[b] / total
    mc = s2 * inv_mass[c] / total
    x[i, 0] += m * dx
    x[i, 1] += m * dy
    x[i, 2] += m * dz
    x[a, 0] -= ma * dx
    x[a, 1] -= ma * dy
    x[a, 2] -= ma * dz
    x[b, 0] -= mb * dx
    x[b, 1] -= mb * dy
    x[b, 2] -= mb * dz
    x[c, 0] -= mc * dx
    x[c, 1] -= mc * dy
    x[c, 2] -= mc * dz


@kernel
def solve_contacts(
    pair_particle, touching, corner, share, normal, gap, inv_mass, body, friction, x_prev, h, x, recovered, pushed,
):
    """Separate touching pairs and hold them by Coulomb friction; returns the energy that normals took [J].

    Args:
        friction: (bodies, bodies); x_prev: in and out, follows what is recovery and no impulse.
        recovered: out (n, 3) how far recovery moved each particle [m]; all pairs together keep to the speed.
        pushed: out (pairs,) how far each pair was kept from coming closer [m].
    """
    most = RECOVERY_SPEED * h
    recovered[:] = 0.0
    taken = 0.0
    for pair in range(pair_particle.shape[0]):
        pushed[pair] = 0.0
        if not touching[pair]:
            continue
        i = pair_particle[pair]
        a = corner[pair, 0]
        b = corner[pair, 1]
        c = corner[pair, 2]
        s0 = share[pair, 0]
        s1 = share[pair, 1]
        s2 = share[pair, 2]
        weight = _weight(i, a, b, c, s0, s1, s2, inv_mass)
        if weight <= 0.0:
            continue
        nx = normal[pair, 0]
        ny = normal[pair, 1]
        nz = normal[pair, 2]
        rx = x[i, 0] - (s0 * x[a, 0] + s1 * x[b, 0] + s2 * x[c, 0])
        ry = x[i, 1] - (s0 * x[a, 1] + s1 * x[b, 1] + s2 * x[c, 1])
        rz = x[i, 2] - (s0 * x[a, 2] + s1 * x[b, 2] + s2 * x[c, 2])
        overlap = gap[pair] - (nx * rx + ny * ry + nz * rz)
        if overlap <= 0.0:
            continue
        ux = x[i, 0] - x_prev[i, 0]
        uy = x[i, 1] - x_prev[i, 1]
        uz = x[i, 2] - x_prev[i, 2]
        # Ways are subtracted, not places: where the surface stands still, nothing of its coordinates' rounding is left.
        ux -= s0 * (x[a, 0] - x_prev[a, 0]) + s1 * (x[b, 0] - x_prev[b, 0]) + s2 * (x[c, 0] - x_prev[c, 0])
        uy -= s0 * (x[a, 1] - x_prev[a, 1]) + s1 * (x[b, 1] - x_prev[b, 1]) + s2 * (x[c, 1] - x_prev[c, 1])
        uz -= s0 * (x[a, 2] - x_prev[a, 2]) + s1 * (x[b, 2] - x_prev[b, 2]) + s2 * (x[c, 2] - x_prev[c, 2])
        parted = (
            nx * (recovered[i, 0] - s0 * recovered[a, 0] - s1 * recovered[b, 0] - s2 * recovered[c, 0])
            + ny * (recovered[i, 1] - s0 * recovered[a, 1] - s1 * recovered[b, 1] - s2 * recovered[c, 1])
            + nz * (recovered[i, 2] - s0 * recovered[a, 2] - s1 * recovered[b, 2] - s2 * recovered[c, 2])
        )
        along = nx * ux + ny * uy + nz * uz - parted
        push = min(overlap, max(-along, 0.0))
        pushed[pair] = push
        taken += -push * (2.0 * along + push) / (2.0 * weight * h * h)
        part = min(overlap - push, max(most - max(along, 0.0) - parted, 0.0))
        both = push + part
        _shift(i, a, b, c, s0, s1, s2, inv_mass, both * nx, both * ny, both * nz, x)
        _shift(i, a, b, c, s0, s1, s2, inv_mass, part * nx, part * ny, part * nz, recovered)
        tx = ux - (along + parted) * nx
        ty = uy - (along + parted) * ny
        tz = uz - (along + parted) * nz
        slide = math.sqrt(tx * tx + ty * ty + tz * tz)
        hold = friction[body[i], body[a]] * push
        if slide > 0.0 and hold > 0.0:
            scale = -min(1.0, hold / slide)
            _shift(i, a, b, c, s0, s1, s2, inv_mass, scale * tx, scale * ty, scale * tz, x)
    for i in range(x.shape[0]):
        for k in range(3):
            x_prev[i, k] += recovered[i, k]
    return taken


@kernel
def bounce(
    pair_particle, touching, corner, share, normal, approach, pushed, inv_mass, body, restitution, slowest, taken, v,
):
    """Part pairs that were kept from coming closer at the share `restitution` (bodies, bodies) of their approach.

    Below `slowest` [m/s] they do not part at all. Springs push each substep anew, contacts push back, and what is
    left of both would else be a speed of its own that shakes resting bodies from substep to substep. Pairs that share
    particles would together give back more than was there; all get no more than the energy `taken` [J].
    """
    for pair in range(pair_particle.shape[0]):
        if not touching[pair] or pushed[pair] <= 0.0:
            continue
        i = pair_particle[pair]
        a = corner[pair, 0]
        e = restitution[body[i], body[a]] if approach[pair] < -slowest else 0.0
        b = corner[pair, 1]
        c = corner[pair, 2]
        s0 = share[pair, 0]
        s1 = share[pair, 1]
        s2 = share[pair, 2]
        nx = normal[pair, 0]
        ny = normal[pair, 1]
        nz = normal[pair, 2]
        now = (
            nx * (v[i, 0] - s0 * v[a, 0] - s1 * v[b, 0] - s2 * v[c, 0])
            + ny * (v[i, 1] - s0 * v[a, 1] - s1 * v[b, 1] - s2 * v[c, 1])
            + nz * (v[i, 2] - s0 * v[a, 2] - s1 * v[b, 2] - s2 * v[c, 2])
        )
        after = -e * approach[pair]
        weight = _weight(i, a, b, c, s0, s1, s2, inv_mass)
        added = (after * after - now * now) / (2.0 * weight)
        if added > taken:
            after = math.sqrt(now * now + 2.0 * weight * taken)
            added = taken
        taken -= max(added, 0.0)
        gain = after - now
        _shift(i, a, b, c, s0, s1, s2, inv_mass, gain * nx, gain * ny, gain * nz, v)
