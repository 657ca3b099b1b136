"""Neighbour tables, and the vector kernel that reads them against its plain twin."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from flotsam.engine.compiler.kernels import kernel
from flotsam.engine.mesh.graph.neighbours import LANES, Neighbours, build_neighbours
from flotsam.engine.solver.forces import gather as plain
from flotsam.engine.solver.forces.columns import GatherBuffers, GatherMotion, GatherSlots
from flotsam.engine.solver.vector import gather as vector
from flotsam.engine.solver.vector.ir import lanes as lanes_module
from numba.core import types
from numba.extending import intrinsic


def links(shuffled: bool) -> tuple[np.ndarray, np.ndarray]:
    """Places and links of a torus of 40 by 32 vertices, in mesh order or shuffled; and a rope of three.

    Each vertex is linked to those up to two steps along and two across.
    """
    along, across = (grid.reshape(-1) for grid in np.meshgrid(np.arange(40), np.arange(32), indexing="ij"))
    turn, lift = 2.0 * np.pi * along / 40, 2.0 * np.pi * across / 32
    radius = 1.0 + 0.3 * np.cos(lift)
    vertices = np.stack([radius * np.cos(turn), radius * np.sin(turn), 0.3 * np.sin(lift)], axis=1)
    steps = [(a, b) for a in range(3) for b in range(-2, 3) if a > 0 or b > 0]
    here = np.arange(len(vertices))
    pairs = np.concatenate([
        np.stack([here, (along + a) % 40 * 32 + (across + b) % 32], axis=1) for a, b in steps
    ])
    if shuffled:
        order = np.random.default_rng(5).permutation(len(vertices))
        vertices, pairs = vertices[np.argsort(order)], order[pairs]
    rope = [[2.0, 0.0, 0.0], [2.1, 0.0, 0.0], [2.2, 0.1, 0.0]]
    first = len(vertices)
    return np.concatenate([vertices, rope]), np.concatenate([pairs, [[first, first + 1], [first + 1, first + 2]]])


def table_of(vertices: np.ndarray, pairs: np.ndarray) -> Neighbours:
    """Table with pieces in an order independent of the mesh."""
    piece = np.repeat([0, 1], [len(vertices) - 3, 3])
    ids = np.random.default_rng(2).permutation(len(vertices) - 3)
    return build_neighbours(pairs, np.append(ids, np.arange(len(ids), len(vertices))), piece, len(vertices))


@pytest.mark.parametrize("shuffled", [False, True])
def test_every_link_is_seen_once_from_each_end(shuffled: bool) -> None:
    vertices, pairs = links(shuffled)
    table = table_of(vertices, pairs)
    slots = np.arange(len(table.link)) // LANES
    block = np.searchsorted(table.slot_start, slots, side="right") - 1
    own = LANES * block + np.arange(len(table.link)) % LANES
    is_used = table.link >= 0
    seen = table.particle[np.stack([own, table.neighbour], axis=1)[is_used]]
    assert np.array_equal(np.sort(seen, axis=1), np.sort(pairs[table.link[is_used]], axis=1))
    assert np.array_equal(np.bincount(table.link[is_used]), np.full(len(pairs), 2))
    assert len(np.unique(seen, axis=0)) == 2 * len(pairs)
    assert np.array_equal(own[~is_used], table.neighbour[~is_used])


def test_grids_are_seen_in_runs_and_heaps_are_not() -> None:
    """In a grid 32 wide, sixteen consecutive vertices have consecutive neighbours for 22 of 24 offsets.

    Where a step across wraps around the torus, it reaches the vertex that others reach by that step and one along. Only
    for the longest step along (two across wrap) no other link has that offset; where the numbering ends, this holds for
    the longest step along in both directions.
    """
    for shuffled in (False, True):
        table = table_of(*links(shuffled))
        slots = np.diff(table.slot_start)[:-1]
        runs = (table.run_stop - table.slot_start[:-1])[:-1]
        expected = np.full(40 * 32 // LANES, 22)
        expected[[0, 1, 2, 3, -4, -3, -2, -1]] = 20
        assert np.array_equal(runs, 0 * expected if shuffled else expected)
        assert slots.min() == slots.max() == 24
        for block, stop in enumerate(table.run_stop):
            in_runs = table.neighbour.reshape(-1, LANES)[table.slot_start[block] : stop]
            assert np.array_equal(in_runs, in_runs[:, :1] + np.arange(LANES))
            assert np.array_equal(in_runs[:, 0], table.run_first[table.slot_start[block] : stop])


def test_nobody_has_neighbours() -> None:
    """A world of loose particles, and an empty one, have tables without slots."""
    for count in (0, 5):
        no_pairs = np.zeros((0, 2), dtype=np.int64)
        table = build_neighbours(no_pairs, np.arange(count), np.zeros(count, dtype=np.int64), count)
        assert len(table.neighbour) == len(table.link) == table.slot_start[-1] == 0
        assert np.array_equal(table.particle[:count], np.arange(count))


@pytest.mark.parametrize("shuffled", [False, True])
@pytest.mark.parametrize("iterations", [1, 4])
def test_the_vector_kernel_does_as_the_plain_one(shuffled: bool, iterations: int) -> None:
    """In single precision both round each of some 30 operations per neighbour by 6e-8: 1e-5 of the largest speed."""
    vertices, pairs = links(shuffled)
    table = table_of(vertices, pairs)
    rng = np.random.default_rng(3)
    blocks, here = len(table.block_piece), table.particle >= 0
    rows = np.zeros((len(table.particle), 4), dtype=np.float32)
    rows[here, :3] = vertices[table.particle[here]]
    rows[here, 3] = np.where(rng.uniform(size=here.sum()) < 0.1, 0.0, rng.uniform(0.5, 2.0, here.sum()))
    rest = np.where(table.link >= 0, rng.uniform(0.05, 0.2, len(pairs))[table.link], 0.0).astype(np.float32)
    stiffness, shrink = rng.uniform(0.5, 1.0, blocks), rng.uniform(0.9, 1.0, blocks)
    kick = rng.uniform(-0.1, 0.1, (blocks, 3))
    found = []
    for module in (plain, vector):
        old, new = rows.copy(), rows.copy()
        x = rows[:, :3].astype(np.float64).reshape(blocks, LANES, 3).transpose(0, 2, 1).copy()
        v = np.zeros((blocks, 3, LANES))
        columns = [np.ascontiguousarray(rows.T) for _ in range(2)]
        slots = GatherSlots(table.neighbour, table.run_first, rest, table.slot_start, table.run_stop)
        motion = GatherMotion(shrink, kick, x, v)
        module.step_springs(GatherBuffers(old, new, *columns), slots, stiffness, motion, 0.01, iterations)
        last = new if iterations % 2 else old
        if module is vector:
            assert np.array_equal(columns[iterations % 2].T, last)
        found.append((x, v, last))
    assert np.abs(found[0][1]).max() > 0.1
    for one, other in zip(*found, strict=True):
        assert np.abs(one - other).max() < 1e-5 * np.abs(one).max()


@intrinsic
def _roots(typing_context: Any, values: Any) -> Any:
    """Replace sixteen numbers by the reciprocals of their square roots."""
    def write(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        lanes = lanes_module.Lanes(context, builder)
        pointer = lanes.pointer(signature.args[0], arguments[0])
        start = context.get_constant(types.int64, 0)
        lanes.store(lanes.inverse_root(lanes.load(pointer, start), 1e-12), pointer, start)
        return context.get_dummy_value()

    return types.void(values), write


@pytest.mark.parametrize("quick", [False, True])
def test_roots_are_exact_to_rounding(quick: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """With and without the processor's estimate: within three units in the last place, from 1e-12 m to 1e12 m."""
    if quick and not lanes_module.has_quick_root():
        pytest.skip("this processor has no estimate of its own")
    monkeypatch.setattr(lanes_module, "has_quick_root", lambda: quick)

    @kernel
    def roots(values):
        _roots(values)

    length = (10.0 ** np.linspace(-11.9, 12.0, 16)).astype(np.float32)
    values = length * length
    expected = 1.0 / np.sqrt(values.astype(np.float64))
    roots(values)
    assert np.abs(values / expected - 1.0).max() < 3.0 * 2.0**-23
