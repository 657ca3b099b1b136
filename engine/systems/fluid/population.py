"""Which particles of a fluid there are: born, alive, gone."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...solver.neighbors import Grid, NeighborLists
from ...spec import FluidSpec

# A source has room where nobody is nearer than this share of the spacing.
ROOM = 0.9


class Population:
    """Particles of one fluid in its range of the world's.

    A particle's place in the range is its `id`: nobody takes the place of one that is gone.

    Attributes:
        start: first particle of the range; born: how many places were taken so far.
        name: of its system; opening: share of the source that lets particles out.
        alive: (capacity,) bool; age: (capacity,) float64 [s].
        first: (capacity, 3) where each began [m].
    """

    def __init__(self, spec: FluidSpec, sites: np.ndarray, start: int, capacity: int, spacing: float) -> None:
        """Args: sites: (s, 3) where particles come into being [m]; spacing: [m]."""
        self.spec, self.name, self.start, self.spacing = spec, spec.name, start, spacing
        if spec.emission == "INFLOW":
            sites = sites[_from_middle(sites, np.asarray(spec.velocity, dtype=np.float64))]
        self._sites = sites
        self._columns = np.ascontiguousarray(sites.T.astype(np.float32))
        self.opening = float(spec.opening)
        self.alive, self.age = np.zeros(capacity, dtype=bool), np.zeros(capacity)
        self.first = np.zeros((capacity, 3))
        self.born = 0
        if spec.emission == "FILL":
            self._take(np.arange(len(sites)))

    @property
    def ids(self) -> np.ndarray:
        """World particles that are alive, in the order of their ids."""
        return self.start + np.flatnonzero(self.alive[: self.born])

    @property
    def gone(self) -> int:
        """How many were alive and are no more."""
        return self.born - int(np.count_nonzero(self.alive))

    def _take(self, sites: np.ndarray) -> slice:
        """Places for particles at these sites."""
        own = slice(self.born, self.born + len(sites))
        self.alive[own], self.age[own], self.first[own] = True, 0.0, self._sites[sites]
        self.born += len(sites)
        return own

    def emit(self, x: np.ndarray, v: np.ndarray, others: np.ndarray) -> bool:
        """Let particles come into being where the source has room; whether any did.

        Args: x, v: (n, 3) of the world, which change [m], [m/s]; others: (m, 3) all fluid particles [m].
        """
        room, count = len(self.alive) - self.born, math.ceil(self.opening * len(self._sites))
        if self.spec.emission != "INFLOW" or room == 0 or count == 0:
            return False
        grid, lists, reach = Grid(ROOM * self.spacing), NeighborLists(), ROOM * self.spacing
        grid.sort(others.astype(np.float32))
        lists.find_others(self._columns, count, grid, reach)
        is_free = np.repeat(np.diff(lists.slot_start) == 0, 16)[:count]
        for block in np.flatnonzero(np.diff(lists.slot_start)):
            slots = lists.neighbor[lists.slot_start[block] : lists.slot_start[block + 1]]
            own = slice(16 * block, min(16 * block + 16, count))
            is_free[own] = (slots == lists.none).all(axis=0)[: own.stop - own.start]
        sites = np.flatnonzero(is_free)[:room]
        own = self._take(sites)
        world = slice(self.start + own.start, self.start + own.stop)
        x[world], v[world] = self._sites[sites], np.asarray(self.spec.velocity, dtype=np.float64)
        return len(sites) > 0

    def pass_time(self, x: np.ndarray, h: float) -> bool:
        """Grow older by h [s], and lose who is too old or too far; whether anybody was lost. x: of the world [m]."""
        own = slice(0, self.born)
        alive, place = self.alive[own], x[self.start : self.start + self.born]
        self.age[own] += h * alive
        far = np.einsum("ij,ij->i", place - self.first[own], place - self.first[own]) > float(self.spec.range) ** 2
        lost = alive & far
        if self.spec.lifetime > 0.0:
            lost |= alive & (self.age[own] >= self.spec.lifetime)
        return self.lose(lost)

    def lose(self, lost: np.ndarray) -> bool:
        """Let particles go, `lost` (born,) bool; whether any of them was alive."""
        lost = lost & self.alive[: self.born]
        self.alive[: self.born][lost] = False
        return bool(lost.any())

    def memory(self) -> dict[str, Any]:
        """What changes, copied."""
        return {
            "born": self.born, "alive": self.alive.copy(), "age": self.age.copy(), "first": self.first.copy(),
            "opening": self.opening,
        }

    def recall(self, memory: dict[str, Any]) -> None:
        """Take back what `memory` gave."""
        self.born, self.opening = memory["born"], memory["opening"]
        self.alive, self.age, self.first = (memory[name].copy() for name in ("alive", "age", "first"))


def _from_middle(sites: np.ndarray, way: np.ndarray) -> np.ndarray:
    """The order of sites (s, 3) by their distance from the axis through their middle along a way (3,), or from it."""
    apart = sites - sites.mean(axis=0)
    length = float(np.linalg.norm(way))
    if length > 0.0:
        apart = apart - np.outer(apart @ way, way) / length**2
    return np.argsort(np.einsum("ij,ij->i", apart, apart), kind="stable")
