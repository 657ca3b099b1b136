"""A fluid that starts partly in a closed body gives a warning; one that fills a body, or lies beside it, does not."""

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
# A pose half a metre from the origin along X.
BESIDE = np.eye(4)
BESIDE[0, 3] = 0.5


def warnings_about(*bodies: object, size: float = 1.0, at: float = 0.0, rules: tuple = ()) -> list[str]:
    """Warnings about a cube of fluid with an edge of `size`, centred at (at, 0, 0) [m]."""
    fluid = FluidSpec("Pool", size * CORNERS + [at, 0.0, 0.0], FACES, spacing=0.1)
    return flooded_warnings(build_world(WorldSpec(systems=(*bodies, fluid), interactions=rules)))


BODIES = [
    ColliderSpec("Rock", 0.6 * CORNERS + [0.5, 0.0, 0.0], FACES),
    VoxelBodySpec("Rock", 0.6 * CORNERS, FACES, pose=BESIDE),
    SpringGraphSpec("Rock", 0.6 * CORNERS + [0.5, 0.0, 0.0], FACES),
]


@pytest.mark.parametrize("body", BODIES, ids=["collider", "rigid", "soft"])
def test_a_fluid_of_which_most_begins_in_a_body_is_named(body: object) -> None:
    (sentence,) = warnings_about(body, size=0.6, at=0.3)
    assert sentence == (
        "Pool begins in Rock as well, and what is in there stays in; cut Rock out of the mesh of Pool (modifier "
        "Boolean, Difference), or move them apart."
    )
    assert warnings_about(body, size=0.6, at=0.3, rules=(Ignore("Pool", "Rock"),)) == []


@pytest.mark.parametrize("body", BODIES, ids=["collider", "rigid", "soft"])
def test_a_fluid_that_fills_a_body_or_lies_beside_it_is_not_named(body: object) -> None:
    assert warnings_about(body, size=0.5, at=0.5) == [] and warnings_about(body, size=0.58, at=0.5) == []
    assert warnings_about(body, at=-0.3) == [] and warnings_about(body, at=-5.0) == []
    # The body displaces the part of the fluid inside it.
    assert warnings_about(body) == []


def test_an_open_tank_and_a_ground_are_not_named() -> None:
    tank = ColliderSpec("Tank", 0.8 * CORNERS, np.delete(FACES, (2, 3), axis=0))
    ground = ColliderSpec("Ground", CORNERS * [9.0, 9.0, 1.0] - [0.0, 0.0, 0.99], FACES)
    assert warnings_about(tank, ground) == []


def test_a_source_partly_in_a_body_is_named() -> None:
    """One entirely in a body is meant to fill it; in a moving body it emits nothing unless most of it is inside."""
    for rock, size, at, expected in (
        (0, 1.0, 0.0, True), (0, 0.4, 0.5, False), (0, 1.0, -5.0, False), (1, 1.0, 0.0, False), (1, 0.6, 0.3, True),
    ):
        tap = FluidSpec("Tap", size * CORNERS + [at, 0.0, 0.0], FACES, spacing=0.1, emission="INFLOW")
        warnings = flooded_warnings(build_world(WorldSpec(systems=(BODIES[rock], tap))))
        assert warnings == ([
            "Tap pours out in Rock as well, and what is in there stays in; cut Rock out of the mesh of Tap (modifier "
            "Boolean, Difference), or move them apart."
        ] if expected else [])
