"""Lists with a margin: when they are rebuilt, and that they never miss a pair in between."""

from __future__ import annotations

import numpy as np
from flotsam.engine.solver.neighbors import BlockNeighbors, Neighbors
from near_naive import SUPPORT, cloud, listed, listed_by_blocks, naive_pairs

MARGIN = 0.02


def test_small_moves_keep_the_lists_and_miss_nobody() -> None:
    points = cloud(600)
    neighbors = Neighbors(SUPPORT, MARGIN, 256)
    neighbors.update(points)
    displacement = np.random.default_rng(2).normal(size=points.shape)
    displacement *= 0.49 * MARGIN / np.linalg.norm(displacement, axis=1)[:, None]
    moved = (points + displacement).astype(np.float32)
    assert not neighbors.update(moved)
    assert naive_pairs(moved, SUPPORT) <= set(listed(neighbors))
    assert neighbors.rebuilds == 1


def test_one_point_that_went_too_far_makes_new_lists() -> None:
    points = cloud(600)
    neighbors = Neighbors(SUPPORT, MARGIN, 256)
    neighbors.update(points)
    points[17, 1] += 0.52 * MARGIN
    assert neighbors.update(points)
    assert set(listed(neighbors)) == naive_pairs(points, neighbors.reach)


def test_a_point_that_is_lost_makes_new_lists_once() -> None:
    points = cloud(50)
    neighbors = Neighbors(SUPPORT, MARGIN)
    neighbors.update(points)
    points[5, 2] = np.nan
    assert neighbors.update(points)
    assert not neighbors.update(points)
    assert neighbors.astray == 1
    points[5, 2] = 0.1
    assert neighbors.update(points)
    assert neighbors.astray == 0


def test_more_and_fewer_points() -> None:
    neighbors = Neighbors(SUPPORT, MARGIN, 256)
    for count in (400, 900, 2, 0, 600):
        points = cloud(count, seed=count)
        assert neighbors.update(points)
        assert set(listed(neighbors)) == naive_pairs(points, neighbors.reach)


def test_a_snapshot_brings_the_same_lists_back() -> None:
    points = cloud(500)
    neighbors = Neighbors(SUPPORT, MARGIN, 256)
    neighbors.update(points)
    points += np.float32(0.2 * MARGIN)
    neighbors.update(points)
    saved, before = neighbors.memory(), listed(neighbors)
    neighbors.update(cloud(500, seed=8))
    neighbors.recall(saved)
    assert listed(neighbors) == before
    assert not neighbors.update(points)


def test_lists_of_blocks_have_no_margin_while_points_are_fast() -> None:
    """A list that would last for one update only is shorter; it misses no pair, and the margin comes back."""
    points, direction = cloud(600), np.random.default_rng(3).normal(size=(600, 3)).astype(np.float32)
    direction /= np.linalg.norm(direction, axis=1)[:, None]
    neighbors = BlockNeighbors(SUPPORT, MARGIN, 512)
    reaches = []
    for speed in (0.0, 0.8, 0.8, 0.8, 0.1, 0.1, 0.1):
        points = points + np.float32(speed * MARGIN) * direction
        is_new = neighbors.update(points)
        reaches.append((is_new, round((neighbors.reach - SUPPORT) / MARGIN, 3)))
        found = listed_by_blocks(neighbors)
        assert naive_pairs(points, SUPPORT) <= set(found) and len(found) == len(set(found))
    assert reaches == [
        (True, 1.0), (True, 0.0), (True, 0.0), (True, 0.0), (True, 1.0), (False, 1.0), (False, 1.0),
    ]


def test_lists_serve_once_more_within_the_lag() -> None:
    """Points that move together by half a support an update: new lists in every second one; beyond the lag in each."""
    points, step = cloud(600), np.array([0.5 * SUPPORT, 0.0, 0.0], dtype=np.float32)
    for lag, expected in ((0.6, [True, False] * 3), (0.4, [True] * 6)):
        neighbors = BlockNeighbors(SUPPORT, MARGIN, 512, lag=lag * SUPPORT)
        assert [neighbors.update(points + np.float32(k) * step) for k in range(6)] == expected


def test_points_that_are_numbered_as_they_are_sorted_keep_their_lists() -> None:
    points = cloud(400)
    neighbors = BlockNeighbors(SUPPORT, MARGIN, 512)
    neighbors.update(points)
    before = set(listed_by_blocks(neighbors))
    order = neighbors.reorder()
    assert {(order[i], order[j]) for i, j in listed_by_blocks(neighbors)} == before
    assert not neighbors.update(points[order])
    neighbors._find(points[order])
    assert np.array_equal(neighbors.grid.order, np.arange(400))
