"""Flat and convex colliders that are treated as hulls: detection, sides, and when that ends."""

from __future__ import annotations

import numpy as np
import pytest
from flotsam.engine import ColliderSpec, Controls, VoxelBodySpec, WorldSpec, build_world, step_frame
from flotsam.engine.mesh.graph.parts import closed_parts, find_parts
from flotsam.engine.solver.rigid.hulls.wall import find_wall
from flotsam.engine.world.world import World
from shapes import FLOOR, FLOOR_TRIANGLES, box, sphere

CUBE, SIDES = box(1.0, 1)
CUTS = 4


def sheet(cuts: int = CUTS) -> tuple[np.ndarray, np.ndarray]:
    """A square of 8 m in the plane z = 0, with `cuts` squares a side."""
    steps = np.linspace(-4.0, 4.0, cuts + 1)
    x, y = np.meshgrid(steps, steps, indexing="ij")
    corner = (np.arange(cuts)[:, None] * (cuts + 1) + np.arange(cuts)).reshape(-1)
    squares = np.stack([corner, corner + cuts + 1, corner + cuts + 2, corner + 1], axis=1)
    vertices = np.stack([x.reshape(-1), y.reshape(-1), np.zeros((cuts + 1) ** 2)], axis=1)
    return vertices, np.concatenate([squares[:, [0, 1, 2]], squares[:, [0, 2, 3]]])


def corners_of(vertices: np.ndarray, triangles: np.ndarray) -> int:
    """Number of corners of the hull of a collider, 0 when it is not treated as one."""
    parts = find_parts(vertices, triangles)
    wall = find_wall(0, 0, vertices, parts.triangles, bool(closed_parts(parts)[0]))
    return 0 if wall is None else len(wall.corner)


def test_a_flat_sheet_is_its_outline_twice_and_a_convex_solid_its_corners() -> None:
    """However finely it is cut, and in any orientation."""
    rotation = np.linalg.qr(np.random.default_rng(1).normal(size=(3, 3)))[0]
    assert corners_of(*sheet()) == corners_of(sheet()[0] @ rotation + 3.0, sheet()[1]) == 8
    assert corners_of(*box(1.0, 3)) == 8


def test_what_is_bent_or_has_a_hole_or_a_dent_is_no_wall() -> None:
    """Nor is a round body, nor a box that contains bodies, which is no solid."""
    cube, sides = box(1.0, 3)
    assert find_wall(0, 0, cube, find_parts(cube, sides).triangles, False) is None
    vertices, triangles = sheet()
    bent = vertices.copy()
    bent[0, 2] = 0.01
    at = vertices[triangles].mean(axis=1)[:, :2]
    middle, corner = (np.abs(at) < 2.0).all(axis=1), (at > 2.0).all(axis=1)
    for mesh in ((bent, triangles), (vertices, triangles[~middle]), (vertices, triangles[~corner]), sphere(1.0, 3)):
        assert corners_of(*mesh) == 0


def dropped(floor: ColliderSpec, **settings: object) -> World:
    """A cube 0.2 m above a floor."""
    cube = VoxelBodySpec("cube", CUBE + [0.3, 0.2, 0.7], SIDES, **settings)
    return build_world(WorldSpec(systems=(cube, floor)))


@pytest.mark.parametrize("up", [True, False], ids=["front", "back"])
def test_both_sides_of_a_sheet_hold(up: bool) -> None:
    """A cube falls on a fine floor, with faces up or down, and rests on it; the surface search finds no pair."""
    vertices, triangles = sheet()
    world = dropped(ColliderSpec("floor", vertices, triangles if up else triangles[:, ::-1]))
    for _ in range(48):
        step_frame(world)
    assert not world.interactions[0].elements.corner.size
    assert 0.5 < world.rigid.position[0, 2] < 0.505
    assert not world.rigid.velocity.any(), "asleep"


def test_a_cube_slides_off_the_rim_and_falls() -> None:
    """Beyond its rim a sheet supports nothing: pushed over it, a cube tips, falls past and does not come back."""
    world = dropped(ColliderSpec("floor", *sheet(), friction=0.0), velocity=(3.0, 0.0, 0.0), friction=0.0)
    for _ in range(60):
        step_frame(world)
    assert world.rigid.position[0, 0] > 4.0 and world.rigid.position[0, 2] < -2.0


def test_who_stands_in_a_sheet_is_left_there() -> None:
    """Its correct side is unknown."""
    cube = VoxelBodySpec("cube", CUBE, SIDES)
    world = build_world(WorldSpec((cube, ColliderSpec("floor", *sheet())), gravity=(0.0, 0.0, 0.0)))
    for _ in range(12):
        step_frame(world)
    assert not world.rigid.position[0].any()


def test_a_floor_that_is_bent_is_met_as_it_is_and_goes_with_the_snapshot() -> None:
    """The middle of a floor sinks by half a metre: a body on it follows, with the same bits from a snapshot."""
    vertices, triangles = sheet()
    low = vertices.copy()
    low[(np.abs(vertices) < 3.0).all(axis=1), 2] = -0.5
    world = dropped(ColliderSpec("floor", vertices, triangles))
    for _ in range(24):
        step_frame(world)
    for frame in range(24):
        down = vertices + (frame + 1) / 24 * (low - vertices)
        step_frame(world, Controls(colliders={"floor": down}))
        if frame == 12:
            saved = world.snapshot()
    rest_position = world.rigid.position[0].copy()
    assert 0.0 < rest_position[2] < 0.05
    again = dropped(ColliderSpec("floor", vertices, triangles))
    again.restore(saved)
    for frame in range(13, 24):
        step_frame(again, Controls(colliders={"floor": vertices + (frame + 1) / 24 * (low - vertices)}))
    assert np.array_equal(again.rigid.position[0], rest_position)


def test_a_floor_that_turns_takes_along_what_lies_on_it() -> None:
    """A quarter turn in two seconds: a cube on its axis rotates as far."""
    cube = VoxelBodySpec("cube", CUBE + [0.0, 0.0, 0.502], SIDES, friction=1.0)
    world = build_world(WorldSpec((cube, ColliderSpec("floor", *sheet(), friction=1.0))))
    for frame in range(48):
        angle = 0.5 * np.pi * (frame + 1) / 48
        pose = np.eye(4)
        pose[:2, :2] = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
        shown = step_frame(world, Controls(colliders={"floor": pose})).transforms["cube"]
    assert np.arctan2(shown[1, 0], shown[0, 0]) == pytest.approx(0.5 * np.pi, rel=0.01)


def test_a_light_plate_is_not_pressed_through_the_floor_by_what_hits_it() -> None:
    """A plate of 20 mm is a centimetre above a floor; a cube of a ton hits it at 20 m/s."""
    plate = VoxelBodySpec("plate", CUBE * [1.0, 1.0, 0.02] + [0.0, 0.0, 0.02], SIDES, mass=1.0, voxel_size=0.02)
    cube = VoxelBodySpec("cube", CUBE + [0.0, 0.0, 0.54], SIDES, mass=1000.0, velocity=(0.0, 0.0, -20.0))
    world = build_world(WorldSpec((plate, cube, ColliderSpec("floor", FLOOR, FLOOR_TRIANGLES))))
    for _ in range(24):
        step_frame(world)
        assert world.rigid.position[0, 2] > 0.0 and world.rigid.position[1, 2] > 0.4


@pytest.mark.parametrize("bounciness", [0.3, 0.8])
def test_two_cubes_part_at_their_share_of_the_speed(bounciness: float) -> None:
    """Face to face, at any moment within a substep: they separate at e times the approach speed, within 1 %."""
    for apart in (0.1, 0.103, 0.107):
        one = VoxelBodySpec("one", CUBE - [1.0 + apart, 0.0, 0.0], SIDES, velocity=(2.0, 0.0, 0.0),
                            restitution=bounciness)
        two = VoxelBodySpec("two", CUBE, SIDES, restitution=bounciness)
        world = build_world(WorldSpec((one, two), gravity=(0.0, 0.0, 0.0)))
        for _ in range(6):
            step_frame(world)
        separation_speed = world.rigid.velocity[1, 0] - world.rigid.velocity[0, 0]
        assert separation_speed == pytest.approx(2.0 * bounciness, rel=0.01)
