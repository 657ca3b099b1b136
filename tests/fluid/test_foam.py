"""Spray, foam and bubbles: where they are emitted, how they move, when they are removed."""

from __future__ import annotations

import numpy as np
import pytest
from flotsam.engine import ColliderSpec, FluidSpec, WorldSpec, build_world, step_frame
from flotsam.engine.compiler.kernels import threads
from flotsam.engine.systems.fluid.foam.drift import Bits
from flotsam.engine.systems.fluid.foam.foam import Foam
from flotsam.engine.systems.fluid.foam.froth import Froth
from flotsam.engine.systems.fluid.foam.potentials import OUTWARD, SURFACE, find_potentials
from flotsam.engine.systems.fluid.foam.screens import boxes_of, move_bits
from flotsam.engine.systems.fluid.population import Population
from flotsam.engine.systems.fluid.solver import FluidSolver
from fluid_naive import NOTHING, G, box, columns, pairs, tank

SPACING, DT = 0.05, 1.0 / 24.0
NONE = np.zeros((0, 3, 3), np.float32)


def wave(speed: float = 4.0, **settings) -> WorldSpec:
    """A block of water that flies into the wall of a tank higher than any drop reaches, with foam."""
    water = FluidSpec(
        "water", *box((0.5, 0.0, 0.0), (0.9, 0.4, 0.4)), spacing=SPACING, velocity=(speed, 0.0, 0.0), foam=True,
        **settings,
    )
    return WorldSpec(systems=(water, ColliderSpec("tank", *tank(1.0, 0.4, 4.0))))


def parts(frame) -> tuple[np.ndarray, ...]:
    """Positions, kinds, ids and ages of the foam in a frame."""
    attributes = frame.attributes["water"]
    own = attributes["kind"] > 0
    return frame.positions["water"][own], attributes["kind"][own], attributes["id"][own], attributes["age"][own]


def naive_potentials(x: np.ndarray, v: np.ndarray, law) -> tuple[np.ndarray, np.ndarray]:
    """Reference for `find_potentials`: all pairs, in double precision."""
    support = float(law.support)
    apart, t, cube = pairs(x, support)
    far = np.linalg.norm(apart, axis=2)
    np.fill_diagonal(far, 1.0)
    fast = v[:, None] - v[None]
    trapped = ((np.linalg.norm(fast, axis=2) - (fast * apart).sum(axis=2) / far) * t).sum(axis=1)
    slope = (cube[:, :, None] * apart).sum(axis=1)
    length = np.linalg.norm(slope, axis=1, keepdims=True)
    is_surface = support * float(law.slope) * length > SURFACE
    normal = np.where(is_surface, slope / length, 0.0)
    outward = (normal * v).sum(axis=1)
    moves = (outward > 0.0) & (outward > OUTWARD * np.linalg.norm(v, axis=1))
    beyond = (np.einsum("ijk,ik->ij", apart, normal) > 0.0) & is_surface[None, :, 0]
    crest = np.where(moves, (np.where(beyond, 1.0 - normal @ normal.T, 0.0) * t).sum(axis=1), 0.0)
    return trapped, crest


def test_potentials_are_those_of_all_pairs() -> None:
    random = np.random.default_rng(4)
    x, v = random.uniform(0.0, 0.3, (250, 3)), random.normal(0.0, 1.0, (250, 3))
    solver = FluidSolver(SPACING)
    solver.step(x, v, 1e-6, columns(len(x), viscosity=0.0), 0, NOTHING)
    trapped, crest = find_potentials(solver)
    for found, expected in zip((trapped, crest), naive_potentials(x, v, solver.law), strict=True):
        assert np.count_nonzero(expected > 0.1) > 20
        assert np.abs(found - expected).max() < 0.01 * expected.max()


def test_a_wave_that_breaks_makes_foam_and_none_of_it_passes_a_wall() -> None:
    """Foam starts at the impact, keeps its ids, stays in the tank, and is counted by kind."""
    world, seen = build_world(wave()), set()
    for _ in range(16):
        frame = step_frame(world)
        place, kind, ids, age = parts(frame)
        assert (np.diff(ids) > 0).all() and (len(ids) == 0 or ids[0] >= 512)
        assert (place > 0.0).all() and (place[:, 0] < 1.0).all() and (place[:, 1] < 0.4).all()
        assert tuple(np.bincount(kind, minlength=4)[1:]) == frame.diagnostics["water"]["foam"]
        assert (age >= 0.0).all() and frame.diagnostics["water"]["particles"] == (512.0, 512.0, 0.0)
        assert all(len(values) == len(frame.positions["water"]) for values in frame.attributes["water"].values())
        seen |= set(kind)
    assert len(ids) > 100 and seen == {1, 2, 3}


def test_no_way_leads_out_of_a_closed_room() -> None:
    """Three thousand foam particles with random displacements into walls, edges and corners of a cube stay in it."""
    random, (vertices, triangles) = np.random.default_rng(6), box((0.0, 0.0, 0.0), (1.0, 1.0, 1.0))
    corners, count = vertices[triangles].astype(np.float32), 3000
    x = np.where(random.random((count, 3)) < 0.5, 1e-3, 0.5)
    bits = Bits(x, random.normal(size=(count, 3)), np.zeros_like(x), np.ones(count), np.ones(count, np.int32))
    has_hit = np.zeros(count, bool)
    for _ in range(10):
        bits.displacement[:] = random.normal(0.0, 0.3, (count, 3))
        ahead = bits.x + bits.displacement
        has_hit |= ((ahead < 0.0) | (ahead > 1.0)).any(axis=1)
        move_bits(count, corners, boxes_of(corners), 0.01, bits)
        assert (bits.x >= 0.0).all() and (bits.x <= 1.0).all()
    assert has_hit.mean() > 0.9


def test_slow_water_makes_none_and_a_limit_holds() -> None:
    for settings, most in (({"foam_speed": 50.0}, 0), ({"foam_limit": 30}, 30)):
        world = build_world(wave(**settings))
        counts = [len(parts(step_frame(world))[0]) for _ in range(8)]
        assert max(counts) == most


def test_foam_does_not_push_the_fluid() -> None:
    """The fluid moves as it does without foam."""
    ends = []
    for rate in (100.0, 0.0):
        world = build_world(wave(foam_rate=rate))
        for _ in range(8):
            frame = step_frame(world)
        ends.append(frame.positions["water"][:512])
    assert np.array_equal(*ends)


def test_it_is_gone_at_the_end_of_its_life() -> None:
    world = build_world(wave(foam_lifetime=0.2, foam_rate=50.0))
    ages = np.concatenate([parts(step_frame(world))[3] for _ in range(12)])
    assert len(ages) > 50 and ages.max() < 0.2 * 1.4


def test_the_same_bits_for_any_number_of_threads_and_after_a_snapshot() -> None:
    ends = []
    for count in (1, 2):
        with threads(count):
            world = build_world(wave())
            for number in range(10):
                frame = step_frame(world)
                if number == 5:
                    saved = world.snapshot()
            ends.append(frame.positions["water"])
    world.restore(saved)
    for _ in range(4):
        frame = step_frame(world)
    ends.append(frame.positions["water"])
    assert len(ends[0]) > 600
    assert np.array_equal(ends[0], ends[1]) and np.array_equal(ends[0], ends[2])


def test_spray_falls_freely(truth) -> None:
    """x = v t - g t² / 2 up to the first frame without fluid around."""
    spec = FluidSpec("water", *box((0.0, 0.0, 0.0), (0.1, 0.1, 0.1)), spacing=SPACING, foam=True, foam_rate=1e4)
    population = Population(spec, np.zeros((1, 3)), np.zeros((1, 3)), 0, SPACING, None)
    froth, solver = Froth([population], [], DT), FluidSolver(SPACING)
    foam: Foam = froth.foams["water"]
    start, speed = np.array([[0.0, 0.0, 5.0]]), np.array([[2.0, 0.0, 6.0]])
    foam.emit(start, speed, np.array([1e3]), np.array([0.0]), DT, 1)
    assert len(foam) == 20
    bits = foam.bits(np.zeros(3), 20, DT)
    foam.settle(bits._replace(x=bits.x + bits.displacement), np.zeros(3), np.zeros(20, bool))
    population.living.remove(np.array([True]))
    before, v, empty = foam.x.copy(), foam.v.copy(), np.zeros((0, 3))
    for number in range(12):
        froth.step(solver, np.zeros(0, int), empty, empty, np.zeros(3), NONE, np.array([0.0, 0.0, -G]), number + 2)
    t = 12 * DT
    expected = before + v * t - 0.5 * G * t * t * np.array([0.0, 0.0, 1.0])
    truth("T25", "spray in free fall", foam.x - expected, 0.0, 1e-9, relative=False)


@pytest.mark.parametrize("name", ["foam_speed", "foam_lifetime"])
def test_a_nought_is_refused(name: str) -> None:
    from flotsam.engine import SpecError

    with pytest.raises(SpecError, match=name):
        build_world(wave(**{name: 0.0}))
