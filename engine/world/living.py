"""`Living`: which particles of a reserved range are alive, for systems whose particles appear and disappear."""

from __future__ import annotations

from typing import Any

import numpy as np


class Living:
    """Tracks which particles of a range were born, are alive, or are gone.

    A system reserves a range for the most particles that it may ever have. A particle's place in the range is its id;
    the place of a particle that is gone stays empty, so ids never change. Systems return `ids` from `System.present`.
    Nothing else in a world reads these arrays, so ranges whose particles always exist cost nothing.

    Attributes:
        start: first particle of the range; born: number of places used so far.
        alive: (capacity,) bool.
        columns: by name, (capacity, ...) additional values of each particle, part of the memory.
    """

    def __init__(self, start: int, capacity: int) -> None:
        """A range in which no particle is born yet."""
        self.start, self.born = start, 0
        self.alive = np.zeros(capacity, dtype=bool)
        self.columns: dict[str, np.ndarray] = {}
        self._ids: np.ndarray | None = None

    def add_column(self, name: str, wide: int = 0) -> np.ndarray:
        """A new column of float64 zeros, (capacity,) or (capacity, wide)."""
        capacity = len(self.alive)
        self.columns[name] = np.zeros((capacity, wide) if wide else capacity)
        return self.columns[name]

    @property
    def stop(self) -> int:
        """End of the range of particles."""
        return self.start + len(self.alive)

    @property
    def ids(self) -> np.ndarray:
        """Particles of the world that are alive, (k,) int64, ascending; the same array object until they change."""
        if self._ids is None:
            self._ids = self.start + np.flatnonzero(self.alive[: self.born])
        return self._ids

    @property
    def room(self) -> int:
        """Number of particles that may still be born."""
        return len(self.alive) - self.born

    @property
    def gone(self) -> int:
        """Number of particles that were alive and no longer are."""
        return self.born - int(np.count_nonzero(self.alive))

    def spawn(self, count: int) -> slice:
        """Create `count` particles, at most `room`; returns their places in the range."""
        own = slice(self.born, self.born + count)
        self.alive[own] = True
        self.born += count
        self._ids = None
        return own

    def remove(self, lost: np.ndarray) -> bool:
        """Remove particles, `lost` (born,) bool; returns whether any of them was alive."""
        lost = lost & self.alive[: self.born]
        self.alive[: self.born][lost] = False
        self._ids = None
        return bool(lost.any())

    def memory(self) -> dict[str, Any]:
        """A copy of everything that changes."""
        columns = {name: values.copy() for name, values in self.columns.items()}
        return {"born": self.born, "alive": self.alive.copy(), "columns": columns}

    def recall(self, memory: dict[str, Any]) -> None:
        """Restore `memory`."""
        self.born, self.alive[:], self._ids = memory["born"], memory["alive"], None
        for name, values in memory["columns"].items():
            self.columns[name][:] = values
