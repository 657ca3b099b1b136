"""T20: a symmetric scene stays symmetric."""

from __future__ import annotations

import numpy as np
import pytest
from flotsam.engine import ColliderSpec, SpringGraphSpec, WorldSpec, build_world, step_frame
from shapes import FLOOR, FLOOR_TRIANGLES, torus

MIRROR = np.array([-1.0, 1.0, 1.0])


@pytest.mark.parametrize(
    ("precision", "settings", "held_to"),
    [
        ("SINGLE", {}, 0.0),
        ("SINGLE", {"rings": 2, "struts": 1, "bending": 0.02, "damping": 0.1}, 0.0),
        ("DOUBLE", {"struts": 1, "bending": 0.02, "pressure": 300.0}, 1e-6 * 2.9),
    ],
)
def test_t20_mirrored_bodies_stay_mirrored(precision: str, settings: dict[str, float], held_to: float) -> None:
    """Two bodies, one the mirror image of the other, fall on a floor: 500 frames, 1e-6 of the scene's 2.9 m.

    The scheme has no left or right, so springs, hinges and contact differ by not a single bit. The enclosed air does:
    a mirrored triangle has the opposite winding, and its normal rounds differently.
    """
    vertices, triangles, edges = torus(0.5, 0.15, 14, 7)
    right = vertices + [0.8, 0.0, 0.9]
    bodies = (
        SpringGraphSpec("right", right, triangles, edges, stiffness=1500.0, friction=0.4, **settings),
        SpringGraphSpec("left", right * MIRROR, triangles[:, ::-1], edges, stiffness=1500.0, friction=0.4, **settings),
    )
    world = build_world(
        WorldSpec(systems=(*bodies, ColliderSpec("floor", FLOOR, FLOOR_TRIANGLES)), precision=precision)
    )
    worst = 0.0
    for _ in range(500):
        step_frame(world)
        worst = max(worst, float(np.abs(world.positions("right") - world.positions("left") * MIRROR).max()))
    assert worst <= held_to
    assert world.positions("right")[:, 2].min() > 0.0
