"""The contacts of a substep in terms of the rows of spring graphs."""

from __future__ import annotations

import numpy as np

from ....compiler import aligned
from ....compiler.typed_call import TypedCall
from ....solver.constraints.columns import ContactColumns
from ....solver.constraints.contact.contact_order import sort_contacts
from ....solver.constraints.contact.contacts import begin_contacts, end_contacts
from ....solver.constraints.islands import Islands
from ....solver.contact_buffer import ContactBuffer
from ....solver.vector.contacts import COLUMNS, begin_sixteens
from ....world.world import World
from .rows import Rows

# Separation so large that inner steps ignore the contact [m].
FAR = 1e9


class ContactRows:
    """Working arrays of `contact.contacts`; they grow with the number of contacts."""

    def __init__(self, rows: Rows) -> None:
        """Args: rows: the rows that contacts move."""
        self._graph_rows = rows
        blocks = len(rows.block_piece)
        # There are at most as many islands as pieces.
        most = blocks + len(rows.free)
        self._start, self._energy = np.zeros(most + 2, dtype=np.int64), np.zeros(most)
        self._begin_contacts, self._begin_sixteens = TypedCall(begin_contacts), TypedCall(begin_sixteens)
        self._end_contacts = TypedCall(end_contacts)
        self._loose: np.ndarray | None = None
        self._has_loose = False
        self._allocate(0)

    def _allocate(self, capacity: int) -> None:
        self._order, self._block_of = np.zeros(capacity, dtype=np.int32), np.zeros(capacity, dtype=np.int32)
        self._rows = np.zeros((capacity, 4), dtype=np.int32)
        self._sides, self._planes = np.zeros((capacity, 4)), np.zeros((capacity, 4))
        self._creep = np.zeros((capacity, 3))
        self._separation, self._held = aligned.zeros(capacity), aligned.zeros(capacity)
        self._own, self._columns = np.zeros(capacity, dtype=np.int32), aligned.zeros((COLUMNS, capacity))
        self._is_even = np.zeros(capacity, dtype=bool)
        rows = self._graph_rows
        # The contacts of the running substep, for `solver.inner_steps.solve_islands`.
        self.columns = ContactColumns(
            self._start, self._rows, self._sides, self._planes, self._separation, self._creep, self._own,
            self._columns, self._is_even, rows.row_block, self._held, self._energy, rows.impulse,
        )

    def sort(self, world: World, of_block: np.ndarray, count: int) -> np.ndarray:
        """Sort the contacts of a substep by block and island; returns the islands with contacts, (count,) bool.

        Args: of_block: (blocks,) island of each block of rows; count: number of islands.
        """
        buffer, rows = world.contact_buffer, self._graph_rows
        if len(self._separation) < buffer.count:
            self._allocate(len(buffer.rest_separation))
        blocks = len(of_block)
        start = self._start[: blocks + count + 2]
        self.columns = self.columns._replace(start=start, energy=self._energy[: blocks + count])
        sort_contacts(
            buffer.count, buffer.contact, rows.row, rows.spare, rows.row_block, of_block, self._block_of, self._order,
            start,
        )
        found = np.diff(start[blocks : blocks + count + 1]) > 0
        found[of_block[np.diff(start[: blocks + 1]) > 0]] = True
        return found

    def begin(self, world: World, islands: Islands) -> None:
        """Start a substep, with contacts sorted by these islands."""
        buffer, state, rows, contacts = world.contact_buffer, world.state, self._graph_rows, self.columns
        self._energy[:] = 0.0
        self._begin_contacts(
            buffer.columns, buffer.count, self._order, state.x, state.x_prev, rows.row, rows.spare, islands, contacts
        )
        self._leave_out_loose(world)
        if rows.moved.dtype == np.float32:
            self._begin_sixteens(contacts)

    def _leave_out_loose(self, world: World) -> None:
        """Exclude contacts with a free particle that has no row from the inner steps.

        Inner steps would treat that particle as immovable. The solve after them uses the masses of both sides.
        """
        if self._loose is None:
            self._loose = world.model.inv_mass > 0.0
            self._loose[self._graph_rows.ids] = False
            self._has_loose = bool(self._loose.any())
        if self._has_loose:
            count, buffer = world.contact_buffer.count, world.contact_buffer
            some = (self._loose[buffer.contact[:count]] & (buffer.weight[:count] != 0.0)).any(axis=1)
            self._separation[:count][some[self._order[:count]]] = FAR

    def end(self, buffer: ContactBuffer) -> None:
        """Write the result of all inner steps back to the contacts."""
        self._end_contacts(buffer.count, self._order, self.columns, buffer.columns)
