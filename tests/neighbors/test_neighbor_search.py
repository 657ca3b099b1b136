"""Lists with a margin: when they are rebuilt, and that they never miss a pair in between."""

from __future__ import annotations

import numpy as np
from flotsam.engine.solver.neighbors import Neighbors
from near_naive import SUPPORT, cloud, listed, naive_pairs

MARGIN = 0.02


def test_small_moves_keep_the_lists_and_miss_nobody() -> None:
    points = cloud(600)
    neighbors = Neighbors(SUPPORT, MARGIN, 256)
    neighbors.update(points)
    way = np.random.default_rng(2).normal(size=points.shape)
    way *= 0.49 * MARGIN / np.linalg.norm(way, axis=1)[:, None]
    moved = (points + way).astype(np.float32)
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
