"""Light bodies between a fluid and a heavy body: no energy is created."""

from __future__ import annotations

import numpy as np
from flotsam.engine import ColliderSpec, FluidSpec, SpringGraphSpec, VoxelBodySpec, WorldSpec, build_world, step_frame
from flotsam.engine.systems.fluid.met.bodies import MetColumns, set_firm_rigid
from flotsam.engine.systems.fluid.met.contacts import Contacts, contacts_of
from flotsam.engine.systems.fluid.met.wholes import solve_rigid
from flotsam.engine.systems.fluid.wall_table import WallTable, wall_table
from flotsam.engine.world.world import World
from fluid_naive import G, box, tank

AROUND, ACROSS, COUNT = 48, 16, 200


def ring(middle: list[float]) -> tuple[np.ndarray, np.ndarray]:
    """Vertices and triangles of a swim ring, 0.9 m across."""
    angles = (2.0 * np.pi * np.arange(n) / n for n in (AROUND, ACROSS))
    u, v = np.meshgrid(*angles, indexing="ij")
    wide = 0.336 + 0.114 * np.cos(v)
    vertices = np.stack([wide * np.cos(u), wide * np.sin(u), 0.114 * np.sin(v)], axis=-1).reshape(-1, 3)
    ids = np.arange(AROUND * ACROSS).reshape(AROUND, ACROSS)
    a, b, d = ids, np.roll(ids, -1, axis=0), np.roll(ids, -1, axis=1)
    c = np.roll(b, -1, axis=1)
    triangles = np.stack([np.stack([a, b, c], axis=-1), np.stack([a, c, d], axis=-1)])
    return vertices + middle, triangles.reshape(-1, 3)


def raft() -> World:
    """Four rings of 0.45 kg on particles of 0.73 kg, under a crate of 34 kg that falls on them."""
    rings = [
        SpringGraphSpec(
            f"ring {k}", *ring([1.2 + x, 1.2 + y, 0.75]), mass=0.45, stiffness=1343.0, pressure=400.0, struts=1,
            friction=0.4,
        )
        for k, (x, y) in enumerate(((-0.5, -0.5), (0.5, -0.5), (-0.5, 0.5), (0.5, 0.5)))
    ]
    crate = VoxelBodySpec("crate", *box((0.85, 0.85, 1.0), (1.55, 1.55, 1.7)), density=100.0)
    water = FluidSpec("water", *box((0.05, 0.05, 0.02), (2.35, 2.35, 0.58)), spacing=0.09)
    walls = ColliderSpec("tank", *tank(2.4, 2.4, 1.0))
    return build_world(WorldSpec(systems=(*rings, crate, water, walls), substeps=11))


def energy(world: World) -> float:
    """Kinetic and gravitational energy, without that of springs and air [J]."""
    state, mass, rigid = world.state, world.model.mass, world.rigid
    total = float(rigid.mass[0]) * (0.5 * float((rigid.velocity[0] ** 2).sum()) + G * float(rigid.position[0, 2]))
    for body in world.model.bodies:
        if body.traits.moves and not body.traits.is_rigid:
            own = slice(body.start, body.stop)
            total += float((mass[own, None] * (0.5 * state.v[own] ** 2)).sum() + G * (mass[own] @ state.x[own, 2]))
    return total


def test_a_crate_on_rings_on_a_fluid_gains_no_energy() -> None:
    """Energy once rose by 440 J within two frames, by 900 with other rings, of which three left the tank."""
    world, low, rise = raft(), np.inf, 0.0
    for _ in range(16):
        step_frame(world)
        now = energy(world)
        low = min(low, now)
        rise = max(rise, now - low)
    assert rise < 10.0


def struck(seed: int) -> tuple[Contacts, WallTable, MetColumns]:
    """A light body that particles press on from all sides; some leave it, and half are away from it."""
    draw, none = np.random.default_rng(seed), np.zeros((0, 3))
    met = MetColumns(
        np.zeros((1, 3), np.int64), np.zeros(1, np.int64), np.zeros(0), none, none, none, np.zeros(0), np.full(1, 0.4),
        0.02 * np.eye(3)[None], np.zeros(1), np.full(1, 0.3), np.zeros((1, 6)), np.zeros((1, 3)),
        *(np.zeros((1, 6)) for _ in range(3)), np.zeros(1),
    )
    contacts, table = contacts_of(COUNT, 1), wall_table(COUNT, COUNT)
    contacts.row[:] = contacts.wall[:] = np.arange(COUNT)
    n, at = draw.normal(size=(2, COUNT, 3))
    n /= np.linalg.norm(n, axis=1)[:, None]
    contacts.arm[:, :3], contacts.arm[:, 3:] = n, np.cross(0.3 * at, n)
    contacts.mass[:], contacts.solve.target_dv[:] = 0.73, draw.uniform(0.0, 0.01, COUNT)
    contacts.solve.speed_margin[:] = draw.uniform(0.0, 0.5, COUNT) * (draw.uniform(size=COUNT) < 0.8)
    contacts.solve.target_dv[::2], contacts.solve.speed_margin[::2] = -draw.uniform(0.0, 1.0, COUNT // 2), 0.0
    return contacts, table, met


def test_a_light_body_among_particles_that_leave_it_is_solved() -> None:
    """J = m F'(N . u), none is negative, and the body receives all; full steps of Newton's method oscillate."""
    for seed in range(20):
        contacts, table, met = struck(seed)
        fall = np.array([0.0, 0.0, -0.03])
        solve_rigid(COUNT, contacts, table, met, tuple(fall), 1e9)
        speed, solve = contacts.arm @ met.change[0], contacts.solve
        dv = np.maximum(solve.target_dv + np.minimum(speed, 0.0) + np.maximum(speed - solve.speed_margin, 0.0), 0.0)
        np.testing.assert_allclose(solve.impulse, contacts.mass * dv, atol=1e-9)
        received = np.concatenate([met.mass[0] * (met.change[0, :3] - fall), met.inertia[0] @ met.change[0, 3:]])
        np.testing.assert_allclose(received, -contacts.arm.T @ solve.impulse, atol=1e-6)


def test_what_leaves_a_light_body_is_not_driven_by_what_strikes_it() -> None:
    """A particle that leaves at 3 m/s, with clearance, gets its own 0.01 m/s and nothing of the body's 0.5 m/s."""
    contacts, table, met = struck(0)
    contacts.arm[:2] = [[0.0, 0.0, 1.0, 0.0, 0.0, 0.0], [0.0, 0.0, -1.0, 0.0, 0.0, 0.0]]
    contacts.solve.target_dv[:2], contacts.solve.speed_margin[:2] = (0.01, 1.0), (3.0, 0.0)
    solve_rigid(2, contacts, table, met, (0.0, 0.0, 0.0), 1e9)
    assert met.change[0, 2] > 0.5
    np.testing.assert_allclose(contacts.solve.impulse[0], 0.73 * 0.01, rtol=1e-6)


def test_a_whole_body_is_as_firm_as_its_share_of_what_moves() -> None:
    """A cube of 6 m² and 3 kg, half of which touches a layer of 3 kg/m²: a quarter in approach, 1 in separation."""
    vertices, triangles = box((0.0, 0.0, 0.0), (1.0, 1.0, 1.0))
    firm, body_of = np.ones((12, 2), np.float32), np.zeros(12, np.int64)
    body_of[:2] = -2
    set_firm_rigid(vertices, triangles, np.zeros(12, np.int64), np.array([3.0]), 3.0, firm)
    np.testing.assert_allclose(firm, np.tile([0.25, 1.0], (12, 1)))
    firm[:] = 1.0
    set_firm_rigid(vertices, triangles, body_of, np.array([3.0]), 3.0, firm)
    assert (firm[:2] == 1.0).all() and (firm[2:, 0] > 0.25).all()
