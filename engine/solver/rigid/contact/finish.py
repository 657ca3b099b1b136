"""Steps after the impulses are known: recover earlier overlap, and move the bodies.

Overlap is removed by moving bodies and particles without changing their velocities.
"""

from __future__ import annotations

import math

from ....compiler.kernels import kernel, parallel_kernel, prange
from ...collide.response.response import RECOVERY_SPEED
from ..motion import go_on, place_body, turn_by
from ..sides import add_rate, is_held, push_rate, push_soft, soft_apart
from .prepare import weigh

# Fraction of an overlap that is removed in a substep; of a hull in a wall all is. A contact holds the velocity of a
# corner, and one that spins leaves that line by h² / 2 omega x (omega x r), into the wall where its axis is slant.
RECOVERED = 0.2
# Sweeps end when they move bodies by less [m].
STILL = 1e-7


@kernel
def apart_along(m, contacts, of_bodies, of_particles):
    """Separation, or separation speed, of the two sides along the normal; from bodies (b, 6) and particles (n, 3)."""
    sides, contact, weight, normal = contacts.sides, contacts.contact, contacts.weight, contacts.normal
    nx = normal[m, 0]
    ny = normal[m, 1]
    nz = normal[m, 2]
    found = 0.0
    # Contacts of hulls have no weights.
    for e in range(0 if weight[m, 0] == 0.0 and weight[m, 1] == 0.0 else 4):
        i = contact[m, e]
        found += weight[m, e] * (nx * of_particles[i, 0] + ny * of_particles[i, 1] + nz * of_particles[i, 2])
    ax, ay, az = add_rate(m, sides[m, 0], 1.0, contacts.lever_a, of_bodies)
    bx, by, bz = add_rate(m, sides[m, 1], -1.0, contacts.lever_b, of_bodies)
    return found + (nx * (ax + bx) + ny * (ay + by) + nz * (az + bz))


@kernel
def _want(m, contacts, h, given, nothing):
    """Set how much of an overlap is removed, see `undo_overlap`; nothing: (n, 3) zeros."""
    came = 0.0
    if contacts.toward[m, 3] == 0.0:
        came = min(max(-apart_along(m, contacts, given, nothing), 0.0), contacts.overlap[m])
    share = 1.0 if contacts.slot[m] < 0 and is_held(m, contacts.sides, contacts.toward) else RECOVERED
    contacts.overlap[m] = came + min(share * (contacts.overlap[m] - came), RECOVERY_SPEED * h)


@kernel
def _left(m, contacts, h, change, nothing):
    """Separation that a contact of hard sides has left at the end of the substep [m]; nothing: (n, 3) zeros."""
    speed = apart_along(m, contacts, change, nothing)
    normal, base = contacts.normal, contacts.base
    speed += normal[m, 0] * base[m, 0] + normal[m, 1] * base[m, 1] + normal[m, 2] * base[m, 2]
    return h * max(speed - contacts.target[m], 0.0)


@kernel
def finish_impulses(
    iterations, bounds, contacts, inv_mass, bodies, places, h, given, speeds, shift, recovered, angular_momentum
):
    """Undo overlap from the start of the substep, once, and the angular momentum that this loses.

    Args:
        bounds: the first contact that was solved for the first time, and how many contacts there are.
        places: x and x_prev, (n, 3) each, in and out [m]; speeds: velocities before contacts (b, 3) and `change`.
        angular_momentum: in and out (b, 3) [kg m²/s]; all others: see `undo_overlap`.
    """
    first, count = bounds
    velocity, change = speeds
    x, x_prev = places
    found = 0
    if first == 0:
        shift[:] = 0.0
        found = undo_overlap(iterations, count, contacts, inv_mass, bodies, h, given, change, shift, recovered)
    else:
        contacts.more[first:count] = 0.0
    _owe_angular_momentum(count, contacts.sides, contacts.normal, contacts.more, velocity, change, angular_momentum)
    _owe_soft_angular_momentum(count, contacts, inv_mass, x, x_prev, h, velocity, change, angular_momentum)
    _settle_soft(found, contacts, inv_mass, recovered, x, x_prev)


@kernel
def undo_overlap(iterations, count, contacts, inv_mass, bodies, h, given, change, shift, recovered):
    """Separate sides that overlapped at the start of the substep, without adding velocity, at most at RECOVERY_SPEED.

    What `given.end_body_holds` has shifted two hard sides into each other is undone at once: the contact holds them in
    this substep as before. Nothing is pressed into immovable sides that it does not overlap, and contacts with these
    have the last sweeps alone.

    Args:
        iterations: sweeps over all contacts, and over those with immovable sides; they end when they move no body.
        contacts: `columns.RigidContactColumns`; its `more`, out, is the mass-weighted displacement [kg m], `overlap`,
            in and out, becomes the separation to gain; below 0 the sides may come closer by that [m].
        bodies: 1 / mass (b,) [1/kg], and inverse inertias, see `sides`; h: the substep [s].
        given: (b, 6) displacement [m] and rotation [rad] by which the start of the substep was shifted.
        change: (b, 6) velocities gained by the contacts, see `impulses`.
        shift: in and out (b, 6), displacement [m] and rotation [rad] of bodies.
        recovered: in and out (n, 3), displacement of soft particles [m], zero before.

    Returns how many contacts took part; they are listed in `around`.
    """
    light, inverse = bodies
    normal, overlap, total_inv_mass, pushed, chosen = (
        contacts.normal, contacts.overlap, contacts.total_inv_mass, contacts.more, contacts.around
    )
    found = 0
    for m in range(count):
        pushed[m] = 0.0
        if overlap[m] > 0.0 and total_inv_mass[m, 0] > 0.0 and not is_held(m, contacts.sides, contacts.toward):
            _want(m, contacts, h, given, recovered)
            weigh(m, contacts, light, inverse)
            chosen[found] = m
            found += 1
    first_held = found
    for m in range(count):
        if total_inv_mass[m, 0] == 0.0 or not is_held(m, contacts.sides, contacts.toward):
            continue
        if overlap[m] > 0.0:
            _want(m, contacts, h, given, recovered)
        elif first_held > 0 and contacts.spring[m, 0] == 0.0:
            overlap[m] = -_left(m, contacts, h, change, recovered)
        else:
            continue
        chosen[found] = m
        found += 1
    changed = math.inf
    for sweep in range(2 * iterations if 0 < first_held < found else iterations):
        if changed <= STILL and sweep != iterations:
            continue
        changed = 0.0
        first = first_held if sweep >= iterations else 0
        for place in range(first, found):
            m = chosen[place if sweep % 2 == 1 else first + found - 1 - place]
            nx = normal[m, 0]
            ny = normal[m, 1]
            nz = normal[m, 2]
            way = apart_along(m, contacts, shift, recovered)
            now = max(pushed[m] + (overlap[m] - way) * contacts.firm[m, 0], 0.0)
            gain = now - pushed[m]
            pushed[m] = now
            changed += abs(gain) * (total_inv_mass[m, 0] - contacts.toward[m, 3])
            jx, jy, jz = gain * nx, gain * ny, gain * nz
            push_rate(m, contacts.sides[m, 0], 1.0, contacts.lever_a, light, inverse, jx, jy, jz, shift)
            push_rate(m, contacts.sides[m, 1], -1.0, contacts.lever_b, light, inverse, jx, jy, jz, shift)
            if contacts.toward[m, 3] > 0.0:
                push_soft(m, contacts.contact, contacts.weight, inv_mass, jx, jy, jz, recovered)
    return found


@kernel
def _owe_angular_momentum(count, sides, normal, pushed, velocity, change, owed):
    """The angular momentum lost when overlap recovery displaces two bodies in relative motion; it goes to their spin.

    Displacing masses by m s = +-j n changes the sum of x cross m v by j n cross (v_a - v_b). Each body compensates
    half of it. Args: pushed: (m,) j [kg m]; velocity, change: their sum is v [m/s]; owed: in and out (b, 3) [kg m²/s].
    """
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
def _owe_soft_angular_momentum(count, contacts, inv_mass, x, x_prev, h, velocity, change, owed):
    """As `_owe_angular_momentum`, for bodies and soft particles in inner steps; call it before the bodies move.

    Particles compensate nothing, so the body takes the whole error of the overlap recovery.

    Args: contacts: `columns.RigidContactColumns`; x, x_prev: (n, 3) [m]; owed: in and out.
    """
    sides, contact, weight, normal = contacts.sides, contacts.contact, contacts.weight, contacts.normal
    for m in range(count):
        if not contacts.soft[m] or contacts.more[m] == 0.0:
            continue
        side = 0 if sides[m, 0] >= 0 else 1
        b = sides[m, side]
        sign = 1.0 if side == 0 else -1.0
        ux = sign * (velocity[b, 0] + change[b, 0])
        uy = sign * (velocity[b, 1] + change[b, 1])
        uz = sign * (velocity[b, 2] + change[b, 2])
        sx, sy, sz = soft_apart(m, contact, weight, inv_mass, x, x_prev)
        ux += sx / h
        uy += sy / h
        uz += sz / h
        dx = contacts.more[m] * normal[m, 0]
        dy = contacts.more[m] * normal[m, 1]
        dz = contacts.more[m] * normal[m, 2]
        owed[b, 0] -= dy * uz - dz * uy
        owed[b, 1] -= dz * ux - dx * uz
        owed[b, 2] -= dx * uy - dy * ux


@kernel
def _settle_soft(found, contacts, inv_mass, recovered, x, x_prev):
    """Move soft particles by `recovered`, at the end and at the start of the substep alike, and clear `recovered`."""
    for place in range(found):
        m = contacts.around[place]
        for e in range(4):
            i = contacts.contact[m, e]
            for k in range(3):
                if inv_mass[i] > 0.0:
                    x[i, k] += recovered[i, k]
                    x_prev[i, k] += recovered[i, k]
                recovered[i, k] = 0.0


@parallel_kernel
def move_bodies(
    chosen, h, bodies, velocity_before, angular_momentum_before, change, angular_momentum_gained, shift, particles, x
):
    """Apply the contact impulses to chosen bodies: their momenta, and the end positions that follow from them.

    Args:
        bodies: `columns.BodyColumns`; shift: (b, 6), additional displacement and rotation [m, rad].
        particles: `bodies.RigidBodies.particles`; x: out (n, 3), their positions [m].
    """
    first, start, stop, local = particles
    position, rotation = bodies.position, bodies.rotation
    for place in prange(chosen.shape[0]):
        b = chosen[place]
        _move_body(b, h, bodies, velocity_before, angular_momentum_before, change, angular_momentum_gained, shift)
        place_body(b, first, start, stop, local, position, rotation, x)


@kernel
def _move_body(b, h, bodies, velocity_before, angular_momentum_before, change, angular_momentum_gained, shift):
    """Body b, see `move_bodies`."""
    velocity, angular_momentum, position, rotation = (
        bodies.velocity, bodies.angular_momentum, bodies.position, bodies.rotation
    )
    for k in range(3):
        velocity[b, k] = velocity_before[b, k] + change[b, k]
        angular_momentum[b, k] = angular_momentum_before[b, k] + angular_momentum_gained[b, k]
    go_on(
        b, h, bodies.inertia, bodies.position_before, bodies.rotation_before, velocity, angular_momentum, position,
        rotation,
    )
    for k in range(3):
        position[b, k] += shift[b, k]
    turn_by(rotation, b, shift[b, 3], shift[b, 4], shift[b, 5])
