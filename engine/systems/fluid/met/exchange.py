"""Momentum between a fluid and the bodies that it meets, within a step.

The fluid has moved as if bodies were as heavy as walls: at contact c, of particle i with mass m and a wall of normal n,
it was pushed by the velocity q. What counts is the motion of particle and wall relative to each other, so impulses J
are sought with

    J / m + n . (change of the wall's velocity by all J) = q        where q > 0, else the distance that is left over h
    J >= 0

A particle that meets two triangles was pushed off both. If one of them gives way, it comes nearer to the other as well;
and a light corner that one particle pushes comes nearer to others. So J is larger where the particle would pass the
wall: all impulses together move it off the wall by at least what it lacks without them. In that, walls that stand take
part beside what bends.

Bodies that answer as a whole have the unknowns u = (velocity, rate of turning), N = (n, r x n), and their impulses
minimize 1/2 (u - u0)' M (u - u0) + sum over c of m F(N . u), a convex function, by Newton's method (`wholes`). A body
much lighter than the fluid around it is solved as exactly as a heavy one; with explicit impulses it would be shot away.
Contacts with corners of what bends take turns (Gauss-Seidel), beginning at J = 0, which does not overshoot either,
until they change little: where particles are heavy, that takes many turns. Particle and body get the same impulse, so
momentum is kept.

All is done in sorted order by one thread, so sums are always the same.
"""

from __future__ import annotations

import numpy as np

from ....compiler.kernels import kernel
from ..density import from_wall
from .contacts import STANDS, is_opposite, list_contacts
from .wholes import solve_wholes

# Most sweeps over the contacts of what bends, and the change of a sweep over that of the first at which they end.
SWEEPS, END = 100, 0.01


@kernel
def share_pushes(sizes, origin, gravity, lightness, table, met, rows, speeds, moved, contacts):
    """Share what walls pushed particles by between these and the bodies; see `density` for the arrays.

    Returns how many contacts and how many walls of bodies that answer there are; nothing is shared if there is no room.

    Args: sizes: step [s], clearance [m], mass at lightness 1 [kg], speed that no body exceeds by the fluid [m/s],
        number of rigid bodies; origin: (3,) [m]; gravity: (3,) times the step [m/s].
    """
    h, clearance, _unit, limit, _rigid = sizes
    found, close = list_contacts(rows, speeds, origin, sizes, lightness, table, met, contacts)
    if close <= contacts.row.shape[0]:
        solve_wholes(found, contacts, table, met, gravity, limit)
        solve_bending(found, contacts, table, met)
        give(found, contacts, h, table, met, rows, speeds, moved)
        stay_off(found, contacts, h, clearance, table, met, rows, speeds, moved)
        for c in range(found):
            contacts.away[c] = from_wall(rows, contacts.row[c], table.plane, contacts.wall[c])
            contacts.gap[c] += contacts.away[c] - clearance
    return found, close


@kernel
def solve_bending(count, contacts, table, met):
    """Impulses at corners of what bends, and what each corner takes: `met.pull`.

    Changes of sweeps are directions of conjugate gradients: Silcowitz, Niebe, Erleben 2010, "A nonsmooth nonlinear
    conjugate gradient method for interactive contact force problems". One that grows is not followed.
    """
    first = last = 0.0
    for c in range(count):
        if met.answers[table.triangle[contacts.wall[c]]] >= 0:
            kick(c, contacts.solve.impulse[c], contacts)
    for sweep in range(SWEEPS):
        size = 0.0
        for c in range(count):
            if met.answers[table.triangle[contacts.wall[c]]] < 0:
                size += solve_contact(c, contacts, table, met)
        first = size if sweep == 0 else first
        if size <= END * END * first or sweep == SWEEPS - 1:
            break
        share = size / last if last > 0.0 else 0.0
        last = size
        for c in range(count):
            if met.answers[table.triangle[contacts.wall[c]]] >= 0:
                continue
            if share > 1.0:
                contacts.solve.ahead[c] = 0.0
            else:
                push_corners(c, share * contacts.solve.ahead[c], contacts, table, met)
                contacts.solve.ahead[c] = share * contacts.solve.ahead[c] + contacts.solve.gain[c]


@kernel
def solve_contact(c, contacts, table, met):
    """Solve one contact for its impulse; returns the square of the change, as the energy that it would be alone.

    A wall that comes nearer by the impulses of others matters only where it would pass the particle.
    """
    w = contacts.wall[c]
    t = table.triangle[w]
    light, comes, goes = 1.0 / contacts.mass[c], 0.0, 0.0
    for axis in range(3):
        goes += contacts.solve.kick[contacts.solve.first[c], axis] * contacts.arm[c, axis]
    for n in range(3):
        p, share = met.corner[t, n], table.share[w, n]
        light += share * share * met.light[p]
        for axis in range(3):
            comes += share * met.light[p] * met.pull[p, axis] * contacts.arm[c, axis]
    rate = contacts.solve.need[c] - contacts.solve.impulse[c] / contacts.mass[c] + min(comes, 0.0)
    rate = max(rate, contacts.solve.lack[c] - goes + comes)
    contacts.solve.gain[c] = max(rate / light, -contacts.solve.impulse[c])
    push_corners(c, contacts.solve.gain[c], contacts, table, met)
    return light * contacts.solve.gain[c] * contacts.solve.gain[c]


@kernel
def push_corners(c, more, contacts, table, met):
    """Add to the impulse of a contact [kg m/s]."""
    w = contacts.wall[c]
    contacts.solve.impulse[c] += more
    kick(c, more, contacts)
    for n in range(3):
        for axis in range(3):
            met.pull[met.corner[table.triangle[w], n], axis] -= table.share[w, n] * more * contacts.arm[c, axis]


@kernel
def kick(c, more, contacts):
    """Give the particle of a contact an impulse along it [kg m/s], in `contacts.solve.kick`."""
    for axis in range(3):
        contacts.solve.kick[contacts.solve.first[c], axis] += more / contacts.mass[c] * contacts.arm[c, axis]


@kernel
def give(count, contacts, h, table, met, rows, speeds, moved):
    """Particles take back what was too much, and bodies what they got; pushes of walls are nought again.

    Out: `contacts.gap`, less what corners were pushed by.
    """
    for c in range(count):
        i, w = contacts.row[c], contacts.wall[c]
        dv = contacts.solve.impulse[c] / contacts.mass[c] - contacts.solve.took[c]
        contacts.gap[c] = 0.0
        for n in range(3):
            p = met.corner[table.triangle[w], n]
            for axis in range(3):
                contacts.gap[c] -= h * table.share[w, n] * met.light[p] * met.pull[p, axis] * contacts.arm[c, axis]
        for axis in range(3):
            way = np.float32(dv * contacts.arm[c, axis])
            speeds[i, axis] += way
            rows[i, axis] += h * way
            moved[axis, i] += h * way
            table.push[w, axis] = 0.0
        b = met.answers[table.triangle[w]]
        if b >= 0:
            for a in range(6):
                met.given[b, a] -= contacts.solve.impulse[c] * contacts.arm[c, a]
    for p in range(met.light.shape[0]):
        for axis in range(3):
            met.impulse[p, axis] += met.pull[p, axis]
            met.speed[p, axis] += met.light[p] * met.pull[p, axis]
            met.pull[p, axis] = 0.0


@kernel
def stay_off(count, contacts, h, clearance, table, met, rows, speeds, moved):
    """Set particles that bodies pushed into walls that stand off these again: nothing passes below a heavy crate.

    One that is held went to and fro between both: it lies on the wall that stands, and goes no farther into a wedge.
    """
    for c in range(count):
        i = contacts.row[c]
        for w in range(table.first[i], table.stop[i]):
            if met.answers[table.triangle[w]] != STANDS:
                continue
            lack = clearance - from_wall(rows, i, table.plane, w)
            if contacts.solve.held[c] and is_opposite(contacts.wall[c], w, table):
                pushed = along = square = 0.0
                for axis in range(3):
                    pushed += table.plane[w, axis] * table.push[w, axis]
                    out = table.plane[w, axis] + contacts.arm[c, axis]
                    along += out * speeds[i, axis]
                    square += out * out
                lack = max(lack, -pushed)
                back = -along / square if along < 0.0 and square > 0.0 else 0.0
                for axis in range(3):
                    shift(i, axis, h * back * (table.plane[w, axis] + contacts.arm[c, axis]), h, rows, speeds, moved)
            elif lack < 0.0:
                continue
            for axis in range(3):
                shift(i, axis, lack * table.plane[w, axis], h, rows, speeds, moved)


@kernel
def shift(i, axis, way, h, rows, speeds, moved):
    """Move particle i along an axis [m], which it has gone in the step then."""
    rows[i, axis] += way
    moved[axis, i] += way
    speeds[i, axis] += way / h
