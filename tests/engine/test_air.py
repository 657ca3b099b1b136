"""The air field on faces: terminal speeds, angles of attack, sails, flags, balloons, and the water surface."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from flotsam.engine import (
    AirSpec,
    Controls,
    ForceFieldSpec,
    SpringGraphSpec,
    VoxelBodySpec,
    WaterSpec,
    WorldSpec,
    build_world,
    step_frame,
)
from flotsam.engine.fields.air.faces import SKIN, Air, Faces, face_forces
from flotsam.engine.world.world import World
from shapes import sheet, sphere

Truth = Callable[..., None]
G = 9.81


def plate(size: tuple[float, float, float], mass: float, angle: float = 0.0, at: Any = (0, 0, 0)) -> VoxelBodySpec:
    """A closed box, rotated about Y by an angle [rad]."""
    corners = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], dtype=float) - 0.5
    faces = np.array([
        [0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1], [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4],
        [1, 5, 7], [1, 7, 3],
    ])
    c, s = np.cos(angle), np.sin(angle)
    rotated = (corners * size) @ np.array([[c, 0.0, -s], [0.0, 1.0, 0.0], [s, 0.0, c]]) + np.array(at)
    return VoxelBodySpec("plate", rotated, faces, mass=mass, voxel_size=min(size) / 2.0)


def run(world: World, frames: int, controls: Controls | None = None) -> None:
    for _ in range(frames):
        step_frame(world, controls)


def forces_on_a_plate(
    wind: tuple[float, float, float], drag: float, lift: float, speed: float = 0.0, last: float = np.nan
) -> np.ndarray:
    """Force of the air (3,) [N] on a square metre in the XY plane that rises at `speed`, at `last` before [m/s]."""
    corners = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]])
    faces = Faces(np.array([[0, 1, 2], [0, 2, 3]], dtype=np.int32), np.ones(2), np.zeros((2, 3), dtype=np.int32))
    force, rising = np.zeros((2, 4)), np.full((2, 3), [0.0, 0.0, last])
    moving = np.full((4, 3), [0.0, 0.0, speed])
    air = Air(1.2, drag, lift, -np.inf, *wind, np.zeros(0))
    face_forces(faces, air, np.zeros((1, 6)), corners, moving, 1, rising, force)
    assert np.all(rising[:, 2] == speed)
    return 3.0 * force[:, :3].sum(axis=0)


def test_t8_a_plate_falls_at_its_terminal_speed(truth: Truth) -> None:
    """m g = rho c A v² / 2."""
    world = build_world(WorldSpec(systems=(plate((1.0, 1.0, 0.1), 2.0), AirSpec("air", still_air=True))))
    run(world, 96)
    expected = np.sqrt(2.0 * 2.0 * G / (1.2 * 1.2))
    truth("T8", "terminal fall of a plate in air", -world.rigid.velocity[0, 2], expected, 0.01)


@pytest.mark.parametrize("angle", [0.0, 15.0, 40.0, 90.0])
def test_drag_and_lift_go_by_the_angle(angle: float) -> None:
    """D = rho A / 2 c_D |w|² sin² a along the wind, L = rho A / 2 c_L |w|² sin a cos a across it, and skin friction."""
    a, speed = np.radians(angle), 5.0
    along, across = np.array([np.cos(a), 0.0, np.sin(a)]), np.array([-np.sin(a), 0.0, np.cos(a)])
    force = forces_on_a_plate(tuple(speed * along), 1.0, 0.8)
    q = 0.5 * 1.2 * speed**2
    assert force @ along == pytest.approx(q * (np.sin(a) ** 2 + SKIN * np.cos(a) ** 2), rel=1e-9, abs=1e-12)
    assert force @ across == pytest.approx(q * (0.8 - SKIN) * np.sin(a) * np.cos(a), rel=1e-9, abs=1e-9)


def test_both_sides_of_a_sheet_feel_the_same_wind() -> None:
    up, down = forces_on_a_plate((0.0, 1.0, 3.0), 1.2, 1.0), forces_on_a_plate((0.0, 1.0, -3.0), 1.2, 1.0)
    assert up * [1.0, 1.0, -1.0] == pytest.approx(down)


def test_air_ends_at_the_water_without_a_jump() -> None:
    """The force scales with the dry fraction of the area: it is continuous where a face emerges."""
    corners = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    faces = Faces(np.array([[0, 1, 2]], dtype=np.int32), np.ones(1), np.zeros((1, 3), dtype=np.int32))
    dry = []
    for level in np.linspace(-0.1, 1.1, 121):
        force = np.zeros((1, 4))
        face_forces(
            faces, Air(1.2, 1.0, 1.0, level, 0.0, 4.0, 0.0, np.zeros(0)), np.zeros((1, 6)), corners,
            np.zeros((3, 3)), 1, np.full((1, 3), np.nan), force,
        )
        dry.append(3.0 * force[0, 1] / (0.5 * 1.2 * 16.0 * 0.5))
    assert dry == pytest.approx(np.clip(1.0 - np.linspace(-0.1, 1.1, 121), 0.0, 1.0) ** 2, abs=1e-9)


def test_a_body_under_water_feels_no_wind() -> None:
    box = plate((0.5, 0.5, 0.5), 125.0, at=(0.0, 0.0, -2.0))
    found = []
    for wind in ((0.0, 0.0, 0.0), (20.0, 0.0, 0.0)):
        air = AirSpec("air", wind=wind)
        world = build_world(WorldSpec(systems=(box, WaterSpec("water", 0.0), air), gravity=(0.0, 0.0, 0.0)))
        run(world, 6)
        found.append(world.rigid.velocity[0].copy())
    assert np.abs(found[0] - found[1]).max() < 1e-12


def test_wind_turns_a_rigid_body() -> None:
    """The wind of a vortex circulates: a plank in it starts to rotate and stays in place."""
    whirl = ForceFieldSpec("whirl", np.eye(4), type="VORTEX", shape="POINT", strength=3.0, wind_factor=1.0)
    world = build_world(WorldSpec(
        systems=(plate((2.0, 0.2, 0.4), 4.0), whirl, AirSpec("air")), gravity=(0.0, 0.0, 0.0)
    ))
    run(world, 12)
    assert world.rigid.angular_momentum[0, 2] > 0.05
    assert np.abs(world.rigid.velocity[0]).max() < 0.01


def test_a_leaf_glides() -> None:
    """A light plate that falls at an angle moves sideways by a good part of its fall."""
    world = build_world(WorldSpec(systems=(
        plate((0.12, 0.08, 0.004), 0.004, np.radians(20.0)), AirSpec("air", still_air=True),
    )))
    run(world, 12)
    x, _y, z = world.rigid.position[0]
    assert z < -0.2 and abs(x) > 0.1 * -z


def test_speed_in_the_middle_of_a_substep_is_extrapolated() -> None:
    """1 m/s after 2 m/s gives 0.5 m/s; a constant speed, or one after an unknown speed (NaN), stays as it is."""
    force = 0.5 * 1.2 * 1.2
    assert forces_on_a_plate((0.0, 0.0, 0.0), 1.2, 1.2, 1.0, 2.0)[2] == pytest.approx(-force * 0.25)
    for last in (1.0, np.nan):
        assert forces_on_a_plate((0.0, 0.0, 0.0), 1.2, 1.2, 1.0, last)[2] == pytest.approx(-force)


def test_air_does_not_push_back_what_is_stopped() -> None:
    """Extrapolation alone would reverse the speed of a plate that hits the ground; it is limited to half the speed."""
    assert np.abs(forces_on_a_plate((0.0, 0.0, 0.0), 1.2, 1.2, 0.0, -10.0)).max() == 0.0
    assert forces_on_a_plate((0.0, 0.0, 0.0), 1.2, 1.2, 1.0, 10.0)[2] == pytest.approx(-0.5 * 1.2 * 1.2 * 0.25)


@pytest.mark.parametrize(("substeps", "allowed"), [(4, 0.01), (10, 0.004)])
def test_t5_a_plate_slows_down_alike_with_any_number_of_substeps(truth: Truth, substeps: int, allowed: float) -> None:
    """v = v0 / (1 + k v0 t) with k = rho c A / (2 m), without gravity; without extrapolation errors are 2 and 0.6 %."""
    moving = replace(plate((1.0, 1.0, 0.1), 2.0), velocity=(0.0, 0.0, 6.0))
    world = build_world(WorldSpec(
        systems=(moving, AirSpec("air", still_air=True)), gravity=(0.0, 0.0, 0.0), substeps=substeps
    ))
    run(world, 2)
    expected = 6.0 / (1.0 + 0.5 * 1.2 * 1.2 / 2.0 * 6.0 * 2.0 / 24.0)
    truth("T5", f"speed of a plate in still air, {substeps} substeps", world.rigid.velocity[0, 2], expected, allowed)


def flag(substeps: int, start: float) -> np.ndarray:
    """Displacement (frames,) of a flag's tip across the wind [m]; args: start: phase of its first ripple."""
    vertices, triangles = sheet((1.2, 0.8), (24, 16))[:2]
    vertices = vertices @ np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])
    vertices[:, 1] += 1e-3 * np.sin(7.0 * vertices[:, 0] + start)
    pins = np.flatnonzero(vertices[:, 0] < vertices[:, 0].min() + 1e-6)
    tip = int(np.argmax(vertices[:, 0] - 1e-3 * np.abs(vertices[:, 2])))
    cloth = SpringGraphSpec("flag", vertices, triangles, pins=pins, mass=0.15, stiffness=2000.0)
    gusts = ForceFieldSpec("gusts", np.eye(4), type="TURBULENCE", strength=2.0, size=0.8, wind_factor=1.0)
    world = build_world(WorldSpec(systems=(cloth, gusts, AirSpec("air", wind=(7.0, 0.0, 0.0))), substeps=substeps))
    swing = []
    for _ in range(336):
        step_frame(world)
        swing.append(world.positions("flag")[tip, 1])
    assert np.isfinite(swing).all()
    return np.array(swing[48:])


def spectrum(swings: list[np.ndarray]) -> np.ndarray:
    """Sum of the powers of some recordings at each frequency."""
    return sum(np.abs(np.fft.rfft((swing - swing.mean()) * np.hanning(len(swing)))) ** 2 for swing in swings)


@pytest.mark.slow
def test_t5_a_flag_flaps_alike_at_four_and_ten_substeps(truth: Truth) -> None:
    """Mean frequency and amplitude agree; single oscillations are chaotic.

    Means over four starts of twelve seconds. Of six starts, the means of two halves differ by 1 to 5 %.
    """
    frequency, amplitude = [], []
    for substeps in (4, 10):
        swings = [flag(substeps, 1.3 * start) for start in range(4)]
        power = spectrum(swings)
        frequency.append(float((power * np.arange(len(power))).sum() / power.sum()))
        amplitude.append(float(np.mean([swing.std() for swing in swings])))
    assert amplitude[1] > 0.02
    truth("T5", "middle of the spectrum of a flag's tip, 4 and 10 substeps", frequency[0], frequency[1], 0.1)
    truth("T5", "swing of a flag's tip, 4 and 10 substeps", amplitude[0], amplitude[1], 0.1)


def test_a_sail_fills() -> None:
    """Held at its four corners across the wind, it bulges downwind and comes to rest."""
    vertices, triangles = sheet((1.0, 1.0), (12, 12))[:2]
    vertices = vertices @ np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])
    off = np.abs(vertices[:, 1:] - 0.5)
    pins = np.flatnonzero(off.min(axis=1) > 0.5 - 1e-6)
    assert len(pins) == 4
    sail = SpringGraphSpec("sail", vertices, triangles, pins=pins, mass=0.3, stiffness=1000.0, damping=1.0)
    world = build_world(WorldSpec(systems=(sail, AirSpec("air", wind=(6.0, 0.0, 0.0)))))
    run(world, 96)
    depth = world.positions("sail")[:, 0]
    assert depth.mean() > 0.05
    run(world, 24)
    assert world.positions("sail")[:, 0].mean() == pytest.approx(depth.mean(), abs=0.03)


def test_a_released_balloon_drifts_with_the_wind(truth: Truth) -> None:
    """A weightless soft inflated balloon reaches the speed of the air."""
    vertices, triangles = sphere(0.3, 2)[:2]
    balloon = SpringGraphSpec("balloon", vertices, triangles, mass=0.02, pressure=300.0, stiffness=500.0, damping=0.5)
    world = build_world(WorldSpec(systems=(balloon, AirSpec("air", wind=(2.0, 0.0, 0.0))), gravity=(0.0, 0.0, 0.0)))
    run(world, 96)
    speed = world.velocities("balloon").mean(axis=0)
    truth("T8", "speed of a balloon that drifts", speed[0], 2.0, 0.1)
    assert np.abs(speed[1:]).max() < 0.05


def test_wind_of_the_scene_may_change() -> None:
    world = build_world(WorldSpec(systems=(plate((1.0, 1.0, 0.1), 5.0), AirSpec("air")), gravity=(0.0, 0.0, 0.0)))
    run(world, 2)
    assert not world.fields[0].acts() and np.abs(world.rigid.velocity).max() == 0.0
    run(world, 3, Controls(wind=(0.0, 0.0, 4.0)))
    assert world.rigid.velocity[0, 2] > 0.1
    saved = world.snapshot()
    run(world, 3)
    first = world.rigid.velocity.copy()
    world.restore(saved)
    run(world, 3)
    assert np.array_equal(first, world.rigid.velocity)


@pytest.mark.parametrize("mass", [1e-6, 1e-3])
def test_a_storm_does_not_blow_up_light_cloth(mass: float) -> None:
    vertices, triangles = sheet((0.5, 0.5), (6, 6))[:2]
    rag = SpringGraphSpec("rag", vertices, triangles, mass=mass)
    world = build_world(WorldSpec(systems=(rag, AirSpec("air", wind=(300.0, 20.0, 90.0))), substeps=1))
    run(world, 24)
    assert np.abs(world.velocities("rag")).max() < 1000.0
