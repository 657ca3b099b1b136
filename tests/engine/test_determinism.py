"""Same input, same bits: for any number of threads (T5), and after a snapshot."""

from __future__ import annotations

import numpy as np
import pytest
from flotsam.engine import ColliderSpec, SpringGraphSpec, WaterSpec, WorldSpec, build_world, step_frame
from flotsam.engine.world.world import World
from shapes import FLOOR, FLOOR_TRIANGLES, torus


def busy_world(threads: int, precision: str = "AUTO") -> World:
    """Rings that fall into water and onto each other above a floor; large enough for several tasks in a stage."""
    vertices, triangles, edges = torus(0.5, 0.15, 48, 24)
    rings = tuple(
        SpringGraphSpec(
            f"ring {k}", vertices + [0.2 * k, 0.1 * k, 0.25 + 0.35 * k], triangles, edges, rings=2, struts=1,
            pressure=300.0,
        )
        for k in range(3)
    )
    return build_world(
        WorldSpec(systems=(*rings, ColliderSpec("floor", FLOOR, FLOOR_TRIANGLES), WaterSpec("water", 0.2)),
                  threads=threads, precision=precision)
    )


def run(world: World, frames: int) -> np.ndarray:
    for _ in range(frames):
        step_frame(world)
    return np.concatenate([world.state.x, world.state.v])


@pytest.mark.parametrize("precision", ["SINGLE", "DOUBLE"])
def test_same_bits_for_one_and_two_threads(precision: str) -> None:
    one, two = run(busy_world(1, precision), 15), run(busy_world(2, precision), 15)
    assert np.array_equal(one, two)


def test_same_bits_after_restore() -> None:
    world = busy_world(2)
    run(world, 8)
    saved = world.snapshot()
    first = run(world, 5)
    world.restore(saved)
    assert np.array_equal(first, run(world, 5))
