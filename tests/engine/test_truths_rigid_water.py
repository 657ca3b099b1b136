"""T7: crates and barrels settle at the draft that displaces their weight, and right themselves."""

from __future__ import annotations

import math

import numpy as np
import pytest
from conftest import Truth
from flotsam.engine import VoxelBodySpec, WaterSpec, WorldSpec, build_world, step_frame
from flotsam.engine.world.world import World
from shapes import box, cylinder

AROUND = 96


def barrel(radius: float, length: float) -> tuple[np.ndarray, np.ndarray]:
    """A prism of many sides along x: vertices, outward triangles."""
    vertices, triangles = cylinder(radius, length, AROUND, 1)
    return vertices[:, [1, 2, 0]], triangles


def floated(vertices: np.ndarray, triangles: np.ndarray, density: float, tilt: float, height: float) -> World:
    """The world 20 s after a body was put in, tilted about x and y, with its centre at `height` [m]."""
    c, s = math.cos(tilt), math.sin(tilt)
    rotation = np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]]) @ np.array([[1, 0, 0], [0, c, -s], [0, s, c]])
    world = build_world(WorldSpec(systems=(
        VoxelBodySpec("body", vertices @ rotation.T + [0.0, 0.0, height], triangles, density=density),
        WaterSpec("water", drag=8.0),
    )))
    for _ in range(480):
        step_frame(world)
    return world


@pytest.mark.parametrize("density", [200.0, 500.0, 800.0])
def test_t7_a_crate_floats_at_its_draft(density: float, truth: Truth) -> None:
    """Archimedes: a flat crate of height b has the draft b density / 1000, level again after 10° of tilt. 1 %."""
    size = np.array([1.0, 0.8, 0.4])
    vertices, triangles = box(1.0, 2)
    world = floated(vertices * size, triangles, density, math.radians(10.0), 0.1)
    x = world.positions("body")
    truth("T7", f"draft of a crate of {density:.0f} kg/m³", -x[:, 2].min(), 0.4 * density / 1000.0, 0.01)
    assert np.ptp(x[x[:, 2] < x[:, 2].mean() - 0.1, 2]) < 2e-3, "level again"


@pytest.mark.parametrize("density", [300.0, 500.0, 700.0])
def test_t7_a_barrel_floats_at_its_draft(density: float, truth: Truth) -> None:
    """A lying cylinder of radius r: (theta - sin theta) / 2 pi = density / 1000, draft r (1 - cos(theta / 2)). 1 %.

    Its 96 sides enclose 0.07 % less than the cylinder, both in mass and in water.
    """
    radius = 0.3
    vertices, triangles = barrel(radius, 1.2)
    world = floated(vertices, triangles, density, math.radians(5.0), 0.05)
    low, high = 0.0, 2.0 * math.pi
    for _ in range(60):
        theta = 0.5 * (low + high)
        low, high = (theta, high) if theta - math.sin(theta) < 2.0 * math.pi * density / 1000.0 else (low, theta)
    draft = radius * (1.0 - math.cos(0.5 * theta))
    found = -world.positions("body")[:, 2].min()
    truth("T7", f"draft of a barrel of {density:.0f} kg/m³", found, draft, 0.01)


def test_t8_what_floats_is_carried_by_the_flow(truth: Truth) -> None:
    """Drag ends when a body moves as fast as the water: 0.5 m/s, within 1 %."""
    vertices, triangles = box(0.4, 2)
    world = build_world(WorldSpec(systems=(
        VoxelBodySpec("crate", vertices, triangles), WaterSpec("water", flow=(0.5, 0.0, 0.0), drag=8.0),
    )))
    for _ in range(360):
        step_frame(world)
    truth("T8", "speed of a crate that drifts", world.rigid.velocity[0, 0], 0.5, 0.01)
