"""Added mass of water: how light bodies start to rise, fall into water, and lift what is tied to them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from flotsam.engine import (
    Attachment,
    ForceFieldSpec,
    SpringGraphSpec,
    VoxelBodySpec,
    WaterSpec,
    WorldSpec,
    build_world,
    step_frame,
)
from flotsam.engine.world.world import World
from shapes import box, sphere, volume

RADIUS, GRAVITY, WATER = 0.3, 9.81, 1000.0
# An icosphere of 642 vertices, its volume [m³] and its surface [m²].
VERTICES, TRIANGLES = sphere(RADIUS, 3)
VOLUME = volume(VERTICES, TRIANGLES)
AREA = 0.5 * float(np.linalg.norm(np.cross(
    VERTICES[TRIANGLES[:, 1]] - VERTICES[TRIANGLES[:, 0]], VERTICES[TRIANGLES[:, 2]] - VERTICES[TRIANGLES[:, 0]],
), axis=1).sum())


def ball(kind: str, mass: float, height: float, speed: float = 0.0) -> SpringGraphSpec | VoxelBodySpec:
    """A stiff hull or a rigid ball of this mass [kg] with its centre at this height [m]; speed: upwards [m/s]."""
    if kind == "rigid":
        return VoxelBodySpec("ball", VERTICES + [0.0, 0.0, height], TRIANGLES, mass=mass, velocity=(0.0, 0.0, speed))
    return SpringGraphSpec(
        "ball", VERTICES + [0.0, 0.0, height], TRIANGLES, rings=2, struts=1, mass=mass, stiffness=1e6, damping=5.0,
        velocity=(0.0, 0.0, speed),
    )


def rise_speed(world: World) -> float:
    """Mean velocity of the ball upwards [m/s]."""
    return float(world.velocities("ball")[:, 2].mean())


@pytest.mark.parametrize("kind", ("soft", "rigid"))
@pytest.mark.parametrize("mass", (0.06, 6.0, 60.0))
def test_a_ball_let_go_under_water(mass: float, kind: str) -> None:
    """v = u tanh(a t / u) with a = (rho V - m) g / (m + rho V / 2) and u = sqrt(2 (rho V - m) g / (rho drag A)).

    Lamb, Hydrodynamics, § 92. Without added mass, a ball of 60 g started with one substep of 10,000 m/s² and then
    stayed where it was, because the pressure was limited to the same value everywhere. Drag uses the velocity before a
    substep, half a substep late: at most an error of h a / u of the velocity. That drag is linear below 0.1 m/s changes
    less than a thousandth.
    """
    world = build_world(WorldSpec(systems=(ball(kind, mass, -2.0), WaterSpec("water", 0.0)), substeps=40))
    lift = (WATER * VOLUME - mass) * GRAVITY
    fastest, start = math.sqrt(2.0 * lift / (WATER * AREA)), lift / (mass + 0.5 * WATER * VOLUME)
    for frame in range(1, 13):
        step_frame(world)
        expected = fastest * math.tanh(start * frame / 24.0 / fastest)
        assert rise_speed(world) == pytest.approx(expected, rel=world.h * start / fastest + 0.01)


@pytest.mark.parametrize("kind", ("soft", "rigid"))
@pytest.mark.parametrize("mass", (3.0, 30.0))
def test_a_ball_falls_into_water(mass: float, kind: str) -> None:
    """It shares its momentum with the water that it sets in motion: d(M v) / dt = m g - rho g V(d), M = m + M_a(d).

    The wet cap of a ball of radius R at depth d has the area 2 pi R d, which is M_a = rho pi R² d / 3 here. Von Karman
    (1929). The reference takes a hundred steps a substep; vertices of the mesh get wet in steps of an edge's height.
    """
    speed, substeps = -5.0, 100
    spec = ball(kind, mass, RADIUS + 0.01, speed)
    world = build_world(WorldSpec(systems=(spec, WaterSpec("water", 0.0, drag=0.0)), substeps=substeps))
    depth, momentum, dt = -0.01, mass * speed, world.h / 100.0
    step_frame(world)
    for _ in range(100 * substeps):
        wet = max(depth, 0.0)
        total_mass = mass + WATER * math.pi * RADIUS**2 * wet / 3.0
        cap = math.pi * wet**2 * (RADIUS - wet / 3.0)
        momentum += dt * GRAVITY * (WATER * cap - mass)
        depth -= dt * momentum / total_mass
    assert 0.03 < depth < RADIUS
    assert rise_speed(world) == pytest.approx(momentum / total_mass, abs=0.05 * abs(speed))


@pytest.mark.parametrize(("density", "lifts"), ((2000.0, True), (7000.0, False)))
def test_a_ball_lifts_what_its_buoyancy_bears(density: float, lifts: bool) -> None:
    """A block of 0.03 m³ tied to a ball that displaces 0.112 m³: it rises below 4.7 times the density of water.

    Without added mass the ball of 50 g held no block, and its skin moved at 40 m/s in place.
    """
    vertices, sides = box(1.0, 1)
    block = VoxelBodySpec("block", 0.31072325 * vertices + [0.0, 0.0, -1.5], sides, density=density)
    light = SpringGraphSpec(
        "ball", VERTICES + [0.0, 0.0, -0.8], TRIANGLES, rings=1, mass=0.05, stiffness=2000.0, pressure=400.0,
        air_drag=1.0,
    )
    lowest = np.argsort(VERTICES[:, 2])[:8]
    tops = np.flatnonzero(vertices[:, 2] > 0.0)[np.arange(8) % 4]
    tie = Attachment("ball", "block", lowest, tops)
    world = build_world(WorldSpec(systems=(light, block, WaterSpec("water", 0.0)), attachments=(tie,)))
    for _ in range(12):
        step_frame(world)
    speed = world.rigid.velocity[0, 2]
    assert speed > 0.3 if lifts else speed < -0.3
    assert np.linalg.norm(world.velocities("ball") - world.rigid.velocity[0], axis=1).max() < 2.0


@pytest.mark.parametrize("kind", ("soft", "rigid"))
def test_a_snapshot_remembers_the_water_that_moves(kind: str) -> None:
    """A ball that enters the water after a snapshot gets the same bits again after a restore."""
    world = build_world(WorldSpec(systems=(ball(kind, 0.5, 0.32, -3.0), WaterSpec("water", 0.0))))
    step_frame(world)
    saved = world.snapshot()
    step_frame(world)
    expected = world.state.x.copy()
    world.restore(saved)
    step_frame(world)
    assert np.array_equal(world.state.x, expected)


@pytest.mark.parametrize("kind", ("soft", "rigid"))
def test_a_field_pushes_what_a_body_weighs(kind: str) -> None:
    """m a h / (m + rho V / 2) along a uniform field of the acceleration a, in the first substeps under water.

    Drag removes less than a thousandth of that velocity.
    """
    mass, strength = 5.0, 20.0
    field = ForceFieldSpec("field", np.eye(4), type="WIND", strength=strength)
    world = build_world(WorldSpec(
        systems=(ball(kind, mass, -2.0), WaterSpec("water", 0.0), field), substeps=100, gravity=(0.0, 0.0, 0.0),
    ))
    step_frame(world)
    expected = mass * strength / 24.0 / (mass + 0.5 * WATER * VOLUME)
    assert np.linalg.norm(world.velocities("ball").mean(axis=0)) == pytest.approx(expected, rel=0.02)
