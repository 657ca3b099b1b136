"""Neighbours of moving points: lists with a margin, rebuilt only when a point has moved too far (Verlet lists).

Lists hold all points nearer than support plus margin. Two points approach by at most the sum of their displacements, so
lists hold all points within the support until one has moved by half the margin.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...compiler.kernels import parallel_kernel, prange
from ...compiler.typed_call import TypedCall
from .blocks import BlockLists
from .grid import CHUNKS, Grid
from .lists import LANES, NeighborLists

# Further updates for which lists are reused within the lag.
EXTRA_UPDATES = 2


class Neighbors:
    """Points in sorted order, and their neighbour lists.

    Attributes:
        support: distance within which all neighbours are listed [m]; reach: that distance when lists were built [m].
        grid: has `order`, the point at each sorted place; lists: of sorted places.
        rebuilds: how often lists were built.
    """

    def __init__(self, support: float, margin: float, most: int = 96) -> None:
        """Args: margin: by how much lists reach beyond the support [m]; most: maximum length of a list."""
        self.support, self.reach = support, support + margin
        self.grid, self.lists = Grid(self.reach), self._make_lists(most)
        self.rebuilds = 0
        self._moved, self._farthest = np.zeros(CHUNKS, dtype=np.float32), 0.0
        self._measure = TypedCall(farthest_moves)

    @property
    def count(self) -> int:
        """Number of points with finite positions; they come first in sorted order."""
        return self.grid.count

    @property
    def astray(self) -> int:
        """Number of points without finite positions, and so without neighbours."""
        return len(self.grid.order) - self.grid.count

    @property
    def row_count(self) -> int:
        """Number of rows for a kernel: full blocks of points, and one block from `lists.none` on, far from all."""
        return self.lists.none + LANES

    def update(self, points: np.ndarray) -> bool:
        """Rebuild lists if points (n, 3) or longer rows, float32 [m], have moved too far; returns whether it did."""
        if len(points) == len(self.grid.order) and self.rebuilds:
            self._farthest = math.sqrt(float(self._measure(points, self.grid.order, self.grid.columns, self._moved)))
            if self._holds(self._farthest):
                return False
        self._choose_reach(points)
        self._find(points)
        return True

    def _holds(self, farthest: float) -> bool:
        """Whether the lists are valid after a largest displacement `farthest` [m] since they were built."""
        return farthest <= 0.5 * (self.reach - self.support)

    def _make_lists(self, most: int) -> Any:
        return NeighborLists(most)

    def _choose_reach(self, points: np.ndarray) -> None:
        """Choose the reach of the next lists."""

    def _find(self, points: np.ndarray) -> None:
        self.grid.sort(points)
        self.lists.find(self.grid, self.reach)
        self.rebuilds += 1

    def memory(self) -> dict[str, Any]:
        """Positions of the points when the lists were built, and the number of rebuilds."""
        built = np.zeros((len(self.grid.order), 3), dtype=np.float32)
        built[self.grid.order] = self.grid.columns[:, : len(built)].T
        return {"built": built, "rebuilds": self.rebuilds}

    def recall(self, memory: dict[str, Any]) -> None:
        """Restore the lists from a `memory`."""
        if memory["rebuilds"]:
            self._find(memory["built"])
        self.rebuilds = memory["rebuilds"]


class BlockNeighbors(Neighbors):
    """`Neighbors` with lists in blocks of sixteen points that lie close together.

    While points move so fast that no list is valid for two updates, lists have no margin, and are a fifth shorter. If a
    lag is allowed, lists are reused for up to two more updates: points that have approached since are not listed yet.

    Attributes:
        lists: a `BlockLists`.
    """

    def __init__(self, support: float, margin: float, most: int = 96, lag: float = 0.0) -> None:
        """Args: lag: largest displacement [m] for which lists are reused; others: see `Neighbors`."""
        super().__init__(support, margin, most)
        self._updates, self._lag = 0, lag

    def update(self, points: np.ndarray) -> bool:
        """See `Neighbors.update`."""
        is_new = super().update(points)
        self._updates = 0 if is_new else self._updates + 1
        return is_new

    def _holds(self, farthest: float) -> bool:
        """See `Neighbors`; also for EXTRA_UPDATES more updates within the lag."""
        return super()._holds(farthest) or (self._updates < EXTRA_UPDATES and farthest <= self._lag)

    def _choose_reach(self, points: np.ndarray) -> None:
        """Use a margin if points move less than half of it in an update; `update` has measured their displacements."""
        margin, lasts = self.grid.edge - self.support, True
        if len(points) == len(self.grid.order) and self.rebuilds:
            lasts = self._farthest <= 0.5 * margin * (self._updates + 1)
        self.reach = self.support + (margin if lasts else 0.0)

    def reorder(self) -> np.ndarray:
        """Renumber points in sorted order; lists stay. Returns (n,) the former index of each point."""
        grid, order = self.grid, self.grid.order.copy()
        if len(order):
            grid.order[:] = np.arange(len(order))
            grid.cell = grid.cell[order]
        return order

    def memory(self) -> dict[str, Any]:
        """See `Neighbors`; also the reach of the lists."""
        return {**super().memory(), "reach": self.reach, "updates": self._updates}

    def recall(self, memory: dict[str, Any]) -> None:
        """Restore the lists from a `memory`."""
        self.reach, self._updates = memory["reach"], memory["updates"]
        super().recall(memory)

    def _make_lists(self, most: int) -> BlockLists:
        return BlockLists(most)

    @property
    def row_count(self) -> int:
        """Number of rows for a kernel: those of the points, and sixteen more."""
        return self.grid.count + LANES


@parallel_kernel
def farthest_moves(points, order, columns, moved):
    """Square of the largest displacement, and of that in each chunk [m²]; infinite if a point became (non-)finite.

    Args: order: (n,) the point at each sorted place; columns: (3, n) or longer, its old position [m].
    """
    for chunk in prange(CHUNKS):
        longest = np.float32(0.0)
        for k in range(points.shape[0] * chunk // CHUNKS, points.shape[0] * (chunk + 1) // CHUNKS):
            i = order[k]
            dx, dy, dz = points[i, 0] - columns[0, k], points[i, 1] - columns[1, k], points[i, 2] - columns[2, k]
            square = dx * dx + dy * dy + dz * dz
            is_known = math.isfinite(square)
            was_nowhere = not math.isfinite(columns[0, k] + columns[1, k] + columns[2, k])
            is_nowhere = not math.isfinite(points[i, 0] + points[i, 1] + points[i, 2])
            if not is_known:
                square = np.float32(0.0) if was_nowhere and is_nowhere else np.float32(np.inf)
            longest = max(longest, square)
        moved[chunk] = longest
    farthest = np.float32(0.0)
    for chunk in range(CHUNKS):
        farthest = max(farthest, moved[chunk])
    return farthest
