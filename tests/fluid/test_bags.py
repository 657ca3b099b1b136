"""Light cloth carries a fluid: bags, and skins that are full of it."""

from __future__ import annotations

import numpy as np
import pytest
from flotsam.engine import FluidSpec, SpringGraphSpec, WaterSpec, WorldSpec, build_world, step_frame
from flotsam.engine.systems.fluid.met.carried import CarriedMass
from flotsam.engine.world.world import World
from fluid_naive import box

SPACING, SIDE = 0.0253, 0.6


def bag(count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """An open bag of count x count vertices: vertices, triangles, and the vertices of the rim."""
    u, w = np.meshgrid(*[np.linspace(-1.0, 1.0, count)] * 2, indexing="ij")
    z = -0.35 * (1.0 - np.maximum(np.abs(u), np.abs(w)) ** 4)
    ids = np.arange(count * count).reshape(count, count)
    c = ids[:-1, :-1].reshape(-1)
    faces = np.concatenate([np.stack([c, c + count, c + count + 1], 1), np.stack([c, c + count + 1, c + 1], 1)])
    rim = np.unique(np.concatenate([ids[0], ids[-1], ids[:, 0], ids[:, -1]]))
    return np.column_stack([0.5 * SIDE * u.ravel(), 0.5 * SIDE * w.ravel(), z.ravel()]), faces, rim


def cross_z(u: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Vertical part of the cross products of u and v (n, 3), (n,); numpy 2.5 takes no vectors of two numbers."""
    return u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0]


def below(x: np.ndarray, vertices: np.ndarray, faces: np.ndarray) -> int:
    """How many of the points x (n, 3) within the rim have no face below them, by vertical rays."""
    x = x[np.abs(x[:, :2]).max(axis=1) < 0.49 * SIDE]
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    area = cross_z(b - a, c - a)
    found = 0
    for point in x:
        with np.errstate(divide="ignore", invalid="ignore"):
            v = cross_z(point - a, c - a) / area
            w = cross_z(b - a, point - a) / area
        is_hit = (v >= -1e-9) & (w >= -1e-9) & (v + w <= 1.0 + 1e-9)
        height = a[:, 2] + v * (b - a)[:, 2] + w * (c - a)[:, 2]
        found += not (is_hit & (height < point[2])).any()
    return found


def filled(count: int, mass: float) -> tuple[int, np.ndarray]:
    """Particles below a bag of `count` vertices a side and a mass [kg] after a second; speeds of all [m/s]."""
    vertices, faces, rim = bag(count)
    cloth = SpringGraphSpec("bag", vertices, faces, mass=mass, stiffness=2000.0, pins=rim)
    water = FluidSpec("water", *box((-0.16, -0.16, -0.26), (0.16, 0.16, -0.05)), spacing=SPACING)
    world = build_world(WorldSpec(systems=(cloth, water)))
    for _ in range(24):
        step_frame(world)
    speed = np.linalg.norm(world.velocities("water"), axis=1)
    return below(world.positions("water"), world.positions("bag"), faces), speed


def test_a_bag_of_light_cloth_holds_water() -> None:
    """Vertices of 0.4 g hold particles of 16 g, 18.7 kg in all: no particle leaves, and the water comes to rest."""
    lost, speed = filled(13, 13 * 13 * 0.0004)
    assert lost == 0
    assert speed.mean() < 0.5


def test_a_fine_bag_holds_water() -> None:
    """Vertices of 0.06 g, closer to each other than particles are: vertices between particles share the load."""
    lost, speed = filled(25, 0.04)
    assert lost == 0
    assert speed.mean() < 0.5


def test_water_presses_on_what_carries_a_fluid_as_before() -> None:
    """A bag that hangs in water with a fluid in it: the impulses m dv that water spreads over inner steps are kept.

    Velocities and masses of vertices changed with the fluid that they carry, but not these dv. So the solve began with
    a dv for vertices of 0.4 g, and applied it to a hundred times their mass.
    """
    vertices, faces, rim = bag(13)
    cloth = SpringGraphSpec("bag", vertices, faces, mass=0.07, stiffness=2000.0, pins=rim)
    fluid = FluidSpec("fluid", *box((-0.16, -0.16, -0.32), (0.16, 0.16, -0.2)), spacing=2.0 * SPACING)
    world = build_world(WorldSpec(systems=(cloth, fluid, WaterSpec("sea", -0.1))))
    load, heavier = CarriedMass.load, []

    def watched(self: CarriedMass, world: World, *rest: object) -> None:
        before, mass = world.model.mass[:, None] * world.spread_force.dv_per_step, world.model.mass.copy()
        load(self, world, *rest)
        now = world.model.mass[:, None] * world.spread_force.dv_per_step
        heavier.append(int(np.count_nonzero(world.model.mass > 1.01 * mass)))
        assert now == pytest.approx(before, rel=1e-12)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(CarriedMass, "load", watched)
        for _ in range(3):
            step_frame(world)
    assert max(heavier) > 5


def test_a_bag_and_its_water_keep_their_momentum(truth) -> None:
    """A block of water flies into a loose light sheet without gravity: sum m v stays, carried fluid included."""
    vertices, faces, _rim = bag(13)
    sheet = SpringGraphSpec("sheet", vertices, faces, mass=0.1, stiffness=2000.0)
    water = FluidSpec(
        "water", *box((-0.1, -0.1, -0.25), (0.1, 0.1, -0.05)), spacing=SPACING, velocity=(0.2, 0.0, -2.0)
    )
    world = build_world(WorldSpec(systems=(sheet, water), gravity=(0.0, 0.0, 0.0)))
    size = world.mass("water") * 2.0
    for _ in range(6):
        step_frame(world)
    total = (world.model.mass[:, None] * world.state.v).sum(axis=0)
    assert world.velocities("sheet")[:, 2].mean() < -0.5
    truth("T24", "fluid carried by a light sheet", (total - size * np.array([0.1, 0.0, -1.0])) / size, 0.0, 2e-6,
          relative=False)


def test_a_bag_has_the_same_bits_on_any_threads_and_after_a_snapshot() -> None:
    """Ten frames on one thread and on two, and the last two again from a snapshot, while the bag carries water."""
    vertices, faces, rim = bag(13)
    cloth = SpringGraphSpec("bag", vertices, faces, mass=0.07, stiffness=2000.0, pins=rim)
    water = FluidSpec("water", *box((-0.16, -0.16, -0.26), (0.16, 0.16, -0.05)), spacing=SPACING)
    found = []
    for threads in (1, 2):
        world = build_world(WorldSpec(systems=(cloth, water), threads=threads))
        for frame in range(10):
            step_frame(world)
            if frame == 7:
                saved = world.snapshot()
        found.append(world.state.x.copy())
    again = build_world(WorldSpec(systems=(cloth, water), threads=1))
    again.restore(saved)
    for _ in range(2):
        step_frame(again)
    assert np.array_equal(found[0], found[1])
    assert np.array_equal(again.state.x, found[1])
