"""Attachments against closed forms: oscillation, extension, rigid length, momentum."""

from __future__ import annotations

import math

import numpy as np
import pytest
from conftest import Truth
from flotsam.engine import (
    Attachment,
    ColliderSpec,
    Controls,
    Ignore,
    SpecError,
    SpringGraphSpec,
    WorldSpec,
    build_world,
    step_frame,
)
from flotsam.engine.world.world import World
from shapes import box, chain, torus

EDGE = np.array([[0, 1]])
GRAVITY = 9.81
DOCK = np.array([[0.0, 0.0, 2.0], [1.0, 0.0, 2.0], [0.0, 1.0, 2.0]])


def rod(name: str, x: float, mass: float, **fields: object) -> SpringGraphSpec:
    """Two vertices at x, a metre apart along y, with the stiffest spring allowed."""
    return SpringGraphSpec(
        name, np.array([[x, 0.0, 0.0], [x, 1.0, 0.0]]), edges=EDGE, graph="EDGES", mass=mass, stiffness=1e9, **fields
    )


def dock() -> ColliderSpec:
    return ColliderSpec("dock", DOCK, np.array([[0, 1, 2]]))


def weight(**fields: object) -> SpringGraphSpec:
    """Two vertices on a line below the dock's first one; the lower one is 1.5 m below it."""
    return SpringGraphSpec(
        "weight", np.array([[0.0, 0.0, 1.0], [0.0, 0.0, 0.5]]), edges=EDGE, graph="EDGES", mass=2.0, stiffness=1e9,
        **fields,
    )


@pytest.mark.parametrize("precision", ["SINGLE", "DOUBLE"])
@pytest.mark.parametrize("period", [0.25, 1.0])
def test_t2_two_masses_on_an_attachment_swing(period: float, precision: str, truth: Truth) -> None:
    """Period 2 pi sqrt(mu / k), mu = m1 m2 / (m1 + m2), k of both links together, within 1 % as for any spring (T2)."""
    masses = (0.5, 1.5)
    mu = masses[0] * masses[1] / sum(masses)
    stiffness = mu * (2.0 * math.pi / period) ** 2 / 2.0
    tied = Attachment("a", "b", [0, 1], [0, 1], stiffness=stiffness, rest_length=1.0)
    world = build_world(WorldSpec(
        (rod("a", 0.0, masses[0]), rod("b", 1.1, masses[1])), gravity=(0.0, 0.0, 0.0), frame_rate=60.0,
        attachments=(tied,), precision=precision,
    ))
    stretch = []
    for _ in range(int(6.0 * period * 60.0)):
        step_frame(world)
        stretch.append((world.positions("b") - world.positions("a"))[:, 0].mean() - 1.0)
    offset = np.array(stretch)
    rising = np.flatnonzero((offset[:-1] < 0.0) & (offset[1:] >= 0.0))
    crossing = rising + offset[rising] / (offset[rising] - offset[rising + 1])
    measured = (crossing[-1] - crossing[0]) / (len(crossing) - 1) / 60.0
    truth("T2", f"two masses on an attachment, period {period} s, {precision}", measured, period, 0.01)


@pytest.mark.parametrize("stiffness", [500.0, 20000.0])
def test_t4_a_weight_hangs_from_a_still_collider(stiffness: float, truth: Truth) -> None:
    """Extension m g / k, within 0.5 % as for any hanging spring (T4)."""
    tied = Attachment("weight", "dock", [0], [0], stiffness=stiffness)
    world = build_world(WorldSpec((weight(air_drag=4.0), dock()), attachments=(tied,)))
    for _ in range(150):
        step_frame(world)
    extension = 1.0 - world.positions("weight")[0, 2]
    truth("T4", f"weight on an attachment of {stiffness:.0f} N/m", extension, 2.0 * GRAVITY / stiffness, 0.005)


def ride(world: World, frames: int, acceleration: float) -> None:
    """Raise the dock with constant acceleration [m/s²]."""
    for frame in range(1, frames + 1):
        pose = np.eye(4)
        pose[2, 3] = 0.5 * acceleration * (frame / 24.0) ** 2
        step_frame(world, Controls(colliders={"dock": pose}))


def test_t4_a_weight_hangs_from_a_dock_that_rises_faster_and_faster(truth: Truth) -> None:
    """Extension m (g + a) / k after the oscillation has died away.

    The dock moves uniformly within each frame, along chords of the parabola that lie a / (12 · 24²) above it on
    average. A slow spring follows that average, while the ends of frames lie on the parabola. 1 % of the oscillation
    may remain.
    """
    stiffness, acceleration = 800.0, 3.0
    damping = 2.0 * math.sqrt(2.0 * stiffness)
    tied = Attachment("weight", "dock", [0], [0], stiffness=stiffness, damping=damping)
    world = build_world(WorldSpec((weight(), dock()), attachments=(tied,)))
    ride(world, 96, acceleration)
    extension = []
    for frame in range(97, 121):
        pose = np.eye(4)
        pose[2, 3] = 0.5 * acceleration * (frame / 24.0) ** 2
        step_frame(world, Controls(colliders={"dock": pose}))
        extension.append(world.positions("dock")[0, 2] - world.positions("weight")[0, 2] - 1.0)
    expected = 2.0 * (GRAVITY + acceleration) / stiffness - acceleration / (12.0 * 24.0**2)
    truth("T4", "weight on a rising dock", np.mean(extension), expected, 0.01)


def test_what_is_tied_fast_to_a_dock_goes_along(truth: Truth) -> None:
    """A rigid link keeps its length of 1 m within 1e-5 at the end of every frame, on a dock that rotates and rises."""
    tied = Attachment("weight", "dock", [0], [0])
    world = build_world(WorldSpec((weight(), dock()), attachments=(tied,)))
    worst = 0.0
    for frame in range(1, 73):
        angle, pose = 0.3 * math.sin(0.2 * frame), np.eye(4)
        pose[:2, :2] = [[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]]
        pose[:3, 3] = [0.2 * math.sin(0.3 * frame), 0.0, 0.1 * math.sin(0.25 * frame)]
        step_frame(world, Controls(colliders={"dock": pose}))
        worst = max(worst, abs(np.linalg.norm(world.positions("weight")[0] - world.positions("dock")[0]) - 1.0))
    assert worst < 1e-5


def ropes(stiffness: float | None, count: int = 8, heavy: float = 0.4, **fields: object) -> World:
    """Two ropes, one of them pinned, whose ends coincide."""
    upper, edges = chain(count, 1.0, (0.0, 0.0, -1.0))
    lower = upper - [0.0, 0.0, 1.0]
    systems = (
        SpringGraphSpec("upper", upper, edges=edges, graph="EDGES", mass=0.4, stiffness=2e4, pins=[0], air_drag=2.0),
        SpringGraphSpec("lower", lower, edges=edges, graph="EDGES", mass=heavy, stiffness=2e4, air_drag=2.0),
    )
    return build_world(WorldSpec(
        systems, attachments=(Attachment("upper", "lower", [count], [0], stiffness=stiffness),), **fields,
    ))


@pytest.mark.parametrize("heavy", [0.4, 40.0])
def test_a_fast_link_does_not_stretch(heavy: float) -> None:
    """The remaining stretch is at most the fall in an inner step, g h² = 4e-8 m, times the mass ratio: 1e-6 m."""
    world = ropes(None, heavy=heavy)
    for _ in range(120):
        step_frame(world)
    distance = np.linalg.norm(world.positions("upper")[-1] - world.positions("lower")[0])
    assert distance < 1e-6


@pytest.mark.parametrize("precision", ["SINGLE", "DOUBLE"])
@pytest.mark.parametrize("stiffness", [None, 300.0])
def test_t11_attached_rings_keep_their_momenta(stiffness: float | None, precision: str, truth: Truth) -> None:
    """Without external forces sum m v and sum m x × v of both bodies stay within 1e-9 while they pull each other.

    Contact is off, because its friction acts at two points.
    """
    vertices, triangles, edges = torus(0.5, 0.15, 20, 10)
    still = {"rings": 2, "struts": 1, "pressure": 300.0, "stiffness": 500.0}
    spinning = np.cross([0.5, 1.0, 3.0], vertices) + [0.3, -0.2, 0.1]
    systems = (
        SpringGraphSpec("left", vertices, triangles, edges, velocity=spinning, **still),
        SpringGraphSpec("right", vertices + [1.5, 0.1, 0.0], triangles, edges, mass=2.0, **still),
    )
    tied = Attachment("left", "right", [0, 1, 2], [100, 101, 102], stiffness=stiffness, damping=0.5)
    world = build_world(WorldSpec(
        systems, (Ignore(),), gravity=(0.0, 0.0, 0.0), attachments=(tied,), precision=precision
    ))
    mass = np.repeat([1.0, 2.0], len(vertices)) / len(vertices)

    def momenta() -> np.ndarray:
        x, v = (np.concatenate([of("left"), of("right")]) for of in (world.positions, world.velocities))
        return np.concatenate([mass @ v, mass @ np.cross(x, v)])

    before = momenta()
    own = mass[:200] @ world.velocities("left")
    for _ in range(48):
        step_frame(world)
    after = momenta()
    assert np.linalg.norm(mass[:200] @ world.velocities("left") - own) > 0.1 * np.linalg.norm(own)
    for name, part in (("momentum", slice(0, 3)), ("angular momentum", slice(3, 6))):
        size = np.linalg.norm(before[part])
        truth("T11", f"{name} of attached rings, {precision}, {stiffness}", after[part] / size, before[part] / size,
              1e-9, relative=False)


def energy(world: World) -> float:
    """Kinetic plus potential energy of height [J]; the energy in springs is never negative."""
    x, v, m = world.state.x, world.state.v, world.model.mass
    return float((m * (0.5 * (v * v).sum(axis=1) + GRAVITY * x[:, 2])).sum())


@pytest.mark.parametrize("spring_steps", [1, 0])
@pytest.mark.parametrize("stiffness", [1.0, 1e4, 1e9, None])
def test_t21_no_stiffness_explodes(stiffness: float | None, spring_steps: int) -> None:
    """A box tied by four corners to a fixed one never has more kinetic and potential energy than at the start."""
    vertices, triangles = box(1.0, 2)
    corners = np.flatnonzero((np.abs(vertices) > 0.49).all(axis=1))
    systems = (
        SpringGraphSpec("held", vertices, triangles, stiffness=2e3, pins=corners, struts=1),
        SpringGraphSpec("hung", vertices + [0.3, 0.1, -1.5], triangles, stiffness=2e3, mass=3.0, struts=1,
                        velocity=(2.0, 0.0, 0.0)),
    )
    tied = Attachment("held", "hung", corners[:4], corners[4:], stiffness=stiffness)
    world = build_world(WorldSpec(systems, attachments=(tied,), substeps=4, spring_steps=spring_steps))
    most = energy(world)
    for _ in range(240):
        step_frame(world)
        assert energy(world) < most + 1e-3 * abs(most)


def busy(threads: int) -> World:
    """Inflated rings in a row, each tied to the next, the first one to a dock; large enough for several tasks."""
    vertices, triangles, edges = torus(0.5, 0.15, 48, 24)
    rings = tuple(
        SpringGraphSpec(
            f"ring {k}", vertices + [1.4 * k, 0.0, 0.5], triangles, edges, rings=2, struts=1, pressure=300.0,
            yield_strain=0.05, break_strain=2.0,
        )
        for k in range(3)
    )
    tied = [Attachment(f"ring {k}", f"ring {k + 1}", [0, 24], [590, 580], stiffness=800.0) for k in range(2)]
    tied.append(Attachment("ring 0", "dock", [600, 610], [0, 2]))
    return build_world(WorldSpec((*rings, dock()), attachments=tied, threads=threads))


def run(world: World, first: int, frames: int) -> np.ndarray:
    for frame in range(first, first + frames):
        pose = np.eye(4)
        pose[0, 3] = 0.1 * math.sin(frame)
        step_frame(world, Controls(colliders={"dock": pose}))
    return np.concatenate([world.state.x, world.state.v])


def test_same_bits_for_one_and_two_threads_and_after_restore() -> None:
    one, two = busy(1), busy(2)
    assert np.array_equal(run(one, 0, 6), run(two, 0, 6))
    saved = one.snapshot()
    first = run(one, 6, 4)
    one.restore(saved)
    assert np.array_equal(first, run(one, 6, 4))


def test_symplectic_swings_too_but_ties_nothing_fast() -> None:
    """The same spring as above: extension m g / k, exact to rounding once drag has stopped the oscillation."""
    tied = Attachment("weight", "dock", [0], [0], stiffness=500.0)
    soft = SpringGraphSpec(
        "weight", np.array([[0.0, 0.0, 1.0], [0.0, 0.0, 0.5]]), edges=EDGE, graph="EDGES", mass=2.0, stiffness=2e3,
        air_drag=4.0,
    )
    world = build_world(WorldSpec((soft, dock()), attachments=(tied,), integrator="SYMPLECTIC"))
    for frame in range(1, 201):
        pose = np.eye(4)
        pose[0, 3] = 0.01 * min(frame, 50)
        step_frame(world, Controls(colliders={"dock": pose}))
    assert world.positions("weight")[0] == pytest.approx([0.5, 0.0, 1.0 - 2.0 * GRAVITY / 500.0], abs=2e-3)
    with pytest.raises(SpecError, match="SYMPLECTIC"):
        build_world(WorldSpec((soft, dock()), attachments=(Attachment("weight", "dock", [0], [0]),),
                              integrator="SYMPLECTIC"))


def test_what_is_tied_does_not_push_itself_off() -> None:
    """A rope's end tied to a vertex of a thick dock stays there at rest: no contact between the two."""
    vertices, edges = chain(4, 1.0, (0.0, 0.0, -1.0))
    rope = SpringGraphSpec(
        "rope", vertices + DOCK[0], edges=edges, graph="EDGES", mass=0.2, stiffness=1e4, thickness=0.1, air_drag=2.0
    )
    thick = ColliderSpec("dock", DOCK, np.array([[0, 1, 2]]), thickness=0.1)
    world = build_world(WorldSpec((rope, thick), attachments=(Attachment("rope", "dock", [0], [0]),)))
    for _ in range(100):
        step_frame(world)
    assert np.linalg.norm(world.positions("rope")[0] - DOCK[0]) < 1e-5
    assert np.abs(world.velocities("rope")).max() < 1e-3


@pytest.mark.parametrize(("tied", "sentence"), [
    (Attachment("weight", "boat", [0], [0]), "one of weight, dock"),
    (Attachment("weight", "dock", [7], [0]), "from 0 to 1"),
    (Attachment("weight", "dock", [0], [3]), "from 0 to 2"),
    (Attachment("weight", "dock", [0, 1], [0]), "2, one for each link"),
    (Attachment("weight", "weight", [1], [1]), "two different vertices"),
    (Attachment("dock", "dock", [0], [1]), "one side that is no collider"),
    (Attachment("weight", "dock", [0], [0], stiffness=-1.0), "from 0 to 1e"),
    (Attachment("weight", "dock", [0.5], [0]), "whole numbers"),
    ("rope", "Attachment"),
])
def test_a_bad_attachment_is_refused(tied: object, sentence: str) -> None:
    with pytest.raises(SpecError, match=sentence):
        build_world(WorldSpec((weight(), dock()), attachments=(tied,)))
