"""Pre-stabilization relaxes particles that contacts displaced, without velocity, and moves no others."""

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
    """A sheet stretched by a hundredth, whose middle vertex was displaced: it returns, all others stay.

    The middle is displaced by 0.05 m within the plane; its springs pull it back to their equilibrium, its original
    position. Particles without a spring to it keep their position to the last bit, although their springs pull too.
    """
    vertices, triangles, edges = sheet((0.8, 0.8), (SIDE - 1, SIDE - 1))
    spec = SpringGraphSpec("sheet", vertices, triangles, edges, mass=0.1, stiffness=1e5)
    world = build_world(WorldSpec((spec,), gravity=(0.0, 0.0, 0.0)))
    state, graph = world.state, world.systems[0]
    start = 1.01 * vertices
    start[MIDDLE, 0] += 0.05
    state.x_prev[:] = start
    state.was_clamped[MIDDLE] = True
    graph.pre_stabilization.act(world, world.h)
    i, j = graph.springs.i, graph.springs.j
    joined = np.unique(np.concatenate([graph.rows.ids[b[(a == graph.rows.row[MIDDLE]) & (b < graph.rows.spare)]]
                                       for a, b in ((i, j), (j, i))]))
    far = np.setdiff1d(np.arange(len(vertices)), np.append(joined, MIDDLE))
    assert len(joined) >= 4
    assert len(far) > 40
    assert np.array_equal(state.x_prev[far], start[far])
    assert np.linalg.norm(state.x_prev[MIDDLE] - 1.01 * vertices[MIDDLE]) < 0.005
    assert not state.was_clamped.any()
    assert state.v == pytest.approx(0.0)


@pytest.mark.parametrize("push", [0.0, -40.0, 40.0, 10.0])
def test_nobody_goes_straight_against_the_water_that_presses_it(push: float) -> None:
    """The middle of a sheet was moved by 0.05 m. It returns, also if water presses it back, which adds nothing.

    It stays if water that presses it further would move it by more. If water would move it by 0.042 m, it returns until
    its springs would move it by as much: by less than 0.01 m.
    """
    vertices, triangles, edges = sheet((0.8, 0.8), (SIDE - 1, SIDE - 1))
    spec = SpringGraphSpec("sheet", vertices, triangles, edges, mass=0.1, stiffness=1e5)
    world = build_world(WorldSpec((spec,), gravity=(0.0, 0.0, 0.0)))
    state = world.state
    start = vertices.copy()
    start[MIDDLE, 0] += 0.05
    state.x_prev[:] = start
    state.was_clamped[MIDDLE] = True
    world.spread_force.dv_per_step = np.zeros_like(vertices)
    world.spread_force.dv_per_step[MIDDLE, 0] = push
    world.systems[0].pre_stabilization.act(world, world.h)
    displacement = start[MIDDLE, 0] - state.x_prev[MIDDLE, 0]
    least, most = {-40.0: (0.045, 0.051), 0.0: (0.045, 0.051), 10.0: (0.003, 0.01), 40.0: (0.0, 0.0)}[push]
    assert least <= displacement <= most


def test_nobody_goes_straight_whom_a_contact_holds():
    """The middle of a sheet and all its neighbours are in contact: they stay, because the rest of the sheet is free."""
    vertices, triangles, edges = sheet((0.8, 0.8), (SIDE - 1, SIDE - 1))
    spec = SpringGraphSpec("sheet", vertices, triangles, edges, mass=0.1, stiffness=1e5)
    world = build_world(WorldSpec((spec,), gravity=(0.0, 0.0, 0.0)))
    state, graph = world.state, world.systems[0]
    chosen = np.zeros(len(graph.rows.at), dtype=bool)
    chosen[graph.rows.row[MIDDLE]] = True
    held = graph.rows.ids[np.flatnonzero(graph.springs.joined(chosen)[:-1])]
    world.contact_buffer = contact_buffer(len(held))
    world.contact_buffer.contact[:] = held[:, None]
    world.contact_buffer.count = len(held)
    start = vertices.copy()
    start[MIDDLE, 0] += 0.05
    state.x_prev[:] = start
    state.was_clamped[MIDDLE] = True
    graph.pre_stabilization.act(world, world.h)
    assert 4 < len(held) < len(vertices)
    assert np.array_equal(state.x_prev, start)
    assert not state.was_clamped.any()


def _relax_all(world: World, moving: np.ndarray) -> np.ndarray:
    """Resulting positions (m, 3) of `moving` rows (m,) when each pass processes all air and springs, block by block."""
    graph, state = world.systems[0], world.state
    rows, springs, gas = graph.rows, graph.springs, graph.gas
    all_rows = np.ones(len(rows.at), dtype=bool)
    around, parts = springs.around(all_rows), gas.parts
    place_rows(state.x_prev, rows.ids, rows.block_start, rows.block_first, rows.at)
    moved, before = rows.moved.copy(), rows.at[moving, :3]
    moved[:, 3] = 0.0
    moved[moving, 3] = rows.moved[moving, 3]
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
        moved[moving, :3] += (push[0] * moved[moving, 3].astype(np.float64))[:, None] * gradient[moving]
        vector_span.span(rows.at, around, 0)
        vector.relax(moved, around, 0)
        rows.at[moving, :3] += moved[moving, :3]
        moved[moving, :3] = 0.0
    return state.x_prev[rows.ids[moving]] + (rows.at[moving, :3] - before)


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
    moving = np.flatnonzero(graph.springs.joined(chosen)[:-1])
    start = state.x_prev.copy()
    expected = _relax_all(world, moving)
    graph.pre_stabilization.act(world, world.h)
    assert state.x_prev[graph.rows.ids[moving]] == pytest.approx(expected, abs=1e-7)
    assert np.abs(state.x_prev[5] - start[5]).max() > 0.01
    others = np.setdiff1d(np.arange(len(start)), graph.rows.ids[moving])
    assert np.array_equal(state.x_prev[others], start[others])
