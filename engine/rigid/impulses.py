"""Contacts of rigid bodies, with each other, with soft bodies and with what nobody moves.

Every contact gets one impulse a substep, its normal part n lam with lam >= 0 and its friction f with |f| <= mu lam,
found by projected Gauss and Seidel: forward, then backward, each sees what the last one did, and what is clamped is the
whole impulse and not its last change. With u how fast the sides part and s how far apart they were at the beginning,

    n . u >= -max(s, 0) / h                   they may come as near as their gap, and no nearer
    f = clamp(f - u_across / W_across)        Coulomb
    lam = u_n = 0 ... or, by spring and dashpot (Harada et al. 2007), the force at the end of the substep:
    lam = h (k d - c u_n),  d = -(s + h u_n)

Begun from the impulses of the substep before, so that what rests goes on resting. Overlap from before is undone by
moving bodies without giving them speed.
"""

from __future__ import annotations

import math

from ..jit import kernel
from .sides import add_rate, push_rigid, push_soft, soft_apart


@kernel
def push_both(
    m, sides, contact, share, inv_mass, lever_a, lever_b, mass, inverse, jx, jy, jz, scale, change, spin, soft_x,
):
    """Give both sides an impulse; soft particles go by `scale` times what it does to their speed."""
    push_rigid(m, sides[m, 0], 1.0, lever_a, mass, inverse, jx, jy, jz, change, spin)
    push_rigid(m, sides[m, 1], -1.0, lever_b, mass, inverse, jx, jy, jz, change, spin)
    push_soft(m, contact, share, inv_mass, scale * jx, scale * jy, scale * jz, soft_x)


@kernel
def begin_impulses(
    first, count, sides, contact, share, normal, given, inv_mass, lever_a, lever_b, mass, inverse, scale, change, spin,
    soft_x,
):
    """Give again what the substep before gave: `given` (m, 4)."""
    for m in range(first, count):
        lam = given[m, 0]
        if lam > 0.0:
            push_both(
                m, sides, contact, share, inv_mass, lever_a, lever_b, mass, inverse, lam * normal[m, 0] + given[m, 1],
                lam * normal[m, 1] + given[m, 2], lam * normal[m, 2] + given[m, 3], scale, change, spin, soft_x,
            )


@kernel
def solve_impulses(
    turns, count, sides, contact, share, normal, rub, base, target, give_way, weight, inv_mass, lever_a, lever_b, mass,
    inverse, x, x_prev, h, scale, given, change, spin, soft_x,
):
    """So many turns over all contacts, there and back.

    Args:
        sides ... rub: see `list_rigid`; base ... weight, lever_a, lever_b: see `prepare_rigid`.
        scale: what a metre a second of a soft particle moves `soft_x` by: h for its end x, -h for its beginning
            x_prev, of which one is `soft_x` (n, 3) [m], in and out.
        given: in and out (m, 4); change, spin: in and out, see `sides.push_rigid`.
    """
    for turn in range(turns):
        for place in range(count):
            m = place if turn % 2 == 0 else count - 1 - place
            if weight[m, 0] <= 0.0:
                continue
            nx = normal[m, 0]
            ny = normal[m, 1]
            nz = normal[m, 2]
            ux, uy, uz = _apart_rate(
                m, sides, contact, share, base, inv_mass, lever_a, lever_b, x, x_prev, 1.0 / h, change
            )
            before = given[m, 0]
            gain = (target[m] - (nx * ux + ny * uy + nz * uz) - give_way[m, 0] * before) / (
                weight[m, 0] + give_way[m, 0]
            )
            lam = max(before + gain, 0.0)
            gain = lam - before
            given[m, 0] = lam
            if gain != 0.0:
                push_both(
                    m, sides, contact, share, inv_mass, lever_a, lever_b, mass, inverse, gain * nx, gain * ny,
                    gain * nz, scale, change, spin, soft_x,
                )
                ux, uy, uz = _apart_rate(
                    m, sides, contact, share, base, inv_mass, lever_a, lever_b, x, x_prev, 1.0 / h, change
                )
            if lam == 0.0 and given[m, 1] == 0.0 and given[m, 2] == 0.0 and given[m, 3] == 0.0:
                continue
            along = nx * ux + ny * uy + nz * uz
            soft = max(give_way[m, 1], 0.0)
            fx = given[m, 1] - (ux - along * nx + soft * given[m, 1]) / (weight[m, 1] + soft)
            fy = given[m, 2] - (uy - along * ny + soft * given[m, 2]) / (weight[m, 1] + soft)
            fz = given[m, 3] - (uz - along * nz + soft * given[m, 3]) / (weight[m, 1] + soft)
            size = math.sqrt(fx * fx + fy * fy + fz * fz)
            # A dashpot brakes as long as there is contact, friction as far as that presses.
            most = rub[m] * lam if give_way[m, 1] < 0.0 else (math.inf if lam > 0.0 else 0.0)
            if size > most:
                fx *= most / size
                fy *= most / size
                fz *= most / size
            push_both(
                m, sides, contact, share, inv_mass, lever_a, lever_b, mass, inverse, fx - given[m, 1],
                fy - given[m, 2], fz - given[m, 3], scale, change, spin, soft_x,
            )
            given[m, 1] = fx
            given[m, 2] = fy
            given[m, 3] = fz


@kernel
def _apart_rate(m, sides, contact, share, base, inv_mass, lever_a, lever_b, x, x_prev, per_h, change):
    """How fast the sides of a contact part."""
    ax, ay, az = add_rate(m, sides[m, 0], 1.0, lever_a, change)
    bx, by, bz = add_rate(m, sides[m, 1], -1.0, lever_b, change)
    sx, sy, sz = soft_apart(m, contact, share, inv_mass, x, x_prev)
    return (
        base[m, 0] + ax + bx + per_h * sx, base[m, 1] + ay + by + per_h * sy, base[m, 2] + az + bz + per_h * sz,
    )


@kernel
def keep_impulses(count, slot_of, normal, given, impulse):
    """For the next substep: impulse (slots, 3) of those contacts that there are, nought elsewhere [N s]."""
    for slot in range(impulse.shape[0]):
        for k in range(3):
            impulse[slot, k] = 0.0
    for m in range(count):
        if slot_of[m] < 0:
            continue
        for k in range(3):
            impulse[slot_of[m], k] += given[m, 0] * normal[m, k] + given[m, 1 + k]


