"""T21 and T22 with flocks: random scenes of agents among soft and rigid bodies, water and fields in a closed room.

`python -m pytest tests/flock/test_mixed_scenes.py --flocks 10000` is the long run.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from energy_ledger import measured
from flotsam.engine import (
    ColliderSpec,
    FlockSpec,
    ForceFieldSpec,
    SpringGraphSpec,
    VoxelBodySpec,
    WaterSpec,
    WorldSpec,
    build_world,
    step_frame,
)
from flotsam.engine.systems.spring_graph.pre_stabilization import PreStabilization
from flotsam.engine.world.world import World
from test_flock import CORNERS, SIDES
from wide_scenes import wider

ROOM = 4.0
FRAMES = 36
# Speed that a fall through the room, a flock at its fastest, the wind and a push together give [m/s]. A light body that
# is pinched may be faster, with less than a fraction, PINCHED, of all energy.
FASTEST, PINCHED = 100.0, 0.1
# Energy that may appear without input: a fraction of the work of forces, and that of air and overlaps at the start [J].
HEAT, AT_START = 0.02, 20.0


def ball(rng: np.random.Generator, name: str) -> SpringGraphSpec:
    """An inflated cube with twelve faces, anywhere in the room, soft or stiff."""
    stiffness, mass = 10.0 ** rng.uniform(2.0, 6.0), 10.0 ** rng.uniform(-2.0, 1.5)
    place = rng.uniform(-1.3, 1.3, 3) * [1.0, 1.0, 0.5]
    return SpringGraphSpec(name, 0.25 * CORNERS + place, SIDES, stiffness=stiffness, mass=mass, pressure=50.0)


def scene(seed: int) -> WorldSpec:
    """A room of 4 m with up to two flocks, three soft and three rigid bodies, some with water or wind."""
    rng = np.random.default_rng(seed)
    # Separate walls: a closed collider would push all bodies to its outside.
    systems: list[object] = [
        ColliderSpec(f"wall {k}", 0.5 * ROOM * CORNERS, SIDES[2 * k : 2 * k + 2]) for k in range(6)
    ]
    for k in range(int(rng.integers(1, 3))):
        systems.append(FlockSpec(
            f"flock {k}", rng.uniform(-1.5, 1.5, (int(rng.integers(5, 60)), 3)), radius=rng.uniform(0.01, 0.06),
            motion=("FLY", "SWIM", "WALK")[int(rng.integers(3))], speed=rng.uniform(0.2, 12.0),
            mass=10.0 ** rng.uniform(-3.0, 1.0), distance=rng.uniform(0.05, 1.0), grip=rng.uniform(0.0, 20.0),
            goal_path=rng.uniform(-4.0, 4.0, (1, 3)), arrival=("PASS", "LAND")[int(rng.integers(2))],
            predators=rng.uniform(-2.0, 2.0, (1, 3)) if rng.random() < 0.3 else None,
        ))
    systems += [ball(rng, f"ball {k}") for k in range(int(rng.integers(0, 4)))]
    for k in range(int(rng.integers(0, 4))):
        place = np.array([-1.2 + 1.2 * k, rng.uniform(-1.2, 1.2), 1.3])
        systems.append(VoxelBodySpec(
            f"crate {k}", rng.uniform(0.1, 0.25) * CORNERS + place, SIDES, voxel_size=0.1,
            density=10.0 ** rng.uniform(0.5, 3.5),
        ))
    if rng.random() < 0.4:
        systems.append(WaterSpec("water", rng.uniform(-1.0, 0.5)))
    if rng.random() < 0.4:
        systems.append(ForceFieldSpec("wind", np.eye(4), type="WIND", strength=rng.uniform(-30.0, 30.0)))
    return WorldSpec(systems=tuple(systems), substeps=int(rng.choice([4, 10])))


def outside(world: World, spec: WorldSpec) -> list[str]:
    """Names of bodies that are not within the room."""
    names = [one.name for one in spec.systems if one.kind in ("FLOCK", "SPRING_GRAPH", "VOXEL_BODY")]
    return [name for name in names if not np.abs(world.positions(name)).max() < 0.5 * ROOM + 1e-3]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "seed" in metafunc.fixturenames:
        metafunc.parametrize("seed", range(metafunc.config.getoption("--flocks")))


def test_t21_t22_nothing_explodes_and_nobody_leaves_the_room(seed: int) -> None:
    """No energy without input, no body leaves, and no speed beyond FASTEST except of light bodies that were pinched.

    Springs and contacts give no energy, so at any time K <= K(0) + the work of all forces, see `energy_ledger`. Added
    to it are the energy of air at the start, 50 Pa in 0.125 m³ each, the energy that recovery gives bodies that start
    inside each other, and the error of the work of water on crates that rotate (HEAT of all work): at most 19 of
    1,717 J in 250 scenes.
    """
    conserve(scene(seed))


@pytest.mark.parametrize("wide_seed", (0, 2, 3, 4, 6, 7, 300378, 300472))
def test_t21_t22_with_ropes_cloth_fluids_and_rules(wide_seed: int) -> None:
    """The same for wider scenes; 4 and 300472 diverged, and 300378 reached 578 m/s, while long ties threw crates."""
    hold(wider(scene(wide_seed), wide_seed))


@pytest.mark.parametrize("found_seed", (420008, 420063, 421030))
def test_t21_agents_in_a_ball_come_out(found_seed: int) -> None:
    """A stiff, light ball starts around a heavy agent. Contact pushed it out and the last check held it back.

    So the agent dragged the ball along, to 14 MJ in its springs: 1,612, 474 and 831 m/s.
    """
    conserve(scene(found_seed))


def test_t21_a_crate_on_a_limp_ball_keeps_no_speed() -> None:
    """Supported by a ball that it presses flat, it gained 400 J a frame without moving, 2 kJ more than gravity gave."""
    conserve(scene(6500))


@pytest.mark.parametrize("found_seed", (421057, 421545, 421701, 422440, 424282))
def test_t21_what_is_pinched_gets_no_more_than_there_is(found_seed: int) -> None:
    """Balls of some 20 g, squeezed out between crates or agents of kilojoules, are faster than FASTEST with 100 J.

    This holds in all but one of five starts that differ by a tenth of a micrometre: the ball of 421701 had more in one
    of sixty (0.122 of all energy, and 0.013 in half of them; 0.126, two and 0.057 while air kept its directions for
    longer).
    """
    fractions = sorted(pinched_fraction(scene(found_seed), start) for start in range(5))
    assert fractions[-2] < PINCHED


@pytest.mark.parametrize("found_seed", (2346, 5626, 9254, 9391))
def test_t21_what_contacts_inject_goes_round_no_island(found_seed: int) -> None:
    """Balls of 13 g to 1.2 kg between crates and agents a hundred times heavier, which contacts deform by kilojoules.

    2346 was left with 54 kJ: a crate yielded to a part of what it got. 5626 gained 0.7 kJ: springs of the other ball
    stored what the first released. The others gained 0.1 kJ while agents and crates took no part in the limit.
    """
    conserve(scene(found_seed))


@pytest.mark.parametrize("found_seed", (8791, 9368, 9942))
def test_t21_pre_stabilization_does_no_work_against_water(found_seed: int) -> None:
    """Balls under water that agents hit: their springs, which the water stretches, were relaxed against its pressure.

    The water returned that displacement as motion, which added 93, 83 and 42 J; the last ball drifted without velocity.
    """
    conserve(scene(found_seed))


@pytest.mark.parametrize("found_seed", (1355, 1868, 4160, 6308, 7870, 8800))
def test_t21_what_the_long_run_found(found_seed: int) -> None:
    """In 4160 2 kJ that the springs of a ball stored in the air of another were not counted: 3.9 kJ too much.

    In 1868 relaxing a crushed ball of 0.6 kg moved a vertex by 0.6 m and stored 3.8 kJ in its air, which threw it at
    122 m/s. In 1355 recovery separates two balls that water presses together: 0.8 J a substep were not counted, 29 J in
    all. In the others energy that recovery injected was not counted where rigid bodies touched: 17, 390 and 17 J.
    """
    conserve(scene(found_seed))


@pytest.mark.parametrize("relaxed_seed", (6500, 9368))
def test_relaxing_stores_nothing(relaxed_seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pre-stabilization must not increase stored energy; it once added 2.0 kJ, and 17 J in small parts."""
    relax, gained = PreStabilization._relax, []

    def measured_relax(self: PreStabilization, *args: Any) -> None:
        injected, state = self.injected_energy, args[2].state
        before, air = state.x_prev.copy(), injected._air_of(state.x_prev)
        relax(self, *args)
        injected.note(before)
        injected._add_springs(state.x_prev)
        gained.append(injected._stored + injected._air_of(state.x_prev) - air)

    monkeypatch.setattr(PreStabilization, "_relax", measured_relax)
    world = build_world(scene(relaxed_seed))
    for _ in range(FRAMES):
        step_frame(world)
    assert len(gained) > 0
    # Rounding of the energy of the air, 12.7 kJ.
    assert np.max(gained) < 1e-6


@pytest.mark.parametrize("found_seed", (410338, 410589))
def test_t21_agents_take_nothing_from_what_they_touch(found_seed: int) -> None:
    """A ball takes the inner steps that it needs, and its motion is limited by injected energy, also next to agents.

    With the single step of an agent 410589 reached 170 m/s; when the motion of agents was limited too, 410338 reached
    239.
    """
    hold(scene(found_seed))


def conserve(spec: WorldSpec) -> None:
    """Solve a scene and check energies, speeds and places."""
    assert pinched_fraction(spec) < PINCHED


def pinched_fraction(spec: WorldSpec, start: int = 0) -> float:
    """Solve a scene and check energies and places; start: 0, or a seed for displacements of a tenth of a micrometre.

    Returns:
        The largest fraction of all energy that a body had while it was faster than FASTEST.
    """
    world, fraction = build_world(spec), 0.0
    if start:
        moves = world.model.inv_mass[:, None] > 0.0
        world.state.x += np.random.default_rng(start).normal(0.0, 1e-7, world.state.x.shape) * moves
    # The ledger counts heights from the middle of the room; the energy of a fall from there to the floor comes on top.
    to_floor = 0.0 if world.rigid is None else 9.81 * 0.5 * ROOM * float(world.rigid.mass.sum())
    with measured(world) as ledger:
        for _ in range(FRAMES):
            step_frame(world)
            assert np.isfinite(world.state.x).all() and np.isfinite(world.state.v).all()
            assert ledger.kinetic <= ledger.given + HEAT * abs(ledger.given) + AT_START
            speed = np.linalg.norm(world.state.v, axis=1)
            body = world.model.body == world.model.body[speed.argmax()]
            if speed.max() >= FASTEST:
                of_body = 0.5 * float((world.model.mass * speed**2)[body].sum())
                fraction = max(fraction, of_body / (ledger.given + to_floor))
    assert outside(world, spec) == []
    return fraction


def hold(spec: WorldSpec) -> None:
    """Solve a scene and check speeds and places."""
    world = build_world(spec)
    for _ in range(FRAMES):
        step_frame(world)
        assert np.isfinite(world.state.x).all() and np.isfinite(world.state.v).all()
        assert np.linalg.norm(world.state.v, axis=1).max() < FASTEST
    assert outside(world, spec) == []
