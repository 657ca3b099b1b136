"""Penalty contact (spring and dashpot) against the damped oscillator."""

from __future__ import annotations

import math

import numpy as np
import pytest
from flotsam.engine import ColliderSpec, SpringDashpot, SpringGraphSpec, WorldSpec, build_world, step_frame
from flotsam.engine.world.world import World
from shapes import FLOOR, FLOOR_TRIANGLES, box

MASS, GRAVITY, THICKNESS, CORNERS = 2.0, 9.81, 0.2, 4


def drop(rule: SpringDashpot, height: float, substeps: int, gravity: float = GRAVITY, **fields: object) -> World:
    """A stiff box over a floor, its four lower corners at the rest separation plus `height`."""
    vertices, triangles = box(1.0, 1)
    vertices = vertices - [0.0, 0.0, vertices[:, 2].min() - 0.5 * THICKNESS - height]
    body = SpringGraphSpec(
        "box", vertices, triangles, stiffness=1e6, struts=1, mass=MASS, mass_by="VERTEX", thickness=THICKNESS,
        **fields,
    )
    systems = (body, ColliderSpec("floor", FLOOR, FLOOR_TRIANGLES))
    return build_world(WorldSpec(systems, (rule,), gravity=(0.0, 0.0, -gravity), substeps=substeps, frame_rate=100.0))


def height_of(world: World) -> float:
    """Mean height of the lower corners above the point where the springs engage [m]."""
    return float(np.sort(world.positions("box")[:, 2])[:CORNERS].mean()) - 0.5 * THICKNESS


def energy(world: World) -> float:
    """Kinetic plus potential energy of height [J]; the energy in springs is never negative."""
    x, v = world.positions("box"), world.velocities("box")
    return float(MASS * (0.5 * (v * v).sum(axis=1) + GRAVITY * x[:, 2]).mean())


def test_rests_as_deep_as_its_springs_give() -> None:
    """Four springs carry the weight: depth = m g / (4 k).

    Each corner receives its force as if it were alone, so it separates at up to g h before the rest of the body holds
    it back. Spring and dashpot respond to that, so the depth is up to (c / k + h) g h larger.
    """
    stiffness, damping, substeps = 500.0, 5.0, 10
    world = drop(SpringDashpot(stiffness=stiffness, damping=damping), 0.0, substeps)
    for _ in range(400):
        step_frame(world)
    h = 0.01 / substeps
    assert height_of(world) == pytest.approx(
        -MASS * GRAVITY / (CORNERS * stiffness), abs=(damping / stiffness + h) * GRAVITY * h
    )
    # Corners move up and down by micrometres in every substep; the body is at rest.
    assert np.abs(world.velocities("box").mean(axis=0)).max() < 1e-3


def test_bounces_as_a_damped_spring() -> None:
    """Without gravity a body leaves at e = exp(-zeta pi / sqrt(1 - zeta^2)) of the speed it came with.

    More exactly, as it separates where spring and dashpot balance, e^(-zeta (pi - a) / sqrt(1 - zeta^2)) with
    cos a = 1 - 2 zeta^2. An implicit step damps like an additional dashpot of h k / 2: zeta grows by w h / 2.
    """
    stiffness, damping, substeps = 500.0, 3.0, 40
    world = drop(SpringDashpot(stiffness=stiffness, damping=damping), 0.01, substeps, 0.0, velocity=(0.0, 0.0, -1.0))
    omega = math.sqrt(CORNERS * stiffness / MASS)
    h = 1.0 / (100.0 * substeps)
    zeta = CORNERS * damping / (2.0 * math.sqrt(CORNERS * stiffness * MASS)) + 0.5 * omega * h
    root = math.sqrt(1.0 - zeta * zeta)
    expected = math.exp(-zeta / root * (math.pi - math.atan2(2.0 * zeta * root, 1.0 - 2.0 * zeta * zeta)))
    for _ in range(40):
        step_frame(world)
    assert world.velocities("box")[:, 2].mean() == pytest.approx(expected, rel=0.01)


@pytest.mark.parametrize("stiffness", [1.0, 1e4, 1e8, 1e12])
def test_no_stiffness_explodes(stiffness: float) -> None:
    """A body that falls from a metre never has more kinetic and potential energy than at the start."""
    world = drop(SpringDashpot(stiffness=stiffness, damping=0.0), 1.0, 4)
    most = energy(world)
    for _ in range(300):
        step_frame(world)
        assert energy(world) < 1.001 * most


def test_a_soft_touch_lets_nobody_through() -> None:
    world = drop(SpringDashpot(stiffness=1.0, damping=0.0), 0.1, 4, velocity=(0.0, 0.0, -50.0))
    for _ in range(100):
        step_frame(world)
        assert world.positions("box")[:, 2].min() > -1e-3


def test_a_dashpot_slows_what_slides() -> None:
    """Along the floor v = v0 exp(-4 c t / m) while all corners touch; the rate has a relative error of c h / m."""
    stiffness, damping, substeps = 5e4, 5.0, 40
    world = drop(
        SpringDashpot(stiffness=stiffness, damping=damping), -MASS * GRAVITY / (CORNERS * stiffness), substeps,
        velocity=(0.1, 0.0, 0.0),
    )
    for _ in range(20):
        step_frame(world)
    rate = CORNERS * damping * 0.2 / MASS
    relative_error = damping * 0.01 / substeps / (MASS / 8.0)
    assert world.velocities("box")[:, 0].mean() == pytest.approx(0.1 * math.exp(-rate), rel=rate * relative_error)
