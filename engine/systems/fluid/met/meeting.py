"""A fluid meets bodies: contacts of a step, their solution, and drag."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ....compiler.typed_call import TypedCall
from ..law import Law
from ..wall_table import Triangles, WallTable
from .bodies import MetBodies
from .carried import CarriedMass
from .contacts import contacts_of
from .drag import find_yields, react
from .exchange import share_pushes
from .lag import NO_LAG, Lag

if TYPE_CHECKING:
    from ....world.world import World


class Meeting:
    """The bodies of a world, and the contacts of the running step.

    Attributes:
        origin: (3,) of the fluid's coordinates [m]; limit: no body becomes faster than this by the fluid [m/s].
        carried: what bends carries of the fluid.
    """

    def __init__(self, bodies: MetBodies, x: np.ndarray, unit: float, spacing: float, gravity: np.ndarray) -> None:
        """A meeting of a fluid of that spacing [m].

        Args: x: (n, 3) places at rest [m]; unit: mass of a particle of the first fluid [kg]; gravity: (3,) [m/s²].
        """
        self.bodies, self.origin, self.limit = bodies, np.zeros(3), np.inf
        self._unit, self._gravity = unit, gravity
        self._room, self._found, self._close = contacts_of(0, len(bodies.columns.mass)), 0, 0
        self._share, self._find_yields, self._react = map(TypedCall, (share_pushes, find_yields, react))
        self.carried = CarriedMass(bodies, x, spacing)

    def triangles(self, h: float) -> Triangles:
        """Triangles in a step of h [s]."""
        return self.bodies.triangles(h, self.origin)

    def box(self, h: float) -> np.ndarray:
        """Corners (2, 3) of the box around all bodies on their way in h [s], about the origin; infinite of none [m]."""
        return self.bodies.box(h, self.origin)

    def share(
        self, h: np.float32, clearance: np.float32, rows: np.ndarray, speeds: np.ndarray,
        moved: np.ndarray, lightness: np.ndarray, table: WallTable,
    ) -> None:
        """Share what walls pushed particles by between these and the bodies; see `density` for the arrays."""
        if not self.bodies.is_pushed:
            return
        gravity = tuple(float(h) * float(g) for g in self._gravity)
        sizes = h, clearance, self._unit, float(self.limit), self.bodies.rigid_count
        known = (sizes, self.origin, gravity, lightness, table, self.bodies.columns, rows, speeds, moved)
        self._found, self._close = self._share(*known, self._room)
        if self._close > len(self._room.row):
            self._room = contacts_of(self._close + self._close // 4, len(self.bodies.columns.mass))
            self._share(*known, self._room)

    def find_yields(
        self, rows: np.ndarray, speeds: np.ndarray, law: Law, passes: int, table: WallTable
    ) -> None:
        """How much of their drag walls exert."""
        if self.bodies.is_pushed:
            self._find_yields(
                self._close, self._room, rows, speeds, law, passes * self._unit, table, self.bodies.columns
            )

    def react(
        self, h: np.float32, rows: np.ndarray, lightness: np.ndarray, table: WallTable, passes: int
    ) -> None:
        """Give bodies the reaction to drag, if there were passes of it, and end the step."""
        if passes and self.bodies.is_pushed:
            self._react(
                self._close, self._room, rows, self.origin, h, self._unit, lightness, table, self.bodies.columns
            )
        self.bodies.advance(float(h))

    def load(self, world: World, h: float, table: WallTable, order: np.ndarray, v: np.ndarray) -> None:
        """After the last step of a substep: what bends carries the fluid that presses on it, see `CarriedMass.load`."""
        if self.bodies.is_pushed:
            self.carried.load(world, h, self._found, self._room, table, order, v)

    def stop(
        self, world: World, h: float, table: WallTable, fluid: tuple[Any, ...], v: np.ndarray
    ) -> None:
        """After springs, see `CarriedMass.stop`; fluid: see `FluidSolver.last_rows`."""
        if self.bodies.is_pushed:
            self.carried.stop(world, h, self._found, self._room, table, fluid, self.origin, self._unit, v)

    def unload(self, world: World, h: float, table: WallTable, order: np.ndarray, v: np.ndarray) -> Lag:
        """End a substep, see `CarriedMass.unload`."""
        if not self.bodies.is_pushed:
            return NO_LAG
        return self.carried.unload(world, h, self._found, self._room, table, order, v)

    def memory(self) -> dict[str, Any]:
        """Where the fluid met corners last, and which of these are pressed onto it."""
        return self.bodies.memory() | {"presses": self.carried.corners.presses.copy()}

    def recall(self, memory: dict[str, Any]) -> None:
        """Take back what `memory` gave, where there are as many corners."""
        self.bodies.recall(memory)
        if memory["presses"].shape == self.carried.corners.presses.shape:
            self.carried.corners.presses[:] = memory["presses"]
