"""Sleeping of soft bodies: slow bodies on a support stop, and any disturbance wakes them."""

from __future__ import annotations

import numpy as np
import pytest
from flotsam.engine import ColliderSpec, Controls, SpringGraphSpec, WorldSpec, build_world, step_frame
from flotsam.engine.solver.constraints.contact.sleeping import LONG, SLOW
from flotsam.engine.world.world import World
from shapes import FLOOR, FLOOR_TRIANGLES, box, torus


def tower(friction: float = 0.6, **settings: float) -> World:
    """Three jelly cubes stacked on a floor."""
    vertices, triangles = box(0.12, 2)
    low = vertices[:, 2].min()
    cubes = tuple(
        SpringGraphSpec(
            f"cube {k}", vertices + [0.004 * k, 0.0, 0.011 - low + 0.131 * k], triangles, rings=2, struts=3,
            stiffness=1000.0, damping=0.5, mass=0.2, friction=friction, thickness=0.01,
        )
        for k in range(3)
    )
    floor = ColliderSpec("floor", FLOOR, FLOOR_TRIANGLES, friction=friction)
    return build_world(WorldSpec((*cubes, floor), **settings))


def still(world: World) -> np.ndarray:
    """How long each piece has been slow [s]."""
    return world.systems[0].rest.still


def run(world: World, seconds: float, controls: Controls | None = None) -> None:
    for _ in range(round(24 * seconds)):
        step_frame(world, controls)


@pytest.mark.parametrize("friction", [0.6, 10.0])
def test_a_tower_comes_to_rest_for_good(friction: float) -> None:
    """With a friction of 10 it vibrated endlessly at 5 mm/s; the limit is a millimetre a second."""
    world = tower(friction)
    run(world, 6.0)
    assert (still(world) >= LONG).all()
    before = world.state.x.copy()
    run(world, 4.0)
    assert np.linalg.norm(world.state.v, axis=1).mean() < 0.001
    assert np.abs(world.state.x - before).max() < 0.001


def test_what_rests_goes_on_with_a_slow_floor() -> None:
    """A floor at 2 mm/s, below the sleep threshold SLOW, lifts bodies at rest and carries them sideways."""
    world = tower()
    run(world, 4.0)
    assert (still(world) >= LONG).all()
    before = world.positions("cube 2").mean(axis=0)
    velocity = np.array([0.002, 0.0, 0.002])
    assert np.linalg.norm(velocity) < SLOW
    for frame in range(1, 97):
        pose = np.eye(4)
        pose[:3, 3] = velocity * frame / 24.0
        step_frame(world, Controls(colliders={"floor": pose}))
    displacement = world.positions("cube 2").mean(axis=0) - before
    assert displacement == pytest.approx(4.0 * velocity, abs=5e-4)


def test_what_is_hit_wakes() -> None:
    """The lowest cube is pulled away from under the others, which fall."""
    world = tower()
    run(world, 4.0)
    assert (still(world) >= LONG).all()
    world.state.v[: 26] += [3.0, 0.0, 0.0]
    run(world, 0.25)
    assert (still(world) < LONG).all()
    assert world.positions("cube 0")[:, 0].mean() > 0.1


def test_more_pressure_lifts_a_ring_that_rests() -> None:
    """The pressure grows by a thousandth a frame: the ring grows like one that never sleeps, within a hundredth."""
    growth = []
    for stays_awake in (False, True):
        vertices, triangles, edges = torus(0.5, 0.15, 32, 16)
        ring = SpringGraphSpec(
            "ring", vertices + [0.0, 0.0, 0.16], triangles, edges, rings=2, struts=1, stiffness=2000.0, pressure=2000.0,
            mass=2.0,
        )
        world = build_world(WorldSpec((ring, ColliderSpec("floor", FLOOR, FLOOR_TRIANGLES))))
        volumes = []
        for frame in range(144):
            if stays_awake:
                still(world)[:] = 0.0
            pressure = 2000.0 + 10.0 * max(frame - 72, 0)
            found = step_frame(world, Controls(values={"ring": {"pressure": pressure}}))
            volumes.append(found.diagnostics["ring"]["volume"][0])
            if frame == 71:
                assert stays_awake or still(world)[0] >= LONG
        growth.append(volumes[-1] - volumes[71])
    assert growth[0] > 1e-4
    assert growth[0] == pytest.approx(growth[1], rel=0.01)


def test_a_snapshot_knows_who_rests() -> None:
    world = tower()
    run(world, 3.0)
    saved = world.snapshot()
    run(world, 0.5)
    after, slept = world.state.x.tobytes(), still(world).copy()
    world.restore(saved)
    run(world, 0.5)
    assert world.state.x.tobytes() == after
    assert np.array_equal(still(world), slept)


def test_nothing_rests_without_weight_or_on_nothing() -> None:
    """Without gravity two cubes in contact drift on at 2 mm/s; with it, a cube that hangs by a corner stays awake."""
    world = tower(gravity=(0.0, 0.0, 0.0))
    world.state.v[:] = [0.0, 0.002, 0.0]
    run(world, 2.0)
    assert np.linalg.norm(world.velocities("cube 1").mean(axis=0)) == pytest.approx(0.002, rel=0.01)
    vertices, triangles = box(0.12, 2)
    hanging = SpringGraphSpec("cube", vertices, triangles, rings=2, struts=3, stiffness=1000.0, pins=[0])
    world = build_world(WorldSpec((hanging,)))
    run(world, 2.0)
    assert still(world)[0] == 0.0
