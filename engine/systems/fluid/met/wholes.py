"""Impulses between a fluid and bodies that answer as a whole, see `exchange`."""

from __future__ import annotations

from ....compiler.kernels import kernel

# Steps of Newton's method.
NEWTON = 8


@kernel
def solve_wholes(count, contacts, table, met, gravity, limit):
    """Changes of velocity of whole bodies, `met.change` (b, 6), and their impulses.

    Args: gravity: (3,) times h [m/s]; limit: no point of a body becomes faster than this by the fluid [m/s].
    """
    gx, gy, gz = gravity
    wholes, matrix = met.mass.shape[0], contacts.solve.matrix
    for b in range(wholes):
        for a in range(6):
            met.change[b, a] = 0.0
        met.change[b, 0], met.change[b, 1], met.change[b, 2] = gx, gy, gz
    for _turn in range(NEWTON):
        for b in range(wholes):
            start_equations(b, matrix, met, gx, gy, gz)
        is_same = True
        for c in range(count):
            b = met.answers[table.triangle[contacts.wall[c]]]
            if b >= 0:
                pushes = contacts.solve.need[c] + dot6(contacts.arm, c, met.change, b) > 0.0
                is_same &= pushes == contacts.solve.pushes[c]
                contacts.solve.pushes[c] = pushes
                if pushes:
                    add_equation(c, b, contacts, matrix)
        if is_same:
            break
        for b in range(wholes):
            solve_equations(b, matrix, met.change)
    for c in range(count):
        b = met.answers[table.triangle[contacts.wall[c]]]
        if b >= 0 and contacts.solve.pushes[c]:
            rate = contacts.solve.need[c] + dot6(contacts.arm, c, met.change, b)
            contacts.solve.impulse[c] = contacts.mass[c] * rate
    limit_wholes(count, contacts, table, met, gravity, limit)


@kernel
def limit_wholes(count, contacts, table, met, gravity, limit):
    """Scale the impulses of bodies of which a point would become too fast."""
    for b in range(met.mass.shape[0]):
        before, after = peak(b, met, 0.0), peak(b, met, 1.0)
        most = max(before, limit)
        met.whole_load[b] = 1.0 if after <= most else max(most - before, 0.0) / (after - before)
        if met.whole_load[b] < 1.0:
            for a in range(6):
                fall = gravity[a] if a < 3 else 0.0
                met.change[b, a] = fall + met.whole_load[b] * (met.change[b, a] - fall)
    for c in range(count):
        b = met.answers[table.triangle[contacts.wall[c]]]
        if b >= 0:
            contacts.solve.impulse[c] *= met.whole_load[b]


@kernel
def peak(b, met, share):
    """Bound of the speed of all points of body b, with a share of its change."""
    going, turning = 0.0, 0.0
    for a in range(3):
        going += (met.rate[b, a] + share * met.change[b, a]) ** 2
        turning += (met.rate[b, 3 + a] + share * met.change[b, 3 + a]) ** 2
    return going**0.5 + met.reach[b] * turning**0.5


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
        matrix[b, a, 6] -= share * contacts.solve.need[c]


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
