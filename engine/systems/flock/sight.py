"""Sight of a flock: hash grids as fine as the flock is dense, and the lists of visible neighbours found in them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...compiler import aligned
from ...solver.neighbors import Grid
from ...solver.neighbors.lists import LANES, Table
from ...solver.vector.seen import ROW
from .columns import Herd
from .nearest import ROOM, TASK, find_nearest, gather, line_up, narrow

# Cells are so many times as wide as the last neighbours of the middle agent are far; wider ones so many times the last.
WIDE, WIDER = 1.8, 1.4
# Flocks of no more than this look through the whole of their sight at once.
FEW = 256
# In the second grid and wider ones, an agent that sees so many searches no farther: most such agents are at the
# flock's edge.
SATISFIED = 3
# For the width of cells only one of so many agents is asked.
SAMPLE = 16
# Agents look for their neighbours every so many seconds, the time in which a bird reacts; between that they decide by
# where the same neighbours are by then.
LOOK = 0.125
# Cells change their width when they should be this much wider or narrower.
OUTGROWN = 1.25


class Sight:
    """Neighbours of one flock.

    Attributes:
        edge: of the finest cells [m], once it is_measured; herd: sorted agents and their lists.
        is_known: whether the lists are those of the agents there are now.
    """

    def __init__(self, count: int, neighbours: int, radius: float, angle: float) -> None:
        """Args: count: of agents; neighbours: that each heeds; radius: of sight [m]; angle: of the whole view [rad]."""
        cosine = math.cos(0.5 * min(angle, 2.0 * math.pi))
        # All around is all around, whatever the cosine rounds to.
        self.radius, self._cosine = radius, np.float32(cosine * abs(cosine) if angle < 6.2831 else -2.0)
        self.edge = radius
        self.is_measured, self.is_known = count <= FEW, False
        most = min(neighbours, max(count - 1, 1))
        shape = (-(-count // TASK), ROOM + LANES)
        self._rooms, self._ranges = np.zeros(shape, dtype=np.int32), np.zeros(shape, dtype=np.float32)
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
        """The agents in the order of the last search, each with the nearest that it saw then.

        Args: x, v: (m, 3) of the world, where the flock begins at `first`; borne: (n, 3) of what carries agents, if it
            is_carried; is_due: whether to search.
        """
        herd = self.herd
        searches = is_due or not self.is_known
        if searches:
            narrow(first, x, self._points)
            grid = self._sort()
            line_up(grid.start, grid.size, grid.order, self._places, herd.order)
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
        """Fill the lists from the finest grid, and from wider ones for agents that see too few."""
        herd, points = self.herd, self._points
        most = herd.near.shape[1]
        rooms = (self._rooms, self._ranges)
        find_nearest(_table(grid, self.edge), self._places, herd, *rooms, most, True)
        edge, enough, number = self.edge, most, 0
        while edge < self.radius and int(herd.seen.min()) < enough:
            if number == 0:
                # From here on in the order of the herd.
                points[:] = herd.rows[:, :3]
            edge, number = min(WIDER * edge, self.radius), number + 1
            wide = self._sorted(number, edge, points)
            self._places[0] = wide.order
            self._places[1, wide.order] = np.arange(len(wide.order), dtype=np.int32)
            find_nearest(_table(wide, edge), self._places, herd, *rooms, enough, False)
            enough = min(most, SATISFIED)
        self._fit(herd)

    def memory(self) -> dict[str, Any]:
        """What the next decisions need of this one."""
        herd = self.herd
        return {
            "edge": self.edge, "is_measured": self.is_measured, "is_known": self.is_known,
            "lists": (herd.order, herd.near, herd.seen, herd.reach),
        }

    def recall(self, memory: dict[str, Any]) -> None:
        """Take `memory` back."""
        self.edge, self.is_measured = float(memory["edge"]), bool(memory["is_measured"])
        self.is_known = bool(memory["is_known"])
        herd = self.herd
        for own, its in zip((herd.order, herd.near, herd.seen, herd.reach), memory["lists"], strict=True):
            own[:] = its

    def _sorted(self, number: int, edge: float, points: np.ndarray) -> Grid:
        """The grid with a number, which keeps its arrays while its cells stay as wide, with points sorted into it."""
        grid = self._grids.get(number)
        if grid is None or grid.edge != edge:
            grid = self._grids[number] = Grid(edge)
        grid.sort(points)
        return grid

    def _guess(self, points: np.ndarray) -> float:
        """Width of cells for agents that are spread evenly in their box [m]."""
        sides = np.maximum(np.ptp(points, axis=0).astype(np.float64), 1e-3 * self.radius)
        return max(float(np.cbrt(sides.prod() / len(points) * 4.0)), 1e-3 * self.radius)

    def _fit(self, herd: Herd) -> None:
        """Choose the width of cells for the next time."""
        if len(herd.order) <= FEW:
            return
        square, seen = herd.last[::SAMPLE], herd.seen[::SAMPLE]
        last = square[seen == herd.near.shape[1]]
        far = self.radius if len(last) < len(seen) // 4 else float(np.sqrt(np.median(last)))
        wanted = min(max(WIDE * far, 1e-3 * self.radius), self.radius)
        if not self.edge / OUTGROWN < wanted < self.edge * OUTGROWN:
            self.edge = wanted


def _table(grid: Grid, reach: float) -> Table:
    """A grid as kernels take it."""
    return Table(grid.frame, grid.size, grid.start, grid.columns, np.float32(reach))
