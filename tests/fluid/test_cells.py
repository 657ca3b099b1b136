"""Cells of a fluid whose drops fly far away, so that cells share places in the table of the search."""

from __future__ import annotations

import numpy as np
from flotsam.engine.solver.neighbors import Grid
from flotsam.engine.systems.fluid.cells import find_cells

EDGE = 0.1


def test_cells_that_share_a_place_are_told_apart() -> None:
    """Each particle stands in a cell with its own coordinates, and every neighbour that has particles is found."""
    random = np.random.default_rng(5)
    pool, drops = random.uniform(0.0, 1.0, (3000, 3)), random.uniform(-40.0, 40.0, (400, 3))
    grid = Grid(EDGE)
    grid.sort(np.concatenate([pool, drops]).astype(np.float32))
    cells, _red = find_cells(grid)
    at = np.floor((grid.columns[:, : grid.count].astype(np.float64) - grid.frame[:3, None]) * grid.frame[3]).T
    size = cells.stop - cells.first
    assert size.sum() == grid.count and (np.sort(np.repeat(cells.first, size)) >= 0).all()
    for a in range(len(size)):
        assert (at[cells.first[a] : cells.stop[a]] == cells.place[a]).all()
    filled = {tuple(place) for place in cells.place}
    assert len(filled) < grid.count
    for a, place in enumerate(cells.place):
        for n, b in enumerate(cells.around[a]):
            there = (place[0] + n % 3 - 1, place[1] + n // 3 % 3 - 1, place[2] + n // 9 - 1)
            assert (b >= 0) == (there in filled) and (b < 0 or tuple(cells.place[b]) == there)
