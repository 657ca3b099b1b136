"""Structures of rigid bodies: a house of cards that stands or falls by its angle, and a wall that is hit."""

from __future__ import annotations

import math

import numpy as np
import pytest
from flotsam.engine import ColliderSpec, VoxelBodySpec, WorldSpec, build_world, step_frame
from flotsam.engine.world.world import World
from shapes import FLOOR, FLOOR_TRIANGLES, box, sphere

CUBE, SIDES = box(1.0, 1)
SIZE, THICK = 0.5, 0.01


def card(name: str, side: float, angle: float, friction: float) -> VoxelBodySpec:
    """A card that leans by an angle from the vertical towards the middle, its lower edge on the ground."""
    c, s = math.cos(angle), math.sin(angle)
    pose = np.eye(4)
    pose[:3, :3] = [[c, 0.0, side * s], [0.0, 1.0, 0.0], [-side * s, 0.0, c]]
    # Upper inner edges end half a millimetre from the middle.
    inner = pose[:3, :3] @ [side * THICK / 2.0, 0.0, SIZE / 2.0]
    low = min((pose[:3, :3] @ [x, 0.0, -SIZE / 2.0])[2] for x in (-THICK / 2.0, THICK / 2.0))
    pose[:3, 3] = [-side * 5e-4 - inner[0], 0.0, 1e-3 - low]
    return VoxelBodySpec(
        name, CUBE * [THICK, 0.4, SIZE], SIDES, pose=pose, voxel_size=0.01, density=500.0, friction=friction,
        thickness=0.001,
    )


def leaning(angle: float, friction: float) -> float:
    """Height of two cards that lean on each other after four seconds, relative to their initial height."""
    cards = card("left", 1.0, angle, friction), card("right", -1.0, angle, friction)
    floor = ColliderSpec("floor", FLOOR * 3.0, FLOOR_TRIANGLES, friction=friction)
    world = build_world(WorldSpec(systems=(*cards, floor), substeps=20))
    height = world.rigid.position[:, 2].mean()
    for _ in range(96):
        step_frame(world)
    return float(world.rigid.position[:, 2].mean() / height)


@pytest.mark.parametrize("friction", [0.15, 0.3, 0.6])
def test_a_house_of_cards_stands_below_its_angle(friction: float) -> None:
    """Two cards press on each other by m g tan(a) / 2 and on the ground by m g: stable while tan(a) < 2 mu.

    A fifth below that angle nothing falls.
    """
    assert leaning(math.atan(2.0 * friction * 0.8), friction) > 0.99


@pytest.mark.parametrize("friction", [0.15, 0.3, 0.6])
def test_a_house_of_cards_collapses_beyond_its_angle(friction: float) -> None:
    """A fifth beyond it both slide out and lie flat."""
    assert leaning(math.atan(2.0 * friction * 1.2), friction) < 0.2


def energy(world: World) -> float:
    """Kinetic energy with rotation, plus potential energy [J]."""
    rigid = world.rigid
    rotational = 0.0
    for q, inertia, angular_momentum in zip(rigid.rotation, rigid.inertia, rigid.angular_momentum, strict=True):
        w, axis = q[0], -q[1:]
        local = angular_momentum + 2.0 * w * np.cross(axis, angular_momentum) + 2.0 * np.cross(
            axis, np.cross(axis, angular_momentum)
        )
        rotational += 0.5 * float((local**2 / inertia).sum())
    return rotational + float(
        (0.5 * rigid.mass * (rigid.velocity**2).sum(axis=1) + 9.81 * rigid.mass * rigid.position[:, 2]).sum()
    )


def test_a_wall_of_two_hundred_boxes_falls_when_it_is_hit() -> None:
    """Twenty by ten boxes and a ball at 25 m/s: parts fall, none sinks by 2 % of its size, energy never grows.

    Energy is compared each frame and may exceed its minimum so far by a thousandth of the ball's energy.
    """
    gap, brick = 0.002, np.array([0.5, 0.5, 0.5])
    bricks = []
    for row in range(10):
        for column in range(20):
            middle = [0.0, (column - 9.5) * (0.5 + gap) + 0.25 * (row % 2), 0.25 + 0.5 * gap + row * (0.5 + gap)]
            bricks.append(VoxelBodySpec(f"brick {row} {column}", CUBE * brick + middle, SIDES, voxel_size=0.125))
    vertices, triangles = sphere(0.6, 2)
    ball = VoxelBodySpec("ball", vertices + [-2.0, 0.0, 2.6], triangles, density=2000.0, velocity=(25.0, 0.0, 0.0))
    floor = ColliderSpec("floor", FLOOR * 30.0, FLOOR_TRIANGLES)
    world = build_world(WorldSpec(systems=(*bricks, ball, floor)))
    start = world.rigid.position[:200].copy()
    ball_energy = 0.5 * world.rigid.mass[-1] * 25.0**2
    least, speed = energy(world), 0.0
    for _ in range(72):
        step_frame(world)
        now = energy(world)
        assert now < least + 1e-3 * ball_energy
        least = min(least, now)
        speed = max(speed, float(np.abs(world.rigid.velocity).max()))
        assert world.state.x[world.rigid.own, 2].min() > -0.02 * 0.5
    moved = np.linalg.norm(world.rigid.position[:200] - start, axis=1)
    assert (moved > 0.5).sum() > 20 and (world.rigid.position[:200, 2] < start[:, 2] - 0.3).sum() > 20
    assert speed < 1.5 * 25.0
