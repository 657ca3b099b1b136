"""Length of steps: single particles that fly away require no shorter steps; all others do."""

from __future__ import annotations

import numpy as np
from flotsam.engine import ColliderSpec, FluidSpec, WorldSpec, build_world, step_frame
from flotsam.engine.systems.fluid.kinds import MOST_PULL, RIPPLE, capillary_steps, kinds_of
from flotsam.engine.systems.fluid.pace import FASTER, SPREAD, Meter
from flotsam.engine.systems.fluid.timing import Timing, least_substeps
from flotsam.engine.world.world import World

UNIT = np.array([[x, y, z] for z in (0.0, 1.0) for y in (0.0, 1.0) for x in (0.0, 1.0)])
FACES = np.array([
    [0, 2, 1], [1, 2, 3], [4, 5, 6], [5, 7, 6], [0, 1, 4], [1, 5, 4], [2, 6, 3], [3, 6, 7], [0, 4, 2], [2, 4, 6],
    [1, 3, 5], [3, 7, 5],
])
BOX = np.array([[-1.0, -1.0, 0.0], [1.0, 1.0, 1.0]])


def fastest(place: list[float], speed: list[float], error: float) -> float:
    """Speed that counts of a particle beside one at rest, within a second; it is alone if its error is below -0.5."""
    x, v = np.array([[0.0, 0.0, 0.5], place]), np.array([[0.0, 0.0, 0.0], speed])
    return Meter(np.array([0.0, 0.0, -1.0])).fastest(x, v, 1.0, np.array([0.0, error], dtype=np.float32), -0.5, BOX)


def test_only_drops_that_are_alone_and_go_past_everything_do_not_count() -> None:
    falling = [0.0, 0.0, -30.0]
    assert fastest([0.0, 0.0, -5.0], falling, -0.9) == 0.0
    assert fastest([0.0, 0.0, -5.0], falling, 0.0) == 30.0
    assert fastest([0.0, 0.0, 0.5], falling, -0.9) == 30.0
    # It passes through the box within the second.
    assert fastest([0.0, 0.0, 20.0], falling, -0.9) == 30.0


def test_pace_is_that_of_a_sample() -> None:
    """Depth from the standard deviation along gravity; speed is the largest, up to FASTER times that of nearly all."""
    draw, down = np.random.default_rng(1), np.array([0.0, 0.6, -0.8])
    for count in (1, 7, 4096, 20_001):
        x, v = draw.normal(5.0, 2.0, (count, 3)), draw.normal(size=(count, 3))
        # A few outliers, which do not count.
        v[:: 1000] *= 100.0
        every = max(count // 4096, 1)
        speed, along = np.linalg.norm(v[::every], axis=1), x[::every] @ down
        found = Meter(down).pace(x, v)
        nearly_all = np.sort(speed)[min(int(0.99 * len(speed)), len(speed) - 1)]
        np.testing.assert_allclose(found.speed, min(speed.max(), FASTER * nearly_all), rtol=1e-12)
        np.testing.assert_allclose(found.depth, SPREAD * along.std(), rtol=1e-9, atol=1e-9)
    assert Meter(down).pace(x[:0], v[:0]) == (0.0, 0.0)


def pool(far: float) -> World:
    """A pool of 216 particles in a tank, one of which is put 50 m below it, and falls at `far` [m/s]."""
    water = FluidSpec("water", 0.3 * UNIT, FACES, spacing=0.05)
    tank = ColliderSpec("tank", [0.3, 0.3, 0.6] * UNIT, np.delete(FACES, (2, 3), axis=0))
    world = build_world(WorldSpec(systems=(water, tank)))
    step_frame(world)
    world.state.x[0] = world.state.x_prev[0] = [0.15, 0.15, -50.0]
    world.state.v[0] = [0.0, 0.0, -far]
    return world


def test_a_drop_that_falls_for_ever_costs_the_others_nothing() -> None:
    """It is removed in the end, every frame counts it, and the pool takes the same steps as without the drop."""
    world, reports = pool(90.0), []
    for _ in range(24):
        frame = step_frame(world)
        reports.append(frame.diagnostics["water"])
        born, alive, gone = reports[-1]["particles"]
        assert born == alive + gone == 216 and np.isfinite(frame.positions["water"]).all()
    assert reports[-1]["particles"] == (216.0, 215.0, 1.0)
    assert all(one["steps"][1] == 10.0 for one in reports[1:])


def test_a_world_takes_substeps_that_a_deep_fluid_fits_into() -> None:
    """A wave on depth d travels at sqrt(2 g d), by 0.29 supports a step: 22.5 steps a frame here, two a substep.

    Without gravity, or if fewer are needed than requested, a world takes the requested number. A world that is rebuilt,
    as after a tear, takes as many as before.
    """
    column = FluidSpec("water", UNIT * [0.02, 0.02, 0.5], FACES, spacing=0.01)
    for settings, expected in (({}, 12), ({"gravity": (0.0, 0.0, 0.0)}, 10), ({"substeps": 30}, 30)):
        world = build_world(WorldSpec(systems=(column,), **{"substeps": 10, **settings}))
        assert world.substeps == expected and world.h == 1.0 / (24.0 * expected)
    assert least_substeps(1.0, 2.0 / 46.0, 9.81, 1.0 / 24.0, 10) == 15
    deep = FluidSpec("water", UNIT * [0.02, 0.02, 1.1], FACES, spacing=0.01)
    world = build_world(WorldSpec(systems=(deep,), substeps=10))
    assert world.substeps == world.build_torn({}).substeps == 12


def test_thin_fluids_are_smoothed_five_times_a_frame_or_in_each_of_fewer_substeps() -> None:
    for substeps, expected in ((3, 3), (4, 4), (5, 5), (10, 5), (13, 5), (32, 5)):
        timing = Timing(1.0 / (24.0 * substeps), 1.0 / 24.0)
        found = [timing.smooths(1.0 / (24.0 * substeps), (k + 1) / substeps) for k in range(substeps)]
        assert sum(found) == expected and found[-1]


def test_a_bake_that_was_killed_goes_on_with_the_same_steps() -> None:
    """Density, pressures and the last step's length come back: another world takes the same steps to the same bits.

    One drop falls at 90 m/s beside the pool. Only its density shows that it is alone and requires no steps.
    """
    world = pool(90.0)
    step_frame(world)
    resumed = build_world(world.spec)
    resumed.restore(world.snapshot())
    for _ in range(2):
        one, other = step_frame(world), step_frame(resumed)
        assert one.diagnostics["water"] == other.diagnostics["water"]
        assert np.array_equal(one.positions["water"], other.positions["water"])


def test_surface_tension_pulls_no_fluid_too_hard() -> None:
    """The pull on each fluid is 20 gamma / (rho support²), times its adhesion at walls, limited for the lightest.

    Steps follow the limited pull: gamma / (rho support³) is pull / (20 support).
    """
    for gamma, density, other, adhesion, expected in (
        (0.07, 1000.0, 800.0, 0.0, 0.175), (4.0, 100.0, 10.0, 0.0, 800.0), (10.0, 100.0, 10.0, 0.0, MOST_PULL),
        (10.0, 100.0, 5.0, 10.0, MOST_PULL),
    ):
        settings = {"spacing": 0.05, "surface_tension": gamma, "adhesion": adhesion}
        water = FluidSpec("water", 0.1 * UNIT, FACES, density=density, **settings)
        oil = FluidSpec("oil", 0.1 * UNIT + 1.0, FACES, density=other, **settings)
        kinds = kinds_of(build_world(WorldSpec(systems=(water, oil))).systems[0].populations, 0.1)
        inverse_mass, _, pull, _ = kinds.values
        hardest = float((inverse_mass * pull).max()) * max(adhesion, 1.0)
        np.testing.assert_allclose(hardest, expected, rtol=1e-5)
        assert capillary_steps(kinds, 0.1, 0.01) == int(np.ceil(0.01 / RIPPLE * np.sqrt(hardest / (20.0 * 0.1))))
