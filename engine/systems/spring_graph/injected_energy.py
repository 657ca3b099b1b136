"""Injected energy: energy that contacts store in springs and air by moving particles without changing velocities.

A particle that would pass through a surface is moved back (`response.response`), or its displacement is shortened
(`response.shorten`). That deforms springs and compresses air. In a substep that does not resolve the springs, the
stored energy can be a million times the kinetic energy. `pre_stabilization` relaxes part of it, but it does not move
particles in contact: a rope of six vertices that overlapped another rope doubled its energy in each substep.

So the energy that such displacements add to each piece is measured, less what was relaxed since. The next solve must
not turn it into motion: the kinetic energy that touching pieces gain is reduced by it (`contact.energy_limit`). Springs
release it at once. The air of a heavy hull releases it over many substeps, so the part stored in air is kept for later:
each solve accounts only for what the air releases in it.

Most of the released energy does not become motion: inner steps dissipate it, as when a vertex that recovery lifted
snaps back to its contact and stops there. So a solve also measures all energy that springs and air release, and the
kinetic energy that the piece has lost since it has had injected energy. What they release beyond the injected energy
may become motion again, up to that loss. Without this rule, a light ball that fell on a cloth on a floor was lifted a
little in each substep of its rebound, and so lost all the speed that its springs gave it.

More inner steps than before inject energy as well, see `stiffening`.

Energy that springs have not released after a while is in equilibrium: a tight ring stores a hundred times its kinetic
energy. So it is forgotten with the time constant DECAY_TIME. Before that, rings that had once been in contact with too
few inner steps kept it for ever, and measuring it took a tenth of each frame.

Recovery moves overlapping particles apart without velocity, so it deforms springs and compresses air as well: a boulder
spread a limp cube of 3 m, and its air returned five times the energy of all motion. Among bodies at rest this is next
to nothing, and measuring it everywhere would take a fifth of a frame. So it is measured around moved particles only,
and counts only above a fraction of the energy that the piece has at the speed of recovery.
"""

from __future__ import annotations

import numpy as np

from ...mesh.graph.edges import pair_order
from ...solver.collide.response.response import RECOVERY_SPEED
from ...solver.constraints import stored_energy as stored
from ...solver.constraints.columns import RowMoves, SpringEnds
from ...solver.constraints.drift import place_rows
from ...solver.constraints.gas.volume import sum_blocks
from .stiffening import gained_by_steps
from .tables.gas import GasTable
from .tables.rows import Rows
from .tables.springs import SpringTable

# Energy injected by recovery in a substep counts above this fraction of the energy that its piece has at that speed.
# Rings in a pile stay below 0.05, a ball that lands and slides without friction below 0.07 (it lost 7 mm/s of 5 m/s
# with a threshold of 0.06), and bodies at rest below 1e-4; scenes that gained energy had 0.18 to 1e7.
LEAST_FRACTION = 0.15
# For pieces in contact with rigid bodies the threshold is this many times higher: `energy_limit` removes motion about
# the common centre, and so changes the angular momentum of pieces and bodies together. Impacts that conserve it inject
# up to 0.5 of the energy at the speed of recovery; scenes that gained energy had 37 to 4,400 times that energy.
ON_RIGID = 1.0 / LEAST_FRACTION
# Time constant with which energy that springs do not release is forgotten [s].
DECAY_TIME = 0.5


class InjectedEnergy:
    """Measures the energy that contacts add to springs and air; `Rows.injected_energy` keeps it."""

    def __init__(self, rows: Rows, springs: SpringTable, gas: GasTable) -> None:
        """Args: the tables of the solve."""
        self._rows, self._springs, self._gas = rows, springs, gas
        self._noted, self._is_on_rigid = np.zeros((len(rows.row), 3)), False
        # Particles before the first row, such as those of fluids, are skipped.
        self._first = int(rows.ids.min(initial=len(rows.row)))
        self._is_moved, self._displacement = (
            np.zeros(len(rows.at), dtype=bool), np.zeros((len(rows.at), 3), dtype=np.float32)
        )
        self._stored = np.zeros(len(rows.free))
        # Of a solve: the injected energy that springs store at its start, the additional energy of air at its end, and
        # the positions of particles then.
        self._in_springs, self._in_air = np.zeros((2, len(rows.free)))
        self._reached, self._has_injected = np.zeros((len(rows.row), 3)), False
        self._piece_of_part = rows.block_piece[rows.row_block[gas.origin]]
        blocks = len(rows.block_piece)
        self._every_block = np.arange(blocks)
        self._block_moved, self._block_change = np.zeros(blocks, dtype=bool), np.zeros(blocks)
        free = rows.at[:-1, 3] > 0.0
        mass = np.divide(1.0, rows.at[:-1, 3], out=np.zeros(len(rows.ids)), where=free)
        piece = rows.block_piece[rows.row_block[:-1]]
        self._least = LEAST_FRACTION * 0.5 * RECOVERY_SPEED**2 * np.bincount(piece, mass, len(rows.free))
        # Springs at each row, sixteen bytes per spring: listed when contacts first displace particles.
        self._ends: SpringEnds | None = None

    def note(self, x: np.ndarray, is_on_rigid: bool = False) -> None:
        """Record positions, of all (n, 3), before contacts move particles without changing velocities.

        Args: is_on_rigid: whether soft bodies are in contact with rigid ones, see `ON_RIGID`.
        """
        first = self._first
        stored.note_places(x[first:], self._noted[first:])
        self._is_on_rigid = is_on_rigid

    def is_much(self, x: np.ndarray) -> bool:
        """Estimate whether recovery has added enough energy to any piece since `note` to count."""
        if not self._add_springs(x):
            return False
        if self._gas.breathes:
            self._gas.add_some(x, self._noted, self._rows.ids, self._is_moved, self._piece_of_part, self._stored)
        return bool((self._stored > (ON_RIGID if self._is_on_rigid else 1.0) * self._least).any())

    def measure(self, x: np.ndarray, only_less: bool = False) -> np.ndarray:
        """Add the change of stored energy since `note`, which may be negative, to the injected energy.

        Args: only_less: whether pieces that store more will be restored to their recorded positions.

        Returns:
            Pieces that store more, (pieces,) bool.
        """
        rows, more, air = self._rows, self._stored, np.zeros(len(self._stored))
        self._add_springs(x)
        if self._gas.breathes:
            air -= self._air_of(self._noted)
            rows.air_energy[:] = self._air_of(x)
            air += rows.air_energy
            more += air
        is_more = more > 0.0
        if only_less:
            rows.air_energy -= np.where(is_more, air, 0.0)
            more[is_more] = air[is_more] = 0.0
        rows.still_in_air += np.where(air > 0.0, np.clip(more, 0.0, air), air)
        np.maximum(rows.injected_energy + more, 0.0, out=rows.injected_energy)
        np.clip(rows.still_in_air, 0.0, rows.injected_energy, out=rows.still_in_air)
        rows.still_in_air[rows.still_in_air < self._least] = 0.0
        return is_more

    def begin(self, x: np.ndarray, last_steps: np.ndarray) -> None:
        """Before a solve from positions `x`, (n, 3): record the energy that springs and air store.

        Args: last_steps: (pieces,) inner steps of the last solve.
        """
        rows = self._rows
        if (last_steps < self._springs.steps).any():
            gained = gained_by_steps(rows, self._springs, self._gas, x, last_steps)
            rows.injected_energy += np.where(gained > self._least, gained, 0.0)
        self._has_injected = bool(rows.injected_energy.any())
        if self._has_injected:
            self.note(x)
            np.subtract(rows.injected_energy, rows.still_in_air, out=self._in_springs)
            rows.released[:] = self._air_of(x)

    def end(self) -> None:
        """After a solve, when rows are settled: measure the energy that springs and air have released.

        Energy that air has released is no longer kept for later.
        """
        if not self._has_injected:
            return
        rows, air = self._rows, self._air_at(self._rows.at)
        np.maximum(air - rows.released, 0.0, out=self._in_air)
        np.maximum(rows.still_in_air - np.maximum(rows.air_energy - air, 0.0), 0.0, out=rows.still_in_air)
        rows.air_energy[:] = air
        rows.write_reached(self._reached)
        self._add_springs(self._reached)
        rows.released -= air + self._stored

    def keep(self, island: np.ndarray, h: float) -> None:
        """After a solve and `energy_limit.pay`: keep the injected energy that springs and air still store.

        A piece that stores more than before received it through contacts from what others released, up to the energy
        that was not removed. Small amounts are dropped at once, see `LEAST_FRACTION`: bodies at rest would keep them
        for ever.

        Args: island: (pieces,) of each; h: the substep [s].
        """
        if not self._has_injected:
            return
        rows, stored, air = self._rows, self._in_springs, self._in_air
        stored += self._stored
        for one in (stored, air):
            one[one < self._least] = 0.0
        left, wanted = np.bincount(island, rows.injected_energy - rows.still_in_air), np.bincount(island, stored + air)
        fraction = np.minimum(np.divide(left, wanted, out=np.zeros_like(left), where=wanted > 0.0), 1.0)[island]
        rows.still_in_air += fraction * air
        np.add(rows.still_in_air, max(1.0 - h / DECAY_TIME, 0.0) * fraction * stored, out=rows.injected_energy)

    def _add_springs(self, x: np.ndarray) -> bool:
        """Change of the energy of springs from the recorded positions to `x`; returns whether any particle moved."""
        rows = self._rows
        stored.mark_moved(
            x, self._noted, rows.ids, rows.block_start, self._is_moved, self._displacement, self._block_moved
        )
        self._stored[:] = 0.0
        if not self._block_moved.any():
            return False
        if self._ends is None:
            self._ends = self._list_ends()
        moves = RowMoves(rows.block_start, rows.ids, self._noted, self._is_moved, self._displacement, self._block_moved)
        stored.spring_changes(moves, self._ends, *self._springs.for_energy(), self._block_change)
        sum_blocks(self._every_block, rows.block_piece, self._block_change, self._stored)
        return True

    def _list_ends(self) -> SpringEnds:
        """The springs at each row."""
        i, j = self._springs.i, self._springs.j
        row = np.concatenate([i, j])
        order = pair_order(row, np.zeros_like(row))
        start = np.append(0, np.cumsum(np.bincount(row, minlength=len(self._rows.at))))
        return SpringEnds(start, (order % len(i)).astype(np.int32), np.concatenate([j, i])[order])

    def _air_of(self, x: np.ndarray) -> np.ndarray:
        """Energy of the air of each piece with particles at `x`, (pieces,), up to a constant [J]."""
        rows = self._rows
        place_rows(x, rows.ids, rows.block_start, rows.block_first, rows.at)
        return self._air_at(rows.at)

    def _air_at(self, at: np.ndarray) -> np.ndarray:
        gas, held = self._gas, np.zeros(len(self._rows.free))
        gas.measure(at)
        stored.add_air(gas.volume, gas.rest_volume, gas.amount, gas.active, self._piece_of_part, held)
        return held
