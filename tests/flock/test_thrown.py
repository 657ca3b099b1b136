"""Contacts with a wall are found for agents that a fast body throws at it within a substep."""

from __future__ import annotations

import numpy as np
import pytest
from flotsam.engine import ColliderSpec, FlockSpec, SpringGraphSpec, VoxelBodySpec, WorldSpec, build_world, step_frame
from test_flock import CORNERS, SIDES
from test_meetings import QUIET

HALF = 2.0


def scene(seed: int) -> WorldSpec:
    """Light agents below the ceiling of a room of 4 m; fast soft balls, and mostly a crate, fly up at them."""
    rng = np.random.default_rng(seed)
    systems: list[object] = [ColliderSpec(f"wall {k}", HALF * CORNERS, SIDES[2 * k : 2 * k + 2]) for k in range(6)]
    count = int(rng.integers(1, 12))
    across, high = rng.uniform(-0.3, 0.3, (2, count)), rng.uniform(1.2, 1.95, count)
    systems.append(FlockSpec(
        "flock", np.stack([*across, high], axis=1), radius=rng.uniform(0.01, 0.05),
        mass=10.0 ** rng.uniform(-3.0, -1.0), speed=0.1, **QUIET,
    ))
    for k in range(int(rng.integers(1, 3))):
        systems.append(SpringGraphSpec(
            f"ball {k}", 0.25 * CORNERS + [*rng.uniform(-0.2, 0.2, 2), 0.6 - 0.7 * k], SIDES,
            stiffness=10.0 ** rng.uniform(2.0, 6.0), mass=10.0 ** rng.uniform(-1.0, 1.5), pressure=50.0,
            velocity=(*rng.uniform(-5.0, 5.0, 2), rng.uniform(5.0, 60.0)),
        ))
    if rng.random() < 0.5:
        systems.append(VoxelBodySpec(
            "crate", 0.2 * CORNERS + [*rng.uniform(-0.3, 0.3, 2), -0.9], SIDES, mass=10.0 ** rng.uniform(0.0, 2.0),
            velocity=(0.0, 0.0, rng.uniform(5.0, 60.0)),
        ))
    return WorldSpec(tuple(systems), substeps=int(rng.choice([1, 2, 4])))


@pytest.mark.parametrize("seed", [7, 63, 66, 78, 86, 95, 120])
def test_no_agent_is_thrown_through_a_wall(seed: int) -> None:
    world = build_world(scene(seed))
    for _ in range(12):
        step_frame(world)
        assert np.abs(world.positions("flock")).max() < HALF + 1e-3
