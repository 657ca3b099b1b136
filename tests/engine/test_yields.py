"""What rigid bodies yield to soft particles that crossed something which lies on them."""

from __future__ import annotations

import numpy as np
from flotsam.engine.solver.collide.response.reaction import no_momenta
from flotsam.engine.solver.contact_buffer import contact_buffer
from flotsam.engine.solver.rigid.columns import BodyColumns
from flotsam.engine.solver.rigid.contact.yields import stop_at_bodies

H = 0.01


def test_a_body_does_not_gain_energy_by_a_triangle_that_reaches_far_beyond_it() -> None:
    """A particle of 8 kg at 15 m/s hits a triangle that lies on two crates, 2.3 m from the one that bears a corner.

    An inelastic stop takes energy. The crate gets the whole impulse J at the place of the particle, so it yields by
    J / m + r x (J r) / I there. Reckoned by the share of its own corner, 0.014 of it, it yielded to nothing, and span
    with 52 kJ.
    """
    mass, inertia = 5.0, 0.04
    x_prev = np.array([[2.3, 0.0, 0.05], [2.2, 0.3, 0.0], [0.1, 0.0, 0.0], [2.5, -0.3, 0.0]])
    x = x_prev.copy()
    x[0, 2] -= 15.0 * H
    three, four = np.zeros((2, 3)), np.tile([1.0, 0.0, 0.0, 0.0], (2, 1))
    place = np.array([[2.3, 0.0, -0.1], [0.0, 0.0, -0.1]])
    bodies = BodyColumns(
        np.full(2, mass), np.full((2, 3), inertia), place, four, three, three, place, four, *(three for _ in range(4)),
        np.ones(2),
    )
    buffer = contact_buffer(1).columns
    buffer.contact[0], buffer.weight[0] = np.arange(4), [1.0, -0.49, -0.014, -0.496]
    buffer.normal[0], buffer.rest_separation[0] = [0.0, 0.0, 1.0], 0.01
    inv_mass, masses = np.array([0.125, 0.0, 0.0, 0.0]), np.array([8.0, 0.1, 0.1, 0.1])
    gained, zero = no_momenta(bodies.mass, bodies.position), np.zeros((4, 3))
    stop_at_bodies(
        0, 1, buffer, (inv_mass, masses), np.array([-1, 0, 1, 0], np.int32), bodies,
        (x_prev.copy(), x_prev, x, zero.copy(), x - x_prev), H, False, gained, np.zeros(2, dtype=np.int64),
    )
    v = (x[0] - x_prev[0]) / H
    energy = 4.0 * v @ v + 0.5 * mass * (gained.velocity**2).sum()
    energy += 0.5 * (gained.angular_momentum**2).sum() / inertia
    assert -15.0 < v[2] < 0.0
    assert energy < 4.0 * 15.0**2
