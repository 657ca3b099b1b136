"""One step of a fluid by itself: its rows, its walls, and the order of what happens.

lists of neighbours at the predicted places, when somebody has moved too far
twice   density and own pressures; pressures of cells; shift of all; walls
velocities from the shifts, viscosity
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...compiler import aligned
from ...solver.neighbors import Neighbors
from . import cells as coarse
from .density import MOST_WALLS, WALL, find_pressures, move, shift, smooth_motion
from .law import law_of
from .rows import gather, scatter

ITERATIONS = 1
# Lists reach so much farther than the support.
MARGIN = 0.2
# Particles keep this share of the spacing from walls; pressure keeps them at about a half.
CLEARANCE = 0.25


class FluidSolver:
    """Moves particles of one spacing.

    Attributes:
        spacing: between particles at rest [m].
        kept: (n,) float32, coarse pressure that each particle had last [m²].
        error: (n,) float32, density over density at rest, less one, before the last shift.
    """

    def __init__(self, spacing: float) -> None:
        self.spacing, self.law = spacing, law_of(spacing)
        self.neighbors = Neighbors(float(self.law.support), MARGIN * float(self.law.support))
        self.kept, self.error = np.zeros(0, dtype=np.float32), np.zeros(0, dtype=np.float32)
        self._allot(0)
        self.cells, self._red = coarse.find_cells(self.neighbors.grid)

    def _allot(self, rows: int) -> None:
        single = np.float32
        self.rows, self.speeds = aligned.zeros((rows, 4), single), aligned.zeros((rows, 4), single)
        self.sums, self.moved, self._change = (aligned.zeros((s, rows), single) for s in (8, 3, 3))
        self._error, self._pressure, self._kept, self.lightness = (aligned.zeros(rows, single) for _ in range(4))
        self.wall_count, self.walls = np.zeros(rows, np.int32), np.zeros((rows, MOST_WALLS, WALL), single)

    def step(self, x: np.ndarray, v: np.ndarray, h: float, viscous: np.ndarray, wall_planes: Any) -> None:
        """Move particles on by a step h [s]: x (n, 3) [m] and v (n, 3) [m/s], float64, change.

        Args:
            viscous: (n,) float32, XSPH share c of each particle in a step.
            wall_planes: called with this solver once rows stand; fills `wall_count` and `walls`.
        """
        count = len(x)
        if len(self.kept) != count:
            self.kept, self.error = np.zeros(count, dtype=np.float32), np.zeros(count, dtype=np.float32)
        ahead = (x + h * v).astype(np.float32)
        if self.neighbors.update(ahead):
            self.cells, self._red = coarse.find_cells(self.neighbors.grid)
            if len(self.rows) != self.neighbors.row_count:
                self._allot(self.neighbors.row_count)
        grid, lists, law = self.neighbors.grid, self.neighbors.lists, self.law
        count = grid.count
        gather(grid.order, count, ahead, v, viscous, self.kept, self.rows, self.speeds, self._kept)
        self.lightness[:] = 1.0
        self.moved[:] = 0.0
        wall_planes(self)
        near, walls = (lists.neighbor, lists.slot_start, law, self.lightness), (self.wall_count, self.walls)
        edge, clearance = np.float32(grid.edge), np.float32(CLEARANCE * self.spacing)
        for _iteration in range(ITERATIONS):
            find_pressures(count, self.rows, *near, *walls, self.sums, self._error, self._pressure)
            coarse.average(
                self.cells, self.rows, self.speeds, self._error, self._kept, *walls, grid.frame, np.float32(h)
            )
            coarse.find_sources(self.cells, edge, np.float32(h))
            coarse.relax_cells(self.cells, self._red)
            coarse.spread(self.cells, grid.frame, grid.size, law.most, self._pressure, self.rows, self._kept)
            shift(count, self.rows, *near, *walls, self.sums)
            move(count, clearance, np.float32(1.0 / h), *walls, self.sums, self.rows, self.speeds, self.moved)
        if viscous.any():
            smooth_motion(count, self.rows, self.speeds, *near, self.sums, self._change)
        else:
            self._change[:] = 0.0
        scatter(grid.order, count, self.moved, self._change, np.float32(h), x, v, self._kept, self._error, self.kept,
                self.error)
