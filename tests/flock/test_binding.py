"""Agents whose velocity walls limit, found for a block of agents at a time, and the distance of the nearest wall."""

from __future__ import annotations

from collections import namedtuple

import numpy as np
from flotsam.engine.systems.flock.block import BLOCK, BLOCK_NUMBERS, FLOW_X, PX, REACH, X
from flotsam.engine.systems.flock.columns import Motion
from flotsam.engine.systems.flock.walls.binding import BINDS, NEAREST, WIDTH, find_bound
from flotsam.engine.systems.flock.walls.obstacles import as_walls, forest
from test_flock import block

Needed = namedtuple("Needed", "keep foresight walks")
HALF, KEEP, FORESIGHT, FAR = np.array([1.0, 1.5, 2.0]), 0.1, 0.5, 3.0


def sides(place: np.ndarray) -> list[np.ndarray]:
    """Offsets from a place to the nearest points of the six sides of the box |x| <= HALF."""
    found = []
    for axis in range(3):
        for end in (-1.0, 1.0):
            point = np.clip(place, -HALF, HALF)
            point[axis] = end * HALF[axis]
            found.append(point - place)
    return found


def test_walls_limit_agents_that_would_be_too_near_too_soon_and_no_others() -> None:
    """A side at offset r binds if |r| (|r| - keep) <= foresight u . r; a velocity away from all of the box is free."""
    rng = np.random.default_rng(0)
    x, corner = block((0, 0, 0), tuple(2.0 * HALF))
    walls = as_walls(x, corner.astype(np.int32), forest(x, corner))
    leaves = np.flatnonzero(walls.last > walls.first).astype(np.int32)
    settings, motion = Needed(KEEP, FORESIGHT, False), Motion(x, np.zeros_like(x))
    scratch, sense, bound = np.zeros(BLOCK_NUMBERS), np.zeros(WIDTH, dtype=np.float32), []
    for _ in range(40):
        place = rng.uniform(-3.0, 3.0, (BLOCK, 3))
        place = np.where((np.abs(place) < HALF).all(axis=1)[:, None], place + [0.0, 0.0, 4.5], place)
        wanted, flow = rng.normal(0.0, 2.0, (BLOCK, 3)), rng.normal(0.0, 0.3, (BLOCK, 3))
        for first, rows in ((PX, place), (X, wanted), (FLOW_X, flow)):
            scratch[first : first + 3 * BLOCK] = rows.T.reshape(-1)
        scratch[REACH : REACH + BLOCK] = FAR
        box = (tuple(place.min(axis=0)), tuple(place.max(axis=0)))
        find_bound(box, FAR, leaves, len(leaves), walls, motion, settings, scratch, sense)
        for k in range(BLOCK):
            offsets, u = sides(place[k]), wanted[k] + flow[k]
            far = np.array([np.linalg.norm(offset) for offset in offsets])
            assert abs(sense[NEAREST + k] - min(far.min(), FAR)) < 1e-4 and sense[NEAREST + k] <= far.min()
            left = np.array([FORESIGHT * u @ offset for offset in offsets]) - far * (far - KEEP)
            if (left[far < FAR] > 1e-9).any():
                assert sense[BINDS + k] == 1.0
            elif ((x - place[k]) @ u < -0.01).all() and far.min() > KEEP:
                assert sense[BINDS + k] == 0.0
            bound.append(sense[BINDS + k])
    assert 0.05 < np.mean(bound) < 0.6
