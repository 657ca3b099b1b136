"""Flocks: neighbours that agents react to, steering, limits, and independence of substeps and threads."""

from __future__ import annotations

import numpy as np
import pytest
from flotsam.engine import (
    ColliderSpec,
    Flee,
    FlockControl,
    FlockSpec,
    Follow,
    Seek,
    SpecError,
    WaterSpec,
    WorldSpec,
    build_world,
    step_frame,
)
from flotsam.engine.step.advance import frame_now
from flotsam.engine.systems.flock.columns import BANK
from flotsam.engine.systems.flock.posture import posture_attributes
from flotsam.engine.systems.flock.sight import Sight
from flotsam.engine.systems.flock.walls.clearance import distance_to_walls
from flotsam.engine.systems.flock.walls.obstacles import as_walls, forest
from flotsam.engine.world.controls import Controls
from flotsam.engine.world.world import World

CORNERS = np.array([[x, y, z] for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])
SIDES = np.array([
    [0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1], [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4],
    [1, 5, 7], [1, 7, 3],
])


def places(count: int, side: float, seed: int = 0) -> np.ndarray:
    return side * np.random.default_rng(seed).random((count, 3))


def block(middle: tuple[float, float, float], size: tuple[float, float, float]) -> tuple[np.ndarray, np.ndarray]:
    return CORNERS * 0.5 * np.array(size) + np.array(middle), SIDES


def polarization(world: World, name: str = "flock") -> float:
    """Length of the mean of all directions: 1 when all agents move in one direction."""
    v = world.velocities(name)
    return float(np.linalg.norm((v / np.linalg.norm(v, axis=1)[:, None]).mean(axis=0)))


def run(world: World, frames: int) -> np.ndarray:
    """The path of the flock's centre, (frames, 3)."""
    return np.array([step_frame(world).positions["flock"].mean(axis=0) for _ in range(frames)])


def test_t5_a_flock_does_not_depend_on_substeps(truth) -> None:
    """Agents decide once a frame and follow that exactly, so 4 and 8 substeps differ only by how far x lags.

    The flock flies around a block, about 12 m; the centres may differ by 2 % of that distance.
    """
    paths = []
    for substeps in (4, 8):
        spec = FlockSpec("flock", places(60, 3.0), speed=4.0, goal_path=[[12.0, 6.0, 2.0]], distance=0.4)
        world = build_world(WorldSpec((spec, ColliderSpec("wall", *block((6, 2, 1), (1, 4, 8)))), substeps=substeps))
        paths.append(run(world, 72))
    travel = np.linalg.norm(np.diff(paths[0], axis=0), axis=1).sum()
    assert travel > 8.0
    truth("T5", "a flock's middle, 4 and 8 substeps", np.linalg.norm(paths[1] - paths[0], axis=1) / travel, 0.0, 0.02,
          relative=False)


def test_a_school_goes_one_way_and_a_swarm_does_not() -> None:
    school = build_world(WorldSpec((FlockSpec("flock", places(200, 4.0), alignment=1.5, wander=0.1),)))
    swarm = build_world(WorldSpec((
        FlockSpec("flock", places(200, 4.0), alignment=0.0, cohesion=1.5, wander=1.0, speed=2.0),
    )))
    for world in (school, swarm):
        run(world, 72)
    assert polarization(school) > 0.9
    assert polarization(swarm) < 0.3


def test_the_nearest_are_those_that_a_naive_search_finds() -> None:
    """Grids with fitted cells and with the whole sight radius find the same seven in sight, blind angle excluded."""
    x, v = places(700, 6.0), np.random.default_rng(1).normal(size=(700, 3))
    sight = Sight(700, 7, 3.0, np.radians(300.0))
    herd = sight.look(x, v, np.zeros_like(v), 0)
    found = {int(herd.order[i]): {int(herd.order[j]) for j in herd.near[i, : herd.seen[i]]} for i in range(700)}
    nose = v / np.linalg.norm(v, axis=1)[:, None]
    for a in range(0, 700, 7):
        offset = x - x[a]
        far = np.linalg.norm(offset, axis=1)
        seen = (far < 3.0) & (offset @ nose[a] >= np.cos(np.radians(150.0)) * far) & (far > 0.0)
        nearest = sorted(np.flatnonzero(seen), key=lambda j: far[j])[:7]
        assert found[a] == set(nearest), a


def test_between_searches_agents_decide_by_where_the_same_neighbours_are_now() -> None:
    """A search that is not due keeps order and lists, and reads positions and velocities again."""
    x, v = places(300, 4.0), np.random.default_rng(1).normal(size=(300, 3))
    sight = Sight(300, 7, 3.0, np.radians(300.0))
    herd = sight.look(x, v, np.zeros_like(v), 0)
    order, near = herd.order.copy(), herd.near.copy()
    moved = x + np.random.default_rng(2).normal(size=(300, 3))
    herd = sight.look(moved, 2.0 * v, np.zeros_like(v), 0, is_due=False)
    assert (herd.order == order).all() and (herd.near == near).all()
    expected = np.concatenate([moved[order], 2.0 * v[order]], axis=1)
    assert np.abs(herd.rows[:, :6] - expected).max() < 1e-6
    assert (sight.look(moved, v, np.zeros_like(v), 0).near != near).any()


def test_the_ball_without_walls_around_an_agent_reaches_to_the_nearest_wall() -> None:
    """Around a box the distance is |max(|x| - half, 0)|; a ground a hundred times as wide is in a tree of its own."""
    wall, ground = block((0, 0, 0), (2, 3, 4)), block((0, 0, -6), (300, 300, 2))
    corner = np.concatenate([wall[1], ground[1] + 8]).astype(np.int32)
    x = np.concatenate([wall[0], ground[0]])
    walls = as_walls(x, corner, forest(x, corner))
    for place in np.random.default_rng(0).uniform(-4.0, 4.0, (200, 3)):
        away = np.linalg.norm(np.maximum(np.abs(place) - [1.0, 1.5, 2.0], 0.0))
        if away > 0.0:
            found = distance_to_walls(tuple(place), 3.0, walls)
            assert found == pytest.approx(min(away, abs(place[2] + 5.0), 3.0), abs=1e-9)


def test_nobody_gets_through_walls_nor_out_of_a_room() -> None:
    """A fast flock, driven at a wall with a gate by goal, fear and neighbours, stays within its closed room."""
    room = block((0, 0, 3), (16, 10, 6))
    left, right = block((2, -3.2, 3), (0.4, 4, 6)), block((2, 3.2, 3), (0.4, 4, 6))
    spec = FlockSpec(
        "flock", places(300, 3.0) + [-6.0, -1.5, 1.5], speed=8.0, goal_path=[[20.0, 0.0, 3.0]], goal=3.0, distance=0.3,
        predators=[[-7.0, 0.0, 3.0]], fear_radius=4.0, radius=0.05, restitution=0.0,
    )
    # Six sheets that share no vertex: a closed mesh would count as a solid, and its agents as inside it.
    sheets = np.concatenate([room[0][side.reshape(-1)] for side in room[1].reshape(6, 2, 3)])
    walls = ColliderSpec("room", sheets, np.arange(36).reshape(12, 3))
    world = build_world(WorldSpec(
        (spec, walls, ColliderSpec("left", *left), ColliderSpec("right", *right)), substeps=4,
    ))
    far_side = 0
    for _ in range(120):
        x = step_frame(world).positions["flock"]
        assert (np.abs(x - [0, 0, 3]) < [8.0, 5.0, 3.0]).all()
        for middle in ((2, -3.2, 3), (2, 3.2, 3)):
            assert not (np.abs(x - middle) < [0.2, 2.0, 3.0]).all(axis=1).any()
        far_side = max(far_side, int((x[:, 0] > 2.5).sum()))
    assert far_side > 100


@pytest.mark.parametrize("integrator", ["XPBD", "SYMPLECTIC"])
def test_a_snapshot_and_any_number_of_threads_give_the_same_bits(integrator: str) -> None:
    ends = []
    for threads in (1, 2):
        systems = (
            FlockSpec("flock", places(1200, 5.0) + [0.0, 0.0, 1.0], goal_path=[[9.0, 0.0, 2.0], [0.0, 9.0, 4.0]]),
            FlockSpec("hawk", [[-3.0, 0.0, 3.0]], speed=8.0), ColliderSpec("wall", *block((8, 2, 3), (1, 6, 8))),
            WaterSpec("water", -1.0),
        )
        rules = (Flee("flock", "hawk"), Seek("hawk", "flock"))
        world = build_world(WorldSpec(systems, rules, substeps=3, threads=threads, integrator=integrator))
        for _ in range(3):
            step_frame(world)
        saved = world.snapshot()
        for _ in range(2):
            world.restore(saved)
            for _ in range(4):
                step_frame(world)
            ends.append(world.state.x.tobytes() + world.state.columns["posture"].tobytes())
    assert len(set(ends)) == 1


def test_the_rotation_takes_forward_to_the_nose_and_keeps_the_right_side_level() -> None:
    """Also straight up, straight down and back; a bank of b lowers the right side by sin b of a level agent."""
    noses = np.random.default_rng(3).normal(size=(50, 3))
    noses[:4] = [0, 0, 1], [0, 0, -1], [0, -1, 0], [1, 0, 0]
    noses /= np.linalg.norm(noses, axis=1)[:, None]
    posture = np.zeros((50, 4))
    posture[3, BANK] = 0.3
    v, attribute_v = np.full((50, 3), 2.0), np.empty((50, 3), dtype=np.float32)
    attributes = posture_attributes(v, v, noses, posture, np.empty_like(attribute_v), attribute_v)
    assert (attribute_v == 2.0).all() and attributes["speed"] == pytest.approx(2.0 * 3.0**0.5)
    w, x, y, z = (attributes[name].astype(float) for name in ("qw", "qx", "qy", "qz"))
    forward = np.stack([2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)], axis=1)
    sinks = -2 * (x * z - w * y)
    assert np.abs(forward - noses).max() < 1e-6
    assert sinks == pytest.approx(np.where(np.arange(50) == 3, np.sin(0.3), 0.0), abs=1e-6)


def test_they_land_on_perches_take_off_in_fright_and_bank_into_curves() -> None:
    perches = np.array([[10.0, 0.4 * k, 3.0] for k in range(8)])
    spec = FlockSpec(
        "flock", places(8, 2.0) + [0.0, 0.0, 3.0], speed=4.0, goal_path=perches[:1], perches=perches, arrival="LAND",
        distance=0.2, goal=1.0,
    )
    world = build_world(WorldSpec((spec,)))
    banked = 0.0
    for _ in range(168):
        frame = step_frame(world)
        banked = max(banked, float(np.abs(frame.attributes["flock"]["bank"]).max()))
    assert (frame.attributes["flock"]["state"] == 2.0).all() and banked > 0.2
    far = np.linalg.norm(frame.positions["flock"][:, None] - perches, axis=2).min(axis=1)
    assert far.max() < 0.1 and np.abs(frame.velocities["flock"]).max() < 0.1
    for _ in range(24):
        frame = step_frame(world)
    # Wings have stopped beating; effort has decayed with a time constant of 0.2 s, for a second at least.
    assert (frame.attributes["flock"]["phase"] == 0.0).all() and frame.attributes["flock"]["effort"].max() < 0.01
    for _ in range(24):
        frame = step_frame(world, Controls(flocks={"flock": FlockControl(predators=np.array([[10.0, 1.0, 2.0]]))}))
    assert (frame.attributes["flock"]["state"] == 0.0).all() and (frame.attributes["flock"]["phase"] > 0.0).any()


def test_ducklings_float_follow_in_line_and_are_carried() -> None:
    """A duckling of density 500 floats with its centre at the water level; a stream of 0.3 m/s carries all of them."""
    ducklings = FlockSpec(
        "flock", [[-0.5 - 0.5 * k, 0.0, 0.1] for k in range(5)], motion="WALK", speed=0.6, radius=0.08, mass=0.3,
        distance=0.2, goal=0.0, wander=0.0,
    )
    duck = FlockSpec("duck", [[0.0, 0.0, 0.1]], motion="WALK", speed=0.5, goal_path=[[20.0, 0.0, 0.0]], wander=0.0)
    world = build_world(WorldSpec(
        (ducklings, duck, WaterSpec("water", 0.0, flow=(0.0, 0.3, 0.0))),
        (Follow("flock", "duck", gap=0.4, in_line=True),),
    ))
    run(world, 144)
    x, lead = world.positions("flock"), world.positions("duck")[0]
    assert np.abs(x[:, 2]).max() < 0.05
    assert lead[1] > 0.8 and x[:, 1].min() > 0.5
    apart = np.linalg.norm(np.diff(np.concatenate([lead[None], x]), axis=0), axis=1)
    assert 0.2 < apart.min() and apart.max() < 0.9, apart
    assert (np.diff(x[:, 0]) < 0.0).all()


def test_of_ten_thousand_agents_none_gets_through_a_wall(pytestconfig: pytest.Config) -> None:
    """Among nine towers in a room with their goal outside and a predator inside; 1,000 frames in the long run."""
    room = block((0, 0, 10), (40, 40, 20))
    sheets = np.concatenate([room[0][side.reshape(-1)] for side in room[1].reshape(6, 2, 3)])
    middles = [(x, y) for x in (-10.0, 0.0, 10.0) for y in (-10.0, 0.0, 10.0)]
    x = np.random.default_rng(0).uniform(-18.0, 18.0, (14000, 3)) * [1.0, 1.0, 0.45] + [0.0, 0.0, 10.0]

    def within(x: np.ndarray, more: float) -> np.ndarray:
        return np.any([(np.abs(x[:, :2] - middle) < 1.0 + more).all(axis=1) for middle in middles], axis=0)

    x = x[~within(x, 0.3)][:10000]
    flock = FlockSpec(
        "flock", x, speed=8.0, goal_path=[[100.0, 0.0, 10.0]], goal=2.0, predators=[[-18.0, 0.0, 10.0]],
        fear_radius=6.0, distance=0.4,
    )
    towers = [ColliderSpec(f"tower {k}", *block((*middle, 10), (2, 2, 20))) for k, middle in enumerate(middles)]
    walls = ColliderSpec("room", sheets, np.arange(36).reshape(12, 3))
    world = build_world(WorldSpec((flock, walls, *towers), substeps=4))
    assert len(x) == 10000
    for _ in range(1000 if pytestconfig.getoption("--flocks") > 100 else 80):
        x = step_frame(world).positions["flock"]
        assert (np.abs(x - [0, 0, 10]) <= [20.0, 20.0, 10.0]).all() and not within(x, 0.0).any()


def test_fish_may_start_in_an_open_tank_and_birds_have_each_their_beat_from_the_start() -> None:
    tank = ColliderSpec("tank", CORNERS, np.delete(SIDES, (10, 11), axis=0))
    world = build_world(WorldSpec((FlockSpec("flock", places(40, 0.5)), tank)))
    first = frame_now(world).attributes["flock"]["phase"]
    assert np.ptp(first) > 0.5
    run(world, 2)


BAD = {
    "zero sight": ((FlockSpec("flock", [[0, 0, 0.0]], sight_radius=0.0),), (), "sight_radius"),
    "its own prey": ((FlockSpec("flock", [[0, 0, 0.0]]),), (Flee("flock", "flock"),), "itself"),
    "inside a collider": (
        (FlockSpec("flock", places(4, 0.5)), ColliderSpec("rock", CORNERS, SIDES)), (), "4 of 4 agents inside rock",
    ),
    "headings": ((FlockSpec("flock", places(4, 0.5), headings=[[1.0, 0, 0]]),), (), "headings"),
    "nowhere": ((FlockSpec("flock", [[np.nan, 0, 0]]),), (), "positions"),
    "no path": ((FlockSpec("flock", places(4, 0.5), goal_path=[[0.0, 0.0]]),), (), "goal_path"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_refused_in_one_sentence(case: str) -> None:
    systems, rules, said = BAD[case]
    with pytest.raises(SpecError, match=said) as caught:
        step_frame(build_world(WorldSpec(systems, rules)))
    assert "flock" in str(caught.value) and "\n" not in str(caught.value)


def test_one_agent_and_agents_in_one_place_do_no_harm() -> None:
    lonely = build_world(WorldSpec((FlockSpec("flock", [[0.0, 0, 0]], goal_path=[[5.0, 0, 0], [5.0, 0, 0]]),)))
    assert np.isfinite(run(lonely, 24)).all()
    crowd = build_world(WorldSpec((FlockSpec("flock", np.zeros((20, 3)), distance=0.4),)))
    run(crowd, 24)
    x = crowd.positions("flock")
    apart = np.linalg.norm(x[:, None] - x, axis=2)[np.triu_indices(20, 1)]
    assert apart.min() > 0.01 and np.isfinite(x).all()
