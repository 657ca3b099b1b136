"""How much rigid bodies give way to soft particles that crossed their surfaces."""

from __future__ import annotations

from ....compiler.kernels import kernel
from ...collide.response.reaction import bearer_of, react
from ...collide.response.response import solve_contacts
from ..motion import turn_rate


@kernel
def stop_at_bodies(first, count, buffer, masses, bearer, bodies, places, h, went, gained, number):
    """Project contacts of soft particles that crossed bodies, and add up what the bodies get.

    Args:
        first, count, buffer, bearer, bodies, number: see `note_yields`; h, went: see `solve_contacts`.
        masses: inverse mass and mass, (n,) each [1/kg], [kg]; gained: see `react`.
        places: x0, x_prev, x, recovered and way, (n, 3) each [m], see both.
    """
    inv_mass, mass = masses
    x0, x_prev, x, recovered, way = places
    note_yields(first, count, buffer, inv_mass, bearer, bodies, x_prev, number)
    solve_contacts(first, count, True, buffer, inv_mass, x0, x_prev, h, x, recovered, went)
    react(first, count, buffer.contact, inv_mass, mass, bearer, way, x, x_prev, h, gained)


@kernel
def note_yields(first, count, buffer, inv_mass, bearer, bodies, x_prev, number):
    """How much bodies give way to the soft particles of contacts, into `buffer.beside`.

    The impulse is the one that `react` gives them, at the places of the soft particles. Of a triangle that lies on two
    crates a body would else yield only to the share of the impulse at its own corner.

    A soft vertex that weighs more than a body would otherwise be stopped by it as by a wall, and shoot it away with all
    its momentum. Contacts of one body share its mass equally (Tonge, Benevolenski and Voroshilov 2012, "Mass splitting
    for jitter-free parallel rigid body simulation"), which is exact for equal contacts side by side.

    Args:
        first, count, inv_mass, bearer, x_prev: see `reaction.react`; buffer: `solver.contact_buffer.BufferColumns`.
        bodies: `rigid.columns.BodyColumns`; number: (b,) int64, room.
    """
    contact, weight, normal = buffer.contact, buffer.weight, buffer.normal
    number[:] = 0
    for m in range(first, count):
        number[bearer_of(m, contact, bearer)] += 1
    for m in range(first, count):
        b = bearer_of(m, contact, bearer)
        share = px = py = pz = 0.0
        for e in range(4):
            i = contact[m, e]
            if inv_mass[i] > 0.0:
                share += weight[m, e]
                px += weight[m, e] * x_prev[i, 0]
                py += weight[m, e] * x_prev[i, 1]
                pz += weight[m, e] * x_prev[i, 2]
        rx = px - share * bodies.position[b, 0]
        ry = py - share * bodies.position[b, 1]
        rz = pz - share * bodies.position[b, 2]
        ax = ry * normal[m, 2] - rz * normal[m, 1]
        ay = rz * normal[m, 0] - rx * normal[m, 2]
        az = rx * normal[m, 1] - ry * normal[m, 0]
        wx, wy, wz = turn_rate(bodies.rotation, bodies.inertia, b, ax, ay, az)
        yields = share * share / bodies.mass[b] + ax * wx + ay * wy + az * wz
        buffer.beside[m] = number[b] * yields
