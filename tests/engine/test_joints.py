"""Joints of rigid bodies against closed forms: period, axis, rest position, momentum."""

from __future__ import annotations

import math

import numpy as np
import pytest
from conftest import Truth
from flotsam.engine import ColliderSpec, Controls, Joint, SpecError, VoxelBodySpec, WorldSpec, build_world, step_frame
from flotsam.engine.solver.rotation import rotation_matrix
from flotsam.engine.world.world import World
from shapes import FLOOR, FLOOR_TRIANGLES, box

CUBE, SIDES = box(1.0, 1)
FREE = {"gravity": (0.0, 0.0, 0.0)}


def block(
    name: str, place: tuple[float, float, float], size: tuple[float, float, float] = (1.0, 0.1, 0.1), **settings: object
) -> VoxelBodySpec:
    """A block of whole voxels, whose inertia is therefore exact."""
    return VoxelBodySpec(name, CUBE * size + place, SIDES, voxel_size=0.05, **settings)


def energy(world: World, gravity: float = 9.81) -> float:
    """Kinetic energy with rotation, plus potential energy of height [J]."""
    rigid, total = world.rigid, 0.0
    for b in range(len(rigid.mass)):
        local = rotation_matrix(rigid.rotation[b]).T @ rigid.angular_momentum[b]
        total += 0.5 * rigid.mass[b] * float(rigid.velocity[b] @ rigid.velocity[b])
        total += float((0.5 * local**2 / rigid.inertia[b]).sum()) + gravity * rigid.mass[b] * rigid.position[b, 2]
    return total


def momenta(world: World) -> np.ndarray:
    """Sum of m v and of x cross m v + L, (6,)."""
    rigid = world.rigid
    linear = rigid.mass[:, None] * rigid.velocity
    return np.concatenate([linear.sum(axis=0), (np.cross(rigid.position, linear) + rigid.angular_momentum).sum(axis=0)])


def distance(world: World, first: str, one: np.ndarray, second: str, other: np.ndarray) -> float:
    """Distance of two points after the next frame [m]; one, other: (3,) in the coordinates of the specs."""
    poses = step_frame(world).transforms
    return float(np.linalg.norm(at(poses[first], one) - at(poses[second], other)))


def at(pose: np.ndarray, point: object) -> np.ndarray:
    return pose[:3, :3] @ np.asarray(point, dtype=float) + pose[:3, 3]


@pytest.mark.parametrize("integrator", ["XPBD", "SYMPLECTIC"])
@pytest.mark.parametrize("kind", ["BALL", "HINGE"])
@pytest.mark.parametrize("begin", [0.1, 1.5])
def test_t2_a_rod_swings_about_its_end(begin: float, kind: str, integrator: str, truth: Truth) -> None:
    """T = 2 pi sqrt(I / (m g d)) / agm(1, cos(a / 2)) from the angle a, I = m (l² + w²) / 12 + m d², d = l / 2.

    The scheme is of second order: (omega h)² / 24 = 1e-5 at 240 substeps a second. The rod is released at a tilt about
    the hinge.
    """
    pose = np.eye(4)
    pose[0, 0] = pose[2, 2] = math.sin(begin)
    pose[0, 2], pose[2, 0] = math.cos(begin), -math.cos(begin)
    spec = VoxelBodySpec("rod", CUBE * (1.0, 0.1, 0.1) + (0.5, 0.0, 0.0), SIDES, voxel_size=0.05, pose=pose)
    joint = Joint("rod", "", (0.0, 0.0, 0.0), (0.0, 2.0, 0.0), kind=kind)
    world = build_world(WorldSpec((spec,), joints=(joint,), integrator=integrator, frame_rate=96.0, substeps=4))
    aside = []
    for _ in range(700):
        frame = step_frame(world)
        aside.append(at(frame.transforms["rod"], (0.5, 0.0, 0.0))[0])
    x = np.array(aside)
    falls = np.flatnonzero((x[:-1] > 0.0) & (x[1:] <= 0.0))
    crossing = falls + x[falls] / (x[falls] - x[falls + 1])
    measured = (crossing[-1] - crossing[0]) / (len(crossing) - 1) / 96.0
    inertia = (1.0 + 0.01) / 12.0 + 0.25
    one, other = 1.0, math.cos(0.5 * begin)
    for _ in range(20):
        one, other = 0.5 * (one + other), math.sqrt(one * other)
    expected = 2.0 * math.pi * math.sqrt(inertia / (9.81 * 0.5)) / one
    truth("T2", f"rod on a {kind.lower()}, from {begin} rad, {integrator}", measured, expected, 1e-3)
    assert np.linalg.norm(at(frame.transforms["rod"], (0.0, 0.0, 0.0))) < 1e-11


def test_a_hinge_keeps_its_axis_and_turns_about_it() -> None:
    """A door thrown off its hinge: the axis stays within 1e-10 rad, and rotation about it is not damped.

    The hinge has no moment about its axis, so the door's angular momentum about it is conserved: I_c w before and
    (I_c + m d²) w' after, with I_c = m (l² + t²) / 12 and d = l / 2. Velocities are along chords of the circle, which
    differ by (w' h)² = 4e-6.
    """
    door = block("door", (0.5, 0.0, 0.0), (1.0, 0.1, 2.0), angular_velocity=(3.0, -2.0, 2.0))
    world = build_world(WorldSpec((door,), joints=(Joint("door", "", (0.0, 0.0, 0.3), kind="HINGE"),), **FREE))
    rate = 2.0 * 1.01 / 12.0 / (1.01 / 12.0 + 0.25)
    for _ in range(96):
        pose = step_frame(world).transforms["door"]
        assert np.abs(pose[:3, 2] - (0.0, 0.0, 1.0)).max() < 1e-10
        assert np.abs(at(pose, (0.0, 0.0, 0.3)) - (0.0, 0.0, 0.3)).max() < 1e-11
        assert world.rigid.angular_momentum[0, 2] / (world.rigid.mass[0] * 1.01 / 12.0) == pytest.approx(rate, rel=4e-6)
        assert momenta(world)[5] == pytest.approx(2.0 * world.rigid.mass[0] * 1.01 / 12.0, rel=1e-12)
    assert math.hypot(*world.rigid.velocity[0, :2]) == pytest.approx(0.5 * rate, rel=4e-6)


def test_a_fixed_pair_goes_as_the_one_body_that_it_is() -> None:
    """Two halves with a fixed joint against the whole body, tumbling for a second.

    Momenta equal those of the whole within rounding. Rotation uses another second-order scheme, so poses differ by a
    fraction of (omega h)² T omega, 3e-3 rad here for omega = 4 1/s.
    """
    start = {"velocity": (0.3, 0.1, 0.0), "angular_velocity": (1.0, 3.0, 2.0)}
    whole = build_world(WorldSpec((block("whole", (0.0, 0.0, 0.0), (1.0, 0.4, 0.2), **start),), **FREE))
    rotational = np.cross(start["angular_velocity"], (0.25, 0.0, 0.0))
    halves = [
        block(name, (sign * 0.25, 0.0, 0.0), (0.5, 0.4, 0.2), angular_velocity=(1.0, 3.0, 2.0),
              velocity=tuple(np.add(start["velocity"], sign * rotational)))
        for name, sign in (("left", -1.0), ("right", 1.0))
    ]
    pair = build_world(WorldSpec(halves, joints=(Joint("left", "right", (0.0, 0.1, 0.0), kind="FIXED"),), **FREE))
    for _ in range(24):
        one, two = step_frame(whole).transforms["whole"], step_frame(pair).transforms
    assert momenta(pair) == pytest.approx(momenta(whole), abs=1e-12)
    assert np.abs(two["left"] - two["right"]).max() < 1e-11
    assert np.abs(two["left"] - one).max() < 3e-3


@pytest.mark.parametrize("heavy", [1.0, 1000.0])
def test_a_chain_of_ten_hangs_straight(heavy: float) -> None:
    """Ten rods on ball joints, the last one up to a thousand times as heavy as the others: straight within 1e-9 m.

    Then all are thrown aside: no joint opens by more than 1e-10 m, and energy grows by at most 2 %, the oscillation of
    the energy that the scheme conserves, which differs by order h from the true one.
    """
    rods = [
        block(f"rod {k}", (0.0, 0.0, -0.5 - k), (0.1, 0.1, 1.0), mass=5.0 * (heavy if k == 9 else 1.0))
        for k in range(10)
    ]
    joints = [Joint(f"rod {k}", f"rod {k - 1}" if k else "", (0.0, 0.0, -float(k))) for k in range(10)]
    world = build_world(WorldSpec(rods, joints=joints))
    for _ in range(48):
        step_frame(world)
    assert np.abs(world.rigid.position - [(0.0, 0.0, -0.5 - k) for k in range(10)]).max() < 1e-9
    world.rigid.velocity[:, 0] = 0.3 * np.arange(1, 11)
    before = energy(world)
    for _ in range(72):
        for k in range(1, 10):
            point = np.array([0.0, 0.0, -float(k)])
            assert distance(world, f"rod {k}", point, f"rod {k - 1}", point) < 1e-10
        assert energy(world) < before + 0.02 * abs(before)
    assert np.abs(world.rigid.position[:, 0]).max() > 0.2


@pytest.mark.parametrize("kind", ["BALL", "HINGE", "FIXED"])
def test_t11_a_free_pair_keeps_its_momenta(kind: str, truth: Truth) -> None:
    """Without external forces sum m v and sum x × m v + L stay within 1e-12, and energy within 1 %."""
    one = block("one", (-0.5, 0.0, 0.0), (1.0, 0.2, 0.3), velocity=(0.5, 0.2, -0.3), angular_velocity=(4.0, 1.0, -2.0))
    other = block("other", (0.4, 0.1, 0.0), (0.8, 0.4, 0.1), density=900.0, angular_velocity=(0.0, 3.0, 5.0))
    joint = Joint("one", "other", (0.0, 0.05, 0.02), (0.3, 1.0, 0.2), kind=kind)
    world = build_world(WorldSpec((one, other), joints=(joint,), **FREE))
    before = momenta(world)
    step_frame(world)
    initial = energy(world, 0.0)
    for _ in range(96):
        step_frame(world)
        assert energy(world, 0.0) == pytest.approx(initial, rel=0.01)
    for name, part in (("momentum", slice(0, 3)), ("angular momentum", slice(3, 6))):
        size = np.linalg.norm(before[part])
        truth("T11", f"{name} of a pair on a {kind.lower()} joint", momenta(world)[part] / size, before[part] / size,
              1e-12, relative=False)


def test_a_joint_goes_where_a_moving_mesh_takes_it() -> None:
    """A sign on a hinge under an arm that rotates and rises: at each frame it hangs from the arm's point."""
    arm = ColliderSpec("arm", CUBE * (2.0, 0.2, 0.2), SIDES)
    sign = block("sign", (0.9, 0.0, -0.5), (0.4, 0.1, 0.6))
    joint = Joint("sign", "arm", (0.9, 0.0, -0.2), (1.0, 0.0, 0.0), kind="HINGE")
    world = build_world(WorldSpec((sign, arm), joints=(joint,)))
    for frame in range(1, 49):
        angle, pose = 0.02 * frame, np.eye(4)
        pose[:2, :2] = [[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]]
        pose[2, 3] = 0.3 * math.sin(0.1 * frame)
        placed = step_frame(world, Controls(colliders={"arm": pose})).transforms["sign"]
        assert np.abs(at(placed, (0.9, 0.0, -0.2)) - at(pose, (0.9, 0.0, -0.2))).max() < 1e-10
        assert np.abs(placed[:3, 0] - pose[:3, 0]).max() < 1e-9


def test_joined_bodies_rest_on_the_floor_together() -> None:
    """Two planks on a hinge fall flat on the floor: contact is solved last, so the joint opens by millimetres.

    The joint corrects in the next substep what contact changes in this one. It opens at most by the fall speed times a
    substep, 2 m/s / 240 = 8 mm, and at rest by the fall of a substep, g h² = 0.2 mm.
    """
    planks = [block(name, (sign * 0.5, 0.0, 0.3), (1.0, 0.4, 0.1)) for name, sign in (("left", -1.0), ("right", 1.0))]
    joint = Joint("left", "right", (0.0, 0.0, 0.3), (0.0, 1.0, 0.0), kind="HINGE")
    floor = ColliderSpec("floor", FLOOR, FLOOR_TRIANGLES)
    world = build_world(WorldSpec((*planks, floor), joints=(joint,)))
    point = np.array([0.0, 0.0, 0.3])
    widest = max(distance(world, "left", point, "right", point) for _ in range(72))
    assert widest < 9e-3 and distance(world, "left", point, "right", point) < 2e-4
    assert world.positions("left")[:, 2].min() > -1e-3 and world.positions("left")[:, 2].max() < 0.11
    assert np.abs(world.rigid.velocity).max() < 5e-3


def test_several_joints_that_say_the_same_twice_hold_a_door() -> None:
    """Two hinges on one axis: five redundant rows are harmless."""
    door = block("door", (0.5, 0.0, 0.0), (1.0, 0.1, 2.0), velocity=(0.0, 0.5, 0.0), angular_velocity=(0.0, 0.0, 1.0))
    joints = [Joint("door", "", (0.0, 0.0, z), kind="HINGE") for z in (-0.8, 0.8)]
    world = build_world(WorldSpec((door,), joints=joints))
    for _ in range(48):
        pose = step_frame(world).transforms["door"]
    assert np.abs(pose[:3, 2] - (0.0, 0.0, 1.0)).max() < 1e-9 and abs(pose[2, 3]) < 1e-9
    assert np.arctan2(pose[1, 0], pose[0, 0]) > 1.5


def test_joints_have_the_same_bits_for_any_number_of_threads() -> None:
    rods = [block(f"rod {k}", (0.5 + k, 0.0, 0.0)) for k in range(5)]
    joints = [Joint(f"rod {k}", f"rod {k - 1}" if k else "", (float(k), 0.0, 0.0)) for k in range(5)]
    found = []
    for threads in (1, 2):
        world = build_world(WorldSpec(rods, joints=joints, threads=threads))
        for _ in range(12):
            step_frame(world)
        found.append(world.state.x.tobytes())
    assert found[0] == found[1]


@pytest.mark.parametrize(("joint", "said"), [
    (Joint("floor", "", (0.0, 0.0, 0.0)), "a rigid body"),
    (Joint("box", "box", (0.0, 0.0, 0.0)), "another body"),
    (Joint("box", "nobody", (0.0, 0.0, 0.0)), "one of"),
    (Joint("box", "", (0.0, math.nan, 0.0)), "three finite numbers"),
    (Joint("box", "", (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), kind="HINGE"), "a direction"),
    (Joint("box", "", (0.0, 0.0, 0.0), kind="SLIDER"), "BALL, HINGE, FIXED"),
])
def test_a_joint_that_cannot_be_is_refused(joint: Joint, said: str) -> None:
    systems = (block("box", (0.0, 0.0, 1.0)), ColliderSpec("floor", FLOOR, FLOOR_TRIANGLES))
    with pytest.raises(SpecError, match=said):
        build_world(WorldSpec(systems, joints=(joint,)))
