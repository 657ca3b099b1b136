"""A fluid that begins partly in a closed body is told; one that fills a body, or lies beside it, is not."""

from __future__ import annotations

import numpy as np
import pytest
from flotsam.addon.solver.flooded import flooded_warnings
from flotsam.engine import (
    ColliderSpec,
    FluidSpec,
    Ignore,
    SpringGraphSpec,
    VoxelBodySpec,
    WorldSpec,
    build_world,
)

CORNERS = np.array([[x, y, z] for z in (-0.5, 0.5) for y in (-0.5, 0.5) for x in (-0.5, 0.5)])
FACES = np.array([
    [0, 2, 1], [1, 2, 3], [4, 5, 6], [5, 7, 6], [0, 1, 4], [1, 5, 4], [2, 6, 3], [3, 6, 7], [0, 4, 2], [2, 4, 6],
    [1, 3, 5], [3, 7, 5],
])
# A pose half a metre beside the origin.
BESIDE = np.eye(4)
BESIDE[0, 3] = 0.5


def told(*bodies: object, size: float = 1.0, at: float = 0.0, rules: tuple = ()) -> list[str]:
    """What is said of a cube of fluid of some size whose middle is at (at, 0, 0) [m]."""
    fluid = FluidSpec("Pool", size * CORNERS + [at, 0.0, 0.0], FACES, spacing=0.1)
    return flooded_warnings(build_world(WorldSpec(systems=(*bodies, fluid), interactions=rules)))


BODIES = [
    ColliderSpec("Rock", 0.6 * CORNERS + [0.5, 0.0, 0.0], FACES),
    VoxelBodySpec("Rock", 0.6 * CORNERS, FACES, pose=BESIDE),
    SpringGraphSpec("Rock", 0.6 * CORNERS + [0.5, 0.0, 0.0], FACES),
]


@pytest.mark.parametrize("body", BODIES, ids=["collider", "rigid", "soft"])
def test_a_fluid_of_which_most_begins_in_a_body_is_named(body: object) -> None:
    (sentence,) = told(body, size=0.6, at=0.3)
    assert sentence == (
        "Pool begins in Rock as well, and what is in there stays in; cut Rock out of the mesh of Pool (modifier "
        "Boolean, Difference), or move them apart."
    )
    assert told(body, size=0.6, at=0.3, rules=(Ignore("Pool", "Rock"),)) == []


@pytest.mark.parametrize("body", BODIES, ids=["collider", "rigid", "soft"])
def test_a_fluid_that_fills_a_body_or_lies_beside_it_is_not_named(body: object) -> None:
    assert told(body, size=0.5, at=0.5) == [] and told(body, size=0.58, at=0.5) == []
    assert told(body, at=-0.3) == [] and told(body, at=-5.0) == []
    # It is displaced.
    assert told(body) == []


def test_an_open_tank_and_a_ground_are_not_named() -> None:
    tank = ColliderSpec("Tank", 0.8 * CORNERS, np.delete(FACES, (2, 3), axis=0))
    ground = ColliderSpec("Ground", CORNERS * [9.0, 9.0, 1.0] - [0.0, 0.0, 0.99], FACES)
    assert told(tank, ground) == []


def test_a_source_partly_in_a_body_is_named() -> None:
    """One that is within it as a whole is meant to fill it; in a body that moves nothing pours out unless most does."""
    for rock, size, at, expected in (
        (0, 1.0, 0.0, True), (0, 0.4, 0.5, False), (0, 1.0, -5.0, False), (1, 1.0, 0.0, False), (1, 0.6, 0.3, True),
    ):
        tap = FluidSpec("Tap", size * CORNERS + [at, 0.0, 0.0], FACES, spacing=0.1, emission="INFLOW")
        said = flooded_warnings(build_world(WorldSpec(systems=(BODIES[rock], tap))))
        assert said == ([
            "Tap pours out in Rock as well, and what is in there stays in; cut Rock out of the mesh of Tap (modifier "
            "Boolean, Difference), or move them apart."
        ] if expected else [])
