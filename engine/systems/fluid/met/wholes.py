"""Impulses between a fluid and bodies that answer as a whole, see `exchange`.

Where a body comes to a particle by s = N . u, by all impulses together, that changes the particle's velocity by

    F'(s) = max(0, q + min(s, 0) + max(0, s - slack))

So a body that gives way pushes less, and one that comes takes the particle along, but for a slack: a particle that
leaves the wall may be caught up with. Without that, what flies from one side of a light body that the fluid strikes on
the other side would be kept flying from it, with energy from nowhere. F' does not fall, so F is convex.
"""

from __future__ import annotations

from ....compiler.kernels import kernel

# Most steps of Newton's method, and halvings of a step that goes too far.
NEWTON, HALVINGS = 20, 6
# A step has gone too far where the value rises again by more than this share of the body's own part.
FLAT = 0.01
# Parts of F': none, with slope 1 below no speed, without slope, with slope 1 beyond the slack.
NONE, YIELDS, STEADY, CATCHES = 0, 1, 2, 3


@kernel
def solve_wholes(count, contacts, table, met, gravity, limit):
    """Changes of velocity of whole bodies, `met.change` (b, 6), and their impulses.

    A step of Newton's method that goes beyond the least value along it is halved until it does not: among parts of F'
    without slope a light body would otherwise go to and fro.

    Args: gravity: (3,) times h [m/s]; limit: no point of a body becomes faster than this by the fluid [m/s].
    """
    gx, gy, gz = gravity
    solve = contacts.solve
    for b in range(met.mass.shape[0]):
        for a in range(6):
            met.change[b, a] = 0.0
        met.change[b, 0], met.change[b, 1], met.change[b, 2] = gx, gy, gz
    is_full = False
    for _turn in range(NEWTON):
        for b in range(met.mass.shape[0]):
            start_equations(b, solve.matrix, met, gx, gy, gz)
        is_same = is_full
        for c in range(count):
            b = met.answers[table.triangle[contacts.wall[c]]]
            if b >= 0:
                case = case_of(c, contacts, dot6(contacts.arm, c, met.change, b))
                is_same &= case == solve.case[c]
                solve.case[c] = case
                if case != NONE:
                    add_equation(c, b, case, contacts, solve.matrix)
        if is_same:
            break
        for b in range(met.mass.shape[0]):
            for a in range(6):
                solve.way[b, a] = met.change[b, a]
            solve_equations(b, solve.matrix, met.change)
            for a in range(6):
                solve.way[b, a] = met.change[b, a] - solve.way[b, a]
        is_full = backtrack(count, contacts, table, met, gravity) == 0
    for c in range(count):
        b = met.answers[table.triangle[contacts.wall[c]]]
        if b >= 0:
            solve.impulse[c] = contacts.mass[c] * push_at(c, contacts, dot6(contacts.arm, c, met.change, b))
    limit_wholes(count, contacts, table, met, gravity, limit)


@kernel
def backtrack(count, contacts, table, met, gravity):
    """Take changes of velocity back along `way` by half of what is left of it, where they have gone too far.

    Returns how often that was done.
    """
    solve, left = contacts.solve, 1.0
    for turn in range(HALVINGS):
        is_far = False
        for b in range(met.mass.shape[0]):
            solve.slope[b] = slope_of(b, solve.way, met, gravity)
        for c in range(count):
            b = met.answers[table.triangle[contacts.wall[c]]]
            if b >= 0:
                push = push_at(c, contacts, dot6(contacts.arm, c, met.change, b))
                solve.slope[b] += contacts.mass[c] * push * dot6(contacts.arm, c, solve.way, b)
        left *= 0.5
        for b in range(met.mass.shape[0]):
            if solve.slope[b] > FLAT * energy_of(b, solve.way, met):
                is_far = True
                for a in range(6):
                    met.change[b, a] -= left * solve.way[b, a]
        if not is_far:
            return turn
    return HALVINGS


@kernel
def slope_of(b, way, met, gravity):
    """way . M (u - u0) of body b, with u of `met.change` and u0 by gravity alone."""
    total = 0.0
    for a in range(3):
        turned = 0.0
        for e in range(3):
            turned += met.inertia[b, a, e] * met.change[b, 3 + e]
        total += way[b, a] * met.mass[b] * (met.change[b, a] - gravity[a]) + way[b, 3 + a] * turned
    return total


@kernel
def energy_of(b, way, met):
    """way . M way of body b."""
    total = 0.0
    for a in range(3):
        turned = 0.0
        for e in range(3):
            turned += met.inertia[b, a, e] * way[b, 3 + e]
        total += way[b, a] * met.mass[b] * way[b, a] + way[b, 3 + a] * turned
    return total


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
def push_at(c, contacts, comes):
    """F' of a contact whose wall comes by so much [m/s]."""
    return max(contacts.solve.need[c] + min(comes, 0.0) + max(comes - contacts.solve.slack[c], 0.0), 0.0)


@kernel
def case_of(c, contacts, comes):
    """The part of F' that holds there."""
    if push_at(c, contacts, comes) <= 0.0:
        return NONE
    if comes <= 0.0:
        return YIELDS
    return STEADY if comes < contacts.solve.slack[c] else CATCHES


@kernel
def add_equation(c, b, case, contacts, matrix):
    """Add m N N' and -m q N of a contact that pushes, see `case_of`."""
    need, slope = contacts.solve.need[c], 0.0 if case == STEADY else 1.0
    if case == CATCHES:
        need -= contacts.solve.slack[c]
    for a in range(6):
        share = contacts.mass[c] * contacts.arm[c, a]
        for e in range(6):
            matrix[b, a, e] += slope * share * contacts.arm[c, e]
        matrix[b, a, 6] -= share * need


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
