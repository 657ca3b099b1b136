"""Water with waves: T28, and what its surface is made of."""

from __future__ import annotations

import math

import numpy as np
import pytest
import sea
import shapes
from conftest import Truth
from flotsam.engine import (
    ColliderSpec,
    Controls,
    FlockSpec,
    SpecError,
    SpringGraphSpec,
    VoxelBodySpec,
    WaterSpec,
    WorldSpec,
    build_world,
    step_frame,
)
from flotsam.engine.compiler.kernels import threads
from flotsam.engine.fields.water.waves import Waves, mesh_shape
from flotsam.engine.world.world import World
from sea import AMPLITUDE, LENGTH, PERIOD, RATE

SIZE, CELLS = 100.0, 200


def water(vertices: np.ndarray, triangles: np.ndarray, **settings: object) -> WaterSpec:
    return WaterSpec("sea", surface="MESH", vertices=vertices, triangles=triangles, **settings)


def ride(body: object, frames: int, **settings: object) -> tuple[World, np.ndarray]:
    """A body on the swell: its world, and where its middle is at the end of each frame, (frames, 3) [m]."""
    sheet, faces = sea.grid(SIZE, CELLS)
    world = build_world(WorldSpec(systems=(
        body, water(sea.swell(sheet, AMPLITUDE, LENGTH, PERIOD, 0.0), faces, **settings),
    )))
    middles = []
    for frame in range(frames):
        now = sea.swell(sheet, AMPLITUDE, LENGTH, PERIOD, (frame + 1) / RATE)
        step_frame(world, Controls(water={"sea": now}))
        middles.append(world.positions("body").mean(axis=0))
    return world, np.array(middles)


def bodies() -> dict[str, object]:
    ball, faces = shapes.sphere(0.3, 3)
    crate, sides = shapes.box(0.5, 2)
    return {
        "a ball of air": SpringGraphSpec("body", ball, faces, mass=56.0, pressure=2000.0, stiffness=1e4),
        "a rigid ball": VoxelBodySpec("body", ball, faces, density=500.0),
        "a crate": VoxelBodySpec("body", crate, sides, density=600.0),
        "a light crate": VoxelBodySpec("body", crate, sides, density=100.0),
    }


@pytest.mark.parametrize("name", bodies())
def test_t28_a_body_rides_a_swell_with_its_amplitude(name: str, truth: Truth) -> None:
    """z = a sin(2 pi (x / l - t / T)) + const, as the water under it moves. 5 % of a; and the swell takes it nowhere.

    A swell of 25 m and 4 s is that of deep water: l = g T² / 2 pi. Drag takes bodies with its own flow only.
    """
    _world, middles = ride(bodies()[name], 8 * 24, drag=0.5)
    last = middles[-4 * 24 :]
    time = (np.arange(len(middles)) + 1)[-4 * 24 :] / RATE
    phase = 2.0 * math.pi * (last[:, 0] / LENGTH - time / PERIOD)
    waves = np.stack([np.sin(phase), np.cos(phase), np.ones_like(phase)], axis=1)
    (in_phase, behind, _middle), *_ = np.linalg.lstsq(waves, last[:, 2], rcond=None)
    truth("T28", f"amplitude of {name} on a swell", math.hypot(in_phase, behind), AMPLITUDE, 0.05)
    assert abs(behind) < 0.05 * AMPLITUDE, "it neither lags nor leads"
    assert np.abs(np.diff(middles[:, :2], axis=0)).max() < 0.1, "nothing throws it"


def test_heights_and_velocities_are_those_of_the_mesh_that_is_rendered() -> None:
    """At any moment of a frame, of a mesh whose corners also move sideways, at 10,000 points; 1 % of the wave height.

    The closed form is the linear interpolation in the triangle, found here among all of them.
    """
    random = np.random.default_rng(3)
    sheet, faces = sea.grid(10.0, 24)
    start = sheet + random.uniform(-0.1, 0.1, sheet.shape)
    end = start + random.uniform(-0.1, 0.1, sheet.shape)
    waves = Waves(mesh_shape(water(start, faces)), RATE)
    waves.move("sea", end)
    done = 0.3
    now = (1.0 - done) * start + done * end
    places = np.concatenate([random.uniform(-4.5, 4.5, (10_000, 2)), np.full((10_000, 1), 0.2)], axis=1)
    waves.sample(places, done)
    found, stream = waves.over(places)
    height, moved = np.zeros(len(places)), np.zeros((len(places), 3))
    for a, b, c in faces:
        corners, way = now[[a, b, c]], (end - start)[[a, b, c]]
        weights = np.linalg.solve(
            np.vstack([corners[:, :2].T, np.ones(3)]), np.vstack([places[:, :2].T, np.ones(len(places))])
        ).T
        inside = (weights >= 0.0).all(axis=1)
        height[inside], moved[inside] = (weights @ corners[:, 2])[inside], (weights @ way)[inside]
    assert np.abs(found - height).max() < 1e-9 and np.abs(stream - RATE * moved).max() < 1e-7


def test_velocities_of_waves_change_from_substep_to_substep() -> None:
    """Nothing is known of a substep before the first."""
    sheet, faces = sea.grid(10.0, 24)
    waves, places = Waves(mesh_shape(water(sheet, faces)), RATE), np.array([[1.0, 2.0, 0.0], [0.3, -2.0, -0.1]])
    waves.move("sea", sea.swell(sheet, 0.2, 6.0, 2.0, 1.0 / RATE))
    first = waves.sample(places, 0.3).copy()
    assert first[:, 1:4].any() and not first[:, 4:].any()
    places[:, 0] += 0.3
    again = waves.sample(places, 0.4)
    assert np.array_equal(again[:, 4:], again[:, 1:4] - first[:, 1:4]) and again[:, 4:].any()


def test_the_highest_fold_counts_and_beyond_the_mesh_water_lies_at_its_mean() -> None:
    sheet, faces = sea.grid(2.0, 1)
    low, high = sheet.copy(), sheet.copy()
    low[:, 2], high[:, 2] = 1.0, 3.0
    both = water(np.concatenate([low, high]), np.concatenate([faces, faces + len(low)]))
    folded = Waves(mesh_shape(both), RATE)
    height, stream = folded.over(np.array([[0.2, 0.1, 0.0], [5.0, 0.0, 0.0], [-1.5, 0.0, 9.0]]))
    assert np.allclose(height, [3.0, 2.0, 2.0]) and not stream.any()


def test_waves_fade_with_depth_as_those_of_deep_water() -> None:
    """exp(-k d), k = 2 pi / l of a sine; 2 % of k, as the mesh has 50 cells a wave."""
    sheet, faces = sea.grid(SIZE, CELLS)
    waves = Waves(mesh_shape(water(sea.swell(sheet, AMPLITUDE, LENGTH, PERIOD, 0.0), faces)), RATE)
    waves.move("sea", sea.swell(sheet, AMPLITUDE, LENGTH, PERIOD, 1.0 / RATE))
    crest = 0.25 * LENGTH
    places = np.array([[crest, 0.3, AMPLITUDE - depth] for depth in (0.01, 1.0, 4.0, 8.0)])
    found = waves.sample(places, 0.0)
    k = 2.0 * math.pi / LENGTH
    fades = found[:, 0] / found[0, 0]
    assert found[0, 0] == pytest.approx(AMPLITUDE, rel=0.01)
    assert np.allclose(np.log(fades[1:]), -k * np.array([0.99, 3.99, 7.99]), rtol=0.02)
    assert np.allclose(found[:, 3] / found[0, 3], fades), "and so does their velocity"


def test_a_body_slides_down_a_slope_of_water(truth: Truth) -> None:
    """Pressure pushes with m g tan(slope) along the level; the water that moves with a body slides too: g tan(slope).

    5 %; over a frame and a half second, in which it comes nowhere near the end of the mesh.
    """
    slope = 0.1
    sheet, faces = sea.grid(400.0, 4)
    tilted = sheet.copy()
    tilted[:, 2] = slope * sheet[:, 0]
    crate, sides = shapes.box(0.5, 2)
    world = build_world(WorldSpec(systems=(
        VoxelBodySpec("body", crate, sides, density=500.0), water(tilted, faces, drag=0.0),
    )))
    speeds = []
    for _ in range(36):
        step_frame(world)
        speeds.append(float(world.rigid.velocity[0, 0]))
    found = -(speeds[-1] - speeds[11]) / (24 / RATE)
    follows = 0.5
    truth("T28", "acceleration down a slope of 0.1", found, 9.81 * slope / (1.0 + follows), 0.1)


def test_a_flat_mesh_is_level_water() -> None:
    """A ring and a crate float as on level water, to rounding."""
    places = []
    sheet, faces = sea.grid(10.0, 4)
    ring, sides, _edges = shapes.torus(0.5, 0.15, 16, 8)
    crate, square = shapes.box(0.4, 2)
    flat = water(sheet + [0.0, 0.0, 0.3], faces)
    for level in (WaterSpec("sea", 0.3), flat):
        world = build_world(WorldSpec(systems=(
            SpringGraphSpec("ring", ring + [0.0, 0.0, 0.4], sides, pressure=500.0, stiffness=2000.0, mass=0.5),
            VoxelBodySpec("crate", crate + [1.5, 0.0, 0.3], square, density=400.0), level,
        )))
        for _ in range(24):
            step_frame(world)
        places.append(np.concatenate([world.positions("ring"), world.positions("crate")]))
    assert np.abs(places[0] - places[1]).max() < 1e-6


def swim(frames: int, at: int | None = None) -> np.ndarray:
    """A ring, a crate and ducks on a swell of three metres; after a snapshot at a frame if wanted."""
    sheet, faces = sea.grid(12.0, 48)
    ring, sides, _edges = shapes.torus(0.5, 0.15, 16, 8)
    crate, square = shapes.box(0.4, 2)
    ducks = FlockSpec("ducks", np.array([[-1.0, 1.0, 0.1], [-1.5, 1.2, 0.1]]), motion="WALK")
    spec = WorldSpec(systems=(
        SpringGraphSpec("ring", ring + [0.0, 0.0, 0.2], sides, pressure=500.0, stiffness=2000.0, mass=0.5),
        VoxelBodySpec("crate", crate + [1.5, 0.0, 0.2], square, density=400.0), ducks,
        water(sea.swell(sheet, 0.2, 3.0, 1.4, 0.0), faces),
    ))
    world = build_world(spec)
    for frame in range(frames):
        if frame == at:
            kept, world = world.snapshot(), build_world(spec)
            world.restore(kept)
        now = sea.swell(sheet, 0.2, 3.0, 1.4, (frame + 1) / RATE)
        step_frame(world, Controls(water={"sea": now}))
    return np.concatenate([world.positions(name) for name in ("ring", "crate", "ducks")])


def test_same_bits_for_any_number_of_threads_and_after_a_snapshot() -> None:
    with threads(1):
        alone = swim(20)
    with threads(2):
        assert np.array_equal(swim(20), alone)
    assert np.array_equal(swim(20, at=9), alone)


def test_ducks_ride_the_swell() -> None:
    """Their height above the water stays within 3 cm, on waves of 20 cm."""
    sheet, faces = sea.grid(60.0, 240)
    world = build_world(WorldSpec(systems=(
        FlockSpec("ducks", np.array([[0.0, 0.0, 0.05]]), motion="WALK", mass=1.0, density=400.0),
        water(sea.swell(sheet, 0.2, 6.0, 2.0, 0.0), faces),
    )))
    above = []
    for frame in range(96):
        now = sea.swell(sheet, 0.2, 6.0, 2.0, (frame + 1) / RATE)
        step_frame(world, Controls(water={"sea": now}))
        x, _y, z = world.positions("ducks")[0]
        above.append(z - 0.2 * math.sin(2.0 * math.pi * (x / 6.0 - (frame + 1) / RATE / 2.0)))
    assert np.abs(np.array(above[24:]) - np.mean(above[24:])).max() < 0.03


def test_a_surface_that_is_none_is_refused_with_a_sentence() -> None:
    sheet, faces = sea.grid(2.0, 2)
    for spec, said in (
        (WaterSpec("sea", surface="MESH"), "vertices and triangles"), (water(sheet, faces[:0]), "faces"),
        (water(sheet + np.nan, faces), "finite"), (water(sheet, faces + 5), "vertex indices"),
    ):
        with pytest.raises(SpecError, match=said):
            build_world(WorldSpec(systems=(spec,)))
    world = build_world(WorldSpec(systems=(water(sheet, faces),)))
    for moved in (sheet[:-1], sheet + np.inf):
        with pytest.raises(SpecError, match="vertices in controls"):
            step_frame(world, Controls(water={"sea": moved}))
    level = build_world(WorldSpec(systems=(WaterSpec("pond"),)))
    with pytest.raises(SpecError, match="a HeightField"):
        step_frame(level, Controls(water={"pond": sheet}))
    with pytest.raises(SpecError, match="water"):
        step_frame(level, Controls(water={"lake": sheet}))
    floor = ColliderSpec("floor", shapes.FLOOR, shapes.FLOOR_TRIANGLES)
    with pytest.raises(SpecError, match="no name"):
        step_frame(build_world(WorldSpec(systems=(floor,))), Controls(water={"floor": sheet}))
