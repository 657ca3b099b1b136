"""Fluid from a point: a round jet of a speed and a rate, which may be keyed and moved."""

from __future__ import annotations

import numpy as np
import pytest
from flotsam.engine import ColliderSpec, Controls, FluidSpec, SpecError, WorldSpec, build_world, step_frame
from flotsam.engine.systems.fluid.nozzle import disk
from flotsam.engine.systems.fluid.population import FREE_DISTANCE
from fluid_naive import box, tank

SPACING, FRAME = 0.02, 1.0 / 24.0
NOTHING = (np.zeros((0, 3)), np.zeros((0, 3), dtype=int))


def jet(gravity: float = 0.0, **settings: object) -> object:
    """A world with a jet only."""
    settings = {"spacing": SPACING, "emission": "POINT", "viscosity": 0.0, **settings}
    return build_world(WorldSpec(systems=(FluidSpec("jet", *NOTHING, **settings),), gravity=(0.0, 0.0, -gravity)))


def pose(place: tuple[float, float, float], z: tuple[float, float, float] = (0.0, 0.0, 1.0)) -> np.ndarray:
    """A pose with Z axis `z`, scaled by 3, which has no effect."""
    found = 3.0 * np.eye(4)
    found[:3, 2] = 3.0 * np.array(z)
    found[:3, 0] = (0.0, 3.0, 0.0)
    found[:3, 3] = place
    return found


def test_a_jet_brings_its_rate_at_its_speed(truth) -> None:
    """Its volume is Q t, to a particle; all of it is within the radius, and no farther than v t along X."""
    speed, litres, radius, frames = 1.5, 0.9, 0.05, 12
    world = jet(speed=speed, rate=litres, radius=radius, nozzle=pose((1.0, 2.0, 3.0), (1.0, 0.0, 0.0)))
    for _ in range(frames):
        frame = step_frame(world)
    place = frame.positions["jet"] - [1.0, 2.0, 3.0]
    volume, expected = len(place) * SPACING**3, 1e-3 * litres * frames * FRAME
    assert abs(volume - expected) <= SPACING**3
    truth("T25", "jet along its axis", float(place[:, 0].max()), speed * frames * FRAME, 1e-4)
    assert place[:, 0].min() > 0.0 and np.hypot(place[:, 1], place[:, 2]).max() < radius + 1e-4
    assert np.abs(frame.velocities["jet"] - [speed, 0.0, 0.0]).max() < 1e-4


def test_speed_and_rate_can_be_keyed_and_the_limit_holds() -> None:
    """Rate 0 means the rate of a full jet at its speed: layers a spacing apart. At speed 0 nothing leaves."""
    world = jet(speed=2.4, radius=0.01, limit=40)
    for _ in range(4):
        frame = step_frame(world)
    steps = np.diff(np.sort(frame.positions["jet"][:, 2]))
    assert len(frame.positions["jet"]) == 20 and steps == pytest.approx(SPACING, abs=1e-4)
    for _ in range(4):
        frame = step_frame(world, Controls(values={"jet": {"rate": 0.5 * 2.4e3 * SPACING**2}}))
    assert len(frame.positions["jet"]) == pytest.approx(30, abs=1)
    born = frame.diagnostics["jet"]["particles"][0]
    frame = step_frame(world, Controls(values={"jet": {"speed": 0.0}}))
    assert frame.diagnostics["jet"]["particles"][0] == born
    for _ in range(4):
        frame = step_frame(world, Controls(values={"jet": {"speed": 2.4, "rate": 0.0}}))
    assert frame.diagnostics["jet"]["particles"] == (40.0, 40.0, 0.0)


def test_a_jet_follows_its_nozzle_and_takes_its_velocity() -> None:
    """A nozzle that moves along Y at 1.2 m/s: each particle keeps that velocity; the jet is one straight line."""
    world = jet(speed=2.4, radius=0.01)
    for number in range(1, 7):
        frame = step_frame(world, Controls(poses={"jet": pose((0.0, 1.2 * FRAME * number, 0.0))}))
    assert frame.velocities["jet"][:, 1] == pytest.approx(1.2, abs=1e-3)
    assert frame.positions["jet"][:, 1] == pytest.approx(1.2 * FRAME * 6, abs=1e-3)


def test_a_jet_goes_on_from_a_snapshot_with_the_same_bits() -> None:
    world, control = jet(9.81, radius=0.03, rate=1.3), Controls(poses={"jet": pose((0.3, 0.0, 0.0))})
    step_frame(world)
    step_frame(world, control)
    saved, ends = world.snapshot(), []
    for _ in range(2):
        for _frame in range(2):
            frame = step_frame(world)
        ends.append(frame.positions["jet"])
        world.restore(saved)
    assert np.array_equal(*ends)


def test_a_nozzle_without_an_axis_is_refused() -> None:
    flat = np.diag([1.0, 1.0, 0.0, 1.0])
    with pytest.raises(SpecError, match="jet.*nozzle"):
        jet(nozzle=flat)
    with pytest.raises(SpecError, match="jet.*nozzle"):
        step_frame(jet(), Controls(poses={"jet": flat}))


TAP = FluidSpec(
    "jet", *box((0.0, 0.0, 0.0), (7 * SPACING, 7 * SPACING, 3 * SPACING)), spacing=SPACING, emission="INFLOW",
    velocity=(0.0, 0.0, -1.0), limit=5000,
)
NOZZLE = FluidSpec(
    "jet", *NOTHING, spacing=SPACING, emission="POINT", nozzle=pose((0.0, 0.0, 0.0), (0.0, 0.0, -1.0)), speed=1.0,
    radius=4.0 * SPACING, limit=5000,
)


@pytest.mark.parametrize("source", [TAP, NOZZLE])
def test_a_stream_that_falls_is_no_pile_of_discs(source: FluidSpec) -> None:
    """After a fall s it is sqrt(1 + 2 g s / u²) times as fast as at its source: layers would be so many spacings apart.

    Its 49 columns start at offsets of their own, and leave no gap that long. At the source all are 0.9 spacings apart.
    """
    world = build_world(WorldSpec(systems=(source,)))
    for _ in range(9):
        place = step_frame(world).positions["jet"]
    fallen, stretch = -np.sort(-place[:, 2]), np.sqrt(1.0 + 2.0 * 9.81 * 0.4)
    fallen = fallen[(fallen < -0.4) & (fallen > -0.8)]
    assert len(fallen) > 200 and -np.diff(fallen).min() < 0.5 * stretch * SPACING
    near = place[place[:, 2] > -SPACING]
    apart = np.linalg.norm(near[:, None] - near[None], axis=2) + 9.0 * np.eye(len(near))
    assert apart.min() > FREE_DISTANCE * SPACING


@pytest.mark.parametrize("speed", [0.5, 1.5])
def test_a_jet_that_rises_little_does_not_block_its_nozzle(speed: float) -> None:
    """Upwards out of a floor, it emits its rate in a second, to a layer, and some in each frame.

    Particles that fell back lay in the opening, where each column waited for a whole cycle: 0.26 and 0.33 of the rate,
    in bursts. In its first spacing a jet is pushed on, which makes nothing faster than twice the sum of its own speed
    and that of a wave of 2.5 cm.
    """
    floor = ColliderSpec("floor", *box((-2.0, -2.0, -0.2), (2.0, 2.0, 0.0)))
    settings = {"spacing": 0.04, "emission": "POINT", "speed": speed, "radius": 0.08, "limit": 1000}
    world = build_world(WorldSpec((FluidSpec("jet", *NOTHING, nozzle=pose((0.0, 0.0, 0.01)), **settings), floor)))
    born, fastest = [0], 0.0
    for _ in range(24):
        frame = step_frame(world)
        born.append(int(frame.diagnostics["jet"]["particles"][0]))
        fastest = max(fastest, float(np.linalg.norm(frame.velocities["jet"], axis=1).max()))
    assert np.diff(born).min() > 0
    assert born[-1] == pytest.approx(speed / 0.04 * len(disk(0.08, 0.04)), abs=len(disk(0.08, 0.04)))
    assert fastest < 2.0 * (speed + 0.5)


def test_a_fountain_below_the_surface_of_a_pool_flows() -> None:
    """A nozzle under 14 cm of water emits two thirds of its rate, some in each frame, at up to 1.5 times its speed.

    Particles at rest are a spacing apart, so none of its places had space for another: nothing ever left it.
    """
    pool = FluidSpec("water", *box((0.0, 0.0, 0.0), (0.8, 0.8, 0.2)), spacing=0.04)
    settings = {"spacing": 0.04, "emission": "POINT", "speed": 2.0, "radius": 0.08, "limit": 1000}
    jet = FluidSpec("jet", *NOTHING, nozzle=pose((0.4, 0.4, 0.06)), **settings)
    world = build_world(WorldSpec((jet, pool, ColliderSpec("tank", *tank(0.8, 0.8, 1.0)))))
    born = []
    for _ in range(24):
        frame = step_frame(world)
        born.append(int(frame.diagnostics["jet"]["particles"][0]))
        assert np.linalg.norm(frame.velocities["jet"], axis=1).max() < 3.0
    assert np.diff(born, prepend=0).min() > 0
    assert born[-1] > 2.0 / 3.0 * 2.0 / 0.04 * len(disk(0.08, 0.04))
