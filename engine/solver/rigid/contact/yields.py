"""Motion of rigid bodies in response to soft particles that crossed their surfaces."""

from __future__ import annotations

from ....compiler.kernels import kernel
from ...collide.response.reaction import react, supporting_body
from ...collide.response.response import solve_contacts
from ..motion import angular_velocity


@kernel
def stop_at_bodies(first, count, buffer, masses, bearer, bodies, places, h, went, gained, contact_count):
    """Project contacts of soft particles that crossed bodies, and sum the reaction on the bodies.

    Args:
        first, count, buffer, bearer, bodies, contact_count: see `compute_yields`; h, went: see `solve_contacts`.
        masses: inverse mass and mass, (n,) each [1/kg], [kg]; gained: see `react`.
        places: x0, x_prev, x, recovered and way, (n, 3) each [m], see `solve_contacts` and `react`.
    """
    inv_mass, mass = masses
    x0, x_prev, x, recovered, way = places
    compute_yields(first, count, buffer, inv_mass, bearer, bodies, x_prev, contact_count)
    solve_contacts(first, count, True, buffer, inv_mass, x0, x_prev, h, x, recovered, went)
    react(first, count, buffer.contact, inv_mass, mass, bearer, way, x, x_prev, h, gained)


@kernel
def compute_yields(first, count, buffer, inv_mass, bearer, bodies, x_prev, contact_count):
    """Compute the inverse effective mass of the body in each contact with soft particles: `buffer.beside`, out [1/kg].

    The impulse is the one of `react`, at the positions of the soft particles. Otherwise, under a triangle that lies on
    two crates, a body would yield only to the part of the impulse at its own corner.

    Without this term a body would stop a heavier soft vertex as a wall does, and be shot away with all its momentum.
    Contacts of one body share its mass equally (Tonge, Benevolenski and Voroshilov 2012, "Mass splitting for
    jitter-free parallel rigid body simulation"), which is exact for equal contacts side by side.

    Args:
        first, count, inv_mass, bearer, x_prev: see `reaction.react`; buffer: `solver.contact_buffer.BufferColumns`.
        bodies: `rigid.columns.BodyColumns`; contact_count: (b,) int64, scratch.
    """
    contact, weight, normal = buffer.contact, buffer.weight, buffer.normal
    contact_count[:] = 0
    for m in range(first, count):
        contact_count[supporting_body(m, contact, bearer)] += 1
    for m in range(first, count):
        b = supporting_body(m, contact, bearer)
        weight_sum = px = py = pz = 0.0
        for e in range(4):
            i = contact[m, e]
            if inv_mass[i] > 0.0:
                weight_sum += weight[m, e]
                px += weight[m, e] * x_prev[i, 0]
                py += weight[m, e] * x_prev[i, 1]
                pz += weight[m, e] * x_prev[i, 2]
        rx = px - weight_sum * bodies.position[b, 0]
        ry = py - weight_sum * bodies.position[b, 1]
        rz = pz - weight_sum * bodies.position[b, 2]
        ax = ry * normal[m, 2] - rz * normal[m, 1]
        ay = rz * normal[m, 0] - rx * normal[m, 2]
        az = rx * normal[m, 1] - ry * normal[m, 0]
        wx, wy, wz = angular_velocity(bodies.rotation, bodies.inertia, b, ax, ay, az)
        yields = weight_sum * weight_sum / bodies.mass[b] + ax * wx + ay * wy + az * wz
        buffer.beside[m] = contact_count[b] * yields
