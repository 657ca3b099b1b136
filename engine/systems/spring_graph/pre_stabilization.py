"""Relaxes springs and air that contacts have deformed, without changing velocities, before the next solve.

A particle that would pass through a surface, and that corrections by mass cannot stop, is returned to its start of the
substep (`response.shorten`). Its neighbours have moved on, so springs are deformed and air is compressed by the motion
of a substep. In a scene whose springs a substep does not resolve, the energy so stored is millions of times the kinetic
energy.

So the next substep begins with passes over springs and air that move particles as a step of that length would, while
velocities stay. Bodies that are soft enough for the substep to resolve hardly move. Water pressure resists these
displacements. Before that, springs that water had stretched counted as deformed by contacts: vertices moved against the
pressure in each substep, and gained the work of that displacement, up to 30 J a substep for a ball of 14 kg.

Only particles that were moved back, and those joined to them by a spring, take part; all others stay in place. When
whole pieces took part, folds relaxed too and passed through each other: a limp ball of 10,242 vertices, lying in folds,
had 225 crossings with itself to undo in each round and never came to rest. Particles in contact do not take part: in a
pile they would be moved into each other and moved back again, further in each substep.

A piece that would store more energy afterwards is restored. Springs and air alternate in the passes, each as if it were
alone: springs of 100 N/m pulled a vertex of 70 g into a crushed ball by 0.6 m, against air that then stored 3.8 kJ.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...compiler.kernels import threads
from ...solver.constraints.columns import SpringColumns
from ...solver.constraints.drift import place_rows
from ...solver.contact_buffer import ContactBuffer
from ...solver.inner_steps.straighten import straighten
from ...solver.rigid.columns import RigidContactBuffer
from ...world.world import World
from .injected_energy import InjectedEnergy
from .tables.gas import GasTable
from .tables.rows import Rows
from .tables.springs import SpringTable

PASSES = 32


class PreStabilization:
    """Passes over the springs and the air around particles that contacts have moved back."""

    def __init__(self, rows: Rows, springs: SpringTable, gas: GasTable) -> None:
        """Args: the tables of the solve."""
        self._rows, self._springs, self._gas = rows, springs, gas
        self.injected_energy = InjectedEnergy(rows, springs, gas)
        self._is_chosen = np.zeros(len(rows.at), dtype=bool)

    def note(self, world: World, is_on_rigid: bool) -> None:
        """At the end of a solve: see `InjectedEnergy.note`; not needed without interactions."""
        if world.interactions:
            self.injected_energy.note(world.state.x, is_on_rigid)

    def measure(self, world: World) -> None:
        """At the end of a substep: measure the energy that contacts have injected since the solve."""
        x = world.state.x
        if np.count_nonzero(world.state.was_clamped) or (world.interactions and self.injected_energy.is_much(x)):
            self.injected_energy.measure(x)

    def act(self, world: World, h: float) -> None:
        """Move `x_prev`, where the substep h [s] begins, of particles with `State.was_clamped` and their neighbours."""
        # Tested in each substep: `any` takes five times as long.
        state, inv_mass = world.state, world.model.inv_mass
        if np.count_nonzero(state.was_clamped) == 0:
            return
        buffers = [world.contact_buffer] if world.rigid is None else [world.contact_buffer, world.rigid.contact_buffer]
        rows, chosen = self._rows, self._is_chosen
        clamped = rows.row[np.flatnonzero(state.was_clamped[: len(rows.row)])]
        state.was_clamped[:] = False
        chosen[clamped] = True
        chosen[rows.spare] = False
        near = np.flatnonzero(self._springs.joined(chosen)[:-1])
        chosen[clamped] = False
        loose = self._not_held(near[inv_mass[rows.ids[near]] > 0.0], buffers, len(inv_mass))
        if len(loose) == 0:
            return
        chosen[loose] = True
        springs = self._springs.around(chosen)
        chosen[loose] = False
        # A few rows are too little work for several threads.
        with threads(1):
            self._relax(loose, springs, world, h)

    def _relax(self, loose: np.ndarray, springs: SpringColumns, world: World, h: float) -> None:
        """All passes over some springs and the air around the moving rows, (m,)."""
        rows, state = self._rows, world.state
        self.injected_energy.note(state.x_prev)
        place_rows(state.x_prev, rows.ids, rows.block_start, rows.block_first, rows.at)
        # An inverse mass of 0 keeps all other rows in place meanwhile.
        weights = rows.moved[:, 3].copy()
        rows.moved[:, 3] = 0.0
        rows.moved[loose, 3] = weights[loose]
        before = rows.at[loose, :3]
        load = h * rows.relative_spread(loose, world.spread_force.dv_per_step)
        straighten(PASSES, h, loose, load, rows.columns, springs, *self._gas.around(loose))
        rows.moved[:, 3] = weights
        moved, noted = rows.ids[loose], state.x_prev[rows.ids[loose]]
        state.x_prev[moved] += rows.at[loose, :3] - before
        is_more = self.injected_energy.measure(state.x_prev, only_less=True)[rows.piece[loose]]
        state.x_prev[moved[is_more]] = noted[is_more]

    def _not_held(
        self, near: np.ndarray, buffers: Sequence[ContactBuffer | RigidContactBuffer], count: int
    ) -> np.ndarray:
        """Of rows (k,), those without a contact in this substep; count: number of particles.

        When a loaded vertex took part, it passed through its support, and its neighbours were lifted off that support.
        """
        touches = np.zeros(count, dtype=bool)
        for buffer in buffers:
            touches[buffer.columns.contact[: buffer.count]] = True
        return near[~touches[self._rows.ids[near]]]
