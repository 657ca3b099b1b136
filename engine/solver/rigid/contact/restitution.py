"""Restitution of contacts of rigid bodies: one with restitution e separates at e times its approach speed.

All contacts are iterated together, so that a body that lands flat stays flat.
"""

from __future__ import annotations

from ....compiler.kernels import kernel
from ..sides import apply_impulse, shift_soft
from .finish import separation_along
from .impulses import add_angular_momentum
from .prepare import weigh


@kernel
def _soft_point(m, sign, contact, weight, x):
    """Contact point on the soft side; sign: of the body's side, 1 for A and -1 for B."""
    px = 0.0
    py = 0.0
    pz = 0.0
    for e in range(4):
        part = -sign * weight[m, e]
        if part > 0.0:
            i = contact[m, e]
            px += part * x[i, 0]
            py += part * x[i, 1]
            pz += part * x[i, 2]
    return px, py, pz


@kernel
def move_levers(count, sides, contact, weight, inv_mass, x, position_before, position, lever_a, lever_b):
    """Recompute levers from the moved centres to the contact points, which are fixed or on soft particles."""
    for m in range(count):
        for side in range(2):
            b = sides[m, side]
            if b < 0:
                continue
            lever = lever_a if side == 0 else lever_b
            soft = False
            for e in range(4):
                soft |= inv_mass[contact[m, e]] > 0.0
            if soft:
                px, py, pz = _soft_point(m, 1.0 if side == 0 else -1.0, contact, weight, x)
                lever[m, 0] = px - position[b, 0]
                lever[m, 1] = py - position[b, 1]
                lever[m, 2] = pz - position[b, 2]
            else:
                for k in range(3):
                    lever[m, k] += position_before[b, k] - position[b, k]


@kernel
def bounce_rigid(iterations, count, contacts, inv_mass, bodies, rates, slowest, v, change, angular_momentum):
    """Apply restitution: contacts faster than `slowest` [m/s] separate at `bounces` times their approach speed.

    Args:
        contacts: `columns.RigidContactColumns`; its `extra_impulse` and `selected` are scratch.
        bodies: 1 / mass (b,) [1/kg], and inverse inertias, see `sides`.
        rates: (b, 6) velocities of bodies after the substep, see `sides.point_velocity`.
        v: in and out (n, 3) of particles after the substep; soft ones are changed.
        change, angular_momentum: in and out (b, 6) and (b, 3), the gains of bodies.
    """
    body_inv_mass, inverse = bodies
    lever_a, lever_b = contacts.lever_a, contacts.lever_b
    weight, normal, approach, bounces = contacts.weight, contacts.normal, contacts.approach, contacts.bounces
    impulse, normal_impulse, anchors = contacts.impulse, contacts.normal_impulse, contacts.anchors
    total_inv_mass, extra_impulse, selected = contacts.total_inv_mass, contacts.extra_impulse, contacts.selected
    found = 0
    for m in range(count):
        extra_impulse[m] = 0.0
        touches = impulse[m, 0] + normal_impulse[m] > 0.0 and approach[m] < -slowest
        if touches and bounces[m] > 0.0 and total_inv_mass[m, 0] > 0.0:
            weigh(m, contacts, body_inv_mass, inverse)
            selected[found] = m
            found += 1
    for iteration in range(iterations):
        for place in range(found):
            m = selected[place if iteration % 2 == 1 else found - 1 - place]
            nx = normal[m, 0]
            ny = normal[m, 1]
            nz = normal[m, 2]
            rate = separation_along(m, contacts, change, v)
            # A hull contact has no particles, so add the velocities of the bodies, and of a wall, after the substep.
            if weight[m, 0] == 0.0 and weight[m, 1] == 0.0:
                rate += separation_along(m, contacts, rates, v)
                rate += nx * anchors[m, 9] + ny * anchors[m, 10] + nz * anchors[m, 11]
            now = max(extra_impulse[m] + (-bounces[m] * approach[m] - rate) / total_inv_mass[m, 0], 0.0)
            gain = now - extra_impulse[m]
            extra_impulse[m] = now
            jx, jy, jz = gain * nx, gain * ny, gain * nz
            apply_impulse(m, contacts.sides[m, 0], 1.0, lever_a, body_inv_mass, inverse, jx, jy, jz, change)
            apply_impulse(m, contacts.sides[m, 1], -1.0, lever_b, body_inv_mass, inverse, jx, jy, jz, change)
            shift_soft(m, contacts.contact, weight, inv_mass, jx, jy, jz, v)
    for place in range(found):
        m = selected[place]
        add_angular_momentum(m, contacts, extra_impulse[m], (0.0, 0.0, 0.0), angular_momentum)
