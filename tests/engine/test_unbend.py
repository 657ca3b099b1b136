"""Pre-stabilization: relaxes without velocity what contacts displaced, and moves nothing else."""

import numpy as np
import pytest
from flotsam.engine import SpringGraphSpec, WorldSpec, build_world
from flotsam.engine.solver.constraints.drift import place_rows
from flotsam.engine.solver.constraints.gas import volume
from flotsam.engine.solver.contact_buffer import contact_buffer
from flotsam.engine.solver.inner_steps.measured_air import measure_air
from flotsam.engine.solver.vector import distance as vector
from flotsam.engine.solver.vector import span as vector_span
from flotsam.engine.systems.spring_graph.pre_stabilization import PASSES
from flotsam.engine.world.world import World
from shapes import sheet, torus

SIDE = 9
MIDDLE = SIDE * SIDE // 2


def test_only_who_is_near_goes_straight():
    """A sheet stretched by a hundredth, whose middle was moved back: the middle returns, all else stays.

    The middle is displaced by 0.05 m within the plane; its springs pull it back to the point where they balance, its
    original place. Particles without a spring to it keep their place to the last bit, though their springs pull too.
    """
    vertices, triangles, edges = sheet((0.8, 0.8), (SIDE - 1, SIDE - 1))
    spec = SpringGraphSpec("sheet", vertices, triangles, edges, mass=0.1, stiffness=1e5)
    world = build_world(WorldSpec((spec,), gravity=(0.0, 0.0, 0.0)))
    state, graph = world.state, world.systems[0]
    begun = 1.01 * vertices
    begun[MIDDLE, 0] += 0.05
    state.x_prev[:] = begun
    state.was_clamped[MIDDLE] = True
    graph.pre_stabilization.act(world, world.h)
    i, j = graph.springs.i, graph.springs.j
    joined = np.unique(np.concatenate([graph.rows.ids[b[(a == graph.rows.row[MIDDLE]) & (b < graph.rows.spare)]]
                                       for a, b in ((i, j), (j, i))]))
    far = np.setdiff1d(np.arange(len(vertices)), np.append(joined, MIDDLE))
    assert len(joined) >= 4
    assert len(far) > 40
    assert np.array_equal(state.x_prev[far], begun[far])
    assert np.linalg.norm(state.x_prev[MIDDLE] - 1.01 * vertices[MIDDLE]) < 0.005
    assert not state.was_clamped.any()
    assert state.v == pytest.approx(0.0)


@pytest.mark.parametrize("push", [0.0, -40.0, 40.0, 10.0])
def test_nobody_goes_straight_against_the_water_that_presses_it(push: float) -> None:
    """The middle of a sheet was moved by 0.05 m. It goes back, also with water behind it, which adds nothing.

    It stays where water that presses it further would move it by more. Where water would move it by 0.042 m
    it goes until its springs would move it by as much: by less than 0.01 m.
    """
    vertices, triangles, edges = sheet((0.8, 0.8), (SIDE - 1, SIDE - 1))
    spec = SpringGraphSpec("sheet", vertices, triangles, edges, mass=0.1, stiffness=1e5)
    world = build_world(WorldSpec((spec,), gravity=(0.0, 0.0, 0.0)))
    state = world.state
    begun = vertices.copy()
    begun[MIDDLE, 0] += 0.05
    state.x_prev[:] = begun
    state.was_clamped[MIDDLE] = True
    world.spread_force.dv_per_step = np.zeros_like(vertices)
    world.spread_force.dv_per_step[MIDDLE, 0] = push
    world.systems[0].pre_stabilization.act(world, world.h)
    gone = begun[MIDDLE, 0] - state.x_prev[MIDDLE, 0]
    least, most = {-40.0: (0.045, 0.051), 0.0: (0.045, 0.051), 10.0: (0.003, 0.01), 40.0: (0.0, 0.0)}[push]
    assert least <= gone <= most


def test_nobody_goes_straight_whom_a_contact_holds():
    """The middle of a sheet and all its neighbours are in contact: they stay, because the rest of the sheet is free."""
    vertices, triangles, edges = sheet((0.8, 0.8), (SIDE - 1, SIDE - 1))
    spec = SpringGraphSpec("sheet", vertices, triangles, edges, mass=0.1, stiffness=1e5)
    world = build_world(WorldSpec((spec,), gravity=(0.0, 0.0, 0.0)))
    state, graph = world.state, world.systems[0]
    chosen = np.zeros(len(graph.rows.at), dtype=bool)
    chosen[graph.rows.row[MIDDLE]] = True
    held = graph.rows.ids[np.flatnonzero(graph.springs.joined(chosen)[:-1])]
    world.holds = contact_buffer(len(held))
    world.holds.contact[:] = held[:, None]
    world.holds.count = len(held)
    begun = vertices.copy()
    begun[MIDDLE, 0] += 0.05
    state.x_prev[:] = begun
    state.was_clamped[MIDDLE] = True
    graph.pre_stabilization.act(world, world.h)
    assert 4 < len(held) < len(vertices)
    assert np.array_equal(state.x_prev, begun)
    assert not state.was_clamped.any()


def _straight_as_a_whole(world: World, who: np.ndarray) -> np.ndarray:
    """Resulting positions of rows (m,), (m, 3), when each pass processes all air and all springs, block by block."""
    graph, state = world.systems[0], world.state
    rows, springs, gas = graph.rows, graph.springs, graph.gas
    everybody = np.ones(len(rows.at), dtype=bool)
    around, parts = springs.around(everybody), gas.parts
    place_rows(state.x_prev, rows.ids, rows.block_start, rows.block_first, rows.at)
    moved, before = rows.moved.copy(), rows.at[who, :3]
    moved[:, 3] = 0.0
    moved[who, 3] = rows.moved[who, 3]
    pressure, push, still = np.zeros((3, len(gas.body)))
    last = np.zeros((len(gas.body), 2))
    parts = parts._replace(pressure=pressure, push=push, still=still, last=last)
    for _ in range(PASSES):
        measure_air(rows.at, 0, gas.rows, gas.surface, parts, gas.rims)
        measure_air(rows.at, 1, gas.rows, gas.surface, parts, gas.rims)
        last[:] = 0.0
        volume.gas_pressures(parts, 0, gas.volume, gas.volume, world.h)
        volume.gas_pressures(parts, 1, gas.volume, gas.volume, world.h)
        gradient = np.zeros((len(rows.at), 3))
        gradient[gas.ids] = gas.rows.gradient[:, :3]
        moved[who, :3] += (push[0] * moved[who, 3].astype(np.float64))[:, None] * gradient[who]
        vector_span.span(rows.at, around, 0)
        vector.relax(moved, around, 0)
        rows.at[who, :3] += moved[who, :3]
        moved[who, :3] = 0.0
    return state.x_prev[rows.ids[who]] + (rows.at[who, :3] - before)


@pytest.mark.parametrize("around", [12, 64])
def test_to_look_around_the_few_is_to_look_at_all(around):
    """Two vertices of an inflated tube are moved back: measuring only the air near them gives the same result as all.

    One tube is one block of triangles; the larger ones are several, few of which are measured again. Single precision
    rounds each of 32 passes with displacements of at most 0.05 m: 32 x 0.05 x 6e-8 = 1e-7 m.
    """
    vertices, triangles, edges = torus(1.0, 0.3, around, 24)
    common = {"mass": 1.0, "stiffness": 1e5, "pressure": 2000.0}
    world = build_world(WorldSpec((
        SpringGraphSpec("one", vertices, triangles, edges, **common),
        SpringGraphSpec("other", vertices + [0.0, 0.0, 2.0], triangles, edges, **common),
    ), gravity=(0.0, 0.0, 0.0)))
    state, graph = world.state, world.systems[0]
    state.x_prev[:] = state.x
    state.x_prev[[5, 6]] += [0.0, 0.03, 0.05]
    state.was_clamped[[5, 6]] = True
    chosen = np.zeros(len(graph.rows.at), dtype=bool)
    chosen[graph.rows.row[[5, 6]]] = True
    who = np.flatnonzero(graph.springs.joined(chosen)[:-1])
    begun = state.x_prev.copy()
    expected = _straight_as_a_whole(world, who)
    graph.pre_stabilization.act(world, world.h)
    assert state.x_prev[graph.rows.ids[who]] == pytest.approx(expected, abs=1e-7)
    assert np.abs(state.x_prev[5] - begun[5]).max() > 0.01
    others = np.setdiff1d(np.arange(len(begun)), graph.rows.ids[who])
    assert np.array_equal(state.x_prev[others], begun[others])
