"""A soft body that starts in a collider gives a warning; one that rests on it, is pinned or ignores it does not."""

from __future__ import annotations

import numpy as np
from flotsam.addon.solver.begun_across import across_warnings
from flotsam.engine import ColliderSpec, Ignore, SpringGraphSpec, WorldSpec

CORNERS = np.array([[x, y, z] for z in (0.0, 1.0) for y in (0.0, 1.0) for x in (0.0, 1.0)])
FACES = np.array([
    [0, 2, 1], [1, 2, 3], [4, 5, 6], [5, 7, 6], [0, 1, 4], [1, 5, 4], [2, 6, 3], [3, 6, 7], [0, 4, 2], [2, 4, 6],
    [1, 3, 5], [3, 7, 5],
])
TANK = ColliderSpec("Tank", 3.0 * CORNERS - [1.0, 1.0, 0.0], np.delete(FACES, (2, 3), axis=0))


def warnings_at(height: float, rules: tuple = (), **settings: object) -> list[str]:
    """Warnings about a cube of jelly with its lowest corners at a height [m]."""
    jelly = SpringGraphSpec("Jelly", CORNERS + [0.0, 0.0, height], FACES, **settings)
    return across_warnings(WorldSpec(systems=(jelly, TANK), interactions=rules))


def test_a_jelly_in_the_floor_of_a_tank_is_named() -> None:
    (sentence,) = warnings_at(-0.13)
    assert sentence == "Jelly begins across the surface of Tank and may stay in it; move them apart."


def test_what_rests_on_the_floor_or_is_meant_to_be_there_is_not_named() -> None:
    for height in (0.0, 0.3, -0.004, -2.0):
        assert warnings_at(height) == []
    assert warnings_at(-0.13, rules=(Ignore("Jelly", "*"),)) == []
    assert warnings_at(-0.13, pins=range(4)) == []
