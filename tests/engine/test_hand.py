"""The hand (mouse): a spring and a dashpot between a target and some particles of a body."""

from __future__ import annotations

import math

import numpy as np
import pytest
from conftest import Truth
from flotsam.engine import Controls, Grab, SpecError, SpringGraphSpec, WorldSpec, build_world, step_frame
from flotsam.engine.world.world import World
from shapes import box

MASS = 2.0
PULL = 20.0 * MASS * 9.81


def one_box(**world: object) -> World:
    vertices, triangles = box(0.4, 3)
    body = SpringGraphSpec("box", vertices, triangles, mass=MASS, stiffness=2e4, struts=True)
    return build_world(WorldSpec((body,), **world))


def grab(world: World, target: tuple[float, float, float], **settings: float) -> Controls:
    """Pull the neighbourhood of the top corner to a target, by its centre."""
    x = box(0.4, 3)[0]
    near = np.argsort(np.linalg.norm(x - x[np.argmax(x.sum(axis=1))], axis=1))[:5]
    shares = np.ones(len(near))
    return Controls(grab=Grab("box", near, shares, np.array(target), **{"stiffness": PULL, **settings}))


def held(world: World, controls: Controls) -> np.ndarray:
    mass = world.model.mass[controls.grab.particles]
    return mass @ world.positions("box")[controls.grab.particles] / mass.sum()


def test_a_body_hangs_below_the_hand_by_its_weight_over_the_stiffness(truth: Truth) -> None:
    """At rest k (target - x) = m g, so x is m g / k below, whatever the substep.

    Air damps by exp(-2 t): after 8 s exp(-8), 0.03 %, of the first oscillation remains.
    """
    vertices, triangles = box(0.4, 3)
    body = SpringGraphSpec("box", vertices, triangles, mass=MASS, stiffness=2e4, struts=True, air_drag=2.0)
    world = build_world(WorldSpec((body,)))
    controls = grab(world, (0.2, 0.2, 0.2), damping=0.0)
    for _ in range(192):
        step_frame(world, controls)
    sag = 0.2 - held(world, controls)[2]
    truth("grab", "hanging from the hand", sag, MASS * 9.81 / PULL, 0.01)


def test_the_hand_swings_a_body_in_the_spring_s_own_time(truth: Truth) -> None:
    """2 pi sqrt(m / k) if the hand holds the whole body. Symplectic Euler shortens it by (omega h)² / 24, 2e-5."""
    world = one_box(gravity=(0.0, 0.0, 0.0), substeps=20)
    vertices = world.positions("box")
    controls = Controls(grab=Grab("box", np.arange(len(vertices)), np.ones(len(vertices)), np.zeros(3), PULL))
    world.state.x += (0.0, 0.0, 0.1)
    step_frame(world, Controls())
    heights = []
    for _ in range(120):
        step_frame(world, controls)
        heights.append(held(world, controls)[2])
    heights = np.array(heights)
    down = np.flatnonzero((heights[:-1] > 0.0) & (heights[1:] <= 0.0))
    crossings = (down + heights[down] / (heights[down] - heights[down + 1])) / 24.0
    truth("grab", "time of a swing", np.diff(crossings).mean(), 2.0 * math.pi * math.sqrt(MASS / PULL), 0.01)


@pytest.mark.parametrize("integrator", ["XPBD", "SYMPLECTIC"])
@pytest.mark.parametrize("stiffness", [1.0, 1e3, 1e6, 1e12])
def test_no_stiffness_of_the_hand_makes_it_unstable(stiffness: float, integrator: str) -> None:
    """The hand moves at 1 m/s; a body pulled after it stays below 10 m/s at any stiffness."""
    world = one_box(integrator=integrator, gravity=(0.0, 0.0, 0.0))
    for frame in range(48):
        controls = grab(world, (0.2 + frame / 24.0, 0.2, 0.2), stiffness=stiffness)
        frame_of = step_frame(world, controls)
        assert np.abs(frame_of.velocities["box"]).max() < 10.0


def test_the_hand_gives_all_it_holds_the_same_push_and_momentum_by_its_force() -> None:
    """One substep of k (target - x): m v = h k (target - x), whatever the springs do inside the body."""
    world = one_box(gravity=(0.0, 0.0, 0.0), substeps=1, frame_rate=240.0)
    controls = grab(world, (0.2, 0.2, 0.2), damping=0.0)
    step_frame(world, controls)
    target = held(world, controls) + (0.3, 0.0, 0.0)
    world.fields[-1].recall(world.fields[-1].memory() | {"to": target})
    moving = Controls(grab=Grab("box", controls.grab.particles, controls.grab.shares, target, PULL))
    before = world.model.mass @ world.state.v
    impulse = PULL / 240.0 * (target - held(world, controls))
    step_frame(world, moving)
    assert world.model.mass @ world.state.v - before == pytest.approx(impulse, abs=1e-6 * np.abs(impulse).max())


def test_a_snapshot_remembers_the_hand_s_way() -> None:
    world = one_box()
    for frame in range(5):
        step_frame(world, grab(world, (0.2 + 0.1 * frame, 0.2, 0.2)))
    saved = world.snapshot()
    controls = grab(world, (0.9, 0.2, 0.2))
    once = step_frame(world, controls).positions["box"].tobytes()
    world.restore(saved)
    assert step_frame(world, controls).positions["box"].tobytes() == once


def test_what_is_pinned_stays_where_it_is() -> None:
    vertices, triangles = box(0.4, 3)
    body = SpringGraphSpec("box", vertices, triangles, mass=MASS, pins=np.arange(len(vertices)))
    world = build_world(WorldSpec((body,)))
    step_frame(world, grab(world, (5.0, 0.0, 0.0)))
    assert np.array_equal(world.positions("box"), vertices)


@pytest.mark.parametrize(("wrong", "says"), [
    ({"system": "nobody"}, "nobody"), ({"particles": np.array([999])}, "999"), ({"shares": np.array([0.0])}, "shares"),
    ({"target": np.array([np.nan, 0.0, 0.0])}, "grab"), ({"stiffness": -1.0}, "stiffness"),
])
def test_a_wrong_grab_is_refused_with_its_name(wrong: dict[str, object], says: str) -> None:
    right = {"system": "box", "particles": np.array([0]), "shares": np.ones(1), "target": np.zeros(3),
             "stiffness": 1.0}
    with pytest.raises(SpecError, match=says):
        step_frame(one_box(), Controls(grab=Grab(**{**right, **wrong})))
