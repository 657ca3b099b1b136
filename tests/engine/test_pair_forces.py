"""Force rules: momentum, range, and how families add up."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import pytest
from flotsam.engine import Ignore, SpringGraphSpec, VoxelBodySpec, WorldSpec, build_world, step_frame
from flotsam.engine.spec import RULES
from flotsam.engine.spec.rules import PairForce
from flotsam.engine.spec.settings import spec
from shapes import box


@spec
class Spring(PairForce):
    """An attraction that grows with the distance."""

    rule: ClassVar[str] = "TEST_SPRING"
    label: ClassVar[str] = "Spring"
    tip: ClassVar[str] = "For this test"

    strength: float = 1.0

    def force(self, distance: np.ndarray, closing: np.ndarray) -> np.ndarray:
        return -self.strength * distance


@pytest.fixture(autouse=True)
def _known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(RULES, "TEST_SPRING", Spring)


def pair(apart: float, *rules: object) -> WorldSpec:
    """Two ropes of two vertices, perpendicular to the line between them, in empty space."""
    rope = np.array([[0.0, 0.0, -0.05], [0.0, 0.0, 0.05]])
    one, other = (
        SpringGraphSpec(name, rope + [x, 0.0, 0.0], edges=np.array([[0, 1]]), graph="EDGES", mass=mass, stiffness=1e4)
        for name, x, mass in (("a", 0.0, 1.0), ("b", apart, 3.0))
    )
    return WorldSpec((one, other), rules, gravity=(0.0, 0.0, 0.0), substeps=40)


def test_t11_a_force_between_soft_and_rigid_keeps_momentum_and_angular_momentum(truth) -> None:
    """Forces on two particles are equal and opposite along one line, so both sums stay 0 to rounding."""
    vertices, triangles = box(0.2, 1)
    rope = np.array([[0.5, 0.3, 0.1], [0.6, 0.3, 0.2]])
    world = build_world(WorldSpec(
        (
            SpringGraphSpec("rope", rope, edges=np.array([[0, 1]]), graph="EDGES", mass=0.5),
            VoxelBodySpec("crate", vertices, triangles),
        ),
        (Spring("rope", "crate", reach=2.0, strength=0.3), Ignore("rope", "crate")), gravity=(0.0, 0.0, 0.0),
        precision="DOUBLE",
    ))
    for _ in range(12):
        step_frame(world)
    body, rigid = world.body("rope"), world.rigid
    own = slice(body.start, body.stop)
    soft = world.model.mass[own, None] * world.state.v[own]
    hard = rigid.mass[:, None] * rigid.velocity
    momentum = soft.sum(axis=0) + hard.sum(axis=0)
    moment = np.cross(world.state.x[own], soft).sum(axis=0)
    moment += (np.cross(rigid.position, hard) + rigid.angular_momentum).sum(axis=0)
    size = np.linalg.norm(soft, axis=1).sum()
    assert size > 1e-3
    truth("T11", "pair force, soft on rigid", np.concatenate([momentum, moment]) / size, 0.0, 1e-6, relative=False)


def test_a_mass_between_springs_swings_with_their_period(truth) -> None:
    """Four equal springs join two pairs of particles, so the distance d of the ropes obeys mu d'' = -4 k d.

    With the reduced mass mu = m M / (m + M) and k = 0.3 a quarter period, pi/2 sqrt(mu / 4k), takes d to 0.
    Symplectic Euler with steps of 1/960 s is off by less than one step.
    """
    world = build_world(pair(0.4, Spring("a", "b", reach=1.0, strength=0.3), Ignore("a", "b")))
    quarter = 0.5 * np.pi * np.sqrt((1.0 * 3.0 / 4.0) / 1.2)
    apart, frames = [0.4], 0
    while apart[-1] > 0.0 and frames < 60:
        step_frame(world)
        frames += 1
        apart.append(float((world.positions("b") - world.positions("a"))[0, 0]))
    crossed = (frames - 1 + apart[-2] / (apart[-2] - apart[-1])) / 24.0
    truth("T2", "pair force, quarter period", crossed, quarter, 0.01)


def test_nothing_beyond_reach() -> None:
    world = build_world(pair(0.4, Spring("a", "b", reach=0.3, strength=0.3)))
    step_frame(world)
    assert not world.state.v.any()


def test_families_add_up_and_the_last_of_a_family_decides() -> None:
    """A force rule does not change contact; a later force rule replaces it; a contact rule does not."""
    strong, none = Spring("a", "b", reach=1.0, strength=0.3), Spring("a", "*", reach=1.0, strength=0.0)
    each = ((strong,), (strong, none), (strong, Ignore()))
    pulled, replaced, ignored = (build_world(pair(0.4, *rules)) for rules in each)
    for world in (pulled, replaced, ignored):
        step_frame(world)
    assert pulled.state.v.any() and ignored.state.v.any()
    assert not replaced.state.v.any()


def test_a_snapshot_goes_on_with_the_same_bits() -> None:
    world = build_world(pair(0.4, Spring("a", "b", reach=1.0, strength=0.3)))
    step_frame(world)
    saved = world.snapshot()
    ends = []
    for _ in range(2):
        world.restore(saved)
        for _ in range(3):
            step_frame(world)
        ends.append(world.state.x.tobytes())
    assert ends[0] == ends[1]
