"""T1, T2, T4, T9, T11, T18: motion and equilibrium of springs against closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest
from conftest import Truth
from flotsam.engine import ColliderSpec, SpringGraphSpec, WorldSpec, build_world, step_frame
from shapes import FLOOR, FLOOR_TRIANGLES, chain, sphere, torus
from swing import swing


@pytest.mark.parametrize("precision", ["SINGLE", "DOUBLE"])
@pytest.mark.parametrize("origin", [0.0, 1000.0])
def test_t1_free_fall(origin: float, precision: str, truth: Truth) -> None:
    """z = z0 - g t²/2, and the scheme's own -g h t/2 (v is updated before x): within 1e-9, single precision too."""
    vertices, edges = chain(3, 1.0, (1.0, 0.0, 0.0))
    spec = SpringGraphSpec("rod", vertices + origin, edges=edges, graph="EDGES")
    world = build_world(WorldSpec(systems=(spec,), precision=precision))
    for _ in range(48):
        step_frame(world)
    t, h = 2.0, 1.0 / 240.0
    expected = origin - 9.81 * t * t / 2.0 - 9.81 * h * t / 2.0
    # Positions at 1 km round by 1e-13 m, which 480 substeps turn into velocities: 480² 1e-13 / 2 at worst.
    allowed = 1e-9 if origin == 0.0 else 2e-8
    truth("T1", f"free fall at {origin:.0f} m", world.positions("rod")[:, 2], expected, allowed, relative=False)


@pytest.mark.parametrize("frame_rate", [24.0, 60.0])
@pytest.mark.parametrize("period", [0.25, 1.0, 3.0])
def test_t2_mass_on_a_spring(frame_rate: float, period: float, truth: Truth) -> None:
    """Period 2 pi sqrt(m/k).

    Implicit steps of length h lengthen the period by about (w h)² / 3 and damp the amplitude by w² h / 2 a second. With
    64 inner steps a substep that is less than 0.1 % and 3 %; the tolerance of the period is 1 %.
    """
    offset = swing(period, frame_rate, 6.0)
    rising = np.flatnonzero((offset[:-1] < 0.0) & (offset[1:] >= 0.0))
    crossing = rising + offset[rising] / (offset[rising] - offset[rising + 1])
    measured = (crossing[-1] - crossing[0]) / (len(crossing) - 1) / frame_rate
    truth("T2", f"period of {period} s at {frame_rate:.0f} fps", measured, period, 0.01)
    assert np.abs(offset[-int(period * frame_rate) :]).max() == pytest.approx(0.1, rel=0.03)


@pytest.mark.parametrize("stiffness", [200.0, 1000.0, 20000.0])
def test_t4_hanging_spring(stiffness: float, truth: Truth) -> None:
    """Extension m g / k; at rest the error is the remaining oscillation: within 0.5 %."""
    spec = SpringGraphSpec(
        "spring", np.array([[0.0, 0.0, 0.0], [0.0, 0.0, -1.0]]), edges=np.array([[0, 1]]), graph="EDGES",
        mass=2.0, stiffness=stiffness, pins=[0], air_drag=4.0,
    )
    world = build_world(WorldSpec(systems=(spec,)))
    for _ in range(120):
        step_frame(world)
    extension = -world.positions("spring")[1, 2] - 1.0
    truth("T4", f"hanging spring of {stiffness:.0f} N/m", extension, 9.81 / stiffness, 0.005)


def test_t4_hanging_chain(truth: Truth) -> None:
    """Link i of n carries the n - i masses below it: extension (n - i) m g / k each, within 0.5 %."""
    count, stiffness = 10, 1000.0
    vertices, edges = chain(count, 1.0, (0.0, 0.0, -1.0))
    spec = SpringGraphSpec(
        "chain", vertices, edges=edges, graph="EDGES", mass=1.1, stiffness=stiffness, pins=[0], air_drag=4.0
    )
    world = build_world(WorldSpec(systems=(spec,)))
    for _ in range(200):
        step_frame(world)
    extension = -np.diff(world.positions("chain")[:, 2]) - 0.1
    expected = np.arange(count, 0, -1) * 0.1 * 9.81 / stiffness
    truth("T4", "hanging chain", extension, expected, 0.005)


def test_t4_a_hanging_chain_with_weights(truth: Truth) -> None:
    """A link with weights a, b at its ends has the stiffness k (a + b) / 2, so 2 / (a + b) of the extension: 0.5 %."""
    weight = np.array([1.0, 0.5, 0.25, 1.0])
    vertices, edges = chain(3, 1.0, (0.0, 0.0, -1.0))
    spec = SpringGraphSpec(
        "chain", vertices, edges=edges, graph="EDGES", mass=0.4, stiffness=1000.0, pins=[0], air_drag=4.0,
        weights={"stiffness": weight},
    )
    world = build_world(WorldSpec(systems=(spec,)))
    for _ in range(120):
        step_frame(world)
    extension = -np.diff(world.positions("chain")[:, 2]) - 1.0 / 3.0
    expected = np.array([3.0, 2.0, 1.0]) * 0.1 * 9.81 / (1000.0 * 0.5 * (weight[1:] + weight[:-1]))
    truth("T4", "hanging chain with weights", extension, expected, 0.005)


@pytest.mark.parametrize("precision", ["SINGLE", "DOUBLE"])
def test_t11_a_spinning_ring_keeps_its_momenta(precision: str, truth: Truth) -> None:
    """Without external forces sum m v and sum m x × v stay within 1e-9, under strong forces of springs and air."""
    vertices, triangles, edges = torus(0.5, 0.15, 20, 10)
    velocity = np.cross([0.5, 1.0, 3.0], vertices) + [0.3, -0.2, 0.1]
    spec = SpringGraphSpec(
        "ring", vertices, triangles, edges, rings=2, struts=1, pressure=300.0, stiffness=500.0, damping=0.1,
        velocity=velocity,
    )
    world = build_world(WorldSpec(systems=(spec,), gravity=(0.0, 0.0, 0.0), precision=precision))
    mass = 1.0 / len(vertices)

    def momenta() -> np.ndarray:
        x, v = world.positions("ring"), world.velocities("ring")
        return np.concatenate([mass * v.sum(axis=0), mass * np.cross(x, v).sum(axis=0)])

    before = momenta()
    for _ in range(48):
        step_frame(world)
    after = momenta()
    for what, part in (("momentum", slice(0, 3)), ("angular momentum", slice(3, 6))):
        size = np.linalg.norm(before[part])
        truth("T11", f"{what} of a spinning ring", after[part] / size, before[part] / size, 1e-9, relative=False)


def test_t11_two_bodies_that_collide_keep_their_momentum(truth: Truth) -> None:
    """Contact applies equal and opposite impulses: sum m v stays within 1e-9."""
    vertices, triangles, edges = torus(0.5, 0.15, 20, 10)
    graph = {"triangles": triangles, "edges": edges, "rings": 2, "struts": 1}
    left = SpringGraphSpec("left", vertices - [0.75, 0, 0], **graph, mass=1.0, velocity=(2.0, 0.0, 0.0))
    right = SpringGraphSpec("right", vertices + [0.75, 0.1, 0.05], **graph, mass=3.0, velocity=(-1.0, 0.0, 0.0))
    world = build_world(WorldSpec(systems=(left, right), gravity=(0.0, 0.0, 0.0)))
    for _ in range(24):
        step_frame(world)
    vertex_mass = {name: world.mass(name) / len(vertices) for name in ("left", "right")}
    total = sum(vertex_mass[name] * world.velocities(name).sum(axis=0) for name in vertex_mass)
    before = [1.0 * 2.0 - 3.0 * 1.0, 0.0, 0.0]
    truth("T11", "momentum of two rings that collide", total, before, 1e-9, relative=False)
    assert world.velocities("left")[:, 0].mean() < 0.0, "the light one is thrown back"


def test_t18_catenary(truth: Truth) -> None:
    """A chain of length L between level ends d apart sags by a (cosh(d / 2a) - 1), 2 a sinh(d / 2a) = L, within 1 %."""
    count, length, apart = 24, 1.2, 1.0
    vertices, edges = chain(count, apart, (1.0, 0.0, 0.0))
    spec = SpringGraphSpec(
        "chain", vertices, edges=edges, graph="EDGES", mass=0.5, stiffness=1e5, pins=[0, count], air_drag=3.0,
        rest_lengths=np.full(count, length / count),
    )
    world = build_world(WorldSpec(systems=(spec,)))
    for _ in range(160):
        step_frame(world)
    low, high = 0.05, 10.0
    for _ in range(100):
        a = 0.5 * (low + high)
        low, high = (a, high) if 2.0 * a * math.sinh(apart / (2.0 * a)) > length else (low, a)
    sag = a * (math.cosh(apart / (2.0 * a)) - 1.0)
    truth("T18", "sag of a chain between two pins", -world.positions("chain")[:, 2].min(), sag, 0.01)


def test_t9_a_ball_that_slides_without_friction_does_not_turn(truth: Truth) -> None:
    """The contact force passes through the centre of a ball, so it does not rotate, however fast it slides.

    Its triangles are not uniform, so the force at the few vertices in contact is off centre at times: 5e-4 rad/s here.
    """
    vertices, triangles = sphere(0.3, 2)[:2]
    smooth = {"stiffness": 2000.0, "pressure": 2000.0, "friction": 0.0}
    ball = SpringGraphSpec(
        "ball", vertices + (0, 0, 0.3), triangles, mass=2.0, velocity=(5.0, 0.0, 0.0), **smooth
    )
    floor = ColliderSpec("floor", 3.0 * FLOOR, FLOOR_TRIANGLES, friction=0.0)
    world = build_world(WorldSpec(systems=(ball, floor)))
    for _ in range(24):
        step_frame(world)
    v, place = world.velocities("ball"), world.positions("ball")
    arms = place - place.mean(axis=0)
    omega = np.cross(arms, v).sum(axis=0) / (2.0 / 3.0 * (arms**2).sum())
    truth("T9", "spin of a ball that slides at 5 m/s", omega, 0.0, 2e-3, relative=False)
    assert v.mean(axis=0)[0] == pytest.approx(5.0, abs=1e-6)
