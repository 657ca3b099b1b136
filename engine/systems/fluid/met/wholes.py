"""Impulses between a fluid and bodies with rigid response, see `exchange`.

If all impulses together make a body approach a particle at a speed s = N . u, the particle's velocity changes by

    F'(s) = max(0, q + min(s, 0) + max(0, s - speed_margin))

So a body that recedes pushes less, and one that approaches takes the particle along, except for a margin: the body may
catch up with a particle that leaves the wall. Without the margin, particles that fly off one side of a light body while
the fluid strikes its other side would be driven on, with energy from nowhere. F' does not decrease, so F is convex.
"""

from __future__ import annotations

from ....compiler.kernels import kernel

# Most steps of Newton's method, and halvings of a step that overshoots.
NEWTON, HALVINGS = 20, 6
# A step has overshot if the slope of the value at its end exceeds this fraction of the body's own term.
FLAT = 0.01
# Branches of F': zero; slope 1 for s <= 0; constant; slope 1 beyond the margin.
NONE, YIELDS, STEADY, CATCHES = 0, 1, 2, 3


@kernel
def solve_rigid(count, contacts, table, met, gravity, limit):
    """Velocity changes of bodies with rigid response, `met.change` (b, 6), and their impulses.

    A Newton step beyond the minimum along it is halved until it is not: between constant branches of F' a light body
    would otherwise oscillate.

    Args: gravity: (3,) times h [m/s]; limit: the fluid makes no point of a body faster than this [m/s].
    """
    gx, gy, gz = gravity
    solve = contacts.solve
    for b in range(met.mass.shape[0]):
        for a in range(6):
            met.change[b, a] = 0.0
        met.change[b, 0], met.change[b, 1], met.change[b, 2] = gx, gy, gz
    is_full = False
    for _iteration in range(NEWTON):
        for b in range(met.mass.shape[0]):
            start_equations(b, solve.matrix, met, gx, gy, gz)
        is_same = is_full
        for c in range(count):
            b = met.response[table.triangle[contacts.wall[c]]]
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
                solve.newton_step[b, a] = met.change[b, a]
            solve_equations(b, solve.matrix, met.change)
            for a in range(6):
                solve.newton_step[b, a] = met.change[b, a] - solve.newton_step[b, a]
        is_full = backtrack(count, contacts, table, met, gravity) == 0
    for c in range(count):
        b = met.response[table.triangle[contacts.wall[c]]]
        if b >= 0:
            solve.impulse[c] = contacts.mass[c] * dv_at(c, contacts, dot6(contacts.arm, c, met.change, b))
    limit_speeds(count, contacts, table, met, gravity, limit)


@kernel
def backtrack(count, contacts, table, met, gravity):
    """Move velocity changes back along `newton_step`, by half of the rest of it each time, while they overshoot.

    Returns how often that was done.
    """
    solve, left = contacts.solve, 1.0
    for halving in range(HALVINGS):
        is_far = False
        for b in range(met.mass.shape[0]):
            solve.slope[b] = slope_of(b, solve.newton_step, met, gravity)
        for c in range(count):
            b = met.response[table.triangle[contacts.wall[c]]]
            if b >= 0:
                dv = dv_at(c, contacts, dot6(contacts.arm, c, met.change, b))
                solve.slope[b] += contacts.mass[c] * dv * dot6(contacts.arm, c, solve.newton_step, b)
        left *= 0.5
        for b in range(met.mass.shape[0]):
            if solve.slope[b] > FLAT * energy_of(b, solve.newton_step, met):
                is_far = True
                for a in range(6):
                    met.change[b, a] -= left * solve.newton_step[b, a]
        if not is_far:
            return halving
    return HALVINGS


@kernel
def slope_of(b, step, met, gravity):
    """step . M (u - u0) of body b, with u of `met.change` and u0 by gravity alone."""
    total = 0.0
    for a in range(3):
        angular = 0.0
        for e in range(3):
            angular += met.inertia[b, a, e] * met.change[b, 3 + e]
        total += step[b, a] * met.mass[b] * (met.change[b, a] - gravity[a]) + step[b, 3 + a] * angular
    return total


@kernel
def energy_of(b, step, met):
    """step . M step of body b."""
    total = 0.0
    for a in range(3):
        angular = 0.0
        for e in range(3):
            angular += met.inertia[b, a, e] * step[b, 3 + e]
        total += step[b, a] * met.mass[b] * step[b, a] + step[b, 3 + a] * angular
    return total


@kernel
def limit_speeds(count, contacts, table, met, gravity, limit):
    """Scale the impulses of bodies with points that would become too fast."""
    for b in range(met.mass.shape[0]):
        before, after = peak(b, met, 0.0), peak(b, met, 1.0)
        most = max(before, limit)
        met.body_load[b] = 1.0 if after <= most else max(most - before, 0.0) / (after - before)
        if met.body_load[b] < 1.0:
            for a in range(6):
                fall = gravity[a] if a < 3 else 0.0
                met.change[b, a] = fall + met.body_load[b] * (met.change[b, a] - fall)
    for c in range(count):
        b = met.response[table.triangle[contacts.wall[c]]]
        if b >= 0:
            contacts.solve.impulse[c] *= met.body_load[b]


@kernel
def peak(b, met, fraction):
    """Bound of the speed of all points of body b, with a fraction of its change."""
    speed, rotation = 0.0, 0.0
    for a in range(3):
        speed += (met.rate[b, a] + fraction * met.change[b, a]) ** 2
        rotation += (met.rate[b, 3 + a] + fraction * met.change[b, 3 + a]) ** 2
    return speed**0.5 + met.reach[b] * rotation**0.5


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
def dv_at(c, contacts, s):
    """F'(s) of a contact whose wall approaches at the speed s [m/s]."""
    return max(contacts.solve.target_dv[c] + min(s, 0.0) + max(s - contacts.solve.speed_margin[c], 0.0), 0.0)


@kernel
def case_of(c, contacts, s):
    """The branch of F' at s."""
    if dv_at(c, contacts, s) <= 0.0:
        return NONE
    if s <= 0.0:
        return YIELDS
    return STEADY if s < contacts.solve.speed_margin[c] else CATCHES


@kernel
def add_equation(c, b, case, contacts, matrix):
    """Add m N N' and -m q N of a contact that pushes, by its branch of F', see `case_of`."""
    dv, slope = contacts.solve.target_dv[c], 0.0 if case == STEADY else 1.0
    if case == CATCHES:
        dv -= contacts.solve.speed_margin[c]
    for a in range(6):
        scale = contacts.mass[c] * contacts.arm[c, a]
        for e in range(6):
            matrix[b, a, e] += slope * scale * contacts.arm[c, e]
        matrix[b, a, 6] -= scale * dv


@kernel
def solve_equations(b, matrix, change):
    """Solve six equations with a positive matrix by elimination; directions without inertia get no velocity."""
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
