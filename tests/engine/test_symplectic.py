"""The symplectic integrator: its stability bound, and T1, T2, T3, T4, T11 with explicit forces."""

from __future__ import annotations

import math

import numpy as np
import pytest
from flotsam.engine import (
    ColliderSpec,
    Controls,
    SpecError,
    SpringGraphSpec,
    WaterSpec,
    WorldSpec,
    build_world,
    step_frame,
)
from flotsam.engine.world.world import World
from shapes import FLOOR, FLOOR_TRIANGLES, chain, torus


def symplectic(*systems: object, **settings: object) -> World:
    return build_world(WorldSpec(systems=systems, integrator="SYMPLECTIC", **settings))


def spring(stiffness: float, **settings: object) -> SpringGraphSpec:
    """A mass of 1 kg below a pin at 1 m."""
    return SpringGraphSpec(
        "spring", np.array([[0.0, 0.0, 0.0], [0.0, 0.0, -1.0]]), edges=np.array([[0, 1]]), graph="EDGES", mass=2.0,
        stiffness=stiffness, pins=[0], **settings,
    )


def test_stiff_springs_get_more_substeps_and_the_frame_says_so() -> None:
    """omega = sqrt(k / m) exactly for one mass on a pin, h < 2 / omega: 1 + floor(dt omega / 2) substeps."""
    world = symplectic(spring(1e6))
    needed = 1 + math.floor(1000.0 / 24.0 / 2.0)
    assert world.substeps == needed == 21
    frame = step_frame(world)
    assert frame.diagnostics["world"]["substeps"] == (needed,)
    for _ in range(48):
        step_frame(world)
    assert np.abs(world.positions("spring")[1] - [0.0, 0.0, -1.0]).max() < 1e-3


def test_soft_springs_get_what_was_asked_for() -> None:
    frame = step_frame(symplectic(spring(100.0), substeps=12))
    assert frame.diagnostics["world"]["substeps"] == (12,)


def test_beyond_the_most_substeps_it_is_refused_with_how_many_are_needed() -> None:
    with pytest.raises(SpecError, match=r"most_substeps is 20; allowed: 21 or more, which spring needs") as caught:
        symplectic(spring(1e6), most_substeps=20)
    assert (caught.value.system, caught.value.field) == ("world", "most_substeps")


def test_the_limit_is_the_limit() -> None:
    """With one substep fewer than the bound demands, the oscillation of a mass on a pin grows without bound."""
    world = symplectic(spring(1e6), gravity=(0.0, 0.0, 0.0))
    world.state.x[1, 2] -= 1e-3
    for _ in range(24):
        step_frame(world)
    assert np.abs(world.positions("spring")[1, 2] + 1.0) < 2e-2
    world = symplectic(spring(1e6), gravity=(0.0, 0.0, 0.0))
    world.state.x[1, 2] -= 1e-3
    # It more than doubles three times a frame; after six frames its square exceeds the range of single precision.
    for _ in range(5):
        world.systems[0].begin_frame(world, Controls())
        world.substeps = 20
        world.systems[0].advance(world, np.zeros(3), 0, 20)
    assert np.abs(world.positions("spring")[1, 2] + 1.0) > 1.0


def test_keyed_pressure_asks_for_substeps_when_it_comes() -> None:
    vertices, triangles, edges = torus(0.5, 0.15, 20, 10)
    world = symplectic(SpringGraphSpec("ring", vertices, triangles, edges, stiffness=10.0, struts=1, mass=10.0))
    before = step_frame(world).diagnostics["world"]["substeps"]
    after = step_frame(world, Controls(values={"ring": {"pressure": 2e3}})).diagnostics["world"]["substeps"]
    assert after > before == (10.0,)


@pytest.mark.parametrize("precision", ["SINGLE", "DOUBLE"])
@pytest.mark.parametrize("origin", [0.0, 1000.0])
@pytest.mark.parametrize("watched", [False, True])
def test_t1_free_fall(origin: float, precision: str, watched: bool) -> None:
    """z = z0 - g t²/2 - g h t/2, within 1e-9, whether the frame runs in one kernel call or substep by substep."""
    vertices, edges = chain(3, 1.0, (1.0, 0.0, 0.0))
    spec = SpringGraphSpec("rod", vertices + origin, edges=edges, graph="EDGES", stiffness=100.0)
    others = (WaterSpec("water", -1e6),) if watched else ()
    world = symplectic(spec, *others, precision=precision)
    for _ in range(48):
        step_frame(world)
    t, h = 2.0, 1.0 / (24.0 * world.substeps)
    expected = origin - 9.81 * t * t / 2.0 - 9.81 * h * t / 2.0
    # Positions at 1 km round by 1e-13 m, which the substeps turn into velocities: n² 1e-13 / 2 at worst.
    assert np.abs(world.positions("rod")[:, 2] - expected).max() < (1e-9 if origin == 0.0 else 2e-8)


@pytest.mark.parametrize("period", [0.1, 0.25, 3.0])
def test_t2_mass_on_a_spring(period: float) -> None:
    """sin(w' h / 2) = w h / 2: the period is shorter by (w h)²/24; tolerance 1 %, and energy is conserved."""
    omega, frame_rate = 2.0 * math.pi / period, 60.0
    world = symplectic(spring(omega**2), gravity=(0.0, 0.0, 0.0), frame_rate=frame_rate)
    world.state.x[1, 2] -= 0.1
    offset = []
    for _ in range(int(20.0 * period * frame_rate)):
        step_frame(world)
        offset.append(world.positions("spring")[1, 2] + 1.0)
    swing = np.array(offset)
    rising = np.flatnonzero((swing[:-1] < 0.0) & (swing[1:] >= 0.0))
    crossing = rising + swing[rising] / (swing[rising] - swing[rising + 1])
    measured = (crossing[-1] - crossing[0]) / (len(crossing) - 1) / frame_rate
    assert measured == pytest.approx(period * (1.0 - (omega * world.h) ** 2 / 24.0), rel=0.002)
    assert measured == pytest.approx(period, rel=0.01)
    assert np.abs(swing[len(swing) // 2 :]).max() == pytest.approx(0.1, rel=0.06), "sampled sixty times a second"


def test_t3_damped_oscillator() -> None:
    """Amplitudes two oscillations apart differ by exp(-2 c T / 2 m): determinant 1 - c h / m a substep, within 3 %."""
    mass, damping, period = 1.0, 0.4, 0.5
    world = symplectic(
        spring((2.0 * math.pi / period) ** 2, damping=damping), gravity=(0.0, 0.0, 0.0), frame_rate=240.0,
    )
    world.state.x[1, 2] -= 0.1
    swing = []
    for _ in range(int(8 * period * 240)):
        step_frame(world)
        swing.append(world.positions("spring")[1, 2] + 1.0)
    amplitude = np.abs(np.array(swing)).reshape(8, -1).max(axis=1)
    decrement = math.log(amplitude[1] / amplitude[6]) / 5.0
    assert decrement == pytest.approx(damping * period / (2.0 * mass), rel=0.03)


@pytest.mark.parametrize("stiffness", [200.0, 20000.0])
def test_t4_hanging_spring(stiffness: float) -> None:
    """Extension m g / k, within 0.5 %."""
    world = symplectic(spring(stiffness, air_drag=4.0))
    for _ in range(120):
        step_frame(world)
    assert -world.positions("spring")[1, 2] - 1.0 == pytest.approx(9.81 / stiffness, rel=0.005)


def test_t4_hanging_chain_with_springs_of_many_kinds() -> None:
    """Two chains of different stiffness in one world: link i of n extends by (n - i) m g / k, within 0.5 %."""
    count, chains = 10, {"soft": 500.0, "stiff": 4000.0}
    vertices, edges = chain(count, 1.0, (0.0, 0.0, -1.0))
    world = symplectic(*(
        SpringGraphSpec(name, vertices + [k, 0.0, 0.0], edges=edges, graph="EDGES", mass=1.1, stiffness=stiffness,
                        pins=[0], air_drag=4.0)
        for k, (name, stiffness) in enumerate(chains.items())
    ))
    for _ in range(200):
        step_frame(world)
    for name, stiffness in chains.items():
        extension = -np.diff(world.positions(name)[:, 2]) - 0.1
        assert extension == pytest.approx(np.arange(count, 0, -1) * 0.1 * 9.81 / stiffness, rel=0.005)


@pytest.mark.parametrize(("precision", "tolerance"), [("SINGLE", 1e-5), ("DOUBLE", 1e-9)])
def test_t11_a_spinning_ring_keeps_its_momenta(precision: str, tolerance: float) -> None:
    """Forces of a link cancel, and those of the air sum to 0: sum m v and sum m x × v are conserved."""
    vertices, triangles, edges = torus(0.5, 0.15, 20, 10)
    spec = SpringGraphSpec(
        "ring", vertices, triangles, edges, rings=2, struts=1, pressure=300.0, stiffness=500.0, damping=0.1,
        velocity=np.cross([0.5, 1.0, 3.0], vertices) + [0.3, -0.2, 0.1],
    )
    world = symplectic(spec, gravity=(0.0, 0.0, 0.0), precision=precision)

    def momenta() -> np.ndarray:
        x, v = world.positions("ring"), world.velocities("ring")
        return np.concatenate([v.mean(axis=0), np.cross(x, v).mean(axis=0)])

    before = momenta()
    for _ in range(48):
        step_frame(world)
    change = np.abs(momenta() - before)
    assert change[:3].max() < tolerance * np.linalg.norm(before[:3])
    assert change[3:].max() < tolerance * np.linalg.norm(before[3:])


def busy_world(threads: int, precision: str) -> World:
    """Rings of all kinds in water, on each other and on a floor."""
    vertices, triangles, edges = torus(0.5, 0.15, 48, 24)
    laws = ({"pressure": 100.0}, {"damping": 0.05}, {
        "pressure": 0.01, "pressure_law": "SEGMENT", "segments": np.arange(len(vertices)) // 24,
    })
    rings = [
        SpringGraphSpec(
            f"ring {k}", vertices + [0.2 * k, 0.1 * k, 0.25 + 0.35 * k], triangles, edges, rings=2, struts=1,
            stiffness=100.0, **law,
        )
        for k, law in enumerate(laws)
    ]
    return symplectic(
        *rings, ColliderSpec("floor", FLOOR, FLOOR_TRIANGLES), WaterSpec("water", 0.2), threads=threads,
        precision=precision,
    )


def run(world: World, frames: int) -> np.ndarray:
    for _ in range(frames):
        step_frame(world)
    return np.concatenate([world.state.x, world.state.v])


@pytest.mark.parametrize("precision", ["SINGLE", "DOUBLE"])
def test_same_bits_for_one_and_two_threads_and_after_restore(precision: str) -> None:
    one, two = busy_world(1, precision), busy_world(2, precision)
    assert np.array_equal(run(one, 4), run(two, 4))
    saved = two.snapshot()
    first = run(two, 3)
    two.restore(saved)
    assert np.array_equal(first, run(two, 3))
