"""A crate that is pressed to a wall is not moved into it by the steps that move bodies without velocity."""

from __future__ import annotations

import numpy as np
import pytest
from flotsam.engine import (
    ColliderSpec,
    FlockSpec,
    ForceFieldSpec,
    SpringGraphSpec,
    VoxelBodySpec,
    WorldSpec,
    build_world,
    step_frame,
)
from flotsam.engine.world.world import World
from shapes import box, sphere

SQUARE = 4.0 * np.array([[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [1.0, 1.0, 0.0], [-1.0, 1.0, 0.0]])
CEILING = ColliderSpec("ceiling", SQUARE, [[0, 2, 1], [0, 3, 2]])
WIND = ForceFieldSpec("wind", np.eye(4), type="WIND", strength=27.0)
# Settings of an agent that does not steer.
QUIET = {"wander": 0.0, "goal": 0.0, "cohesion": 0.0, "alignment": 0.0, "separation": 0.0, "grip": 0.0}
# Allowed penetration of a crate of 0.3 m and more [m].
ALLOWED = 5e-4


def crate(size: float, mass: float) -> VoxelBodySpec:
    """A cube that touches the ceiling at z = 0 with its top."""
    vertices, triangles = box(size, 1)
    return VoxelBodySpec("crate", vertices - [0.0, 0.0, 0.5 * size + 0.001], triangles, mass=mass)


def deepest(world: World, frames: int) -> float:
    """Deepest penetration of the crate into the ceiling [m]."""
    far = []
    for _ in range(frames):
        step_frame(world)
        far.append(float(world.positions("crate")[:, 2].max()))
    return max(far)


def test_what_touches_a_crate_does_not_shift_it_into_the_wall_that_holds_it() -> None:
    """Wind holds a crate at the ceiling, and a light ball at the crate.

    In each substep in which the ball touches it, the crate starts h² g / 2 higher, 0.53 mm, because its weight is
    applied gradually over the inner steps. The ceiling moves it back by that.
    """
    vertices, triangles = sphere(0.2, 2)
    ball = SpringGraphSpec("ball", vertices - [0.0, 0.0, 0.83], triangles, mass=0.16, stiffness=2000.0, pressure=50.0)
    world = build_world(WorldSpec((CEILING, crate(0.6, 40.0), ball, WIND), substeps=4))
    assert deepest(world, 24) < ALLOWED


@pytest.mark.parametrize("substeps", [4, 10])
@pytest.mark.parametrize("overlap", [0.0, 0.013])
def test_a_heavy_agent_does_not_press_a_light_crate_into_the_wall(substeps: int, overlap: float) -> None:
    """Wind presses an agent of 9 kg against a crate of 0.2 kg at the ceiling, off its centre.

    The ceiling holds both, so neither moves. If the agent overlaps the crate at first, the agent is moved, not the
    crate.
    """
    under = -0.301 - (0.014 - overlap)
    agent = FlockSpec(
        "agent", [[0.03, 0.02, under]], radius=0.014, mass=9.0, speed=0.1, velocity=(0.0, 0.0, 1.0), **QUIET
    )
    world = build_world(WorldSpec((CEILING, crate(0.3, 0.2), agent, WIND), substeps=substeps))
    assert deepest(world, 12) < ALLOWED
    assert world.positions("agent")[0, 2] < -0.29


@pytest.mark.parametrize("seed", [1, 4, 6, 7, 9, 22, 35])
def test_a_crate_that_spins_sinks_no_deeper_than_its_corner_leaves_the_tangent(seed: int) -> None:
    """A cube of 0.3 m at 40 rad/s about a slant axis slides over a floor, in substeps of 1/96 s.

    A contact stops the velocity of a corner, which leaves the tangent of its path by n . (R r - r - h omega x r) until
    the substep ends, by up to 2 mm. While a fifth of each overlap was removed in a substep, it was up to five times
    that.
    """
    h, rng = 1.0 / 96.0, np.random.default_rng(seed)
    vertices, triangles = box(0.3, 1)
    rotation = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    rotation *= np.linalg.det(rotation)
    corners = vertices @ rotation.T
    corners[:, 2] -= corners[:, 2].min() - 0.003
    floor = ColliderSpec("floor", 20.0 * SQUARE, [[0, 1, 2], [0, 2, 3]])
    world = build_world(
        WorldSpec((floor, VoxelBodySpec("crate", corners, triangles, mass=10.0)), substeps=1, frame_rate=96.0)
    )
    rigid, axis = world.rigid, rng.normal(size=3)
    rigid.angular_momentum[0] = rigid.inertia[0] * 40.0 * axis / np.linalg.norm(axis)
    rigid.velocity[0] = (5.0, 0.0, 0.0)
    for _ in range(144):
        arms = world.positions("crate") - rigid.position[0]
        step_frame(world)
        omega = rigid.angular_momentum[0] / rigid.inertia[0]
        angle = h * np.linalg.norm(omega)
        linear = np.cross(h * omega, arms)
        moved = np.sinc(angle / np.pi) * linear + (1.0 - np.cos(angle)) / angle**2 * np.cross(h * omega, linear)
        low = world.positions("crate")[:, 2]
        assert (low > np.minimum(moved - linear, 0.0)[:, 2] - ALLOWED).all()
