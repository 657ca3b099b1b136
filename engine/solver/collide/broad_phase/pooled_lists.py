"""Lists of various lengths, one a row, in one pool of memory."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

# Spare capacity of every row that is not empty.
SPARE = 8
# Count of a row that must be written again.
UNKNOWN = -1
NO_ROWS = np.zeros(0, dtype=np.int64)


class RowColumns(NamedTuple):
    """Rows as kernels take them, see `Rows`.

    Attributes:
        start, capacity, count: (n,) int32; count: out, entries found, of which at most `capacity` are written.
        pool: int32, out.
    """

    start: np.ndarray
    capacity: np.ndarray
    count: np.ndarray
    pool: np.ndarray


class Rows:
    """Row k is pool[start[k] : start[k] + count[k]]; a row that outgrows its capacity moves.

    Rows below the first one in use stay empty: the many particles of fluids come before all colliding ones.

    Attributes:
        start, capacity, count: (n,) int32; a count above `capacity` means that only `capacity` entries were written.
        pool: int32.
    """

    def __init__(self, rows: int, first: int = 0) -> None:
        """Args: rows: number of rows, all empty; first: the first of them that is in use."""
        self.start, self.capacity, self.count = (np.zeros(rows, dtype=np.int32) for _ in range(3))
        self.pool = np.zeros(0, dtype=np.int32)
        self._first, self._used = first, 0

    def total(self) -> int:
        """Entries of all rows."""
        return int(self.count[self._first :].sum())

    def clear(self) -> None:
        """Empty all rows; they keep their capacity."""
        self.count[self._first :] = 0

    def grow(self) -> np.ndarray:
        """Enlarge rows that were too short; returns the indices of these rows, which must be written again."""
        is_short = self.count[self._first :] > self.capacity[self._first :]
        # Called after each search but rarely needed: `flatnonzero` alone would cost more than a small search.
        if not np.count_nonzero(is_short):
            return NO_ROWS
        short = np.flatnonzero(is_short) + self._first
        # A short row is searched twice: enlarge it by more than needed, so that this is rare.
        self.capacity[short] = 2 * self.count[short] + SPARE
        self.count[short] = UNKNOWN
        ends = self._used + np.cumsum(self.capacity[short], dtype=np.int64)
        self.start[short] = ends - self.capacity[short]
        if ends[-1] > len(self.pool):
            pool = np.empty(2 * int(ends[-1]), dtype=np.int32)
            pool[: self._used] = self.pool[: self._used]
            self.pool = pool
        self._used = int(ends[-1])
        return short

    def columns(self) -> RowColumns:
        """The arrays as kernels take them; `grow` may replace the pool."""
        return RowColumns(self.start, self.capacity, self.count, self.pool)

    def of(self, rows: np.ndarray) -> np.ndarray:
        """Entries of some rows, concatenated."""
        return self.pool[spread(self.start[rows], self.count[rows])]


def spread(start: np.ndarray, count: np.ndarray) -> np.ndarray:
    """Indices start[k], start[k] + 1, ... of ranges of the given counts, concatenated."""
    ends = np.cumsum(count)
    return np.arange(int(ends[-1]) if len(ends) else 0) + np.repeat(start + count - ends, count)


def owners(patch: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    """The patches of some particles or edges; usually empty."""
    return np.unique(patch[chosen]) if len(chosen) else chosen
