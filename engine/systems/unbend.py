"""What contacts bent by force goes straight again without speed, before springs and air see it.

Who was on the way through a surface, and could not be kept from it by masses, is set back to where it was
(`collide.response.set_back`). Its fellows have gone on, so springs are bent and air is squeezed by as much as the way
of a substep, and nobody asked for the energy that they would give back: in a scene whose springs a substep does not
resolve it is millions of times that of the motion, and the next substep bends them more.

So the substep after begins with passes that are no motion: springs and air move particles as they would in a step
as long as the substep, but velocities stay. What is soft enough for the substep to resolve hardly moves.
"""

from __future__ import annotations

import numpy as np

from ..constraints import local
from ..world import State
from .gas import GasTable
from .rows import Rows
from .springs import SpringTable

PASSES = 32


class Unbend:
    """Passes over the springs and the air of the pieces that contacts have set back."""

    def __init__(self, rows: Rows, springs: SpringTable, gas: GasTable) -> None:
        """Args: the tables of the solve."""
        self._rows, self._springs, self._gas = rows, springs, gas

    def act(self, state: State, inv_mass: np.ndarray, h: float) -> None:
        """Move `x_prev`, where the substep h [s] begins, of pieces with particles that are `State.bent`."""
        if not state.bent.any():
            return
        rows, springs = self._rows, self._springs
        piece = np.repeat(rows.block_piece, np.diff(rows.block_start))
        bent = np.zeros(len(rows.free), dtype=bool)
        bent[piece[state.bent[rows.ids]]] = True
        state.bent[:] = False
        if not bent.any():
            return
        local.place_rows(state.x_prev, rows.ids, rows.block_start, rows.block_first, rows.at)
        before = rows.at[:-1, :3].copy()
        for _ in range(PASSES):
            self._gas.begin(rows.at)
            self._gas.push_once(rows, h)
            springs.begin(rows.at)
            springs.straighten(rows.moved)
            rows.at[:, :3] += rows.moved[:, :3]
            rows.moved[:, :3] = 0.0
        rows.reached[:, :3] = 0.0
        free = bent[piece] & (inv_mass[rows.ids] > 0.0)
        state.x_prev[rows.ids[free]] += (rows.at[:-1, :3] - before)[free]
