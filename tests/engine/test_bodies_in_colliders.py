"""Rooms: a closed collider keeps bodies that start in it inside, and all others outside."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from flotsam.engine import (
    ColliderSpec,
    Controls,
    SpringGraphSpec,
    VoxelBodySpec,
    WorldSpec,
    build_world,
    change_world,
    step_frame,
)
from flotsam.engine.world.world import World
from shapes import box, sheet, sphere

SIDE, SKIN = 2.0, 0.02


def room(kind: str) -> ColliderSpec:
    """A cube of 2 m about the origin: its faces point outward, inward, or it is the inner one of two shells."""
    vertices, triangles = box(SIDE, 1)
    if kind == "inward":
        triangles = triangles[:, ::-1]
    if kind == "shells":
        vertices, triangles = np.concatenate([vertices, 1.1 * vertices]), np.concatenate([
            triangles[:, ::-1], triangles + len(vertices)
        ])
    return ColliderSpec("room", vertices, triangles, friction=0.5)


def bodies(at: np.ndarray) -> list[object]:
    """An inflated ball, a rigid crate, a jelly and a cloth around a place, none wider than 0.6 m."""
    (ball, faces), (cube, sides) = sphere(0.25, 2), box(0.4, 2)
    cloth, weave, edges = sheet((0.6, 0.6), (8, 8))
    return [
        SpringGraphSpec("ball", ball + at + [0.4, 0.4, 0.0], faces, stiffness=2000.0, pressure=500.0, thickness=SKIN),
        SpringGraphSpec("jelly", cube + at + [-0.4, 0.4, 0.0], sides, stiffness=2000.0, struts=2, thickness=SKIN),
        VoxelBodySpec("crate", cube + at + [0.0, -0.4, 0.0], sides, density=300.0),
        SpringGraphSpec("cloth", cloth + at + [0.0, 0.0, 0.5], weave, edges=edges, stiffness=500.0, thickness=SKIN),
    ]


def furthest(world: World, name: str, angle: float = 0.0) -> float:
    """Largest coordinate of a body in the frame of the room, rotated about y by `angle` [rad]; [m]."""
    x, (s, c) = world.positions(name), (np.sin(angle), np.cos(angle))
    return float(np.abs(x @ np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])).max())


@pytest.mark.parametrize("kind", ["outward", "inward", "shells"])
def test_a_turning_room_holds_what_begins_in_it(kind: str) -> None:
    """It rotates by 90 degrees a second for two seconds: all stay inside, up to a penetration of a millimetre."""
    frames, fps = 48, 24.0
    world = build_world(WorldSpec((*bodies(np.zeros(3)), room(kind)), frame_rate=fps))
    for frame in range(1, frames + 1):
        angle = 0.5 * np.pi * frame / fps
        pose, (s, c) = np.eye(4), (np.sin(angle), np.cos(angle))
        pose[:3, :3] = [[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]]
        step_frame(world, Controls(colliders={"room": pose}))
        for name in ("ball", "jelly", "crate", "cloth"):
            assert furthest(world, name, angle) < 0.5 * SIDE + 1e-3, f"{name} in frame {frame}"


def test_what_begins_outside_stays_outside() -> None:
    """A ball shot at the room at 10 m/s, with another one in it, bounces off, and the lid supports a crate."""
    ball, faces = sphere(0.25, 2)
    cube, sides = box(0.4, 2)
    within, shot = (
        SpringGraphSpec(name, ball + at, faces, stiffness=2000.0, pressure=500.0, thickness=SKIN, velocity=velocity)
        for name, at, velocity in (
            ("within", [0.0, 0.0, -0.7], (0.0, 0.0, 0.0)), ("shot", [-3.0, 0.0, 0.0], (10.0, 0.0, 0.0))
        )
    )
    crate = VoxelBodySpec("crate", cube + [0.0, 0.0, 1.25], sides, density=300.0)
    world = build_world(WorldSpec((within, shot, crate, room("outward"))))
    for _ in range(36):
        step_frame(world)
    assert furthest(world, "within") < 0.5 * SIDE
    assert world.positions("shot")[:, 0].max() < -0.5 * SIDE
    assert world.positions("crate")[:, 2].min() == pytest.approx(0.5 * SIDE, abs=2e-3)


def test_a_room_stays_one_while_settings_change() -> None:
    """Live: the room has moved 5 m when a setting changes, so no body of the new spec starts in it; the ball stays."""
    ball, faces = sphere(0.25, 2)
    body = SpringGraphSpec("ball", ball, faces, stiffness=2000.0, pressure=500.0, thickness=SKIN)
    walls = room("outward")
    world = build_world(WorldSpec((body, walls)))
    for frame in range(1, 25):
        pose = np.eye(4)
        pose[0, 3] = 5.0 * frame / 24.0
        step_frame(world, Controls(colliders={"room": pose}))
    moved = replace(walls, vertices=walls.vertices + [5.0, 0.0, 0.0], friction=0.9)
    world = change_world(world, WorldSpec((body, moved)))
    for _ in range(24):
        step_frame(world)
    assert np.abs(world.positions("ball") - [5.0, 0.0, 0.0]).max() < 0.5 * SIDE


def test_a_body_across_a_wall_makes_no_room() -> None:
    """A crate that is partly in a block leaves it upward. A ball wholly in one whose Sides is Front is not held in."""
    ball, faces = sphere(0.2, 2)
    cube, sides = box(0.4, 2)
    crate = VoxelBodySpec("crate", cube + [0.0, 0.0, 0.95], sides, density=300.0)
    soft = SpringGraphSpec("ball", ball + [0.0, 0.0, 0.7], faces, stiffness=2000.0, pressure=500.0, thickness=SKIN)
    solid, front = (build_world(WorldSpec(pair)) for pair in (
        (crate, room("outward")), (soft, replace(room("outward"), sides="FRONT"))
    ))
    for _ in range(48):
        step_frame(solid)
        step_frame(front)
    assert solid.positions("crate")[:, 2].min() > 0.5 * SIDE - 2e-3
    assert furthest(front, "ball") > 0.5 * SIDE + 0.4
