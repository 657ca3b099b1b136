"""Sight of a flock: hash grids with cells fitted to its density, and the lists of visible neighbours found in them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...compiler import aligned
from ...solver.neighbors import Grid
from ...solver.neighbors.lists import LANES, Table
from ...solver.vector.seen import ROW
from .columns import Herd
from .nearest import CAPACITY, TASK, find_nearest, gather, sort_herd, to_single

# Width of the finest cells as a multiple of the median distance to the last neighbour; of each wider grid as a multiple
# of the previous one.
WIDE, WIDER = 1.8, 1.4
# Flocks of no more agents than this search the whole sight radius at once.
FEW = 256
# From the second grid on, an agent that has found this many does not search a wider one: most such agents are at the
# flock's edge.
SATISFIED = 3
# Only one of this many agents is sampled for the width of cells.
SAMPLE = 16
# Interval between searches for neighbours [s], the reaction time of a bird; in between, agents use the current
# positions of the same neighbours.
LOOK = 0.125
# Cells change their width when the wanted width differs by more than this factor.
OUTGROWN = 1.25


class Sight:
    """Neighbours of one flock.

    Attributes:
        edge: width of the finest cells [m], valid if `is_measured`; herd: sorted agents and their lists.
        is_known: whether the lists have been filled.
    """

    def __init__(self, count: int, neighbours: int, radius: float, angle: float) -> None:
        """Args: count: of agents; neighbours: per agent; radius: of sight [m]; angle: of the whole view [rad]."""
        cosine = math.cos(0.5 * min(angle, 2.0 * math.pi))
        # An all-round view has no limit, whatever the cosine rounds to.
        self.radius, self._cosine = radius, np.float32(cosine * abs(cosine) if angle < 6.2831 else -2.0)
        self.edge = radius
        self.is_measured, self.is_known = count <= FEW, False
        most = min(neighbours, max(count - 1, 1))
        shape = (-(-count // TASK), CAPACITY + LANES)
        self._candidates, self._squares = np.zeros(shape, dtype=np.int32), np.zeros(shape, dtype=np.float32)
        self._places = np.tile(np.arange(count, dtype=np.int32), (2, 1))
        self._points, self._grids = np.zeros((count, 3), dtype=np.float32), dict[int, Grid]()
        self.herd = Herd(
            self._places[0].copy(), aligned.zeros((count, ROW), np.float32), np.zeros((count, 3)),
            np.zeros((count, most), dtype=np.int32), np.zeros(count, dtype=np.float32),
            np.zeros(count, dtype=np.int32), np.full(count, np.inf, dtype=np.float32),
        )

    def look(
        self, x: np.ndarray, v: np.ndarray, borne: np.ndarray, first: int, is_carried: bool = True, is_due: bool = True,
    ) -> Herd:
        """The agents in the order of the last search, each with the nearest visible neighbours found then.

        Args: x, v: (m, 3) of the world, where the flock begins at `first`; borne: (n, 3) velocities taken up from the
            flow, used if `is_carried`; is_due: whether to search.
        """
        herd = self.herd
        searches = is_due or not self.is_known
        if searches:
            to_single(first, x, self._points)
            grid = self._sort()
            sort_herd(grid.start, grid.size, grid.order, self._places, herd.order)
        gather(first, x, v, borne, is_carried, self._cosine, herd)
        if searches:
            self._find(grid)
            self.is_known = True
        return herd

    def _sort(self) -> Grid:
        if not self.is_measured:
            self.edge, self.is_measured = min(self.radius, self._guess(self._points)), True
        return self._sorted(0, self.edge, self._points)

    def _find(self, grid: Grid) -> None:
        """Fill the lists from the finest grid, and from wider ones for agents that found too few."""
        herd, points = self.herd, self._points
        most = herd.near.shape[1]
        scratch = (self._candidates, self._squares)
        find_nearest(_table(grid, self.edge), self._places, herd, *scratch, most, True)
        edge, enough, number = self.edge, most, 0
        while edge < self.radius and int(herd.seen.min()) < enough:
            if number == 0:
                # Wider grids use the order of the herd.
                points[:] = herd.rows[:, :3]
            edge, number = min(WIDER * edge, self.radius), number + 1
            wide = self._sorted(number, edge, points)
            self._places[0] = wide.order
            self._places[1, wide.order] = np.arange(len(wide.order), dtype=np.int32)
            find_nearest(_table(wide, edge), self._places, herd, *scratch, enough, False)
            enough = min(most, SATISFIED)
        self._fit(herd)

    def memory(self) -> dict[str, Any]:
        """State that the next decisions need."""
        herd = self.herd
        return {
            "edge": self.edge, "is_measured": self.is_measured, "is_known": self.is_known,
            "lists": (herd.order, herd.near, herd.seen, herd.reach),
        }

    def recall(self, memory: dict[str, Any]) -> None:
        """Restore `memory`."""
        self.edge, self.is_measured = float(memory["edge"]), bool(memory["is_measured"])
        self.is_known = bool(memory["is_known"])
        herd = self.herd
        for own, its in zip((herd.order, herd.near, herd.seen, herd.reach), memory["lists"], strict=True):
            own[:] = its

    def _sorted(self, number: int, edge: float, points: np.ndarray) -> Grid:
        """Grid `number` with points sorted into it; its arrays are reused while the width of cells is unchanged."""
        grid = self._grids.get(number)
        if grid is None or grid.edge != edge:
            grid = self._grids[number] = Grid(edge)
        grid.sort(points)
        return grid

    def _guess(self, points: np.ndarray) -> float:
        """Estimated width of cells, as if agents were spread evenly in their bounding box [m]."""
        sides = np.maximum(np.ptp(points, axis=0).astype(np.float64), 1e-3 * self.radius)
        return max(float(np.cbrt(sides.prod() / len(points) * 4.0)), 1e-3 * self.radius)

    def _fit(self, herd: Herd) -> None:
        """Choose the width of cells for the next search."""
        if len(herd.order) <= FEW:
            return
        square, seen = herd.last[::SAMPLE], herd.seen[::SAMPLE]
        last = square[seen == herd.near.shape[1]]
        far = self.radius if len(last) < len(seen) // 4 else float(np.sqrt(np.median(last)))
        wanted = min(max(WIDE * far, 1e-3 * self.radius), self.radius)
        if not self.edge / OUTGROWN < wanted < self.edge * OUTGROWN:
            self.edge = wanted


def _table(grid: Grid, reach: float) -> Table:
    """A grid as an argument of kernels."""
    return Table(grid.frame, grid.size, grid.start, grid.columns, np.float32(reach))
