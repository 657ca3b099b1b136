"""Lists of neighbours compared with a reference in numpy, for arrangements that are hard to search."""

from __future__ import annotations

import numpy as np
import pytest
from flotsam.engine.compiler.kernels import threads
from flotsam.engine.solver.neighbors import LANES, BlockNeighbors, Grid, NeighborLists, Neighbors
from near_naive import SUPPORT, cloud, listed, listed_by_blocks, naive_pairs


def search(points: np.ndarray, *, most: int = 96, margin: float = 0.02) -> Neighbors:
    neighbors = Neighbors(SUPPORT, margin, most)
    assert neighbors.update(points)
    return neighbors


FAR_APART = np.concatenate([cloud(200), cloud(200, centre=3.0e4), cloud(50, centre=-2.0e9)])
PLACES = {
    "a cube": cloud(1500),
    "a thin sheet": cloud(800) * np.float32([1.0, 1.0, 0.0]),
    "a line": cloud(300, side=4.0) * np.float32([1.0, 0.0, 0.0]),
    "one point": cloud(1),
    "two blocks and one": cloud(2 * LANES + 1, side=0.2),
    "far from the origin": cloud(400, centre=900.0),
    "clouds far apart": FAR_APART,
    "on the borders of cells": np.float32(0.12) * np.stack(
        np.meshgrid(*[np.arange(7, dtype=np.float32)] * 3), axis=-1
    ).reshape(-1, 3),
}


@pytest.mark.parametrize("place", PLACES)
def test_lists_hold_all_pairs_once(place: str) -> None:
    points = PLACES[place]
    neighbors = search(points, most=512)
    pairs = listed(neighbors)
    assert len(set(pairs)) == len(pairs)
    assert set(pairs) == naive_pairs(points, neighbors.reach)
    assert neighbors.lists.overflow == 0


@pytest.mark.parametrize("place", PLACES)
def test_lists_by_rows_of_cells_hold_all_pairs_once(place: str) -> None:
    neighbors = BlockNeighbors(SUPPORT, 0.02, 512)
    assert neighbors.update(PLACES[place])
    pairs = listed_by_blocks(neighbors)
    assert len(set(pairs)) == len(pairs)
    assert set(pairs) == naive_pairs(PLACES[place], neighbors.reach)
    assert neighbors.lists.overflow == 0


@pytest.mark.parametrize(("count", "side"), [(2200, 0.0), (2000, 0.12)], ids=["a point", "a heap"])
def test_a_full_list_by_rows_is_counted_and_pairs_stay_on_both_sides(count: int, side: float) -> None:
    """At one point there are more neighbours than are collected at once, `blocks.MOST_COLLECTED`."""
    points = cloud(count, side=side)
    neighbors = BlockNeighbors(SUPPORT, 0.02, 64)
    neighbors.update(points)
    pairs = listed_by_blocks(neighbors)
    assert neighbors.lists.overflow == count
    assert max(np.bincount([i for i, _ in pairs])) <= 64
    assert len(set(pairs)) == len(pairs) > 20 * count
    assert {(j, i) for i, j in pairs} == set(pairs) <= naive_pairs(points, neighbors.reach)


def test_no_points() -> None:
    neighbors = search(np.zeros((0, 3), dtype=np.float32))
    assert neighbors.count == 0 and neighbors.lists.slot_start.tolist() == [0]


def test_points_that_are_nowhere_have_no_neighbours_and_come_last() -> None:
    points = cloud(500)
    points[[3, 77]] = np.nan
    points[200] = np.inf
    neighbors = search(points, most=256)
    assert neighbors.astray == 3
    assert sorted(neighbors.grid.order[neighbors.count :].tolist()) == [3, 77, 200]
    assert set(listed(neighbors)) == naive_pairs(np.where(np.isfinite(points), points, np.nan), neighbors.reach)


@pytest.mark.parametrize("points", [np.zeros((1000, 3), np.float32), cloud(2000, side=0.12)], ids=["a point", "a heap"])
def test_a_full_list_is_counted_and_pairs_stay_on_both_sides(points: np.ndarray) -> None:
    neighbors = search(points, most=64)
    pairs = listed(neighbors)
    assert neighbors.lists.overflow == len(points)
    assert max(np.bincount([i for i, _ in pairs])) <= 64
    assert len(set(pairs)) == len(pairs) > 20 * len(points)
    assert {(j, i) for i, j in pairs} == set(pairs) <= naive_pairs(points, neighbors.reach)


def test_sorting_keeps_the_order_of_points_in_one_cell() -> None:
    points = np.repeat(cloud(40), 50, axis=0)[np.random.default_rng(1).permutation(2000)]
    grid = Grid(SUPPORT)
    grid.sort(points)
    cell = np.searchsorted(grid.start, np.arange(2000), side="right")
    assert np.all((np.diff(grid.order) > 0) | (np.diff(cell) > 0))
    assert np.array_equal(grid.columns[:, :2000].T, points[grid.order])
    assert np.array_equal(np.sort(grid.order), np.arange(2000))


@pytest.mark.parametrize("count", [1, 2])
def test_the_same_bits_for_any_number_of_threads(count: int) -> None:
    points = cloud(20_000, side=1.0)
    with threads(1):
        alone = search(points)
    with threads(count):
        shared = search(points)
    assert np.array_equal(alone.grid.order, shared.grid.order)
    assert np.array_equal(alone.lists.slot_start, shared.lists.slot_start)
    slots = alone.lists.slot_start[-1]
    assert np.array_equal(alone.lists.neighbor[:slots], shared.lists.neighbor[:slots])


def test_lists_between_two_sets_of_points() -> None:
    ours, theirs = cloud(300, seed=4), cloud(700, seed=5)
    grid, lists = Grid(SUPPORT), NeighborLists(most=256)
    grid.sort(theirs)
    lists.find_others(np.ascontiguousarray(ours.T), len(ours), grid, SUPPORT)
    found = set()
    for i in range(len(ours)):
        there = lists.neighbor[lists.slot_start[i // LANES] : lists.slot_start[i // LANES + 1], i % LANES]
        found |= {(i, int(grid.order[j])) for j in there[there != lists.none]}
    apart = ours[:, None] - theirs[None]
    near = (apart * apart).sum(axis=2) < np.float32(SUPPORT) ** 2
    assert found == set(zip(*(index.tolist() for index in np.nonzero(near)), strict=True))
