"""The solve of all soft bodies in inner steps, island by island; XPBD."""

from __future__ import annotations

import numpy as np

from ...compiler.typed_call import TypedCall
from ...solver.inner_steps.solve import solve_islands
from ...world.world import World
from .tables.cells import CellTable
from .tables.contact_rows import ContactRows
from .tables.gas import GasTable
from .tables.hinges import HingeTable
from .tables.inner_steps import InnerSteps
from .tables.islands import IslandFinder
from .tables.rigid_contact_rows import RigidContactRows
from .tables.rows import Rows
from .tables.springs import SpringTable


class IslandSolve:
    """Takes the inner steps of a substep; the rigid bodies of an island follow each of them."""

    def __init__(
        self, rows: Rows, springs: SpringTable, hinges: HingeTable, cells: CellTable, gas: GasTable, steps: InnerSteps,
        pairs: np.ndarray,
    ) -> None:
        """Args: the tables of the solve; pairs: (s, 2) particles that springs or cells join."""
        self._rows, self._springs, self._hinges, self._cells, self._gas = rows, springs, hinges, cells, gas
        self._steps, self._finder = steps, IslandFinder(rows, pairs)
        self._holds, self._bodies = ContactRows(rows), RigidContactRows(rows)
        self._solve_islands = TypedCall(solve_islands)
        # Of the last solve, (pieces,).
        self._solved = steps.each.copy()

    def find(self, world: World) -> np.ndarray:
        """Find pieces and bodies that touch in this substep, and choose the inner steps of each island.

        Returns:
            The inner steps of each piece in the last solve, (pieces,).
        """
        finder = self._finder
        if finder.find(world):
            for table in (self._springs.tasks, self._hinges.tasks, self._cells, self._gas):
                table.take_islands(finder.of_piece, finder.count)
        self._of_islands = self._steps.of_islands(world, finder)
        self.take_steps()
        return self._solved

    def go_on(self) -> None:
        """Continue with the current inner steps, as if the last solve had taken them."""
        self._solved = self._steps.each.copy()
        self.take_steps()

    def take_steps(self) -> None:
        """Pass the inner steps of each piece on to the tables."""
        each, h = self._steps.each, self._steps.substep
        if not np.array_equal(each, self._springs.steps):
            self._springs.set_iterations(each.copy())
            self._cells.set_iterations(h / each)
        self._hinges.set_iterations(h / self._steps.bends)

    def run(self, world: World, h: float) -> bool:
        """Take all inner steps of a substep of h [s]; returns whether rigid bodies took part.

        Afterwards rows are settled, and contacts have their corrections; `end` updates the rigid bodies.
        """
        rows, finder, (steps, bends) = self._rows, self._finder, self._of_islands
        rows.take(world, h, self._springs.steps)
        self._cells.start(h)
        touches = self._holds.sort(world, finder.of_block, finder.count)
        touched = self._bodies.begin(world, h, finder, steps)
        has_bodies = finder.has_bodies & touched
        self._steps.note_touched((touches | has_bodies)[finder.of_piece])
        finder.begin(steps, bends, h, has_bodies, touches, self._gas.breathing(finder.count))
        self._holds.begin(world, finder.islands)
        self._take_inner_steps(world)
        self._solved = self._steps.each.copy()
        self._holds.end(world.contact_buffer)
        return touched

    @property
    def islands(self) -> np.ndarray:
        """The island of each piece in the running substep, (pieces,)."""
        return self._finder.of_piece

    def give(self, world: World, h: float, touched: bool) -> None:
        """Write the positions and velocities of rows back to particles; touched: whether rigid bodies took part."""
        finder, bodies = self._finder, self._bodies.moving if touched else self._bodies.none
        island = finder.label if touched else finder.of_piece
        self._rows.give(world, h, self._springs.steps, finder.graph, island, bodies)

    def end(self, world: World, h: float) -> None:
        """Apply the impulses from soft bodies to rigid ones, after rows are written back."""
        self._bodies.end(world, h)

    def _take_inner_steps(self, world: World) -> None:
        gas, cells = self._gas, self._cells.to_relax()
        # Worlds with lattices always use the kernel for rigid bodies, so there is one variant less to compile.
        rigid = None if world.rigid is None and cells[0] is None else self._bodies.columns
        columns = (
            self._rows.columns, self._rows.blocks(world.model.mass), self._springs.columns, self._hinges.columns,
            *cells, (gas.rows, gas.surface, gas.parts, gas.rims), self._holds.columns, rigid,
        )
        for call in self._finder.calls():
            self._solve_islands(call, *columns)
