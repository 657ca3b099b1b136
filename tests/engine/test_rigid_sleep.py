"""Sleeping of rigid bodies: no drift, and they wake when something happens to them."""

from __future__ import annotations

import numpy as np
import pytest
from flotsam.engine import (
    ColliderSpec,
    Controls,
    SpringGraphSpec,
    VoxelBodySpec,
    WaterSpec,
    WorldSpec,
    build_world,
    change_world,
    step_frame,
)
from flotsam.engine.world.world import World
from shapes import FLOOR, FLOOR_TRIANGLES, box, sphere

CUBE, SIDES = box(1.0, 1)
BELOW = ColliderSpec("floor", FLOOR * 3.0, FLOOR_TRIANGLES)


def stack(count: int) -> list[VoxelBodySpec]:
    """Stacked cubes."""
    return [
        VoxelBodySpec(f"box {k}", CUBE + [0.0, 0.0, 0.501 + 1.002 * k], SIDES, voxel_size=0.1) for k in range(count)
    ]


def resting(*others: object, count: int = 3) -> World:
    """A stack after two seconds at rest."""
    world = build_world(WorldSpec(systems=(*stack(count), *others, BELOW)))
    for _ in range(48):
        step_frame(world)
    return world


def ball(**settings: object) -> VoxelBodySpec:
    """A heavy projectile, 30 m to the side."""
    vertices, triangles = sphere(0.4, 2)
    return VoxelBodySpec("ball", vertices + [-30.0, 0.0, 2.5], triangles, density=2000.0, **settings)


def test_who_sleeps_does_not_move_by_a_bit() -> None:
    """After two seconds a stack stays where it is for the next ten, to the last bit."""
    world = resting()
    before = world.state.x.copy()
    for _ in range(240):
        step_frame(world)
    assert world.state.x.tobytes() == before.tobytes()
    assert not world.rigid.velocity.any() and not world.rigid.angular_momentum.any()


def test_who_is_hit_wakes() -> None:
    """A ball hits the top box after 2.5 s, when all have slept for more than a second.

    It flies 29.1 m until contact: at 29.1 / 2.5 m/s, and g 2.5 / 2 upward, so that it arrives at its initial height.
    """
    world = resting(ball(velocity=(29.1 / 2.5, 0.0, 9.81 * 1.25)))
    assert not world.rigid.velocity[:3].any(), "asleep"
    asleep = world.rigid.position[:3].copy()
    for _ in range(24):
        step_frame(world)
    assert np.abs(world.rigid.position[2] - asleep[2]).max() > 0.5


def test_who_loses_its_support_wakes() -> None:
    """A collider pushes the lowest box away within a frame, and the others fall by a box's height."""
    pusher = ColliderSpec("pusher", CUBE * 0.8 + [-1.0, 0.0, 0.45], SIDES)
    world = resting(pusher)
    top = world.rigid.position[2, 2]
    for frame in range(72):
        pose = np.eye(4)
        pose[0, 3] = min(0.2 * (frame + 1), 2.0)
        step_frame(world, Controls(colliders={"pusher": pose}))
    assert world.rigid.position[2, 2] < top - 0.9


@pytest.mark.parametrize("way", [(0.0, 0.0, -1.0), (0.0, 0.0, 1.0), (1.0, 0.0, 0.0)], ids=["down", "up", "aside"])
def test_who_lies_on_what_moves_goes_along(way: tuple[float, float, float]) -> None:
    """A body at rest moves with its ground, even at a millimetre a second, below the sleep threshold."""
    world = resting(count=1)
    before = world.rigid.position[0].copy()
    for frame in range(48):
        pose = np.eye(4)
        pose[:3, 3] = 0.001 * (frame + 1) / 24.0 * np.array(way)
        step_frame(world, Controls(colliders={"floor": pose}))
    assert np.abs(world.rigid.position[0] - (before + 0.002 * np.array(way))).max() < 2e-4


def test_a_soft_body_wakes_what_it_falls_on() -> None:
    """It hits a light plate on a post, 0.2 m off the post, after 1.4 s: the plate tips."""
    vertices, triangles = sphere(0.3, 2)
    soft = SpringGraphSpec("soft", vertices + [0.4, 0.0, 11.0], triangles, mass=20.0, stiffness=1e4)
    light = VoxelBodySpec("light", CUBE * [1.0, 1.0, 0.1] + [0.0, 0.0, 0.654], SIDES, density=20.0)
    post = VoxelBodySpec("post", CUBE * [0.4, 0.4, 0.6] + [0.0, 0.0, 0.301], SIDES)
    world = build_world(WorldSpec(systems=(light, post, soft, BELOW)))
    for _ in range(30):
        step_frame(world)
    assert not world.rigid.velocity.any(), "asleep"
    for _ in range(24):
        step_frame(world)
    assert world.rigid.position[0, 2] < 0.6


def test_nobody_sleeps_in_free_space() -> None:
    """A body without contact, slower than the sleeping threshold, keeps moving."""
    drifting = VoxelBodySpec("box", CUBE, SIDES, velocity=(0.001, 0.0, 0.0))
    world = build_world(WorldSpec(systems=(drifting, BELOW), gravity=(0.0, 0.0, 0.0)))
    for _ in range(48):
        step_frame(world)
    assert abs(world.rigid.position[0, 0] - 0.002) < 1e-9


def test_two_threads_sleep_as_one_does() -> None:
    """From before any body sleeps until all have slept for a while."""
    found = []
    for threads in (1, 2):
        world = build_world(WorldSpec(systems=(*stack(3), BELOW), threads=threads))
        for _ in range(36):
            step_frame(world)
        found.append(world.state.x.tobytes() + world.rigid.still.tobytes())
    assert found[0] == found[1]


def test_a_snapshot_remembers_for_how_long_bodies_have_been_still() -> None:
    """Taken just before they fall asleep; restored in the world that has run on, and in a new one."""
    world, other = (build_world(WorldSpec(systems=(*stack(3), BELOW))) for _ in range(2))
    while not world.rigid.still.min() > 0.4:
        step_frame(world)
    saved, found = world.snapshot(), set()
    for again in (world, world, other):
        again.restore(saved)
        for _ in range(6):
            step_frame(again)
        found.add(again.state.x.tobytes() + again.rigid.still.tobytes())
        assert not again.rigid.velocity.any(), "asleep"
    assert len(found) == 1


def test_who_lies_on_the_ground_wakes_when_water_rises_over_it() -> None:
    """A box of half the density of water sleeps in the dry, and rises when the water level is set to 3 m."""
    systems = VoxelBodySpec("box", CUBE + [0.0, 0.0, 0.501], SIDES, density=500.0), BELOW
    world = build_world(WorldSpec(systems=(*systems, WaterSpec("water", height=-1.0, drag=8.0))))
    for _ in range(36):
        step_frame(world)
    assert not world.rigid.velocity.any(), "asleep"
    world = change_world(world, WorldSpec(systems=(*systems, WaterSpec("water", height=3.0, drag=8.0))))
    for _ in range(120):
        step_frame(world)
    assert world.rigid.position[0, 2] > 2.5


def test_who_sleeps_goes_on_doing_so_when_settings_change() -> None:
    """With the same settings, not a single bit changes from the first frame on."""
    world = resting()
    before = world.state.x.copy()
    world = change_world(world, world.spec)
    for _ in range(6):
        step_frame(world)
    assert world.state.x.tobytes() == before.tobytes() and not world.rigid.velocity.any()
