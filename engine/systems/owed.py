"""What contacts bent by force is owed: springs and air may give it back, but not as motion.

Who was on the way through a surface is moved before it, and who could not be is set back to where it was
(`collide.response`). Nobody pays for what that bends springs and squeezes air by: in a substep that does not resolve
them it is a million times the energy of what moves. `systems.unbend` makes straight what it can, but nobody goes whom
a contact holds, and so a rope of six vertices that lay in another gave twice as much back in each substep.

So the energy that those ways added to a piece is measured, less what was made straight since, and the next solve must
not make motion of it: what pieces that touch gain in speed pays for what they owe (`constraints.paying`).
"""

from __future__ import annotations

import numpy as np

from ..constraints import local, stored
from .gas import GasTable
from .rows import Rows
from .springs import SpringTable


class Owed:
    """Measures what contacts bent by force hold after them and did not before; `Rows.owed` keeps it."""

    def __init__(self, rows: Rows, springs: SpringTable, gas: GasTable) -> None:
        """Args: the tables of the solve."""
        self._rows, self._springs, self._gas = rows, springs, gas
        self._noted = np.zeros((len(rows.row), 3))
        self._is_moved = np.zeros(len(rows.at), dtype=bool)
        self._stored = np.zeros(len(rows.free))
        self._piece_of_part = rows.block_piece[rows.row_block[gas.origin]]

    def note(self, x: np.ndarray) -> None:
        """Remember where all particles are, (n, 3), before they are moved without speed."""
        self._noted[:] = x[: len(self._noted)]

    def measure(self, x: np.ndarray) -> None:
        """What springs and air hold more since the note was taken is owed, beside what was; or less."""
        rows = self._rows
        stored.mark_moved(x, self._noted, rows.ids, self._is_moved)
        self._stored[:] = rows.owed
        self._add(-1.0, self._noted)
        self._add(1.0, x)
        np.maximum(self._stored, 0.0, out=rows.owed)

    def _add(self, sign: float, x: np.ndarray) -> None:
        """Add what those hold that were moved, were they at `x`."""
        rows, springs, gas = self._rows, self._springs, self._gas
        local.place_rows(x, rows.ids, rows.block_start, rows.block_first, rows.at)
        stored.add_springs(
            sign, rows.at, *springs.for_energy(), self._is_moved, rows.row_block, rows.block_piece, self._stored
        )
        if gas.breathes:
            gas.measure(rows.at)
            stored.add_air(
                sign, gas.volume, gas.rest_volume, gas.amount, gas.active, self._piece_of_part, self._stored
            )
