"""Agents on cloth, and in balls: soft bodies support them by their springs."""

from __future__ import annotations

import numpy as np
from flotsam.engine import FlockSpec, SpringGraphSpec, WorldSpec, build_world, step_frame
from test_flock import CORNERS, SIDES
from test_meetings import QUIET


def scene() -> WorldSpec:
    """Three walkers of 1 kg above a pinned cloth of 50 g, 1 m wide."""
    side = np.linspace(-0.5, 0.5, 13)
    points = np.array([(x, y, 0.0) for y in side for x in side])
    start = [13 * j + i for j in range(12) for i in range(12)]
    faces = [triangle for a in start for triangle in ((a, a + 1, a + 14), (a, a + 14, a + 13))]
    cloth = SpringGraphSpec(
        "cloth", points, faces, stiffness=2500.0, mass=0.05, thickness=0.01, damping=0.1, pins=[0, 12, 156, 168],
    )
    birds = FlockSpec(
        "birds", [[0.0, 0.0, 0.2], [0.1, 0.05, 0.25], [-0.05, 0.12, 0.3]], motion="WALK", mass=1.0, radius=0.04,
        speed=0.01, **QUIET,
    )
    return WorldSpec((cloth, birds), substeps=4)


def test_a_light_cloth_bears_heavy_agents() -> None:
    """The springs carry hundreds of newtons: walkers sink in by 0.4 m and are thrown back up, as on a trampoline.

    A vertex of 0.3 g alone cannot stop 1 kg: the springs do, within the inner steps. When contacts with agents were
    solved only after them, the agents fell through and dragged vertices along, to tens of thousands of joules.
    """
    world = build_world(scene())
    body, lowest, energy = world.body("cloth"), 0.0, 0.0
    own = slice(body.start, body.stop)
    for _ in range(20):
        frame = step_frame(world)
        lowest = min(lowest, world.positions("birds")[:, 2].min())
        energy = max(energy, 0.5 * float((world.model.mass[own] * (world.state.v[own] ** 2).sum(axis=1)).sum()))
    assert -0.5 < lowest < -0.2
    height = world.positions("birds")[:, 2]
    assert height.mean() > 0.0 and height.max() < 0.35, "thrown back up, and no higher than they came from"
    assert max(frame.diagnostics["cloth"]["stretch"]) < 0.2
    assert energy < 3.0 * 9.81 * 0.6, "no more than the fall of all three gives"


def test_an_agent_that_starts_in_a_ball_comes_out() -> None:
    """The contact pushes it out through the nearest face, and nothing stretches.

    The last check took the ball for a sheet, and held it back on the inner side in each substep.
    """
    ball = SpringGraphSpec("ball", 0.25 * CORNERS, SIDES, stiffness=3e5, mass=0.024, pressure=50.0)
    bird = FlockSpec(
        "bird", [[0.05, 0.02, 0.03]], motion="FLY", radius=0.03, mass=9.0, speed=5.0, grip=12.0,
        goal_path=np.array([[8.0, 1.0, 0.5]]),
    )
    world = build_world(WorldSpec((ball, bird), substeps=4, gravity=(0.0, 0.0, 0.0)))
    for _ in range(24):
        frame = step_frame(world)
        assert max(frame.diagnostics["ball"]["stretch"]) < 0.01
    away = world.positions("bird")[0] - world.positions("ball")
    assert (away > 0.0).all(axis=0).any() or (away < 0.0).all(axis=0).any(), "beside all vertices of the ball"
