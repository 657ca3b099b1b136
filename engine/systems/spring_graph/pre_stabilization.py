"""What contacts bent by force goes straight again without speed, before springs and air see it.

Who was on the way through a surface, and could not be kept from it by masses, is set back to where it was
(`response.clamp`). Its fellows have gone on, so springs are bent and air is squeezed by as much as the way
of a substep, and nobody asked for the energy that they would give back: in a scene whose springs a substep does not
resolve it is millions of times that of the motion, and the next substep bends them more.

So the substep after begins with passes that are no motion: springs and air move particles as they would in a step
as long as the substep, but velocities stay. What is soft enough for the substep to resolve hardly moves. Only who was
set back moves so, and whom a spring joins to them; all others stand still. When whole pieces went straight, what
gravity stretches and folds press together did too, and came through itself: a limp ball of 10,242 vertices that lay in
folds had 225 ways through itself to set back in each turn, and never came to rest. Nor does anybody move whom a contact
holds, unless it holds the whole piece, as a rope that lies in a rope: in a heap that would go into each other and be
set back again, more in each substep.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...compiler.kernels import threads
from ...solver.constraints import local
from ...solver.constraints.columns import SpringColumns
from ...solver.contact_buffer import ContactBuffer
from ...solver.inner_steps import straighten
from ...solver.rigid.columns import RigidContactBuffer
from ...world.world import State, World
from .injected_energy import InjectedEnergy
from .tables.gas import GasTable
from .tables.rows import Rows
from .tables.springs import SpringTable

PASSES = 32


class PreStabilization:
    """Passes over the springs and the air around those that contacts have set back."""

    def __init__(self, rows: Rows, springs: SpringTable, gas: GasTable) -> None:
        """Args: the tables of the solve."""
        self._rows, self._springs, self._gas = rows, springs, gas
        self.injected_energy = InjectedEnergy(rows, springs, gas)
        self._piece = rows.block_piece[rows.row_block[:-1]]
        self._is_chosen = np.zeros(len(rows.at), dtype=bool)

    def note(self, world: World, is_on_rigid: bool) -> None:
        """At the end of a solve: see `InjectedEnergy.note`; where nobody meets nobody can owe."""
        if world.interactions:
            self.injected_energy.note(world.state.x, is_on_rigid)

    def owe(self, world: World) -> None:
        """At the end of a substep: what contacts have bent by force since the solve is owed, or by much recovery."""
        x = world.state.x
        if np.count_nonzero(world.state.was_clamped) or (world.interactions and self.injected_energy.is_much(x)):
            self.injected_energy.measure(x)

    def act(self, world: World, h: float) -> None:
        """Move `x_prev`, where the substep h [s] begins, of those that are `State.bent` and around."""
        # Asked each substep: `any` takes five times as long.
        state, inv_mass = world.state, world.model.inv_mass
        if np.count_nonzero(state.was_clamped) == 0:
            return
        buffers = [world.holds] if world.rigid is None else [world.holds, world.rigid.holds]
        rows, chosen = self._rows, self._is_chosen
        bent = rows.row[np.flatnonzero(state.was_clamped[: len(rows.row)])]
        state.was_clamped[:] = False
        chosen[bent] = True
        chosen[rows.spare] = False
        near = np.flatnonzero(self._springs.joined(chosen)[:-1])
        chosen[bent] = False
        who = self._who_comes(near[inv_mass[rows.ids[near]] > 0.0], buffers, len(inv_mass))
        if len(who) == 0:
            return
        chosen[who] = True
        springs = self._springs.around(chosen)
        chosen[who] = False
        # What is around a few is too little to be shared by threads.
        with threads(1):
            self._go(who, springs, state, h)

    def _go(self, who: np.ndarray, springs: SpringColumns, state: State, h: float) -> None:
        """All passes over some springs and the air around the rows that move, (m,)."""
        rows = self._rows
        self.injected_energy.note(state.x_prev)
        local.place_rows(state.x_prev, rows.ids, rows.block_start, rows.block_first, rows.at)
        # All others stand still meanwhile.
        weights = rows.moved[:, 3].copy()
        rows.moved[:, 3] = 0.0
        rows.moved[who, 3] = weights[who]
        before = rows.at[who, :3]
        straighten(PASSES, h, who, rows.columns, springs, *self._gas.around(who))
        rows.moved[:, 3] = weights
        state.x_prev[rows.ids[who]] += rows.at[who, :3] - before
        self.injected_energy.measure(state.x_prev)

    def _who_comes(
        self, near: np.ndarray, buffers: Sequence[ContactBuffer | RigidContactBuffer], count: int
    ) -> np.ndarray:
        """Of rows (k,) those that no contact foreseen for this substep holds, or all of a piece held all over.

        The whole piece is asked: where only those near were, a pressed vertex went through what it lay on, and its
        neighbours, which lay there too, rose from it, in each substep anew.
        """
        touches = np.zeros(count, dtype=bool)
        for buffer in buffers:
            touches[buffer.columns.contact[: buffer.count]] = True
        held = touches[self._rows.ids]
        is_free = np.bincount(self._piece[~held], minlength=len(self._rows.free)) > 0
        return near[~held[near] | ~is_free[self._piece[near]]]
