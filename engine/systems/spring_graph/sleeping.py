"""Which pieces of soft bodies rest, from substep to substep; see `contact.sleeping`."""

from __future__ import annotations

import numpy as np

from ...solver.constraints.contact import sleeping as resting
from ...world.world import World
from .tables.rows import Rows


class Rest:
    """Stops what has become slow on what bears it; `still` (pieces,) tells for how long each has been slow [s]."""

    def __init__(self, rows: Rows) -> None:
        """Args: the rows of all soft bodies."""
        self._rows = rows
        pieces = len(rows.free)
        self.still, self._gained = np.zeros(pieces), np.zeros((pieces, 3))
        self._is_borne, self._rests = np.zeros(pieces, dtype=bool), np.zeros(pieces, dtype=bool)
        self._sums = np.zeros((len(rows.block_piece), resting.SUMS))

    def note(self, world: World) -> None:
        """After the contacts of a substep: which pieces something bears."""
        rows, holds = self._rows, world.holds
        resting.mark_borne(
            holds.count, holds.contact, holds.held, rows.row, rows.spare, rows.row_block, rows.block_piece,
            self._is_borne,
        )

    def act(self, world: World, h: float) -> None:
        """Before a substep of h [s], by what the last one left."""
        if not self._is_borne.any():
            self.still[:] = 0.0
            return
        rows, v = self._rows, world.state.v
        resting.sum_motion(v, world.model.mass, rows.ids, rows.block_start, self._sums)
        weight = float(np.linalg.norm(world.model.gravity))
        if resting.find_resting(
            self._sums, rows.piece_block, rows.free, self._is_borne, h, weight, self.still, self._gained,
            self._rests,
        ):
            self.stop(v)

    def stop(self, v: np.ndarray) -> None:
        """All that rests has no speed; v (n, 3)."""
        rows = self._rows
        resting.stop_resting(self._rests, rows.block_piece, rows.block_start, rows.ids, v)

    def memory(self) -> tuple[np.ndarray, ...]:
        """What a snapshot must keep."""
        return self.still, self._gained, self._is_borne

    def recall(self, memory: tuple[np.ndarray, ...]) -> None:
        """Take a snapshot's memory back."""
        self.still[:], self._gained[:], self._is_borne[:] = memory
