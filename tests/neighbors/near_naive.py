"""Reference for neighbour lists: all distances, in plain numpy."""

from __future__ import annotations

import numpy as np
from flotsam.engine.solver.neighbors import LANES, BlockNeighbors, Neighbors

SUPPORT = 0.1


def cloud(count: int, *, side: float = 0.5, seed: int = 3, centre: float = 0.0) -> np.ndarray:
    """Random points in a cube, (count, 3) float32."""
    return (centre + np.random.default_rng(seed).uniform(0.0, side, (count, 3))).astype(np.float32)


def naive_pairs(points: np.ndarray, reach: float) -> set[tuple[int, int]]:
    """Numpy reference: all ordered pairs of distinct points closer than the reach, in the same single precision."""
    apart = points[:, None] - points[None]
    with np.errstate(invalid="ignore"):
        near = (apart * apart).sum(axis=2) < np.float32(reach) ** 2
    np.fill_diagonal(near, False)
    return set(zip(*(index.tolist() for index in np.nonzero(near)), strict=True))


def listed(neighbors: Neighbors) -> list[tuple[int, int]]:
    """All entries as pairs of points in the user's order."""
    grid, lists = neighbors.grid, neighbors.lists
    found = []
    for block, (first, stop) in enumerate(zip(lists.slot_start[:-1], lists.slot_start[1:], strict=True)):
        slots = lists.neighbor[first:stop]
        for lane in range(LANES):
            there = slots[:, lane][slots[:, lane] != lists.none]
            found += [(int(grid.order[LANES * block + lane]), int(grid.order[j])) for j in there]
    return found


def listed_by_blocks(neighbors: BlockNeighbors) -> list[tuple[int, int]]:
    """All entries as pairs of points in the user's order."""
    order, count, blocks = neighbors.grid.order, neighbors.count, neighbors.lists.columns
    found = []
    for b in range(neighbors.lists.count):
        slots = blocks.neighbor[blocks.slot_start[b] : blocks.slot_start[b + 1]]
        for lane in range(blocks.start[b + 1] - blocks.start[b]):
            there = slots[:, lane][slots[:, lane] < count]
            found += [(int(order[blocks.start[b] + lane]), int(order[j])) for j in there]
    return found
