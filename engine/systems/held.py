"""The contacts of a substep as the rows of spring graphs see them."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import aligned
from ..constraints.hold_order import sort_holds
from ..constraints.holding import begin_holds, end_holds, spend_room
from ..holds import Holds
from ..vector.holding import COLUMNS, begin_sixteens
from ..world import World
from .rows import Rows


class HeldRows:
    """What `constraints.holding` needs beside the contacts themselves; has room for as many as there are."""

    def __init__(self, rows: Rows) -> None:
        """Args: the rows that contacts move."""
        self._graph_rows = rows
        blocks = len(rows.block_piece)
        self._start, self._energy = np.zeros(blocks + 2, dtype=np.int64), np.zeros(blocks + 1)
        self._allot(0)

    def _allot(self, room: int) -> None:
        self._order, self._block_of = np.zeros(room, dtype=np.int32), np.zeros(room, dtype=np.int32)
        self._rows = np.zeros((room, 4), dtype=np.int32)
        self._sides, self._planes, self._creep = np.zeros((room, 4)), np.zeros((room, 4)), np.zeros((room, 3))
        self._room, self._held = aligned.zeros(room), aligned.zeros(room)
        self._own, self._columns = np.zeros(room, dtype=np.int32), aligned.zeros((COLUMNS, room))
        self._is_even = np.zeros(room, dtype=bool)

    def begin(self, world: World, steps: int) -> None:
        """Start a substep of so many inner steps."""
        holds, state, rows = world.holds, world.state, self._graph_rows
        if len(self._room) < holds.count:
            self._allot(len(holds.gap))
        self._energy[:] = 0.0
        sort_holds(
            holds.count, holds.contact, rows.row, rows.spare, rows.row_block, self._block_of, self._order, self._start,
        )
        begin_holds(
            holds.count, self._order, holds.contact, holds.share, holds.normal, holds.gap, holds.friction, state.x,
            state.x_prev, rows.row, rows.spare, steps, self._rows, self._sides, self._planes, self._room, self._creep,
            self._held,
        )
        if rows.moved.dtype == np.float32:
            begin_sixteens(
                self._start, self._rows, self._sides, self._planes, self._creep, self._own, self._columns,
                self._is_even,
            )

    def for_steps(self, holds: Holds) -> tuple[Any, ...]:
        """What `inner.inner_steps` takes of the contacts."""
        return (
            holds.count, self._start, self._rows, self._sides, self._planes, self._room, self._creep, self._own,
            self._columns, self._is_even, self._held, self._energy, self._graph_rows.row_block, self._graph_rows.given,
        )

    def spend(self, holds: Holds, done: int) -> None:
        """Before rows settle, after so many inner steps."""
        spend_room(
            holds.count, self._graph_rows.moved, self._rows, self._sides, self._planes, self._creep, done, self._room
        )

    def end(self, holds: Holds) -> None:
        """Tell the contacts what all inner steps did."""
        end_holds(holds.count, self._order, self._held, self._energy, holds.held, holds.energy)
