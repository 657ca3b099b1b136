"""Additional velocity by which particles follow a deformable surface, in one substep."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ....compiler.kernels import kernel

if TYPE_CHECKING:
    from ..roster import Roster


class Lag(NamedTuple):
    """Particles that follow a surface; immutable.

    Attributes:
        rows: (f,) int64, their indices in the fluid's order, each once; velocity: (f, 3) [m/s].
    """

    rows: np.ndarray
    velocity: np.ndarray

    def add(self, fraction: float, v: np.ndarray) -> None:
        """Add a fraction of it to the velocities v (n, 3) of the fluid."""
        if len(self.rows):
            add_to(self.rows, fraction, self.velocity, v)

    def sorted(self, order: np.ndarray) -> Lag:
        """The lag of the same particles after the fluid is permuted by `order` (n,), see `Roster.sort`."""
        if len(self.rows) == 0:
            return self
        place = np.empty(len(order), dtype=np.int64)
        place[order] = np.arange(len(order))
        return Lag(place[self.rows], self.velocity)

    def followed(self, roster: Roster, kept_ids: np.ndarray) -> Lag:
        """The lag of particles that remain after emission and removal; kept_ids: (n,) of the roster before."""
        if len(self.rows) == 0:
            return self
        every = np.zeros((len(kept_ids), 3))
        every[self.rows] = self.velocity
        every = roster.follow(every, kept_ids)
        rows = np.flatnonzero(every.any(axis=1))
        return Lag(rows, every[rows])


NO_LAG = Lag(np.zeros(0, dtype=np.int64), np.zeros((0, 3)))


@kernel
def add_to(rows, fraction, velocity, v):
    """Add a fraction of the velocities (f, 3) of some particles, each once, to v (n, 3) [m/s]; rows: (f,)."""
    for k in range(rows.shape[0]):
        for axis in range(3):
            v[rows[k], axis] += fraction * velocity[k, axis]
