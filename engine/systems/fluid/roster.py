"""The particles of all fluids that are alive, in the solver's order."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...solver.row_copies import fetch, put
from .population import Population

ZERO = (0.0, 0.0, 0.0)


class Roster:
    """Particles that are alive. Once a frame they are sorted by position, so that a step reads memory in order.

    Attributes:
        ids: (n,) int64, particles of the world; rank: (n,) int64, index of each in the order of the populations.
    """

    def __init__(self, populations: Sequence[Population]) -> None:
        """No particles yet, of these populations."""
        self._populations = list(populations)
        self._start, self._stop = populations[0].living.start, max(p.living.stop for p in populations)
        self.ids, self.rank = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
        # The living ids of each population at the last update.
        self._living: list[np.ndarray | None] = [None] * len(populations)

    def renew(self) -> None:
        """Remove particles that are gone, and append new ones behind the others."""
        living = [p.ids for p in self._populations]
        if all(one is known for one, known in zip(living, self._living, strict=True)):
            return
        self._living, ids = living, np.concatenate(living)
        is_new, rank = np.zeros(self._stop, dtype=bool), np.zeros(self._stop, dtype=np.int64)
        is_new[ids], rank[ids] = True, np.arange(len(ids))
        stay = self.ids[is_new[self.ids]]
        is_new[stay] = False
        self.ids = np.concatenate([stay, np.flatnonzero(is_new)])
        self.rank = rank[self.ids]

    def recall(self, ids: np.ndarray) -> None:
        """Restore particles `ids` (n,) in this order, from a snapshot."""
        self.ids, self._living = ids, [None] * len(self._living)

    def sort(self, order: np.ndarray) -> None:
        """Permute particles by `order` (n,); one of another length belongs to other particles and is ignored."""
        if len(order) == len(self.ids):
            self.ids, self.rank = self.ids[order], self.rank[order]

    def follow(self, values: np.ndarray, ids: np.ndarray) -> np.ndarray:
        """Values (m, ...) of the first m of the particles `ids` (n,), in the present order; 0 for new particles."""
        every = np.zeros((self._stop, *values.shape[1:]), dtype=values.dtype)
        every[ids[: len(values)]] = values
        return every[self.ids]

    @property
    def is_full(self) -> bool:
        """Whether every particle that is reserved is alive."""
        return len(self.ids) == self._stop - self._start

    def fetch(self, values: np.ndarray, origin: tuple[float, ...] = ZERO) -> np.ndarray:
        """Rows of these particles, minus an origin: values (m, 3) of the world."""
        out = np.empty((len(self.ids), 3))
        fetch(self.ids, values, origin, out)
        return out

    def put(self, values: np.ndarray, out: np.ndarray, origin: tuple[float, ...] = ZERO) -> None:
        """Write values (n, 3), plus an origin, to the rows of these particles in `out` (m, 3) of the world."""
        put(self.ids, values, origin, out)
