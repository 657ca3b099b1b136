"""Lists of different lengths, one for each of many, in one pool."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

# Places that no row is without once it has any.
SPARE = 8
# Count of a row that is to be written again.
UNKNOWN = -1
NOBODY = np.zeros(0, dtype=np.int64)


class RowColumns(NamedTuple):
    """Rows as kernels take them, see `Rows`.

    Attributes:
        start, room, count: (n,) int32; count: out how many belong there, of which no more than room are written.
        pool: int32, out.
    """

    start: np.ndarray
    room: np.ndarray
    count: np.ndarray
    pool: np.ndarray


class Rows:
    """Row k is pool[start[k] : start[k] + count[k]]; a row that needs more room gets a new place.

    Attributes:
        start, room, count: (n,) int32; count may be more than room, then only so many were written.
        pool: int32.
    """

    def __init__(self, rows: int) -> None:
        """Args: how many rows, all of them empty."""
        self.start, self.room, self.count = (np.zeros(rows, dtype=np.int32) for _ in range(3))
        self.pool = np.zeros(0, dtype=np.int32)
        self._used = 0

    def clear(self) -> None:
        """Nothing in any row; they keep their room."""
        self.count[:] = 0

    def grow(self) -> np.ndarray:
        """Give room to rows that were too short, which have to be written again; returns their numbers."""
        is_short = self.count > self.room
        # Asked after each look, and seldom so: `flatnonzero` and what follows cost more than the look around a few.
        if not np.count_nonzero(is_short):
            return NOBODY
        short = np.flatnonzero(is_short)
        # A short row is searched twice: give it more than it needs, so that this is rare.
        self.room[short] = 2 * self.count[short] + SPARE
        self.count[short] = UNKNOWN
        ends = self._used + np.cumsum(self.room[short], dtype=np.int64)
        self.start[short] = ends - self.room[short]
        if ends[-1] > len(self.pool):
            pool = np.empty(2 * int(ends[-1]), dtype=np.int32)
            pool[: self._used] = self.pool[: self._used]
            self.pool = pool
        self._used = int(ends[-1])
        return short

    def columns(self) -> RowColumns:
        """As kernels take them; `grow` may replace the pool."""
        return RowColumns(self.start, self.room, self.count, self.pool)

    def of(self, rows: np.ndarray) -> np.ndarray:
        """What is in some rows, one after another."""
        return self.pool[spread(self.start[rows], self.count[rows])]


def spread(start: np.ndarray, count: np.ndarray) -> np.ndarray:
    """Indices start[k], start[k] + 1, ... of ranges of so many, one after another."""
    first = np.cumsum(count) - count
    return np.arange(int(count.sum())) + np.repeat(start - first, count)


def owners(patch: np.ndarray, who: np.ndarray) -> np.ndarray:
    """The patches of some particles or edges, most often of none."""
    return np.unique(patch[who]) if len(who) else who
