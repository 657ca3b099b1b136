"""Vector kernels compared with the plain kernels, and the packing that they rely on."""

from __future__ import annotations

import numpy as np
import pytest
from flotsam.engine import SpringGraphSpec, WorldSpec, build_world, step_frame
from flotsam.engine.mesh.graph.order.packing import BLOCK, pack
from flotsam.engine.mesh.graph.order.runs import KINDS
from flotsam.engine.mesh.graph.order.schedule import schedule
from flotsam.engine.mesh.graph.rings import ring_links, surface_pairs
from flotsam.engine.solver.constraints import distance, drift
from flotsam.engine.solver.constraints.columns import MovingRows, RowBlocks, SpringColumns
from flotsam.engine.solver.constraints.gas import volume
from flotsam.engine.solver.constraints.gas.columns import SPEED_SUMS, AirParts, AirRows
from flotsam.engine.solver.vector import air as vector_air
from flotsam.engine.solver.vector import distance as vector
from flotsam.engine.solver.vector import drift as vector_drift
from flotsam.engine.solver.vector import span as vector_span
from one_island import island_of, stages_of_one
from shapes import chain, torus


@pytest.mark.parametrize("case", ["torus", "fan", "two links"])
def test_a_block_holds_every_spring_once_and_no_particle_twice(case: str) -> None:
    pairs, count = graph(case)
    packing = pack(pairs, count, schedule(pairs, count))
    held = packing.spring[packing.spring >= 0]
    assert np.array_equal(np.sort(held), np.arange(len(pairs)))
    for block in packing.spring.reshape(-1, BLOCK):
        ends = pairs[block[block >= 0]].reshape(-1)
        assert len(np.unique(ends)) == len(ends)
    assert packing.task_start[-1] * BLOCK == len(packing.spring)


def graph(case: str) -> tuple[np.ndarray, int]:
    sizes = {"torus": (40, 20), "large torus": (64, 32), "torus cut amid twins": (50, 30)}
    if case in sizes:
        vertices, triangles, edges = torus(1.0, 0.3, *sizes[case])
        return ring_links(surface_pairs(triangles, edges), len(vertices), 2), len(vertices)
    if case == "fan":
        return np.stack([np.zeros(300, dtype=np.int32), np.arange(1, 301, dtype=np.int32)], axis=1), 301
    return np.array([[0, 1], [1, 2]], dtype=np.int32), 3


@pytest.mark.parametrize(("case", "may_run"), [("torus", False), ("large torus", True)])
def test_most_lanes_are_filled(case: str, may_run: bool) -> None:
    """A mesh that is not tiny leaves few lanes empty; otherwise vector code would not pay off."""
    pairs, count = graph(case)
    pairs = np.sort(pairs, axis=1)
    packing = pack(pairs, count, schedule(pairs, count), np.full(count, may_run))
    assert (packing.spring >= 0).mean() > 0.9


@pytest.mark.parametrize("case", ["torus", "large torus", "torus cut amid twins"])
def test_runs_are_rows_that_follow_each_other(case: str) -> None:
    """Most links of a ring are in runs; a run's ends are two times sixteen rows, or 32, each with one link at most.

    All of these rows are in chunks that no other task of the stage touches: rows without a link are written too.
    """
    pairs, count = graph(case)
    pairs = np.sort(pairs, axis=1)
    order = schedule(pairs, count)
    packing = pack(pairs, count, order, np.ones(count, dtype=bool))
    nth = np.arange(BLOCK).reshape(4, 4).T.reshape(-1)
    # Offset of each spring's first end from the run's first row: for plain runs, and for twins of one and of two.
    first_end = nth, 2 * nth, 4 * (nth // 2) + nth % 2
    ran = np.zeros(KINDS, dtype=int)
    for stage in range(len(packing.stage_start) - 1):
        taken: set[int] = set()
        for task in range(packing.stage_start[stage], packing.stage_start[stage + 1]):
            chunks: set[int] = set()
            for block in range(packing.task_start[task], packing.task_start[task + 1]):
                lanes = packing.spring[BLOCK * block : BLOCK * block + BLOCK]
                ends = pairs[lanes[lanes >= 0]]
                kind = int(np.searchsorted(packing.run_stop[task], block, side="right"))
                if kind < KINDS:
                    ran[kind] += len(ends)
                    assert np.array_equal(ends[:, 0] - ends[0, 0], first_end[kind][lanes >= 0])
                    far = np.unique(ends[:, 1] - ends[:, 0])
                    assert len(far) == 1 and (far[0] == kind if kind else far[0] >= BLOCK)
                    ends = ends[0, :1] + np.arange(2 * BLOCK) if kind else ends[0] + np.arange(BLOCK)[:, None]
                chunks |= set(order.chunk[ends].reshape(-1).tolist())
            assert not chunks & taken
            taken |= chunks
    assert ran.min() > 0
    assert ran.sum() > 0.8 * len(pairs)


def test_large_grids_keep_the_order_of_their_mesh() -> None:
    """Large pieces keep the mesh order, so that links form runs; small and shuffled ones are in breadth-first order."""
    for around, across, shuffled, keeps in ((64, 32, False, True), (64, 32, True, False), (24, 12, False, False)):
        vertices, triangles, edges = torus(1.0, 0.3, around, across)
        if shuffled:
            new = np.random.default_rng(1).permutation(len(vertices))
            vertices, triangles, edges = vertices[np.argsort(new)], new[triangles], new[edges]
        body = SpringGraphSpec("ring", vertices, triangles, edges)
        graphs = build_world(WorldSpec(systems=(body,))).systems[0]
        assert np.array_equal(graphs.rows.ids, np.arange(len(vertices))) == keeps
        springs = graphs.springs.columns
        assert np.any(springs.run_stop > springs.task_start[:-1, None]) == keeps


@pytest.mark.parametrize("may_run", [False, True])
@pytest.mark.parametrize("damped", [False, True])
def test_vector_kernels_do_as_the_plain_ones(damped: bool, may_run: bool) -> None:
    """Same springs, same order: a forward and a backward pass agree within 2e-6 of the torus' radius.

    Each of a particle's 50 displacements in the pass rounds by 6e-8 of a length of up to a tenth, and accumulates the
    rounding of those before it.
    """
    rng = np.random.default_rng(1)
    pairs, count = graph("torus")
    pairs = np.sort(pairs, axis=1)
    packing = pack(pairs, count, schedule(pairs, count), np.full(count, may_run))
    assert np.any(np.diff(packing.run_stop, prepend=packing.task_start[:-1, None]), axis=0).all() == may_run
    there = packing.spring >= 0
    i, j = (np.where(there, pairs[packing.spring, k], count).astype(np.int32) for k in (0, 1))
    at, moved = np.zeros((count + 1, 4)), np.zeros((count + 1, 4))
    at[:-1, :3] = torus(1.0, 0.3, 40, 20)[0]
    moved[:-1, :3] = rng.uniform(-0.01, 0.01, (count, 3))
    moved[:, 3] = np.append(rng.uniform(0.0, 2.0, count), 0.0)
    moved = moved.astype(np.float32).astype(np.float64)
    spread, kappa = (np.where(there, rng.uniform(0.5, 1.5, len(i)), 0.0) for _ in range(2))
    follow = np.where(there, rng.uniform(0.0, 1.0, len(i)), 0.0) if damped else np.zeros(0)
    rest = spread * np.linalg.norm(at[i, :3] - at[j, :3], axis=1)
    results = []
    for kernels, span_kernels, number in ((distance, distance, np.float64), (vector, vector_span, np.float32)):
        rows, base = moved.astype(number), np.zeros((3, len(i)), dtype=number)
        length, stiff, followed = (array.astype(number) for array in (rest, kappa, follow))
        lam, goal = np.zeros((2, len(i)), dtype=number)
        springs = SpringColumns(
            i, j, base, length, length, stiff, followed, lam, packing.task_start, packing.run_stop,
            *stages_of_one(packing.stage_start),
        )
        span_kernels.span(at, springs, 0)
        assert np.abs(base - (at[i, :3] - at[j, :3]).T)[:, there].max() < 1e-7
        kernels.relax(rows, springs, 0)
        if damped:
            kernels.follow_lengths(moved.astype(number), springs._replace(goal=goal), 0)
            assert np.abs(goal - length).max() > 0.01
        assert min(np.abs(rows[:, :3] - moved[:, :3]).max(), np.abs(lam).max()) > 0.05
        results.append((rows, lam, goal))
    for plain, vectorized in zip(*results, strict=True):
        assert np.abs(plain - vectorized).max() < 2e-6 * max(np.abs(plain).max(), 1.0)


def test_ends_in_one_place_do_no_harm() -> None:
    """A spring of zero length has no direction and exerts no force."""
    vertices = np.array([[0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0]])
    spec = SpringGraphSpec("s", vertices, edges=np.array([[0, 1], [1, 2]]), graph="EDGES")
    world = build_world(WorldSpec(systems=(spec,), gravity=(0.0, 0.0, 0.0), precision="SINGLE"))
    step_frame(world)
    assert np.array_equal(world.positions("s"), vertices)


@pytest.mark.parametrize("precision", ["SINGLE", "DOUBLE"])
def test_precision_is_what_was_asked_for(precision: str) -> None:
    vertices, edges = chain(3, 1.0, (1.0, 0.0, 0.0))
    spec = SpringGraphSpec("rod", vertices, edges=edges, graph="EDGES")
    world = build_world(WorldSpec(systems=(spec,), precision=precision))
    assert world.systems[0].rows.moved.dtype == {"SINGLE": np.float32, "DOUBLE": np.float64}[precision]


@pytest.mark.parametrize("count", [1, 4, 7, 100])
def test_rows_drift_in_vectors_as_one_by_one(count: int) -> None:
    """Same sums in the same order, so the same bits; rows of held particles keep their velocity."""
    rng = np.random.default_rng(count)
    rows = [rng.uniform(-0.1, 0.1, (count, 4)).astype(np.float32) for _ in range(6)]
    moved, reached, began, *velocities = rows
    inverse_mass = np.where(rng.uniform(size=count) < 0.3, 0.0, rng.uniform(0.5, 2.0, count))
    for array in (moved, reached, began):
        array[:, 3] = inverse_mass
    for array in velocities:
        array[:, 3] = 0.0
    plain, vectors = [array.copy() for array in rows], [array.copy() for array in rows]
    at = np.zeros((count, 4))
    none = np.zeros(0, dtype=np.int64)
    blocks = RowBlocks(none, np.array([0, count // 2, count]), none, none, np.zeros(0), np.zeros((0, 0)))
    drift.drift(MovingRows(at, *plain), blocks, island_of(2), 0, np.float32(0.004))
    vector_drift.drift(MovingRows(at, *vectors), blocks, island_of(2), 0, np.float32(0.004))
    for one, other, before in zip(plain, vectors, rows, strict=True):
        assert np.array_equal(one, other)
        assert np.array_equal(one[:, 3], before[:, 3])
    held, (v, dv_per_step, dv_gradient) = inverse_mass == 0.0, velocities
    expected = v[held, :3] + dv_per_step[held, :3] + dv_gradient[held, :3] * moved[held, 2:3]
    assert np.abs(plain[3][held, :3] - expected).max(initial=0.0) < 1e-7
    assert np.abs(plain[0][:, :3] - moved[:, :3]).max() > 0.0


@pytest.mark.parametrize("apart", [1, 2])
@pytest.mark.parametrize("still", [0.0, 0.3])
def test_air_pushes_rows_in_vectors_as_one_by_one(apart: int, still: float) -> None:
    """The same bits, whether rows are consecutive or not, and whether pieces are crushed or not."""
    rng = np.random.default_rng(1)
    starts, parts = np.array([0, 13, 40, 40, 41]), np.array([0, 0, 1, 1], dtype=np.int32)
    ids = (3 + apart * np.arange(41)).astype(np.int32)
    before = [rng.uniform(-0.1, 0.1, (90, 4)).astype(np.float32) for _ in range(3)]
    before[0][:, 3] = np.where(rng.uniform(size=90) < 0.3, 0.0, rng.uniform(0.5, 2.0, 90))
    gradient = rng.uniform(-1.0, 1.0, (41, 4)).astype(np.float32)
    gradient[:, 3] = 0.0
    push, still_fraction = np.array([1e-2, -1e-3]), np.array([0.0, still])
    none, after = np.zeros(2), []
    every, no_ranges = [np.array([0, 4]), np.arange(4)], np.zeros((0, 2), dtype=np.int64)
    scratch = np.zeros((4, 2)), np.zeros((4, SPEED_SUMS))
    air = AirRows(ids, starts, parts, gradient, *scratch, no_ranges, *every, np.zeros(2, dtype=int), every[1][:0])
    pieces = AirParts(
        *[none] * 2, none > 0.0, *[none] * 5, push, still_fraction, np.zeros((2, 2)), np.array([0, 2]), np.arange(2)
    )
    for kernels in (volume, vector_air):
        after.append([rows.copy() for rows in before])
        kernels.push_apart(MovingRows(np.zeros((90, 4)), *after[-1], *before), air, pieces, 0)
    assert np.abs(after[0][0] - before[0]).max() > 1e-3
    for plain, vectorized in zip(*after, strict=True):
        assert np.array_equal(plain, vectorized)
