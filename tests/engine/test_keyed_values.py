"""Keyed values: a world with a keyed value equals, to the last bit, one that was built with it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flotsam.engine import (
    ColliderSpec,
    Contact,
    Controls,
    SpecError,
    SpringGraphSpec,
    VoxelBodySpec,
    WaterSpec,
    WorldSpec,
    build_world,
    cache,
    step_frame,
)
from flotsam.engine.spec import KINDS, keyable_params
from shapes import box, chain, sphere

FRAMES = 6
FLOOR = np.array([[-9.0, -9.0, 0.0], [9.0, -9.0, 0.0], [9.0, 9.0, 0.0], [-9.0, 9.0, 0.0]])
HALVES = np.array([[0, 1, 2], [0, 2, 3]])
OTHER: dict[str, dict[str, Any]] = {
    "SPRING_GRAPH": {
        "stiffness": 150.0, "damping": 3.0, "bending": 0.2, "rest_scale": 0.8, "pressure": 900.0, "friction": 0.0,
        "restitution": 0.9, "air_drag": 4.0, "animated": True, "release_pins": True,
    },
    "COLLIDER": {"friction": 1.5, "restitution": 0.8},
    "VOXEL_BODY": {"animated": True, "friction": 0.0, "restitution": 0.9},
    "WATER": {"density": 2000.0, "flow": (2.0, 0.0, 0.0), "drag": 8.0, "linear_buoyancy": 60.0},
}
CASES = [(kind, field) for kind, fields in OTHER.items() for field in fields]


def scene(kind: str, field: str = "", **changes: Any) -> tuple[Any, ...]:
    """A ball and a crate that hit a floor obliquely, or a ball in water, with changed fields of one kind's spec."""
    ball, triangles = sphere(0.3, 2)
    crate, sides = box(0.4, 1)
    own = {spec_class.kind: {} for spec_class in KINDS.values()} | {kind: changes}
    usual = {"velocity": (1.5, 0.0, -3.0), "mass": 0.5, "stiffness": 400.0, "thickness": 0.01, "pressure": 200.0}
    usual |= {"pins": np.arange(9)} if field == "release_pins" else {}
    soft = SpringGraphSpec("ball", ball + [0.0, 0.0, 0.34], triangles, **{**usual, **own["SPRING_GRAPH"]})
    if kind == "WATER":
        law = "LINEAR" if field == "linear_buoyancy" else "HYDROSTATIC"
        return soft, WaterSpec("sea", 0.5, law=law, **own["WATER"])
    rigid = VoxelBodySpec("crate", crate + [2.0, 0.0, 0.25], sides, velocity=(1.0, 0.0, -3.0), **own["VOXEL_BODY"])
    return soft, rigid, ColliderSpec("floor", FLOOR, HALVES, **own["COLLIDER"])


def run(world: Any, frames: int, controls: Controls | None = None) -> np.ndarray:
    for _ in range(frames):
        step_frame(world, controls or Controls())
    return world.state.x.copy()


def test_every_keyable_field_of_these_kinds_is_tried() -> None:
    """All but `unstitch`, which test_tearing.py tests."""
    keyable = {kind: set(keyable_params(KINDS[kind])) - {"unstitch"} for kind in OTHER}
    assert keyable == {kind: set(fields) for kind, fields in OTHER.items()}


@pytest.mark.parametrize(("kind", "field"), CASES)
@pytest.mark.parametrize("integrator", ["XPBD", "SYMPLECTIC"])
def test_a_keyed_value_is_as_if_built(kind: str, field: str, integrator: str) -> None:
    value = OTHER[kind][field]
    if integrator == "SYMPLECTIC" and (field == "bending" or kind in ("VOXEL_BODY", "COLLIDER")):
        pytest.skip("only XPBD has the field, or the scene is the same in both")
    keyed = {} if kind == "WATER" else {"keyed": (field,)}
    settings = {"integrator": integrator, "substeps": 40 if integrator == "SYMPLECTIC" else 5}
    specs = scene(kind, field, **keyed)
    name = next(spec.name for spec in specs if spec.kind == kind)
    plain = build_world(WorldSpec(systems=specs, **settings))
    built = build_world(WorldSpec(systems=scene(kind, field, **{field: value}, **keyed), **settings))
    moved = build_world(WorldSpec(systems=specs, **settings))
    expected = run(built, FRAMES)
    assert np.isfinite(expected).all()
    assert np.array_equal(run(moved, FRAMES, Controls(values={name: {field: value}})), expected)
    assert np.abs(run(plain, FRAMES) - expected).max() > 1e-4


@pytest.mark.parametrize(("integrator", "graph"), [
    ("XPBD", "SURFACE"), ("SYMPLECTIC", "SURFACE"), ("XPBD", "LATTICE"),
])
def test_a_world_goes_on_from_its_file_with_keyed_values(tmp_path: Path, integrator: str, graph: str) -> None:
    # test_release.py tests vertices that are held and released.
    left_out = ("animated", "release_pins") + (() if (integrator, graph) == ("XPBD", "SURFACE") else ("bending",))
    left_out += ("pressure",) if graph == "LATTICE" else ()
    fields = {field: value for field, value in OTHER["SPRING_GRAPH"].items() if field not in left_out}
    settings = {"integrator": integrator, "substeps": 40 if integrator == "SYMPLECTIC" else 5}
    limits = {} if integrator == "SYMPLECTIC" else {"yield_strain": 0.05, "break_strain": 2.0}
    limits |= {"graph": "LATTICE", "voxel_size": 0.2, "pressure": 0.0} if graph == "LATTICE" else {}
    specs = scene("SPRING_GRAPH", keyed=tuple(fields), **limits)
    spec = WorldSpec(systems=specs, **settings)

    def controls(frame: int) -> Controls:
        part = min(frame / 4.0, 1.0)
        values = {field: getattr(specs[0], field) * (1.0 - part) + part * value for field, value in fields.items()}
        return Controls(values={"ball": values} if frame < 6 else {})

    world, fresh = build_world(spec), build_world(spec)
    for frame in range(5):
        step_frame(world, controls(frame))
    cache.save_state(tmp_path / "state", world.snapshot())
    start = build_world(spec)
    fresh.restore(cache.load_state(tmp_path / "state", start.snapshot()))
    for frame in range(5, 9):
        for one in (world, fresh):
            step_frame(one, controls(frame))
    assert np.array_equal(world.state.x, fresh.state.x)
    # After a restore of the state before any value was keyed, all values are as built.
    world.restore(start.snapshot())
    assert np.array_equal(run(world, 3), run(start, 3))


def test_half_the_stiffness_is_twice_the_stretch() -> None:
    vertices, edges = chain(1, 1.0, (0.0, 0.0, -1.0))
    spring = SpringGraphSpec(
        "spring", vertices, edges=edges, graph="EDGES", pins=[0], mass=2.0, stiffness=200.0, damping=10.0
    )
    world = build_world(WorldSpec(systems=(spring,)))
    stretch = []
    for stiffness in (200.0, 100.0):
        run(world, 60, Controls(values={"spring": {"stiffness": stiffness}}))
        stretch.append(-1.0 - float(world.positions("spring")[1, 2]))
    assert stretch == pytest.approx([9.81 / 200.0, 9.81 / 100.0], rel=0.01)


def test_length_follows_the_rest_scale_and_yields_with_it() -> None:
    vertices, edges = chain(1, 1.0, (1.0, 0.0, 0.0))
    for limits in ({}, {"yield_strain": 10.0}):
        rod = SpringGraphSpec("rod", vertices, edges=edges, graph="EDGES", pins=[0], damping=20.0, **limits)
        world = build_world(WorldSpec(systems=(rod,), gravity=(0.0, 0.0, 0.0)))
        for scale in (0.5, 2.0, 1.0):
            run(world, 40, Controls(values={"rod": {"rest_scale": scale}}))
            assert np.linalg.norm(np.diff(world.positions("rod"), axis=0)) == pytest.approx(scale, rel=1e-3)


def test_a_crate_that_sleeps_on_a_slope_slides_without_friction() -> None:
    crate, sides = box(0.4, 1)
    slope = np.array([[1.0, 0.0, 0.2], [0.0, 1.0, 0.0], [-0.2, 0.0, 1.0]])
    slope[[0, 2]] /= np.linalg.norm(slope[[0, 2]], axis=1)[:, None]
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = slope.T, 0.205 * slope[2]
    rigid = VoxelBodySpec("crate", crate, sides, pose=pose, friction=0.6, keyed=("friction",))
    world = build_world(WorldSpec(systems=(rigid, ColliderSpec("slope", FLOOR @ slope, HALVES, friction=0.6))))
    run(world, 30)
    start = world.positions("crate").mean(axis=0)
    run(world, 10)
    assert np.array_equal(world.positions("crate").mean(axis=0), start)
    run(world, 24, Controls(values={"crate": {"friction": 0.0}}))
    # Half of g sin t times one second squared.
    distance = np.linalg.norm(world.positions("crate").mean(axis=0) - start)
    assert distance == pytest.approx(0.5 * 9.81 * 0.2 / np.hypot(1.0, 0.2), rel=0.02)


def test_a_rule_of_two_keeps_its_friction() -> None:
    specs = scene("VOXEL_BODY", keyed=("friction",))
    world = build_world(WorldSpec(systems=specs, interactions=(Contact("crate", "floor", friction=0.7),)))
    run(world, 1, Controls(values={"crate": {"friction": 0.0}}))
    other = build_world(WorldSpec(systems=specs, interactions=(Contact("crate", "floor", friction=0.7),)))
    assert np.array_equal(run(world, 5), run(other, 6))


@pytest.mark.parametrize(
    ("name", "values", "words"),
    [
        ("ball", {"stiffness": 0.0}, "above 0"),
        ("ball", {"stiffness": float("nan")}, "stiffness"),
        ("ball", {"bending": 1.0}, "keyed"),
        ("ball", {"friction": 0.9}, "keyed"),
        ("ball", {"animated": 1.0}, "keyed"),
        ("ball", {"mass": 2.0}, "a keyed value: unstitch, animated, release_pins, stiffness"),
        ("floor", {"friction": -1.0}, "from 0 to 10"),
        ("sea", {"drag": 1.0}, "nothing"),
    ],
)
def test_wrong_values_are_refused_with_a_way_out(name: str, values: dict[str, float], words: str) -> None:
    world = build_world(WorldSpec(systems=scene("SPRING_GRAPH")))
    with pytest.raises(SpecError, match=words):
        step_frame(world, Controls(values={name: values}))


def test_a_value_keyed_to_what_it_is_costs_nothing() -> None:
    """Nothing is rebuilt: the tables of springs are the same arrays."""
    specs = scene("SPRING_GRAPH")
    world = build_world(WorldSpec(systems=specs))
    step_frame(world, Controls(values={"ball": {"stiffness": 300.0}}))
    kappa = world.systems[0].springs.kappa
    step_frame(world, Controls(values={"ball": {"stiffness": 300.0}}))
    assert world.systems[0].springs.kappa is kappa
    assert replace(specs[0], stiffness=300.0).stiffness == world.values["ball"]["stiffness"]


def turned(angle: float, place: tuple[float, float, float]) -> np.ndarray:
    """A pose (4, 4): rotated about z, then moved [m]."""
    pose = np.eye(4)
    pose[:2, :2] = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
    pose[:3, 3] = place
    return pose


@pytest.mark.parametrize("integrator", ["XPBD", "SYMPLECTIC"])
def test_a_led_crate_follows_its_poses_and_is_released_with_their_velocity(integrator: str) -> None:
    crate, sides = box(0.4, 1)
    crate = crate * [1.0, 1.5, 0.5]
    rigid = VoxelBodySpec("crate", crate, sides, animated=True)
    world = build_world(WorldSpec(systems=(rigid,), integrator=integrator, substeps=10))
    run(world, 5)
    assert np.abs(world.positions("crate") - crate).max() < 1e-6
    for frame in range(1, 13):
        pose = turned(0.05 * frame, (0.1 * frame, 0.0, 0.05 * frame))
        placed = step_frame(world, Controls(poses={"crate": pose})).transforms["crate"]
        assert np.abs(placed - pose).max() < 1e-6
    free = Controls(values={"crate": {"animated": 0.0}}, poses={"crate": turned(9.0, (9.0, 9.0, 9.0))})
    frame = step_frame(world, free)
    for _ in range(11):
        frame = step_frame(world, free)
    flown = 12.0 / 24.0
    place = [1.2 + 2.4 * flown, 0.0, 0.6 + 1.2 * flown - 0.5 * 9.81 * flown**2]
    # A fall in equal substeps lacks half a substep of speed.
    assert frame.transforms["crate"][:3, 3] == pytest.approx(place, abs=9.81 * flown / 240.0)
    rotation = frame.transforms["crate"][:3, :3]
    assert np.abs(rotation - turned(1.2, (0.0, 0.0, 0.0))[:3, :3]).max() < 0.01
    assert world.rigid.mass[0] == pytest.approx(world.mass("crate"))


def test_a_led_crate_pushes_and_carries_and_is_pushed_by_nobody(tmp_path: Path) -> None:
    crate, sides = box(0.4, 1)
    ball, triangles = sphere(0.2, 2)
    lift = VoxelBodySpec("lift", crate, sides, animated=True, keyed=("animated",))
    rider = VoxelBodySpec("rider", crate + [0.0, 0.0, 0.402], sides, density=8000.0)
    drop = SpringGraphSpec("drop", ball + [0.05, 0.0, 0.9], triangles, pressure=2000.0, mass=0.2)
    spec = WorldSpec(systems=(drop, lift, rider))
    world, fresh = build_world(spec), build_world(spec)

    def controls(frame: int) -> Controls:
        return Controls(
            poses={"lift": turned(0.0, (0.0, 0.0, 0.01 * min(frame, 24)))},
            values={"lift": {"animated": float(frame < 30)}},
        )

    for frame in range(26):
        step_frame(world, controls(frame))
        assert np.abs(world.positions("lift") - crate - [0.0, 0.0, 0.01 * min(frame, 24)]).max() < 1e-5
    assert world.positions("rider")[:, 2].mean() == pytest.approx(0.24 + 0.402, abs=0.01)
    cache.save_state(tmp_path / "state", world.snapshot())
    fresh.restore(cache.load_state(tmp_path / "state", fresh.snapshot()))
    for frame in range(26, 36):
        for one in (world, fresh):
            step_frame(one, controls(frame))
    assert np.array_equal(world.state.x, fresh.state.x)
    assert world.positions("lift")[:, 2].mean() < 0.1
