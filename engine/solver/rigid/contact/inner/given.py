"""Rigid bodies before and after the inner steps of a substep, see `hold`."""

from __future__ import annotations

import math

from .....compiler.kernels import kernel
from ....constraints.contact.contact_order import row_of
from ....constraints.islands import island_of, list_islands
from ...motion import advance_poses, place_body, rotate_by
from ...sides import apply_inverse_inertia, invert_inertia, set_levers, start_points
from .bodies import IMPULSE_SUMS


@kernel
def begin_bodies(h, gravity, rigid, of_body, steps, bodies):
    """Distribute the velocity change by gravity and water in a substep h [s] over the inner steps, as for springs.

    Args:
        gravity: (3,) [m/s²]; rigid: `columns.BodyColumns`; of_body: (b,) island of each body, or -1.
        steps: (islands,) inner steps of each; bodies: `columns.InnerBodies`, out: all but the lists of islands.
    """
    invert_inertia(rigid.rotation_before, rigid.inertia, bodies.inverse)
    torque, dv_per_step = rigid.spread_torque, bodies.dv_per_step
    for b in range(of_body.shape[0]):
        bodies.steps[b] = steps[of_body[b]] if of_body[b] >= 0 else 1
        bodies.body_inv_mass[b] = 1.0 / rigid.mass[b]
        wx, wy, wz = apply_inverse_inertia(bodies.inverse, b, h * torque[b, 0], h * torque[b, 1], h * torque[b, 2])
        dv_per_step[b, 3] = wx
        dv_per_step[b, 4] = wy
        dv_per_step[b, 5] = wz
        for k in range(3):
            dv_per_step[b, k] = h * (gravity[k] + rigid.spread_force[b, k] / rigid.mass[b])
            bodies.centre_displacement[b, k] = 0.0
        for k in range(6):
            bodies.rate[b, k] = -dv_per_step[b, k]
            bodies.displacement[b, k] = 0.0
            dv_per_step[b, k] /= bodies.steps[b]
        for k in range(IMPULSE_SUMS):
            bodies.impulse_sums[b, k] = 0.0


@kernel
def begin_body_contacts(count, contacts, body, inv_mass, x, x_prev, centre, graph, island, steps, inner):
    """Set up the inner contacts of a substep; returns how many contacts have soft particles.

    Args:
        contacts: `columns.RigidContactColumns`, the first `count` of them; out: soft, normal_impulse.
        body, inv_mass: (n,) of particles; x, x_prev: (n, 3) predicted and start positions [m].
        centre: (b, 3) of bodies at the start [m]; graph, island: see `constraints.islands.number_islands`.
        steps: (islands,) inner steps of each; inner: out, `columns.InnerContacts`.
    """
    contact, weight, normal, sides = contacts.contact, contacts.weight, contacts.normal, contacts.sides
    anchors, soft, spare = contacts.anchors, contacts.soft, graph.spare[0]
    rows, parts, creep, separation = inner.rows, inner.parts, inner.creep, inner.separation
    lever_a, lever_b = inner.lever_a, inner.lever_b
    soft_count = 0
    for m in range(count):
        owner = body[contact[m, 0]]
        inner.island[m] = island_of(m, contact, weight, sides, graph, island)
        steps_of_contact = steps[inner.island[m]] if inner.island[m] >= 0 else 1
        soft[m] = False
        contacts.normal_impulse[m] = 0.0
        separation[m] = math.inf if contacts.spring[m, 0] > 0.0 else 0.0
        for e in range(4):
            i = contact[m, e]
            r = row_of(i, graph.row, spare)
            rows[m, e] = r
            parts[m, e] = weight[m, e] if r != spare else 0.0
            if inv_mass[i] > 0.0:
                soft[m] = soft[m] or weight[m, e] != 0.0
                if r == spare:
                    separation[m] = math.inf
        # Contacts with the ground come last, so that no body is pressed into it.
        inner.is_last[m] = (sides[m, 0] < 0 or sides[m, 1] < 0) and not soft[m]
        is_hull = weight[m, 0] == 0.0 and weight[m, 1] == 0.0
        for k in range(3):
            creep[m, k] = anchors[m, 6 + k] / steps_of_contact if is_hull else 0.0
        for e in range(4):
            i = contact[m, e]
            if rows[m, e] == spare:
                for k in range(3):
                    creep[m, k] += weight[m, e] * (x[i, k] - x_prev[i, k]) / steps_of_contact
        at = start_points(m, sides, contact, weight, anchors, body, owner, centre, x_prev)
        apart = normal[m, 0] * (at[0] - at[3])
        apart += normal[m, 1] * (at[1] - at[4])
        apart += normal[m, 2] * (at[2] - at[5])
        set_levers(m, sides, centre, at, soft[m], lever_a, lever_b)
        for k in range(3):
            inner.start_lever_a[m, k] = lever_a[m, k]
            inner.start_lever_b[m, k] = lever_b[m, k]
        separation[m] = max(separation[m], apart - contacts.rest_separation[m])
        soft[m] = soft[m] and separation[m] < math.inf
        if soft[m]:
            soft_count += 1
    list_islands(count, inner.island, inner.is_last, inner.of_contacts, inner.contact)
    return soft_count


@kernel
def end_body_contacts(h, gravity, rigid, bodies, borne, particles, x_prev, x):
    """Add the impulses of soft particles to bodies, and shift start positions to match the end positions reached.

    An impulse J that acts at the time t in the substep moves the end position by t J / m less than one at its start;
    forces of the substep act on average after half the substep less half an inner step. Shifting the start position by
    s removes s x m v from the sum of x x m v; the angular momentum compensates it. During the substep, gradual forces
    keep the centre behind its predicted path, as in `momentum.piece_corrections`.

    Args:
        h: the substep [s]; gravity: (3,) [m/s²]; rigid: `columns.BodyColumns`, in and out; bodies:
            `columns.InnerBodies`; dv_per_step: out, the velocity change by forces in the whole substep.
        borne: out (b,) the part of each body's mass that soft particles supported [kg].
        particles: `bodies.RigidBodies.particles`; x_prev, x: out (n, 3), their start and end positions [m].
    """
    impulse_sums, dv_per_step, mass = bodies.impulse_sums, bodies.dv_per_step, rigid.mass
    pull = max(h * (gravity[0] * gravity[0] + gravity[1] * gravity[1] + gravity[2] * gravity[2]), 1e-300)
    for b in range(mass.shape[0]):
        step = h / bodies.steps[b]
        up = 0.0
        for k in range(3):
            up -= impulse_sums[b, k] * gravity[k]
        borne[b] = max(up / pull, 0.0)
        for k in range(6):
            dv_per_step[b, k] *= bodies.steps[b]
        if impulse_sums[b, 0] != 0.0 or impulse_sums[b, 1] != 0.0 or impulse_sums[b, 2] != 0.0:
            _add_impulses(b, h, step, rigid, impulse_sums, dv_per_step, bodies.inverse)
    advance_poses(
        h, rigid.inertia, rigid.position_before, rigid.rotation_before, rigid.velocity, rigid.angular_momentum,
        rigid.position, rigid.rotation,
    )
    first, start, stop, local = particles
    for b in range(mass.shape[0]):
        place_body(b, first, start, stop, local, rigid.position_before, rigid.rotation_before, x_prev)
        place_body(b, first, start, stop, local, rigid.position, rigid.rotation, x)


@kernel
def _add_impulses(b, h, step, rigid, impulse_sums, dv_per_step, inverse):
    """Body b, see `end_body_contacts`; step: length of an inner step [s]; dv_per_step: in the whole substep."""
    mass, velocity, angular_momentum = rigid.mass, rigid.velocity, rigid.angular_momentum
    mean_delay = 0.5 * (h - step)
    velocity[b, 0] += impulse_sums[b, 0] / mass[b]
    velocity[b, 1] += impulse_sums[b, 1] / mass[b]
    velocity[b, 2] += impulse_sums[b, 2] / mass[b]
    # Sum of the impulses, each times the lag of the centre at its time per unit of velocity change by forces.
    lag_factor = -(h - 0.5 * step) / h
    bx = lag_factor * impulse_sums[b, 6] - 0.5 / h * impulse_sums[b, 15]
    by = lag_factor * impulse_sums[b, 7] - 0.5 / h * impulse_sums[b, 16]
    bz = lag_factor * impulse_sums[b, 8] - 0.5 / h * impulse_sums[b, 17]
    ax, ay, az = dv_per_step[b, 0], dv_per_step[b, 1], dv_per_step[b, 2]
    vx, vy, vz = velocity[b, 0], velocity[b, 1], velocity[b, 2]
    angular_momentum[b, 0] += (
        impulse_sums[b, 3] - (impulse_sums[b, 7] * vz - impulse_sums[b, 8] * vy)
        + (ay * bz - az * by)
    )
    angular_momentum[b, 1] += (
        impulse_sums[b, 4] - (impulse_sums[b, 8] * vx - impulse_sums[b, 6] * vz)
        + (az * bx - ax * bz)
    )
    angular_momentum[b, 2] += (
        impulse_sums[b, 5] - (impulse_sums[b, 6] * vy - impulse_sums[b, 7] * vx)
        + (ax * by - ay * bx)
    )
    for k in range(3):
        rigid.position_before[b, k] += impulse_sums[b, 9 + k] / mass[b] - mean_delay * dv_per_step[b, k]
    if impulse_sums[b, 12] != 0.0 or impulse_sums[b, 13] != 0.0 or impulse_sums[b, 14] != 0.0:
        wx, wy, wz = apply_inverse_inertia(inverse, b, impulse_sums[b, 12], impulse_sums[b, 13], impulse_sums[b, 14])
        rotate_by(rigid.rotation_before, b, wx, wy, wz)
