"""Sleeping of soft pieces, from substep to substep; see `contact.sleeping`."""

from __future__ import annotations

import math

import numpy as np

from ...solver.constraints.contact import sleeping as resting
from ...world.world import World
from .tables.rows import Rows


class Rest:
    """Stops pieces that have become slow on a support; `still` (pieces,): how long each has been slow [s]."""

    def __init__(self, rows: Rows) -> None:
        """Args: the rows of all soft bodies."""
        self._rows = rows
        pieces = len(rows.free)
        self.still, self._gained = np.zeros(pieces), np.zeros((pieces, 3))
        self._is_supported, self._rests = np.zeros(pieces, dtype=bool), np.zeros(pieces, dtype=bool)
        self._sums = np.zeros((len(rows.block_piece), resting.SUMS))

    def note(self, world: World) -> None:
        """After the contacts of a substep: find the pieces that contacts support."""
        rows, buffer = self._rows, world.contact_buffer
        resting.mark_supported(
            buffer.count, buffer.contact, buffer.held, rows.row, rows.spare, rows.row_block, rows.block_piece,
            self._is_supported,
        )

    def act(self, world: World, h: float) -> None:
        """Before a substep of h [s]: update which pieces sleep, from the result of the last substep."""
        if not self._is_supported.any():
            self.still[:] = 0.0
            return
        rows, v = self._rows, world.state.v
        resting.sum_motion(v, world.model.mass, rows.ids, rows.block_start, self._sums)
        weight = math.hypot(*world.model.gravity)
        if resting.find_resting(
            self._sums, rows.piece_block, rows.free, self._is_supported, h, weight, self.still, self._gained,
            self._rests,
        ):
            self.stop(v)

    def stop(self, v: np.ndarray) -> None:
        """Set the velocity of all sleeping pieces to 0; v (n, 3) [m/s]."""
        rows = self._rows
        resting.stop_resting(self._rests, rows.block_piece, rows.block_start, rows.ids, v)

    def memory(self) -> tuple[np.ndarray, ...]:
        """State that a snapshot must keep."""
        return self.still, self._gained, self._is_supported

    def recall(self, memory: tuple[np.ndarray, ...]) -> None:
        """Restore a snapshot's state."""
        for values, known in zip((self.still, self._gained, self._is_supported), memory, strict=True):
            values[:] = known
