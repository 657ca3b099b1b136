"""Rigid bodies before and after the inner steps of a substep, see `hold`."""

from __future__ import annotations

import math

from .....compiler.kernels import kernel
from ....constraints.contact.contact_order import row_of
from ....constraints.islands import island_of, list_islands
from ...motion import go_on_all, place_body, turn_by
from ...sides import begin_apart, invert_inertia, levers_at, turned_by
from .bodies import GAVE


@kernel
def begin_bodies(h, gravity, rigid, of_body, steps, bodies):
    """Spread the velocity change by gravity and water in a substep h [s] over the inner steps, as for springs.

    Args:
        gravity: (3,) [m/s²]; rigid: `columns.BodyColumns`; of_body: (b,) island of each body, or -1.
        steps: (islands,) inner steps of each; bodies: `columns.InnerBodies`, out: all but the lists of islands.
    """
    invert_inertia(rigid.rotation_before, rigid.inertia, bodies.inverse)
    torque, kick = rigid.spread_torque, bodies.kick
    for b in range(of_body.shape[0]):
        bodies.steps[b] = steps[of_body[b]] if of_body[b] >= 0 else 1
        bodies.light[b] = 1.0 / rigid.mass[b]
        wx, wy, wz = turned_by(bodies.inverse, b, h * torque[b, 0], h * torque[b, 1], h * torque[b, 2])
        kick[b, 3] = wx
        kick[b, 4] = wy
        kick[b, 5] = wz
        for k in range(3):
            kick[b, k] = h * (gravity[k] + rigid.spread_force[b, k] / rigid.mass[b])
            bodies.went[b, k] = 0.0
        for k in range(6):
            bodies.rate[b, k] = -kick[b, k]
            bodies.gone[b, k] = 0.0
            kick[b, k] /= bodies.steps[b]
        for k in range(GAVE):
            bodies.gave[b, k] = 0.0


@kernel
def begin_body_holds(count, contacts, body, inv_mass, x, x_prev, centre, graph, island, steps, inner):
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
    found = 0
    for m in range(count):
        owner = body[contact[m, 0]]
        inner.island[m] = island_of(m, contact, weight, sides, graph, island)
        parts_of_way = steps[inner.island[m]] if inner.island[m] >= 0 else 1
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
        # Contacts with the ground come last, so that nothing is pressed into it.
        inner.is_last[m] = (sides[m, 0] < 0 or sides[m, 1] < 0) and not soft[m]
        is_hull = weight[m, 0] == 0.0 and weight[m, 1] == 0.0
        for k in range(3):
            creep[m, k] = anchors[m, 6 + k] / parts_of_way if is_hull else 0.0
        for e in range(4):
            i = contact[m, e]
            if rows[m, e] == spare:
                for k in range(3):
                    creep[m, k] += weight[m, e] * (x[i, k] - x_prev[i, k]) / parts_of_way
        at = begin_apart(m, sides, contact, weight, anchors, body, owner, centre, x_prev)
        apart = normal[m, 0] * (at[0] - at[3])
        apart += normal[m, 1] * (at[1] - at[4])
        apart += normal[m, 2] * (at[2] - at[5])
        levers_at(m, sides, centre, at, soft[m], lever_a, lever_b)
        for k in range(3):
            inner.first_a[m, k] = lever_a[m, k]
            inner.first_b[m, k] = lever_b[m, k]
        separation[m] = max(separation[m], apart - contacts.rest_separation[m])
        soft[m] = soft[m] and separation[m] < math.inf
        if soft[m]:
            found += 1
    list_islands(count, inner.island, inner.is_last, inner.of_contacts, inner.contact)
    return found


@kernel
def end_body_holds(h, gravity, rigid, bodies, borne, particles, x_prev, x):
    """Add the impulses of soft particles to bodies, and shift start positions to match the end positions reached.

    An impulse J with delay t leaves a body short by t J / m at the end; forces of the substep have a mean delay of half
    the substep, less half an inner step. Shifting the start position by s removes s x m v from the sum of x x m v; the
    angular momentum compensates it. On the way, forces leave the centre behind as in `momentum.piece_turns`.

    Args:
        h: the substep [s]; gravity: (3,) [m/s²]; rigid: `columns.BodyColumns`, in and out; bodies:
            `columns.InnerBodies`; kick: out, the velocity change by forces in all of the substep.
        borne: out (b,) what soft particles bore of each body, as a mass [kg].
        particles: `bodies.RigidBodies.particles`; x_prev, x: out (n, 3), their start and end positions [m].
    """
    gave, kick, mass = bodies.gave, bodies.kick, rigid.mass
    pull = max(h * (gravity[0] * gravity[0] + gravity[1] * gravity[1] + gravity[2] * gravity[2]), 1e-300)
    for b in range(mass.shape[0]):
        step = h / bodies.steps[b]
        up = 0.0
        for k in range(3):
            up -= gave[b, k] * gravity[k]
        borne[b] = max(up / pull, 0.0)
        for k in range(6):
            kick[b, k] *= bodies.steps[b]
        if gave[b, 0] != 0.0 or gave[b, 1] != 0.0 or gave[b, 2] != 0.0:
            _gain(b, h, step, rigid, gave, kick, bodies.inverse)
    go_on_all(
        h, rigid.inertia, rigid.position_before, rigid.rotation_before, rigid.velocity, rigid.angular_momentum,
        rigid.position, rigid.rotation,
    )
    first, start, stop, local = particles
    for b in range(mass.shape[0]):
        place_body(b, first, start, stop, local, rigid.position_before, rigid.rotation_before, x_prev)
        place_body(b, first, start, stop, local, rigid.position, rigid.rotation, x)


@kernel
def _gain(b, h, step, rigid, gave, kick, inverse):
    """Body b, see `end_body_holds`; step: length of an inner step [s]; kick: in all of the substep."""
    mass, velocity, angular_momentum = rigid.mass, rigid.velocity, rigid.angular_momentum
    missed = 0.5 * (h - step)
    velocity[b, 0] += gave[b, 0] / mass[b]
    velocity[b, 1] += gave[b, 1] / mass[b]
    velocity[b, 2] += gave[b, 2] / mass[b]
    # The sum of impulses times velocity changes, each by the way that the centre is behind.
    late = -(h - 0.5 * step) / h
    bx = late * gave[b, 6] - 0.5 / h * gave[b, 15]
    by = late * gave[b, 7] - 0.5 / h * gave[b, 16]
    bz = late * gave[b, 8] - 0.5 / h * gave[b, 17]
    ax, ay, az = kick[b, 0], kick[b, 1], kick[b, 2]
    vx, vy, vz = velocity[b, 0], velocity[b, 1], velocity[b, 2]
    angular_momentum[b, 0] += gave[b, 3] - (gave[b, 7] * vz - gave[b, 8] * vy) + (ay * bz - az * by)
    angular_momentum[b, 1] += gave[b, 4] - (gave[b, 8] * vx - gave[b, 6] * vz) + (az * bx - ax * bz)
    angular_momentum[b, 2] += gave[b, 5] - (gave[b, 6] * vy - gave[b, 7] * vx) + (ax * by - ay * bx)
    for k in range(3):
        rigid.position_before[b, k] += gave[b, 9 + k] / mass[b] - missed * kick[b, k]
    if gave[b, 12] != 0.0 or gave[b, 13] != 0.0 or gave[b, 14] != 0.0:
        wx, wy, wz = turned_by(inverse, b, gave[b, 12], gave[b, 13], gave[b, 14])
        turn_by(rigid.rotation_before, b, wx, wy, wz)
