"""Colliders with a thickness, and one-sided colliders."""

from __future__ import annotations

import numpy as np
import pytest
from flotsam.engine import ColliderSpec, SpringGraphSpec, WorldSpec, build_world, step_frame
from shapes import FLOOR, FLOOR_TRIANGLES, box, sphere

SKIN = 0.02


def ball_after(
    collider: ColliderSpec, z: float, speed: float, frames: int, gravity: float = 9.81, substeps: int = 10
) -> tuple[float, float]:
    """Lowest and highest vertex of an inflated ball of 0.4 m that starts at height z with an upward speed [m, m/s]."""
    ball, faces = sphere(0.4, 2)
    body = SpringGraphSpec(
        "ball", ball + [0.0, 0.0, z], faces, stiffness=2000.0, damping=2.0, pressure=500.0, thickness=SKIN,
        velocity=(0.0, 0.0, speed),
    )
    world = build_world(WorldSpec((body, collider), gravity=(0.0, 0.0, -gravity), substeps=substeps))
    for _ in range(frames):
        step_frame(world)
    heights = world.positions("ball")[:, 2]
    return float(heights.min()), float(heights.max())


@pytest.mark.parametrize("thickness", [0.0, 0.1, 0.5])
def test_half_of_each_thickness_is_kept(thickness: float) -> None:
    """At rest the lowest vertex is (body thickness + thickness) / 2 above the floor, with at most 2 % penetration."""
    rest = 0.5 * (SKIN + thickness)
    lowest, _top = ball_after(ColliderSpec("floor", FLOOR, FLOOR_TRIANGLES, thickness=thickness), 0.45 + rest, 0.0, 48)
    assert lowest == pytest.approx(rest, rel=0.02)


@pytest.mark.parametrize("thickness", [0.0, 0.3])
def test_a_thick_solid_is_larger_all_round(thickness: float) -> None:
    vertices, triangles = box(2.0, 2)
    rest = 1.0 + 0.5 * (SKIN + thickness)
    lowest, _top = ball_after(ColliderSpec("block", vertices, triangles, thickness=thickness), 0.45 + rest, 0.0, 48)
    assert lowest == pytest.approx(rest, abs=0.02 * 0.5 * (SKIN + thickness))


def turned(faces: np.ndarray, up: bool) -> np.ndarray:
    """The floor's triangles, facing up or down."""
    a, b, c = FLOOR[faces[0]]
    return faces if (np.cross(b - a, c - a)[2] > 0.0) == up else faces[:, ::-1]


@pytest.mark.parametrize("speed", [3.0, 100.0])
@pytest.mark.parametrize("up", [True, False])
def test_the_front_holds_and_the_back_lets_through(up: bool, speed: float) -> None:
    """Shot from above and below at a one-sided floor, without gravity: only bodies that hit the front are stopped."""
    floor = ColliderSpec("floor", FLOOR, turned(FLOOR_TRIANGLES, up), sides="FRONT")
    lowest, _top = ball_after(floor, 1.0, -speed, 12, 0.0)
    assert (lowest > 0.0) == up
    _lowest, top = ball_after(floor, -1.0, speed, 12, 0.0)
    assert (top < 0.0) != up


def test_both_sides_hold_by_default() -> None:
    for up in (True, False):
        floor = ColliderSpec("floor", FLOOR, turned(FLOOR_TRIANGLES, up))
        assert ball_after(floor, 1.0, -3.0, 12, 0.0)[0] > 0.0
        assert ball_after(floor, -1.0, 3.0, 12, 0.0)[1] < 0.0
