"""Momentum exchange between a fluid and bodies in contact, within a step.

The fluid has moved as if bodies were immovable: at contact c, of particle i with mass m and a wall of normal n, the
wall changed the particle's velocity by q. Only the relative motion of particle and wall counts, so the impulses J
satisfy

    J / m + n . (change of the wall's velocity by all J) = q        where q > 0, else minus the separation over h
    J >= 0

A particle in contact with two triangles was pushed off both. If one of them moves, the particle comes nearer to the
other as well; and a light corner that one particle pushes comes nearer to others. So J is larger where the particle
would pass the wall: all impulses together move it off the wall by at least its deficit without them. For particles at
deformable bodies this includes their immovable walls.

Bodies with rigid response have the unknowns u = (velocity, angular velocity), N = (n, r x n), and their impulses
minimize 1/2 (u - u0)' M (u - u0) + sum over c of m F(N . u), a convex function, by Newton's method (`wholes`). A body
much lighter than the fluid around it is solved as exactly as a heavy one; with explicit impulses it would be shot away.
Contacts with corners of deformable bodies are solved one after another (Gauss-Seidel), starting at J = 0, which does
not overshoot either, until they change little: with heavy particles that takes many sweeps. Particle and body get
opposite impulses, so momentum is conserved.

Everything runs in sorted order on one thread, so sums are reproducible.
"""

from __future__ import annotations

import numpy as np

from ....compiler.kernels import kernel
from ..density import from_wall
from .contacts import IMMOVABLE, is_opposite, list_contacts
from .wholes import solve_rigid

# Most sweeps over the contacts of deformable bodies; they end when the change of a sweep is this fraction of the
# first's.
SWEEPS, END = 100, 0.01


@kernel
def exchange_momentum(sizes, origin, gravity, rel_inv_mass, table, met, rows, speeds, moved, contacts):
    """Exchange momentum between particles and the bodies whose walls moved them; see `density` for the arrays.

    Returns the numbers of contacts and of walls of movable bodies; nothing is exchanged if the capacity is too small.

    Args: sizes: step [s], clearance [m], mass at `rel_inv_mass` 1 [kg], largest speed that the fluid gives a body
        [m/s], number of rigid bodies; origin: (3,) [m]; gravity: (3,) times the step [m/s].
    """
    h, clearance, _unit, limit, _rigid = sizes
    found, close = list_contacts(rows, speeds, origin, sizes, rel_inv_mass, table, met, contacts)
    if close <= contacts.row.shape[0]:
        solve_rigid(found, contacts, table, met, gravity, limit)
        solve_deformable(found, contacts, table, met)
        apply_impulses(found, contacts, h, table, met, rows, speeds, moved)
        project_off_immovable(found, contacts, h, clearance, table, met, rows, speeds, moved)
        for c in range(found):
            contacts.distance[c] = from_wall(rows, contacts.row[c], table.plane, contacts.wall[c])
            contacts.separation[c] += contacts.distance[c] - clearance
    return found, close


@kernel
def solve_deformable(count, contacts, table, met):
    """Impulses at corners of deformable bodies, and the impulse of each corner, `met.step_impulse`.

    Changes of sweeps are directions of conjugate gradients: Silcowitz, Niebe, Erleben 2010, "A nonsmooth nonlinear
    conjugate gradient method for interactive contact force problems". The direction is reset if the changes grow.
    """
    first = last = 0.0
    for c in range(count):
        if met.response[table.triangle[contacts.wall[c]]] >= 0:
            add_dv(c, contacts.solve.impulse[c], contacts)
    for sweep in range(SWEEPS):
        size = 0.0
        for c in range(count):
            if met.response[table.triangle[contacts.wall[c]]] < 0:
                size += solve_contact(c, contacts, table, met)
        first = size if sweep == 0 else first
        if size <= END * END * first or sweep == SWEEPS - 1:
            break
        factor = size / last if last > 0.0 else 0.0
        last = size
        for c in range(count):
            if met.response[table.triangle[contacts.wall[c]]] >= 0:
                continue
            if factor > 1.0:
                contacts.solve.direction[c] = 0.0
            else:
                push_corners(c, factor * contacts.solve.direction[c], contacts, table, met)
                contacts.solve.direction[c] = factor * contacts.solve.direction[c] + contacts.solve.delta[c]


@kernel
def solve_contact(c, contacts, table, met):
    """Solve one contact for its impulse; returns the squared change, as the energy of this change alone.

    A wall that approaches by other impulses matters only if it would pass the particle.
    """
    w = contacts.wall[c]
    t = table.triangle[w]
    total_inv_mass, approach, leaving = 1.0 / contacts.mass[c], 0.0, 0.0
    for axis in range(3):
        leaving += contacts.solve.dv[contacts.solve.first[c], axis] * contacts.arm[c, axis]
    for n in range(3):
        p, weight = met.corner[t, n], table.barycentric[w, n]
        total_inv_mass += weight * weight * met.inv_mass[p]
        for axis in range(3):
            approach += weight * met.inv_mass[p] * met.step_impulse[p, axis] * contacts.arm[c, axis]
    rate = contacts.solve.target_dv[c] - contacts.solve.impulse[c] / contacts.mass[c] + min(approach, 0.0)
    rate = max(rate, contacts.solve.deficit[c] - leaving + approach)
    contacts.solve.delta[c] = max(rate / total_inv_mass, -contacts.solve.impulse[c])
    push_corners(c, contacts.solve.delta[c], contacts, table, met)
    return total_inv_mass * contacts.solve.delta[c] * contacts.solve.delta[c]


@kernel
def push_corners(c, more, contacts, table, met):
    """Add to the impulse of a contact, for the particle and the corners [kg m/s]."""
    w = contacts.wall[c]
    contacts.solve.impulse[c] += more
    add_dv(c, more, contacts)
    for n in range(3):
        for axis in range(3):
            met.step_impulse[met.corner[table.triangle[w], n], axis] -= (
                table.barycentric[w, n] * more * contacts.arm[c, axis]
            )


@kernel
def add_dv(c, more, contacts):
    """Add an impulse along a contact to its particle [kg m/s], as velocity in `contacts.solve.dv`."""
    for axis in range(3):
        contacts.solve.dv[contacts.solve.first[c], axis] += more / contacts.mass[c] * contacts.arm[c, axis]


@kernel
def apply_impulses(count, contacts, h, table, met, rows, speeds, moved):
    """Apply the impulses to bodies, correct the particles, and reset the displacements by walls to zero.

    Out: `contacts.separation`, the change of separation by the impulses on corners [m].
    """
    for c in range(count):
        i, w = contacts.row[c], contacts.wall[c]
        dv = contacts.solve.impulse[c] / contacts.mass[c] - contacts.solve.wall_dv[c]
        contacts.separation[c] = 0.0
        for n in range(3):
            p = met.corner[table.triangle[w], n]
            for axis in range(3):
                contacts.separation[c] -= (
                    h * table.barycentric[w, n] * met.inv_mass[p] * met.step_impulse[p, axis] * contacts.arm[c, axis]
                )
        for axis in range(3):
            change = np.float32(dv * contacts.arm[c, axis])
            speeds[i, axis] += change
            rows[i, axis] += h * change
            moved[axis, i] += h * change
            table.displacement[w, axis] = 0.0
        b = met.response[table.triangle[w]]
        if b >= 0:
            for a in range(6):
                met.body_impulse[b, a] -= contacts.solve.impulse[c] * contacts.arm[c, a]
    for p in range(met.inv_mass.shape[0]):
        for axis in range(3):
            met.impulse[p, axis] += met.step_impulse[p, axis]
            met.speed[p, axis] += met.inv_mass[p] * met.step_impulse[p, axis]
            met.step_impulse[p, axis] = 0.0


@kernel
def project_off_immovable(count, contacts, h, clearance, table, met, rows, speeds, moved):
    """Project particles that bodies pushed into immovable walls off these: none passes the floor below a heavy crate.

    A held particle would oscillate between both walls: it is placed on the immovable wall, and moves no farther into a
    wedge.
    """
    for c in range(count):
        i = contacts.row[c]
        for w in range(table.first[i], table.stop[i]):
            if met.response[table.triangle[w]] != IMMOVABLE:
                continue
            depth = clearance - from_wall(rows, i, table.plane, w)
            if contacts.solve.held[c] and is_opposite(contacts.wall[c], w, table):
                pushed = along = square = 0.0
                for axis in range(3):
                    pushed += table.plane[w, axis] * table.displacement[w, axis]
                    out = table.plane[w, axis] + contacts.arm[c, axis]
                    along += out * speeds[i, axis]
                    square += out * out
                depth = max(depth, -pushed)
                back = -along / square if along < 0.0 and square > 0.0 else 0.0
                for axis in range(3):
                    shift(i, axis, h * back * (table.plane[w, axis] + contacts.arm[c, axis]), h, rows, speeds, moved)
            elif depth < 0.0:
                continue
            for axis in range(3):
                shift(i, axis, depth * table.plane[w, axis], h, rows, speeds, moved)


@kernel
def shift(i, axis, step, h, rows, speeds, moved):
    """Move particle i along an axis by `step` [m], as part of its motion in the step."""
    rows[i, axis] += step
    moved[axis, i] += step
    speeds[i, axis] += step / h
