"""Momentum between a fluid and the bodies that it meets, within a step.

The fluid has moved as if bodies were as heavy as walls: at contact c, of particle i with mass m and a wall of normal n,
it was pushed by the velocity q. What counts is the motion of particle and wall relative to each other, so impulses J
are sought with

    J / m + n . (change of the wall's velocity by all J) = q        where q > 0, else the distance that is left over h
    J >= 0

Bodies that answer as a whole have the unknowns u = (velocity, rate of turning), N = (n, r x n), and their impulses
minimize 1/2 (u - u0)' M (u - u0) + sum over c of m / 2 max(0, q + N . u)², a convex function, by Newton's method on the
contacts that push. A body much lighter than the fluid around it is solved as exactly as a heavy one; with explicit
impulses it would be shot away. Corners of what bends take turns (Gauss-Seidel), beginning at J = 0, which does not
overshoot either. Particle and body get the same impulse, so momentum is kept.

All is done in sorted order by one thread, so sums are always the same.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...compiler.kernels import kernel
from .density import WEIGHT, from_wall
from .law import cap

# Newton's steps, and turns over the contacts of what bends.
NEWTON, SWEEPS = 8, 6
# Contacts are listed up to this distance [spacing].
LISTED = 1.0
BENDS, STANDS = -1, -2


class Contacts(NamedTuple):
    """Contacts of particles with bodies that answer.

    Attributes:
        row, wall: (c,) int64, sorted particle and which of its walls; mass: (c,) of the particle [kg].
        arm: (c, 6) n and r x n; need: (c,) change of relative velocity [m/s]; took: (c,) that the particle has had.
        pushes: (c,) bool; impulse: (c,) [kg m/s].
        matrix: (b, 6, 7) room for the equations of whole bodies.
    """

    row: np.ndarray
    wall: np.ndarray
    mass: np.ndarray
    arm: np.ndarray
    need: np.ndarray
    took: np.ndarray
    pushes: np.ndarray
    impulse: np.ndarray
    matrix: np.ndarray


def contacts_of(capacity: int, wholes: int) -> Contacts:
    """Room for contacts."""
    return Contacts(
        np.zeros(capacity, np.int64), np.zeros(capacity, np.int64), np.zeros(capacity), np.zeros((capacity, 6)),
        np.zeros(capacity), np.zeros(capacity), np.zeros(capacity, np.bool_), np.zeros(capacity),
        np.zeros((wholes, 6, 7)),
    )


@kernel
def list_contacts(count, rows, origin, h, clearance, unit, lightness, table, met, out):
    """List the contacts of `count` particles; returns how many there are, which may be more than have room.

    Args:
        rows: (p, 4) near the origin (3,), where particles are now; clearance: [m]; unit: mass at lightness 1 [kg].
        table: a `WallTable` with what walls pushed by [m]; met: `MetColumns`; out: `Contacts`.
    """
    found = 0
    for i in range(count):
        for k in range(table.count[i]):
            whole = met.answers[table.triangle[i, k]]
            if whole == STANDS:
                continue
            took = 0.0
            for axis in range(3):
                took += table.plane[i, k, axis] * table.push[i, k, axis]
            room = from_wall(rows, i, table.plane, k) - clearance
            if took <= 0.0 and room > 4.0 * LISTED * clearance:
                continue
            if found < out.row.shape[0]:
                out.row[found], out.wall[found], out.mass[found] = i, k, unit / lightness[i]
                out.took[found] = took / h
                out.need[found] = took / h if took > 0.0 else -room / h
                set_arm(found, i, k, whole, rows, origin, table, met, out)
            found += 1
    return found


@kernel
def set_arm(c, i, k, whole, rows, origin, table, met, out):
    """Direction of a contact, and its moment about the centre of a whole body."""
    nx, ny, nz = table.plane[i, k, 0], table.plane[i, k, 1], table.plane[i, k, 2]
    rx = ry = rz = 0.0
    if whole >= 0:
        rx = rows[i, 0] + origin[0] - met.centre[whole, 0]
        ry = rows[i, 1] + origin[1] - met.centre[whole, 1]
        rz = rows[i, 2] + origin[2] - met.centre[whole, 2]
    arm = out.arm[c]
    arm[0], arm[1], arm[2] = nx, ny, nz
    arm[3], arm[4], arm[5] = ry * nz - rz * ny, rz * nx - rx * nz, rx * ny - ry * nx
    out.impulse[c], out.pushes[c] = 0.0, False


@kernel
def solve_wholes(count, contacts, table, met, gx, gy, gz):
    """Changes of velocity of whole bodies, `met.change` (b, 6), and their impulses. (gx, gy, gz): gravity times h."""
    wholes, matrix = met.mass.shape[0], contacts.matrix
    for b in range(wholes):
        for a in range(6):
            met.change[b, a] = 0.0
        met.change[b, 0], met.change[b, 1], met.change[b, 2] = gx, gy, gz
    for _turn in range(NEWTON):
        for b in range(wholes):
            start_equations(b, matrix, met, gx, gy, gz)
        is_same = True
        for c in range(count):
            b = met.answers[table.triangle[contacts.row[c], contacts.wall[c]]]
            if b >= 0:
                pushes = contacts.need[c] + dot6(contacts.arm, c, met.change, b) > 0.0
                is_same &= pushes == contacts.pushes[c]
                contacts.pushes[c] = pushes
                if pushes:
                    add_equation(c, b, contacts, matrix)
        if is_same:
            break
        for b in range(wholes):
            solve_equations(b, matrix, met.change)
    for c in range(count):
        b = met.answers[table.triangle[contacts.row[c], contacts.wall[c]]]
        if b >= 0 and contacts.pushes[c]:
            contacts.impulse[c] = contacts.mass[c] * (contacts.need[c] + dot6(contacts.arm, c, met.change, b))


@kernel
def dot6(arm, c, change, b):
    """Velocity of a contact's wall along its normal."""
    total = 0.0
    for a in range(6):
        total += arm[c, a] * change[b, a]
    return total


@kernel
def start_equations(b, matrix, met, gx, gy, gz):
    """Mass and inertia of body b, and its momentum by gravity."""
    for a in range(6):
        for e in range(7):
            matrix[b, a, e] = 0.0
    for a in range(3):
        matrix[b, a, a] = met.mass[b]
        for e in range(3):
            matrix[b, 3 + a, 3 + e] = met.inertia[b, a, e]
    matrix[b, 0, 6], matrix[b, 1, 6], matrix[b, 2, 6] = met.mass[b] * gx, met.mass[b] * gy, met.mass[b] * gz


@kernel
def add_equation(c, b, contacts, matrix):
    """Add m N N' and -m q N of a contact that pushes."""
    for a in range(6):
        share = contacts.mass[c] * contacts.arm[c, a]
        for e in range(6):
            matrix[b, a, e] += share * contacts.arm[c, e]
        matrix[b, a, 6] -= share * contacts.need[c]


@kernel
def solve_equations(b, matrix, change):
    """Solve six equations with a positive matrix by elimination; a direction without inertia stays."""
    for a in range(6):
        pivot = matrix[b, a, a]
        for low in range(a + 1, 6):
            factor = matrix[b, low, a] / pivot if pivot > 1e-30 else 0.0
            for e in range(a, 7):
                matrix[b, low, e] -= factor * matrix[b, a, e]
    for back in range(6):
        a = 5 - back
        total = matrix[b, a, 6]
        for e in range(a + 1, 6):
            total -= matrix[b, a, e] * change[b, e]
        change[b, a] = total / matrix[b, a, a] if matrix[b, a, a] > 1e-30 else 0.0


@kernel
def solve_bending(count, contacts, table, met):
    """Impulses at corners of what bends, one contact after another, and what each corner takes: `met.pull`."""
    for _turn in range(SWEEPS):
        for c in range(count):
            i, k = contacts.row[c], contacts.wall[c]
            t = table.triangle[i, k]
            if met.answers[t] != BENDS:
                continue
            light, rate = 1.0 / contacts.mass[c], contacts.need[c] - contacts.impulse[c] / contacts.mass[c]
            for n in range(3):
                p, share = met.corner[t, n], table.share[i, k, n]
                light += share * share * met.light[p]
                for axis in range(3):
                    rate += share * met.light[p] * met.pull[p, axis] * contacts.arm[c, axis]
            more = max(rate / light, -contacts.impulse[c])
            contacts.impulse[c] += more
            for n in range(3):
                for axis in range(3):
                    met.pull[met.corner[t, n], axis] -= table.share[i, k, n] * more * contacts.arm[c, axis]


@kernel
def give(count, contacts, h, table, met, rows, speeds, moved):
    """Particles take back what was too much, and bodies what they got; pushes of walls are nought again."""
    for c in range(count):
        i, k = contacts.row[c], contacts.wall[c]
        dv = contacts.impulse[c] / contacts.mass[c] - contacts.took[c]
        for axis in range(3):
            way = np.float32(dv * contacts.arm[c, axis])
            speeds[i, axis] += way
            rows[i, axis] += h * way
            moved[axis, i] += h * way
            table.push[i, k, axis] = 0.0
        b = met.answers[table.triangle[i, k]]
        if b >= 0:
            for a in range(6):
                met.given[b, a] -= contacts.impulse[c] * contacts.arm[c, a]
    for p in range(met.light.shape[0]):
        for axis in range(3):
            met.impulse[p, axis] += met.pull[p, axis]
            met.speed[p, axis] += met.light[p] * met.pull[p, axis]
            met.pull[p, axis] = 0.0


@kernel
def find_yields(count, rows, speeds, law, unit, lightness, table, met):
    """How much of its drag each wall exerts, `table.give`: less where the fluid drags more mass along than a body has.

    Without it a light body would be dragged faster than the fluid flows.
    """
    met.whole_load[:] = 0.0
    met.point_load[:] = 0.0
    for is_last in (False, True):
        for i in range(count):
            for k in range(table.count[i]):
                t = table.triangle[i, k]
                b, distance = met.answers[t], from_wall(rows, i, table.plane, k)
                table.give[i, k] = 1.0
                if b == STANDS:
                    continue
                load = unit / lightness[i] * speeds[i, 3] * table.plane[i, k, WEIGHT] * cap(distance, law.per_support)
                if b >= 0:
                    if is_last:
                        table.give[i, k] = 1.0 / (1.0 + met.whole_load[b])
                    else:
                        met.whole_load[b] += load * met.lightest[b]
                else:
                    for n in range(3):
                        p = met.corner[t, n]
                        if is_last:
                            table.give[i, k] = min(table.give[i, k], 1.0 / (1.0 + met.point_load[p]))
                        else:
                            met.point_load[p] += table.share[i, k, n] * load * met.light[p]


@kernel
def react(count, rows, origin, h, unit, lightness, table, met):
    """Bodies take what walls dragged particles along by, `table.push`."""
    for i in range(count):
        for k in range(table.count[i]):
            t = table.triangle[i, k]
            b = met.answers[t]
            if b == STANDS:
                continue
            scale = -unit / lightness[i] / h
            jx, jy, jz = scale * table.push[i, k, 0], scale * table.push[i, k, 1], scale * table.push[i, k, 2]
            if b >= 0:
                rx = rows[i, 0] + origin[0] - met.centre[b, 0]
                ry = rows[i, 1] + origin[1] - met.centre[b, 1]
                rz = rows[i, 2] + origin[2] - met.centre[b, 2]
                tow = met.tow[b]
                tow[0] += jx
                tow[1] += jy
                tow[2] += jz
                tow[3] += ry * jz - rz * jy
                tow[4] += rz * jx - rx * jz
                tow[5] += rx * jy - ry * jx
            else:
                for n in range(3):
                    p, share = met.corner[t, n], table.share[i, k, n]
                    dv = share * met.light[p]
                    met.impulse[p, 0] += share * jx
                    met.impulse[p, 1] += share * jy
                    met.impulse[p, 2] += share * jz
                    met.speed[p, 0] += dv * jx
                    met.speed[p, 1] += dv * jy
                    met.speed[p, 2] += dv * jz
