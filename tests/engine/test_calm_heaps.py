"""Ten seconds after it fell, what lies on something lies still and nowhere deeper than a fiftieth of its gap."""

from __future__ import annotations

import numpy as np
import pytest
from flotsam.engine import ColliderSpec, SpringGraphSpec, WorldSpec, build_world, step_frame
from flotsam.engine.world import World
from shapes import FLOOR, FLOOR_TRIANGLES, box, sheet, sphere, torus
from test_calm import deepest

SECONDS, SLOW, SHALLOW = 10, 1e-3, 0.02


def settle(*systems: SpringGraphSpec | ColliderSpec, substeps: int = 10) -> World:
    world = build_world(WorldSpec(systems, substeps=substeps))
    for _ in range(24 * SECONDS):
        step_frame(world)
    return world


def bowl(radius: float, depth: float) -> tuple[np.ndarray, np.ndarray]:
    """A sheet that is a sphere's lower part, its lowest point in the origin: vertices, triangles."""
    flat, triangles, _edges = sheet((2.0, 2.0), (24, 24))
    xy = (flat[:, :2] - 1.0) * np.sqrt(2.0 * radius * depth - depth**2) / np.sqrt(2.0)
    height = radius - np.sqrt(np.maximum(radius**2 - (xy**2).sum(axis=1), 0.0))
    return np.concatenate([xy, height[:, None]], axis=1), triangles
