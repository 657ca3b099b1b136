"""What contacts bent by force goes straight again without speed, before springs and air see it.

Who was on the way through a surface, and could not be kept from it by masses, is set back to where it was
(`collide.response.set_back`). Its fellows have gone on, so springs are bent and air is squeezed by as much as the way
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

import numpy as np

from ..constraints import local
from ..holds import Holds
from ..world import State
from .gas import GasTable
from .rows import Rows
from .springs import SpringTable

PASSES = 32


class Unbend:
    """Passes over the springs and the air around those that contacts have set back."""

    def __init__(self, rows: Rows, springs: SpringTable, gas: GasTable) -> None:
        """Args: the tables of the solve."""
        self._rows, self._springs, self._gas = rows, springs, gas

    def act(self, state: State, holds: Holds, inv_mass: np.ndarray, h: float) -> None:
        """Move `x_prev`, where the substep h [s] begins, of those that are `State.bent` and around."""
        # Asked each substep: `any` takes five times as long.
        if np.count_nonzero(state.bent) == 0:
            return
        rows, springs = self._rows, self._springs
        bent = np.append(state.bent[rows.ids], False)
        touches = np.zeros(len(state.bent), dtype=bool)
        touches[holds.contact[: holds.count]] = True
        state.bent[:] = False
        if not bent.any():
            return
        near = self._around(bent)
        straighter = springs.around(near)
        local.place_rows(state.x_prev, rows.ids, rows.block_start, rows.block_first, rows.at)
        # All others stand still meanwhile.
        weights = rows.moved[:, 3].copy()
        who = np.flatnonzero(self._who_comes(near[:-1] & (inv_mass[rows.ids] > 0.0), touches))
        rows.moved[np.setdiff1d(np.arange(len(near)), who), 3] = 0.0
        before = rows.at[who, :3]
        for _ in range(PASSES):
            self._gas.begin(rows.at)
            self._gas.push_once(rows, h)
            straighter.go(rows.at, rows.moved)
            rows.at[who, :3] += rows.moved[who, :3]
            rows.moved[who, :3] = 0.0
        rows.moved[:, 3] = weights
        rows.reached[:, :3] = 0.0
        state.x_prev[rows.ids[who]] += rows.at[who, :3] - before

    def _who_comes(self, near: np.ndarray, touches: np.ndarray) -> np.ndarray:
        """Of rows (r,) bool those that no contact holds, or all of a piece that contacts hold everywhere.

        Args: touches: (n,) bool, particles in a contact that was foreseen for this substep.
        """
        rows = self._rows
        comes = near & ~touches[rows.ids]
        piece = np.repeat(rows.block_piece, np.diff(rows.block_start))
        has_fellows = np.bincount(piece[comes], minlength=len(rows.free)) > 0
        return comes | (near & ~has_fellows[piece])

    def _around(self, bent: np.ndarray) -> np.ndarray:
        """Rows that are bent and those that springs join to them, (r + 1,) bool."""
        springs = self._springs
        ends = bent[springs.i] | bent[springs.j]
        near = bent.copy()
        near[springs.i[ends]] = True
        near[springs.j[ends]] = True
        near[self._rows.spare] = False
        return near
