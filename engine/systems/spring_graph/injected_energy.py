"""What contacts bent by force is injected_energy: springs and air may give it back, but not as motion.

Who was on the way through a surface is moved before it, and who could not be is set back to where it was
(`response.response`). Nobody pays for what that bends springs and squeezes air by: in a substep that does not resolve
them it is a million times the energy of what moves. `spring_graph.pre_stabilization` makes straight what it can, but
nobody goes whom a contact holds, and so a rope of six vertices that lay in another gave twice as much back in each
substep.

So the energy that those ways added to a piece is measured, less what was made straight since, and the next solve must
not make motion of it: what pieces that touch gain in speed pays for what they owe (`contact.energy_limit`). Springs
    give
it back at once. Air of a heavy hull takes many substeps, so what air holds of it waits: solves ask for as much of it as
air gives back in them.

Recovery, which parts without speed what overlaps, bends springs and presses air as well: a boulder drew a limp cube of
3 m apart, and its air gave that back as five times the energy of all that moved. Among bodies that rest it is next to
nothing, and to measure it would take a fifth of a frame. So it is looked at around those that were moved, and owed
where it comes to a share of the energy that a piece has at the speed of recovery.
"""

from __future__ import annotations

import numpy as np

from ...solver.collide.response.response import RECOVERY_SPEED
from ...solver.constraints import local
from ...solver.constraints import stored_energy as stored
from ...solver.constraints.columns import RowMoves, SpringEnds
from ...solver.constraints.gas.volume import sum_blocks
from .tables.gas import GasTable
from .tables.rows import Rows
from .tables.springs import SpringTable

# What recovery bends in a substep is owed from this share of the energy that its piece has at the speed of recovery.
# Rings that pile up stay below 0.05, and at rest below 1e-4; scenes that gained energy had 0.4 to 1e7.
LEAST_SHARE = 0.25


class InjectedEnergy:
    """Measures what contacts bent by force hold after them and did not before; `Rows.injected_energy` keeps it."""

    def __init__(self, rows: Rows, springs: SpringTable, gas: GasTable) -> None:
        """Args: the tables of the solve."""
        self._rows, self._springs, self._gas = rows, springs, gas
        self._noted, self._is_on_rigid = np.zeros((len(rows.row), 3)), False
        self._is_moved, self._way = np.zeros(len(rows.at), dtype=bool), np.zeros((len(rows.at), 3), dtype=np.float32)
        self._stored = np.zeros(len(rows.free))
        self._piece_of_part = rows.block_piece[rows.row_block[gas.origin]]
        blocks = len(rows.block_piece)
        self._block_moved, self._block_change = np.zeros(blocks, dtype=bool), np.zeros(blocks)
        free = rows.at[:-1, 3] > 0.0
        mass = np.divide(1.0, rows.at[:-1, 3], out=np.zeros(len(rows.ids)), where=free)
        piece = rows.block_piece[rows.row_block[:-1]]
        self._least = LEAST_SHARE * 0.5 * RECOVERY_SPEED**2 * np.bincount(piece, mass, len(rows.free))
        # Springs that end at each row, sixteen bytes a spring: listed when contacts first displace particles.
        self._ends: SpringEnds | None = None

    def note(self, x: np.ndarray, is_on_rigid: bool = False) -> None:
        """Remember where all particles are, (n, 3), before they are moved without speed.

        Where rigid bodies are touched nobody owes for recovery: they could not pay their part, and all are to keep
        their angular momentum.
        """
        stored.note_places(x, self._noted)
        self._is_on_rigid = is_on_rigid

    def is_much(self, x: np.ndarray) -> bool:
        """Whether any piece seems to hold so much more since the note was taken that recovery owes it."""
        if self._is_on_rigid:
            return False
        if not self._add_springs(x):
            return False
        if self._gas.breathes:
            self._gas.add_some(x, self._noted, self._rows.ids, self._is_moved, self._piece_of_part, self._stored)
        return bool((self._stored > self._least).any())

    def measure(self, x: np.ndarray) -> None:
        """What springs and air hold more since the note was taken is owed, beside what was; or less."""
        rows, more = self._rows, self._stored
        self._add_springs(x)
        if self._gas.breathes:
            air = -self._air_of(self._noted)
            rows.air[:] = self._air_of(x)
            air += rows.air
            more += air
            rows.waits += np.where(air > 0.0, np.clip(more, 0.0, air), air)
        np.maximum(rows.injected_energy + more, 0.0, out=rows.injected_energy)
        np.clip(rows.waits, 0.0, rows.injected_energy, out=rows.waits)
        rows.waits[rows.waits < self._least] = 0.0

    def end(self) -> None:
        """After a solve, when rows are settled: what air has given back since it was measured waits no longer."""
        rows = self._rows
        if np.count_nonzero(rows.waits):
            air = self._air_at(rows.at)
            np.maximum(rows.waits - np.maximum(rows.air - air, 0.0), 0.0, out=rows.waits)
            rows.air[:] = air

    def _add_springs(self, x: np.ndarray) -> bool:
        """What springs hold more, were particles at `x`; whether anybody was moved."""
        rows = self._rows
        stored.mark_moved(x, self._noted, rows.ids, rows.block_start, self._is_moved, self._way, self._block_moved)
        self._stored[:] = 0.0
        if not self._block_moved.any():
            return False
        if self._ends is None:
            self._ends = self._list_ends()
        moves = RowMoves(rows.block_start, rows.ids, self._noted, self._is_moved, self._way, self._block_moved)
        stored.spring_changes(moves, self._ends, *self._springs.for_energy(), self._block_change)
        sum_blocks(rows.block_piece, self._block_change, self._stored)
        return True

    def _list_ends(self) -> SpringEnds:
        """The springs that end at each row."""
        i, j = self._springs.i, self._springs.j
        row = np.concatenate([i, j])
        order = np.argsort(row, kind="stable")
        start = np.append(0, np.cumsum(np.bincount(row, minlength=len(self._rows.at))))
        return SpringEnds(start, (order % len(i)).astype(np.int32), np.concatenate([j, i])[order])

    def _air_of(self, x: np.ndarray) -> np.ndarray:
        """What the air of each piece holds, (pieces,), but for a constant, were particles at `x` [J]."""
        rows = self._rows
        local.place_rows(x, rows.ids, rows.block_start, rows.block_first, rows.at)
        return self._air_at(rows.at)

    def _air_at(self, at: np.ndarray) -> np.ndarray:
        gas, held = self._gas, np.zeros(len(self._rows.free))
        gas.measure(at)
        stored.add_air(gas.volume, gas.rest_volume, gas.amount, gas.active, self._piece_of_part, held)
        return held
