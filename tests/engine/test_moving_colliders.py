"""Colliders that move and deform: they follow their targets and carry bodies along."""

from __future__ import annotations

import numpy as np
import pytest
from flotsam.engine import ColliderSpec, Controls, SpecError, SpringGraphSpec, WorldSpec, build_world, step_frame
from flotsam.engine.solver.rotation import PosePath, polar, rotation_of, turn_vector
from flotsam.engine.world.world import World
from shapes import FLOOR, FLOOR_TRIANGLES, box, sphere

WEIGHTLESS = (0.0, 0.0, 0.0)


def pose(rotation: tuple[float, float, float] = (0, 0, 0), move: tuple[float, float, float] = (0, 0, 0)) -> np.ndarray:
    matrix = np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = rotation_of(np.array(rotation, dtype=float)), move
    return matrix


@pytest.mark.parametrize("turn", [(0.0, 0.0, 0.0), (1e-9, 0.0, 0.0), (0.3, -0.2, 1.0), (3.1, 0.0, 0.3), (0, 3.14, 0)])
def test_a_rotation_and_its_vector_are_each_others_inverse(turn) -> None:
    assert turn_vector(rotation_of(np.array(turn))) == pytest.approx(turn, abs=1e-9)


def test_half_way_a_pose_has_half_the_turn_and_half_the_stretch() -> None:
    """The pivot moves in a straight line; R(s) = exp(s log R), S(s) = 1 + s (S - 1)."""
    end = pose((0.0, 0.0, 1.0), (4.0, 0.0, 0.0))
    end[:3, :3] = end[:3, :3] @ np.diag([3.0, 1.0, 1.0])
    pivot = np.array([1.0, 2.0, 3.0])
    linear, middle = PosePath(np.eye(4), end, pivot).at(0.5)
    assert linear == pytest.approx(rotation_of(np.array([0.0, 0.0, 0.5])) @ np.diag([2.0, 1.0, 1.0]))
    assert middle == pytest.approx((pivot + end[:3, :3] @ pivot + end[:3, 3]) / 2.0)


@pytest.mark.parametrize("linear", [np.diag([1.0, 2.0, -3.0]), np.zeros((3, 3)), np.diag([1.0, 0.0, 2.0])])
def test_polar_parts_multiply_to_the_whole_and_one_is_a_rotation(linear) -> None:
    rotation, stretch = polar(linear)
    assert rotation @ stretch == pytest.approx(linear)
    assert np.linalg.det(rotation) == pytest.approx(1.0)


def test_a_turning_collider_keeps_its_shape_within_the_frame() -> None:
    """A block that rotates by a third of a circle in a frame does not shrink in any substep."""
    vertices, triangles = box(1.0, 1)
    ball = SpringGraphSpec("ball", vertices * 0.1 + [50.0, 0.0, 0.0], triangles)
    spec = WorldSpec((ball, ColliderSpec("block", vertices + [7.0, 0.0, 0.0], triangles)), gravity=WEIGHTLESS)
    world = build_world(spec)
    sizes = []
    mover = world.systems[1].movers["block"]
    set_velocities = mover.set_velocities

    def note(done: float, h: float, x: np.ndarray, v: np.ndarray) -> None:
        set_velocities(done, h, x, v)
        own = x[mover.own] + h * v[mover.own]
        sizes.append(np.linalg.norm(own[:, None] - own[None], axis=2).max())

    mover.set_velocities = note
    step_frame(world, Controls(colliders={"block": pose((0.0, 0.0, 2.1), (1.0, 0.0, 0.0))}))
    assert world.positions("block")[:, 0].mean() == pytest.approx(np.cos(2.1) * 7.0 + 1.0)
    assert len(sizes) == 1 + 10
    assert sizes == pytest.approx([np.sqrt(3.0)] * 11)


@pytest.mark.parametrize("integrator", ["XPBD", "SYMPLECTIC"])
@pytest.mark.parametrize("motion", ["pose", "vertices"])
def test_a_lift_carries_what_lies_on_it(integrator, motion) -> None:
    """A floor that rises by 2 m in a second: the crate on it rises as far and stays there when the floor stops."""
    vertices, triangles = box(0.5, 2)
    crate = SpringGraphSpec("crate", vertices + [0.0, 0.0, 0.3], triangles, rings=2, struts=1, stiffness=500.0)
    world = build_world(
        WorldSpec((crate, ColliderSpec("lift", FLOOR, FLOOR_TRIANGLES)), integrator=integrator, substeps=20)
    )
    for _ in range(24):
        step_frame(world)
    before = world.positions("crate")[:, 2].mean()
    for frame in range(24):
        height = (frame + 1) / 12.0
        target = pose(move=(0.0, 0.0, height)) if motion == "pose" else FLOOR + [0.0, 0.0, height]
        step_frame(world, Controls(colliders={"lift": target}))
    assert world.positions("lift")[:, 2] == pytest.approx(2.0)
    for _ in range(24):
        step_frame(world)
    assert world.positions("lift")[:, 2] == pytest.approx(2.0)
    assert np.abs(world.velocities("lift")).max() == 0.0
    assert world.positions("crate")[:, 2].mean() - before == pytest.approx(2.0, abs=0.05)


def test_a_conveyor_drags_by_friction() -> None:
    """A floor that slides at 1 m/s with friction 0.5: the crate gains 0.5 g per second until it moves along."""
    vertices, triangles = box(0.5, 2)
    crate = SpringGraphSpec(
        "crate", vertices + [0.0, 0.0, 0.26], triangles, rings=2, struts=1, stiffness=5000.0, friction=0.5
    )
    world = build_world(WorldSpec((crate, ColliderSpec("belt", FLOOR, FLOOR_TRIANGLES, friction=0.5))))
    for frame in range(24):
        step_frame(world, Controls(colliders={"belt": pose(move=((frame + 1) / 24.0, 0.0, 0.0))}))
    assert world.velocities("crate")[:, 0].mean() == pytest.approx(1.0, abs=0.02)


def test_a_snapshot_knows_the_pose() -> None:
    vertices, triangles = box(0.5, 1)
    body = SpringGraphSpec("crate", vertices + [0.0, 0.0, 0.3], triangles)
    world = build_world(WorldSpec((body, ColliderSpec("lift", FLOOR, FLOOR_TRIANGLES))))
    step_frame(world, Controls(colliders={"lift": pose((0.0, 0.0, 1.0))}))
    saved = world.snapshot()
    ends = []
    for _ in range(2):
        step_frame(world, Controls(colliders={"lift": pose((0.0, 0.0, 3.0))}))
        ends.append(world.state.x.copy())
        step_frame(world)
        ends.append(world.state.x.copy())
        world.restore(saved)
    assert np.array_equal(ends[0], ends[2])
    assert np.array_equal(ends[1], ends[3])


def lift_below_a_ball(fixed: bool) -> World:
    """A ball in the air, a plate 3 m below, and optionally after it in the list a floor that never moves."""
    ball, faces = sphere(0.4, 1)
    systems = [
        SpringGraphSpec("ball", ball + [0.0, 0.0, 1.0], faces, stiffness=2000.0, damping=2.0, pressure=500.0),
        ColliderSpec("lift", 0.1 * FLOOR - [0.0, 0.0, 2.0], FLOOR_TRIANGLES),
    ]
    if fixed:
        systems.append(ColliderSpec("floor", FLOOR - [0.0, 0.0, 5.0], FLOOR_TRIANGLES))
    return build_world(WorldSpec(tuple(systems)))


def fall(world: World, first: int, count: int) -> list[np.ndarray]:
    """Positions of the ball while the lift is at rest for two frames, rises by 2 m in two, and is at rest again."""
    found = []
    for frame in range(first, first + count):
        place = pose(move=(0.0, 0.0, float(min(max(frame - 2, 0), 2))))
        step_frame(world, Controls(colliders={"lift": place}))
        found.append(world.positions("ball"))
    return found


@pytest.mark.parametrize("fixed", [False, True])
def test_who_stands_still_again_is_met_where_it_stands(fixed: bool) -> None:
    """A collider at rest is skipped by particle motion, but the ball still lands on it: at 0 m, not at -2 m."""
    world = lift_below_a_ball(fixed)
    ball = len(world.positions("ball"))
    moving = []
    for frame in range(8):
        fall(world, frame, 1)
        moving.append(world.moving - ball)
    assert moving == [0, 0, 0, len(FLOOR), len(FLOOR), 0, 0, 0]
    assert min(x[:, 2].min() for x in fall(world, 8, 24)) > 0.0


def test_a_snapshot_of_a_lift_that_stands_elsewhere() -> None:
    """After a restore in a world whose lift has stayed where it was built, the bits are the same."""
    first, other = lift_below_a_ball(True), lift_below_a_ball(True)
    fall(first, 0, 8)
    saved = first.snapshot()
    fall(other, 0, 2)
    other.restore(saved)
    expected, again = fall(first, 8, 16), fall(other, 8, 16)
    assert expected[-1][:, 2].min() > 0.0
    assert np.array_equal(expected, again)


def test_a_frame_that_is_solved_again_moves_a_collider_once() -> None:
    vertices, triangles = box(0.5, 2)
    body = SpringGraphSpec("crate", vertices + [0.0, 0.0, 0.26], triangles, stiffness=1e4)
    spec = WorldSpec((body, ColliderSpec("lift", FLOOR, FLOOR_TRIANGLES)), solving_error=1e-5, spring_steps=1)
    world = build_world(spec)
    steps = []
    for frame in range(2):
        result = step_frame(world, Controls(colliders={"lift": pose(move=(0.0, 0.0, 0.1 * (frame + 1)))}))
        steps.append(result.diagnostics["world"]["spring_steps"][0])
        assert world.positions("lift")[:, 2] == pytest.approx(0.1 * (frame + 1))
    assert max(steps) > 1


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("lift", np.zeros((5, 3)), "lift: vertices in controls is '5 of them'; allowed: 4, as when built"),
        ("lift", np.full((4, 4), np.nan), "a pose of lift that is not finite"),
        ("boat", np.eye(4), "controls: colliders is 'boat'; allowed: one of lift"),
    ],
)
def test_wrong_controls_are_refused(name, value, sentence) -> None:
    vertices, triangles = box(0.5, 1)
    world = build_world(
        WorldSpec((SpringGraphSpec("crate", vertices, triangles), ColliderSpec("lift", FLOOR, FLOOR_TRIANGLES)))
    )
    with pytest.raises(SpecError) as refusal:
        step_frame(world, Controls(colliders={name: value}))
    assert sentence in str(refusal.value)
