"""The hand on a rigid body: force and torque act where it is held."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import Truth
from flotsam.engine import ColliderSpec, Controls, Grab, VoxelBodySpec, WorldSpec, build_world, step_frame
from flotsam.engine.world.world import World
from shapes import FLOOR, FLOOR_TRIANGLES, box

CUBE, SIDES = box(0.4, 1)
TOP = np.flatnonzero(CUBE[:, 2] > 0.0)
WEIGHT = 2.0 * 9.81


def one_box(*others: object, height: float = 0.0, **world: object) -> World:
    """A cube of 2 kg and 0.4 m."""
    return build_world(WorldSpec((VoxelBodySpec("box", CUBE + [0.0, 0.0, height], SIDES, mass=2.0), *others), **world))


def grab(particles: np.ndarray, target: tuple[float, float, float], stiffness: float, damping: float) -> Controls:
    """A pull at the centre of some vertices."""
    return Controls(grab=Grab("box", particles, np.ones(len(particles)), np.array(target), stiffness, damping))


@pytest.mark.parametrize("integrator", ["XPBD", "SYMPLECTIC"])
def test_a_held_box_hangs_with_its_spring_stretched_by_its_weight_over_the_stiffness(
    integrator: str, truth: Truth
) -> None:
    """At rest k (target - x) = m g, so the centre of its top hangs m g / k below the hand.

    The first oscillation decays as exp(-c t / (2 m)), here exp(-20) after 4 s.
    """
    world = one_box(integrator=integrator)
    for _ in range(96):
        step_frame(world, grab(TOP, (0.0, 0.0, 0.2), 20.0 * WEIGHT, 20.0))
    sag = 0.2 - world.positions("box")[TOP, 2].mean()
    truth("grab", f"rigid, hanging from the hand, {integrator}", sag, WEIGHT / (20.0 * WEIGHT), 1e-4)
    assert np.abs(world.rigid.velocity).max() < 1e-6


def test_a_pull_at_a_corner_gives_momentum_by_force_and_spin_by_torque() -> None:
    """One substep of F = k (target - x): m v = h F and L = h r x F."""
    world = one_box(gravity=(0.0, 0.0, 0.0), substeps=1, frame_rate=240.0)
    at, offset = CUBE[TOP[0]], np.array([0.3, 0.1, -0.2])
    step_frame(world, grab(TOP[:1], tuple(at), 50.0, 0.0))
    step_frame(world, grab(TOP[:1], tuple(at + offset), 50.0, 0.0))
    impulse = 50.0 / 240.0 * offset
    assert 2.0 * world.rigid.velocity[0] == pytest.approx(impulse, abs=1e-12)
    assert world.rigid.angular_momentum[0] == pytest.approx(np.cross(at, impulse), abs=1e-12)


@pytest.mark.parametrize("stiffness", [1e3, 1e6, 1e12])
def test_no_stiffness_of_the_hand_shakes_a_corner_that_it_holds(stiffness: float) -> None:
    """The hand moves at 1 m/s; the body that swings about it stays below 10 m/s at any stiffness and damping."""
    world = one_box(gravity=(0.0, 0.0, 0.0))
    for frame in range(48):
        x, y, z = CUBE[TOP[0]]
        step_frame(world, grab(TOP[:1], (x + frame / 24.0, y, z), stiffness, 0.1 * stiffness))
        assert np.abs(world.state.v).max() < 10.0


def test_a_pull_wakes_who_sleeps() -> None:
    """A spring stretched by a metre, with twice its weight, lifts the body off the ground."""
    world = one_box(ColliderSpec("floor", FLOOR, FLOOR_TRIANGLES), height=0.201)
    for _ in range(36):
        step_frame(world)
    assert not world.rigid.velocity.any() and world.rigid.still[0] > 0.5, "asleep"
    height = world.rigid.position[0, 2]
    for _ in range(48):
        step_frame(world, grab(TOP, (0.0, 0.0, height + 1.2), 2.0 * WEIGHT, 5.0))
    assert world.rigid.position[0, 2] > height + 0.2
