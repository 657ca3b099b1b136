"""Round rigid bodies: estimated radii of curvature, and rolling and collisions as if there were no facets."""

from __future__ import annotations

import math

import numpy as np
import pytest
from conftest import Truth
from flotsam.engine import ColliderSpec, VoxelBodySpec, WorldSpec, build_world, step_frame
from flotsam.engine.solver.rigid.contact.roundness import BULGE, RADII, RIM, find_roundness
from flotsam.engine.solver.rotation import rotation_matrix
from flotsam.engine.world.world import World
from shapes import FLOOR, FLOOR_TRIANGLES, box, cylinder, sphere, torus

FRAME = 1.0 / 24.0


@pytest.mark.parametrize("halvings", [1, 2, 3])
def test_a_ball_has_its_radius_and_its_normals(halvings: int) -> None:
    """Every neighbour of a vertex lies on the sphere, so least squares find r up to their own bias of 1e-6."""
    vertices, triangles = sphere(0.5, halvings)
    rows = find_roundness(vertices, triangles)
    assert np.abs(rows[:, RADII : RADII + 2] / 0.5 - 1.0).max() < 1e-5
    assert np.abs(rows[:, 6:9] - vertices / 0.5).max() < 1e-5


def test_a_barrel_is_round_about_its_axis_and_along_its_rims() -> None:
    """Between its rims a vertex has the radius r in one direction and none along the axis; rim circles have r too.

    For lack of neighbours that separate slope from curvature, least squares err by 1e-4.
    """
    vertices, triangles = cylinder(0.3, 0.8, 32, 4)
    rows = find_roundness(vertices, triangles)
    at_rim = (np.abs(np.abs(vertices[:, 1]) - 0.4) < 1e-9) & (np.hypot(vertices[:, 0], vertices[:, 2]) > 0.1)
    between = np.abs(vertices[:, 1]) < 0.39
    assert (rows[at_rim, RIM] == 1.0).all() and not rows[~at_rim, RIM].any()
    assert rows[at_rim, RADII] == pytest.approx(0.3, rel=1e-9)
    assert np.sort(rows[between, RADII : RADII + 2], axis=1) == pytest.approx(
        np.array([[0.0, 0.3]] * between.sum()), rel=3e-4
    )
    assert not rows[~at_rim & ~between, BULGE].any()


def test_a_tube_bends_both_ways_outside_and_one_way_inside() -> None:
    """Torus of radii R and a: a across everywhere, R + a around outside; inside it is concave, so none."""
    vertices, triangles, _edges = torus(0.4, 0.15, 64, 32)
    rows = find_roundness(vertices, triangles)
    flat = np.abs(vertices[:, 2]) < 1e-9
    outside, inside = flat & (np.hypot(*vertices.T[:2]) > 0.4), flat & (np.hypot(*vertices.T[:2]) < 0.4)
    assert np.sort(rows[outside, RADII : RADII + 2], axis=1)[0] == pytest.approx([0.15, 0.55], rel=0.02)
    assert np.sort(rows[inside, RADII : RADII + 2], axis=1)[0] == pytest.approx([0.0, 0.15], rel=0.02)


def test_what_has_corners_is_not_round() -> None:
    for vertices, triangles in (box(1.0, 3), sphere(1.0, 0), cylinder(0.5, 1.0, 8, 1)):
        assert find_roundness(vertices, triangles) is None


@pytest.mark.parametrize("shape", ["ball", "barrel", "ring"])
def test_t9_rolls_down_a_slope(shape: str, truth: Truth) -> None:
    """a = g sin / (1 + I / (m r²)); the scheme moves by a t (t + h) / 2.

    Arcs match the round body within 1e-6 for ball and barrel; the ring's inner side causes 1 %, half of the tolerance
    that T9 has for sliding.
    """
    if shape == "ball":
        (vertices, triangles), radius = sphere(0.5, 2), 0.5
    elif shape == "barrel":
        (vertices, triangles), radius = cylinder(0.5, 0.6, 32, 1), 0.5
    else:
        vertices, triangles, _edges = torus(0.4, 0.15, 24, 12)
        vertices, radius = vertices[:, [1, 2, 0]], 0.55
    angle, friction = 0.15, 0.8
    world = build_world(WorldSpec(
        systems=(
            VoxelBodySpec("body", vertices + [0.0, 0.0, radius + 5e-4], triangles, voxel_size=0.05, friction=friction),
            ColliderSpec("slope", FLOOR * 10.0, FLOOR_TRIANGLES, friction=friction),
        ),
        gravity=(9.81 * math.sin(angle), 0.0, -9.81 * math.cos(angle)),
    ))
    start, frames = world.rigid.position[0].copy(), 36
    for _ in range(frames):
        step_frame(world)
    displacement, t, h = world.rigid.position[0] - start, frames * FRAME, FRAME / 10.0
    inertia = _about_y(world) / (world.rigid.mass[0] * radius**2)
    expected = 9.81 * math.sin(angle) / (1.0 + inertia)
    truth("T9", f"acceleration of a {shape} that rolls", 2.0 * displacement[0] / (t * (t + h)), expected, 0.01)
    assert abs(displacement[1]) < 0.01 * displacement[0] and abs(displacement[2]) < 0.002


def _about_y(world: World) -> float:
    """Moment of inertia of the only body about the world's y axis [kg m²]."""
    rotation = rotation_matrix(world.rigid.rotation[0])
    return float((rotation * world.rigid.inertia[0] @ rotation.T)[1, 1])


@pytest.mark.parametrize("aside", [0.0, 0.2, 0.5])
def test_balls_part_along_their_centres(aside: float) -> None:
    """Smooth balls of 66 corners, randomly rotated: the one that is hit leaves along the line of centres at v cos.

    The collision is elastic. The line is at arcsin(aside / d), with d the contact distance, 2 r plus both thicknesses:
    1.002 m. In a substep they move 12 mm, which rotates the line by up to 0.4°.
    """
    draw = np.random.default_rng(3)
    vertices, triangles = sphere(0.5, 2)
    specs = []
    for name, place, speed in (("a", (-1.3, aside, 0.0), 3.0), ("b", (0.0, 0.0, 0.0), 0.0)):
        pose, rotation = np.eye(4), np.linalg.qr(draw.normal(size=(3, 3)))[0]
        pose[:3, :3], pose[:3, 3] = rotation * np.linalg.det(rotation), place
        specs.append(VoxelBodySpec(
            name, vertices, triangles, pose=pose, voxel_size=0.1, velocity=(speed, 0.0, 0.0), friction=0.0,
            restitution=1.0,
        ))
    world = build_world(WorldSpec(tuple(specs), gravity=(0.0, 0.0, 0.0)))
    for _ in range(12):
        step_frame(world)
    hit, angle = world.rigid.velocity[1], math.asin(aside / 1.002)
    assert math.atan2(-hit[1], hit[0]) == pytest.approx(angle, abs=math.radians(0.4))
    assert abs(hit[2]) < 0.01 * np.linalg.norm(hit)
    assert np.linalg.norm(hit) == pytest.approx(3.0 * math.cos(angle), rel=0.01)
    energy = 0.5 * (world.rigid.mass[:, None] * world.rigid.velocity**2).sum()
    assert energy == pytest.approx(0.5 * world.rigid.mass[0] * 9.0, rel=0.005)
    # Corners that stop being nearest within the substep take a small part of the impulse, off the line of centres.
    assert np.abs(world.rigid.angular_momentum / world.rigid.inertia).max() < 0.05 * 3.0 / 0.5


def test_a_barrel_stands_and_a_ball_lies_still() -> None:
    """Ten seconds: neither creeps by a hundredth of its size, and both fall asleep."""
    barrel, sides = cylinder(0.3, 0.8, 32, 1)
    ball, faces = sphere(0.3, 2)
    world = build_world(WorldSpec((
        VoxelBodySpec("barrel", barrel[:, [2, 0, 1]] + [0.0, 0.0, 0.401], sides),
        VoxelBodySpec("ball", ball + [2.0, 0.0, 0.301], faces),
        ColliderSpec("floor", FLOOR, FLOOR_TRIANGLES),
    )))
    start = world.rigid.position.copy()
    for _ in range(240):
        step_frame(world)
    assert np.abs(world.rigid.position - start).max() < 0.003
    assert not world.rigid.velocity.any()
