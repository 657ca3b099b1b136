"""What follows once impulses are known: overlap from before is undone, bodies move, and bounce.

Overlap is undone by moving bodies and particles without giving them speed. What bounces parts at the share e of the
speed of its approach, found by the same turns over all contacts, so that a body that falls flat stays so.
"""

from __future__ import annotations

from ..collide.response import RECOVERY_SPEED
from ..jit import kernel
from .impulses import push_both
from .motion import go_on, turn_by
from .sides import add_rate

# Share of an overlap that is undone in a substep, of what is more than this share of the distance to keep: what rests
# would never come to rest if bodies were moved each time by the last micrometre.
RECOVERED = 0.2
LEFT = 0.5


@kernel
def _apart_along(m, sides, contact, share, normal, lever_a, lever_b, of_bodies, of_particles):
    """How far, or how fast, the sides of a contact part along its normal: bodies (b, 6) and particles (n, 3)."""
    nx = normal[m, 0]
    ny = normal[m, 1]
    nz = normal[m, 2]
    ax, ay, az = add_rate(m, sides[m, 0], 1.0, lever_a, of_bodies)
    bx, by, bz = add_rate(m, sides[m, 1], -1.0, lever_b, of_bodies)
    found = nx * (ax + bx) + ny * (ay + by) + nz * (az + bz)
    for e in range(4):
        i = contact[m, e]
        found += share[m, e] * (nx * of_particles[i, 0] + ny * of_particles[i, 1] + nz * of_particles[i, 2])
    return found


@kernel
def undo_overlap(
    turns, count, sides, contact, share, normal, gap, overlap, weight, inv_mass, lever_a, lever_b, mass, inverse, h,
    pushed, shift, spin, recovered,
):
    """Move apart what overlapped when the substep began, no faster than RECOVERY_SPEED and without giving it speed.

    Args:
        pushed: scratch (m,); spin: scratch (b, 3).
        shift: in and out (b, 6), by how much bodies move [m] and turn [rad].
        recovered: in and out (n, 3), by how much soft particles do [m].
    """
    for m in range(count):
        pushed[m] = 0.0
    for turn in range(turns):
        for place in range(count):
            m = place if turn % 2 == 0 else count - 1 - place
            deep = overlap[m] - LEFT * gap[m]
            if deep <= 0.0 or weight[m, 0] <= 0.0:
                continue
            nx = normal[m, 0]
            ny = normal[m, 1]
            nz = normal[m, 2]
            way = _apart_along(m, sides, contact, share, normal, lever_a, lever_b, shift, recovered)
            wanted = min(RECOVERED * deep, RECOVERY_SPEED * h)
            now = max(pushed[m] + (wanted - way) / weight[m, 0], 0.0)
            gain = now - pushed[m]
            pushed[m] = now
            push_both(
                m, sides, contact, share, inv_mass, lever_a, lever_b, mass, inverse, gain * nx, gain * ny, gain * nz,
                1.0, shift, spin, recovered,
            )


@kernel
def owe_spin(count, sides, normal, pushed, velocity, change, owed):
    """What angular momentum two bodies lose when they are moved apart while they pass each other goes to their spin.

    To move masses by m s = +-j n changes the sum of x cross m v by j n cross (v_a - v_b); half of that is taken back by
    each. Args: pushed: (m,) j [kg m]; velocity, change: whose sum is v [m/s]; owed: out (b, 3) [kg m²/s].
    """
    owed[:] = 0.0
    for m in range(count):
        a = sides[m, 0]
        b = sides[m, 1]
        if a < 0 or b < 0 or pushed[m] == 0.0:
            continue
        ux = velocity[a, 0] + change[a, 0] - velocity[b, 0] - change[b, 0]
        uy = velocity[a, 1] + change[a, 1] - velocity[b, 1] - change[b, 1]
        uz = velocity[a, 2] + change[a, 2] - velocity[b, 2] - change[b, 2]
        half = 0.5 * pushed[m]
        for side in range(2):
            owed[sides[m, side], 0] -= half * (normal[m, 1] * uz - normal[m, 2] * uy)
            owed[sides[m, side], 1] -= half * (normal[m, 2] * ux - normal[m, 0] * uz)
            owed[sides[m, side], 2] -= half * (normal[m, 0] * uy - normal[m, 1] * ux)


@kernel
def settle_soft(count, contact, inv_mass, recovered, x, x_prev):
    """Soft particles move by what they recovered, end and beginning alike; `recovered` is nought again."""
    for m in range(count):
        for e in range(4):
            i = contact[m, e]
            for k in range(3):
                if inv_mass[i] > 0.0:
                    x[i, k] += recovered[i, k]
                    x_prev[i, k] += recovered[i, k]
                recovered[i, k] = 0.0


@kernel
def move_bodies(
    h, inertia, velocity_before, spin_before, change, spin_gained, shift, position_before, rotation_before, velocity,
    spin, position, rotation,
):
    """Take up what contacts gave: momenta, and where bodies are by them at the end of the substep."""
    for b in range(inertia.shape[0]):
        for k in range(3):
            velocity[b, k] = velocity_before[b, k] + change[b, k]
            spin[b, k] = spin_before[b, k] + spin_gained[b, k]
        go_on(b, h, inertia, position_before, rotation_before, velocity, spin, position, rotation)
        for k in range(3):
            position[b, k] += shift[b, k]
        turn_by(rotation, b, shift[b, 3], shift[b, 4], shift[b, 5])


@kernel
def move_levers(count, sides, position_before, position, lever_a, lever_b):
    """Levers from where centres are now to the points they had: a pair is then still pushed at one point."""
    for m in range(count):
        for k in range(3):
            a = sides[m, 0]
            b = sides[m, 1]
            if a >= 0:
                lever_a[m, k] += position_before[a, k] - position[a, k]
            if b >= 0:
                lever_b[m, k] += position_before[b, k] - position[b, k]


@kernel
def bounce_rigid(
    turns, count, sides, contact, share, normal, approach, bounces, given, weight, inv_mass, lever_a, lever_b, mass,
    inverse, slowest, v, more, change, spin,
):
    """Part what was stopped at the share `bounces` of its approach, where that was faster than `slowest` [m/s].

    Args:
        v: in and out (n, 3) of particles after the substep; soft ones are changed.
        more: scratch (m,) impulses; change, spin: in and out, what bodies gain, see `sides.push_rigid`.
    """
    for m in range(count):
        more[m] = 0.0
    for turn in range(turns):
        for place in range(count):
            m = place if turn % 2 == 0 else count - 1 - place
            if given[m, 0] <= 0.0 or approach[m] >= -slowest or bounces[m] <= 0.0 or weight[m, 0] <= 0.0:
                continue
            nx = normal[m, 0]
            ny = normal[m, 1]
            nz = normal[m, 2]
            rate = _apart_along(m, sides, contact, share, normal, lever_a, lever_b, change, v)
            now = max(more[m] + (-bounces[m] * approach[m] - rate) / weight[m, 0], 0.0)
            gain = now - more[m]
            more[m] = now
            push_both(
                m, sides, contact, share, inv_mass, lever_a, lever_b, mass, inverse, gain * nx, gain * ny, gain * nz,
                1.0, change, spin, v,
            )
