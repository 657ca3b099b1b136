"""Flocks: leaders, limits of turn rate and speed, wind that carries agents, and obstacles."""

from __future__ import annotations

import numpy as np
from flotsam.engine import AirSpec, FlockSpec, Ignore, SpringGraphSpec, WorldSpec, build_world, step_frame
from flotsam.engine.systems.flock.nature import LEADS, natures
from test_flock import CORNERS, SIDES, places


def test_one_leader_in_twenty_leads_the_whole_flock() -> None:
    """All look along +Y, and five of a hundred know of the goal along +X: the flock turns to it."""
    assert natures(10, 1e-9, 3)[:, LEADS].sum() == 1 and natures(1000, 0.05, 3)[:, LEADS].sum() == 50
    spec = FlockSpec(
        "flock", places(100, 4.0), goal_path=[[60.0, 0.0, 2.0]], leaders=0.05,
        headings=np.tile([0.0, 1.0, 0.0], (100, 1)),
    )
    world = build_world(WorldSpec((spec,)))
    for _ in range(72):
        step_frame(world)
    x, v = world.positions("flock"), world.velocities("flock")
    assert v[:, 0].mean() > 4.0 and x[:, 0].mean() > 9.0
    assert (v[:, 0] > 2.0).mean() > 0.9


def test_agents_turn_no_faster_than_their_turn_rate_and_keep_between_their_speeds() -> None:
    """A goal behind them requires a turn of 135 degrees: at 90 degrees a second 1.5 s, at 2.5 to 5.5 m/s."""
    no_steering = dict.fromkeys(("separation", "alignment", "cohesion", "wander"), 0.0)
    spec = FlockSpec(
        "flock", places(30, 4.0), goal_path=[[-90.0, 90.0, 2.0]], headings=np.tile([1.0, 0.0, 0.0], (30, 1)),
        turn_rate=90.0, speed=5.0, slowest=0.5, **no_steering,
    )
    world = build_world(WorldSpec((spec,)))
    before, turn_rates = np.tile([1.0, 0.0, 0.0], (30, 1)), []
    for _ in range(56):
        v = step_frame(world).velocities["flock"].astype(float)
        speed = np.linalg.norm(v, axis=1)
        assert speed.min() > 2.5 - 1e-4 and speed.max() < 1.1 * 1.08 * 5.0
        nose = v / speed[:, None]
        turn_rates.append(24.0 * np.degrees(np.arccos(np.clip((nose * before).sum(axis=1), -1.0, 1.0))))
        before = nose
    # Directions are reported in single precision.
    assert np.max(turn_rates) < 90.1 and np.max(turn_rates) > 89.0
    assert (before @ [-0.5**0.5, 0.5**0.5, 0.0] > 0.95).all()


def test_wind_carries_agents_along_and_does_not_turn_them(truth) -> None:
    """Across its heading an agent's velocity follows the wind u as u (1 - exp(-grip t)): it drifts by u (t - s / grip).

    With s = 1 - exp(-grip t); one decision a frame does not change that. The agent continues to look along +Y.
    """
    ends = []
    for wind in (0.0, 3.0):
        spec = FlockSpec("flock", [[0.0, 0.0, 5.0]], goal=0.0, wander=0.0, velocity=(0.0, 5.0, 0.0), grip=6.0)
        world = build_world(WorldSpec((spec, AirSpec("air", wind=(wind, 0.0, 0.0)))))
        for _ in range(24):
            step_frame(world)
        ends.append((world.positions("flock")[0, 0], world.state.columns["nose"][0].copy()))
    drift = 3.0 * (1.0 - (1.0 - np.exp(-6.0)) / 6.0)
    truth("T3", "an agent's drift in wind", ends[1][0] - ends[0][0], drift, 0.01)
    assert np.abs(ends[1][1] - ends[0][1]).max() < 1e-6


def test_agents_with_foresight_fly_round_a_balloon_and_without_they_push_it() -> None:
    """Twenty agents of 0.1 kg at 5 m/s: a balloon of 0.05 kg in their way stays where it is, or goes with them."""
    moved = []
    for foresight in (0.7, 0.01):
        balloon = SpringGraphSpec("balloon", 0.2 * CORNERS + [0.0, 4.0, 2.0], SIDES, mass=0.05, stiffness=1e4)
        spec = FlockSpec(
            "flock", places(20, 1.0) + [-0.5, -0.5, 1.5], goal_path=[[0.0, 20.0, 2.0]], foresight=foresight,
        )
        world = build_world(WorldSpec((spec, balloon), gravity=(0.0, 0.0, 0.0)))
        for _ in range(40):
            step_frame(world)
        moved.append(world.positions("balloon")[:, 1].mean() - 4.0)
    assert abs(moved[0]) < 0.01 and moved[1] > 1.0


def test_agents_fly_round_a_bar_that_has_no_face() -> None:
    """Agents that fly at the middle of an edge turn aside and keep 1.5 radii off; with Ignore they pass through it."""
    nearest = []
    for rules in ((), (Ignore("flock", "bar"),)):
        bar = SpringGraphSpec("bar", [[-2.0, 0.0, 2.0], [2.0, 0.0, 2.0]], edges=[[0, 1]], graph="EDGES", mass=100.0)
        spec = FlockSpec(
            "flock", [[0.0, -4.0, 2.0]], goal_path=[[0.0, 30.0, 2.0]], wander=0.0, radius=0.1, speed=4.0,
        )
        world = build_world(WorldSpec((spec, bar), rules, gravity=(0.0, 0.0, 0.0)))
        far = []
        for _ in range(40):
            x = step_frame(world).positions["flock"][0]
            far.append(float(np.linalg.norm([max(abs(x[0]) - 2.0, 0.0), x[1], x[2] - 2.0])))
        assert x[1] > 0.5
        nearest.append(min(far))
    assert nearest[0] > 0.15 and nearest[1] < 0.1
