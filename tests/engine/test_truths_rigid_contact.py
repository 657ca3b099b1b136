"""T9, T10, T11: rigid bodies that slide, bounce and collide, against closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest
from conftest import Truth
from flotsam.engine import ColliderSpec, SpringGraphSpec, VoxelBodySpec, WorldSpec, build_world, step_frame
from flotsam.engine.world.world import World
from shapes import FLOOR, FLOOR_TRIANGLES, box, sphere, torus

FRAME = 1.0 / 24.0


def on_a_slope(angle: float, friction: float, seconds: float) -> tuple[np.ndarray, int]:
    """A flat slab on a slope: its displacement down, sideways and off the slope [m], and the number of frames."""
    c, s = math.cos(angle), math.sin(angle)
    tilt = np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])
    vertices, triangles = box(0.5, 1)
    lying = vertices * [1.0, 1.0, 0.5] + [0.0, 0.0, 0.125 + 0.0005]
    world = build_world(WorldSpec(systems=(
        VoxelBodySpec("slab", lying @ tilt.T, triangles, friction=friction, thickness=0.001),
        ColliderSpec("slope", FLOOR * 10.0 @ tilt.T, FLOOR_TRIANGLES, friction=friction),
    )))
    start = world.rigid.position[0].copy()
    frames = round(seconds / FRAME)
    for _ in range(frames):
        step_frame(world)
    return (world.rigid.position[0] - start) @ tilt, frames


@pytest.mark.parametrize("friction", [0.2, 0.5, 1.0])
def test_t9_stays_below_the_angle_of_friction(friction: float, truth: Truth) -> None:
    """2 % below tan(angle) = mu nothing moves: less than a ten-thousandth of its size in 10 s."""
    moved, _frames = on_a_slope(math.atan(0.98 * friction), friction, 10.0)
    truth("T9", f"way on a slope below mu = {friction}", moved / 0.5, 0.0, 1e-4, relative=False)


@pytest.mark.parametrize("friction", [0.2, 0.5, 1.0])
@pytest.mark.parametrize("steeper", [1.02, 1.3])
def test_t9_slides_beyond_it_as_fast_as_it_should(friction: float, steeper: float, truth: Truth) -> None:
    """a = g (sin - mu cos); the scheme moves by a t (t + h) / 2. Tolerance 2 %."""
    angle = math.atan(steeper * friction)
    moved, frames = on_a_slope(angle, friction, 2.0)
    t, h = frames * FRAME, FRAME / 10.0
    expected = 9.81 * (math.sin(angle) - friction * math.cos(angle))
    truth("T9", f"acceleration at {steeper} of mu = {friction}", 2.0 * moved[0] / (t * (t + h)), expected, 0.02)
    assert abs(moved[1]) < 1e-4 * abs(moved[0]) + 1e-5


@pytest.mark.parametrize("share", [0.3, 0.5, 0.8, 1.0])
@pytest.mark.parametrize("shape", ["ball", "box"])
def test_t10_rebound(shape: str, share: float, truth: Truth) -> None:
    """Rebound height e² of the fall height, within 3 %.

    Semi-implicit Euler loses h / t of the height each way (t = 0.45 s, h = 1/480 s: 0.9 % in all), and a body may hit
    the ground at any moment within a substep.
    """
    vertices, triangles = sphere(0.3, 3) if shape == "ball" else box(0.5, 1)
    low, thickness = -vertices[:, 2].min(), 0.001
    world = build_world(WorldSpec(
        systems=(
            VoxelBodySpec(
                "body", vertices + [0.0, 0.0, low + 1.0 + thickness / 2.0], triangles, restitution=share,
                thickness=thickness,
            ),
            ColliderSpec("floor", FLOOR, FLOOR_TRIANGLES),
        ),
        frame_rate=240.0, substeps=2,
    ))
    height = []
    for _ in range(260):
        step_frame(world)
        height.append(world.rigid.position[0, 2] - low - thickness / 2.0)
    touched = int(np.flatnonzero(np.diff(height) > 0.0)[0])
    top = max(height[touched : touched + round(2.2 * 240.0 * share * math.sqrt(2.0 / 9.81))])
    truth("T10", f"rebound of a {shape}, e = {share}", top, share**2, 0.03)


def momenta(world: World) -> np.ndarray:
    """Momentum and angular momentum about the origin of all rigid bodies, (6,)."""
    rigid = world.rigid
    momentum = rigid.mass[:, None] * rigid.velocity
    return np.concatenate([
        momentum.sum(axis=0), (np.cross(rigid.position, momentum) + rigid.angular_momentum).sum(axis=0),
    ])


@pytest.mark.parametrize("integrator", ["XPBD", "SYMPLECTIC"])
def test_t11_bodies_that_collide_keep_their_momenta(integrator: str, truth: Truth) -> None:
    """With friction, restitution, spin and off centre: sum m v and sum x × m v + L stay within 1e-9."""
    vertices, triangles = box(1.0, 1)
    ring = torus(0.5, 0.2, 16, 8)
    settings = {"friction": 0.6, "restitution": 0.4}
    world = build_world(WorldSpec(systems=(
        VoxelBodySpec(
            "box", vertices * [1.0, 0.6, 0.4] - [1.2, 0.1, 0.1], triangles, velocity=(3.0, 0.0, 0.0),
            angular_velocity=(1.0, 2.0, -1.0), **settings,
        ),
        VoxelBodySpec("ring", ring[0] + [0.8, 0.0, 0.0], ring[1], velocity=(-2.0, 0.1, 0.0), **settings),
    ), gravity=(0.0, 0.0, 0.0), integrator=integrator))
    before, speed = momenta(world), world.rigid.velocity.copy()
    for _ in range(24):
        step_frame(world)
    assert np.abs(world.rigid.velocity - speed).max() > 1.0, "they collided"
    after = momenta(world)
    for what, part in (("momentum", slice(0, 3)), ("angular momentum", slice(3, 6))):
        size = np.linalg.norm(before[part])
        truth("T11", f"{what} of two bodies that collide, {integrator}", after[part] / size, before[part] / size, 1e-9,
              relative=False)


def test_t11_a_soft_and_a_rigid_body_keep_their_momentum(truth: Truth) -> None:
    """A crate flies into an inflated ring: sum m v stays within 1e-9, and both exchange momentum."""
    vertices, triangles, edges = torus(0.5, 0.15, 20, 10)
    crate, sides = box(0.4, 1)
    soft = SpringGraphSpec("ring", vertices, triangles, edges, rings=2, struts=1, pressure=300.0, mass=2.0)
    hard = VoxelBodySpec("crate", crate - [1.0, 0.05, 0.0], sides, density=50.0, velocity=(3.0, 0.0, 0.0))
    world = build_world(WorldSpec(systems=(soft, hard), gravity=(0.0, 0.0, 0.0)))
    mass = world.mass("crate")
    for _ in range(24):
        step_frame(world)
    ring = 2.0 * world.velocities("ring").mean(axis=0)
    total = ring + mass * world.rigid.velocity[0]
    truth("T11", "momentum of a crate and a ring", total / (3.0 * mass), [1.0, 0.0, 0.0], 1e-9, relative=False)
    assert ring[0] > 0.3 * mass, "the ring was hit"
    energy = mass * (world.rigid.velocity[0] ** 2).sum() + 2.0 * (world.velocities("ring") ** 2).sum(axis=1).mean()
    assert energy < 9.0 * mass
