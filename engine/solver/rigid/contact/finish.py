"""Steps after the impulses are known: remove overlap from the start of the substep (recovery), and move the bodies.

Recovery moves bodies and particles without changing their velocities.
"""

from __future__ import annotations

import math

from ....compiler.kernels import kernel, parallel_kernel, prange
from ...collide.response.response import RECOVERY_SPEED
from ..motion import advance_pose, place_body, rotate_by
from ..sides import apply_impulse, has_static_side, point_velocity, shift_soft, soft_displacement
from .prepare import weigh

# Fraction of an overlap that is removed in a substep; the overlap of a hull and a wall is removed completely. A contact
# constrains only the velocity of a corner. The corner of a spinning body leaves that line by
# h² / 2 omega x (omega x r), which points into the wall if the axis is inclined.
RECOVERED = 0.2
# Sweeps end when they move bodies by less [m].
CONVERGED = 1e-7


@kernel
def separation_along(m, contacts, of_bodies, of_particles):
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
    ax, ay, az = point_velocity(m, sides[m, 0], 1.0, contacts.lever_a, of_bodies)
    bx, by, bz = point_velocity(m, sides[m, 1], -1.0, contacts.lever_b, of_bodies)
    return found + (nx * (ax + bx) + ny * (ay + by) + nz * (az + bz))


@kernel
def _limit_recovery(m, contacts, h, start_shift, zeros):
    """Set how much of an overlap is removed, see `undo_overlap`; zeros: (n, 3)."""
    approached = 0.0
    if contacts.normal_response[m, 3] == 0.0:
        approached = min(max(-separation_along(m, contacts, start_shift, zeros), 0.0), contacts.overlap[m])
    fraction = (
        1.0 if contacts.slot[m] < 0 and has_static_side(m, contacts.sides, contacts.normal_response) else RECOVERED
    )
    contacts.overlap[m] = approached + min(fraction * (contacts.overlap[m] - approached), RECOVERY_SPEED * h)


@kernel
def _remaining_separation(m, contacts, h, change, zeros):
    """Separation of a contact of hard sides that remains at the end of the substep [m]; zeros: (n, 3)."""
    speed = separation_along(m, contacts, change, zeros)
    normal, base = contacts.normal, contacts.base
    speed += normal[m, 0] * base[m, 0] + normal[m, 1] * base[m, 1] + normal[m, 2] * base[m, 2]
    return h * max(speed - contacts.target[m], 0.0)


@kernel
def finish_impulses(
    iterations, bounds, contacts, inv_mass, bodies, places, h, start_shift, speeds, shift, recovered, angular_momentum
):
    """Remove overlap from the start of the substep, once, and compensate the angular momentum that this loses.

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
        found = undo_overlap(iterations, count, contacts, inv_mass, bodies, h, start_shift, change, shift, recovered)
    else:
        contacts.extra_impulse[first:count] = 0.0
    _compensate_angular_momentum(
        count, contacts.sides, contacts.normal, contacts.extra_impulse, velocity, change, angular_momentum
    )
    _compensate_soft_angular_momentum(count, contacts, inv_mass, x, x_prev, h, velocity, change, angular_momentum)
    _move_soft(found, contacts, inv_mass, recovered, x, x_prev)


@kernel
def undo_overlap(iterations, count, contacts, inv_mass, bodies, h, start_shift, change, shift, recovered):
    """Separate sides that overlapped at the start of the substep, without adding velocity, at most at RECOVERY_SPEED.

    Overlap of two hard sides by the shift of start poses in `given.end_body_contacts` is removed completely, because
    the contact acts on them in this substep as before. Recovery presses no body into an immovable side that the body
    does not overlap, and the last sweeps are over contacts with immovable sides only.

    Args:
        iterations: sweeps over all contacts, and over those with immovable sides; they end when they move no body.
        contacts: `columns.RigidContactColumns`; its `extra_impulse`, out, is the mass-weighted displacement [kg m];
            `overlap`, in and out, becomes the separation to gain [m]; where negative, the sides may approach by that.
        bodies: 1 / mass (b,) [1/kg], and inverse inertias, see `sides`; h: the substep [s].
        start_shift: (b, 6) displacement [m] and rotation [rad] by which the start of the substep was shifted.
        change: (b, 6) velocities gained by the contacts, see `impulses`.
        shift: in and out (b, 6), displacement [m] and rotation [rad] of bodies.
        recovered: in and out (n, 3), displacement of soft particles [m], zero before.

    Returns the number of contacts that took part; they are listed in `contacts.selected`.
    """
    body_inv_mass, inverse = bodies
    normal, overlap, total_inv_mass, weighted_shift, selected = (
        contacts.normal, contacts.overlap, contacts.total_inv_mass, contacts.extra_impulse, contacts.selected
    )
    found = 0
    for m in range(count):
        weighted_shift[m] = 0.0
        if (
            overlap[m] > 0.0 and total_inv_mass[m, 0] > 0.0
            and not has_static_side(m, contacts.sides, contacts.normal_response)
        ):
            _limit_recovery(m, contacts, h, start_shift, recovered)
            weigh(m, contacts, body_inv_mass, inverse)
            selected[found] = m
            found += 1
    first_held = found
    for m in range(count):
        if total_inv_mass[m, 0] == 0.0 or not has_static_side(m, contacts.sides, contacts.normal_response):
            continue
        if overlap[m] > 0.0:
            _limit_recovery(m, contacts, h, start_shift, recovered)
        elif first_held > 0 and contacts.spring[m, 0] == 0.0:
            overlap[m] = -_remaining_separation(m, contacts, h, change, recovered)
        else:
            continue
        selected[found] = m
        found += 1
    changed = math.inf
    for sweep in range(2 * iterations if 0 < first_held < found else iterations):
        if changed <= CONVERGED and sweep != iterations:
            continue
        changed = 0.0
        first = first_held if sweep >= iterations else 0
        for place in range(first, found):
            m = selected[place if sweep % 2 == 1 else first + found - 1 - place]
            nx = normal[m, 0]
            ny = normal[m, 1]
            nz = normal[m, 2]
            gained = separation_along(m, contacts, shift, recovered)
            now = max(weighted_shift[m] + (overlap[m] - gained) * contacts.effective_mass[m, 0], 0.0)
            gain = now - weighted_shift[m]
            weighted_shift[m] = now
            changed += abs(gain) * (total_inv_mass[m, 0] - contacts.normal_response[m, 3])
            jx, jy, jz = gain * nx, gain * ny, gain * nz
            apply_impulse(m, contacts.sides[m, 0], 1.0, contacts.lever_a, body_inv_mass, inverse, jx, jy, jz, shift)
            apply_impulse(m, contacts.sides[m, 1], -1.0, contacts.lever_b, body_inv_mass, inverse, jx, jy, jz, shift)
            if contacts.normal_response[m, 3] > 0.0:
                shift_soft(m, contacts.contact, contacts.weight, inv_mass, jx, jy, jz, recovered)
    return found


@kernel
def _compensate_angular_momentum(count, sides, normal, weighted_shift, velocity, change, angular_momentum):
    """Add to the bodies the angular momentum that overlap recovery loses for two bodies in relative motion.

    Displacing masses by m s = +-j n changes the sum of x cross m v by j n cross (v_a - v_b). Each body compensates
    half of it.

    Args: weighted_shift: (m,) j [kg m]; velocity, change: their sum is v [m/s]; angular_momentum: in and out (b, 3)
        [kg m²/s].
    """
    for m in range(count):
        a = sides[m, 0]
        b = sides[m, 1]
        if a < 0 or b < 0 or weighted_shift[m] == 0.0:
            continue
        ux = velocity[a, 0] + change[a, 0] - velocity[b, 0] - change[b, 0]
        uy = velocity[a, 1] + change[a, 1] - velocity[b, 1] - change[b, 1]
        uz = velocity[a, 2] + change[a, 2] - velocity[b, 2] - change[b, 2]
        half = 0.5 * weighted_shift[m]
        for side in range(2):
            angular_momentum[sides[m, side], 0] -= half * (normal[m, 1] * uz - normal[m, 2] * uy)
            angular_momentum[sides[m, side], 1] -= half * (normal[m, 2] * ux - normal[m, 0] * uz)
            angular_momentum[sides[m, side], 2] -= half * (normal[m, 0] * uy - normal[m, 1] * ux)


@kernel
def _compensate_soft_angular_momentum(count, contacts, inv_mass, x, x_prev, h, velocity, change, angular_momentum):
    """As `_compensate_angular_momentum`, for bodies and soft particles in inner steps; call it before the bodies move.

    Particles have no rotation, so the body compensates the whole error of the overlap recovery.

    Args: contacts: `columns.RigidContactColumns`; x, x_prev: (n, 3) [m]; angular_momentum: in and out.
    """
    sides, contact, weight, normal = contacts.sides, contacts.contact, contacts.weight, contacts.normal
    for m in range(count):
        if not contacts.soft[m] or contacts.extra_impulse[m] == 0.0:
            continue
        side = 0 if sides[m, 0] >= 0 else 1
        b = sides[m, side]
        sign = 1.0 if side == 0 else -1.0
        ux = sign * (velocity[b, 0] + change[b, 0])
        uy = sign * (velocity[b, 1] + change[b, 1])
        uz = sign * (velocity[b, 2] + change[b, 2])
        sx, sy, sz = soft_displacement(m, contact, weight, inv_mass, x, x_prev)
        ux += sx / h
        uy += sy / h
        uz += sz / h
        dx = contacts.extra_impulse[m] * normal[m, 0]
        dy = contacts.extra_impulse[m] * normal[m, 1]
        dz = contacts.extra_impulse[m] * normal[m, 2]
        angular_momentum[b, 0] -= dy * uz - dz * uy
        angular_momentum[b, 1] -= dz * ux - dx * uz
        angular_momentum[b, 2] -= dx * uy - dy * ux


@kernel
def _move_soft(found, contacts, inv_mass, recovered, x, x_prev):
    """Move soft particles by `recovered`, at the end and at the start of the substep alike, and clear `recovered`."""
    for place in range(found):
        m = contacts.selected[place]
        for e in range(4):
            i = contacts.contact[m, e]
            for k in range(3):
                if inv_mass[i] > 0.0:
                    x[i, k] += recovered[i, k]
                    x_prev[i, k] += recovered[i, k]
                recovered[i, k] = 0.0


@parallel_kernel
def move_bodies(
    selected, h, bodies, velocity_before, angular_momentum_before, change, angular_momentum_gained, shift, particles, x
):
    """Apply the contact impulses to selected bodies: their momenta, and the resulting end poses.

    Args:
        bodies: `columns.BodyColumns`; shift: (b, 6), additional displacement and rotation [m, rad].
        particles: `bodies.RigidBodies.particles`; x: out (n, 3), their positions [m].
    """
    first, start, stop, local = particles
    position, rotation = bodies.position, bodies.rotation
    for place in prange(selected.shape[0]):
        b = selected[place]
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
    advance_pose(
        b, h, bodies.inertia, bodies.position_before, bodies.rotation_before, velocity, angular_momentum, position,
        rotation,
    )
    for k in range(3):
        position[b, k] += shift[b, k]
    rotate_by(rotation, b, shift[b, 3], shift[b, 4], shift[b, 5])
