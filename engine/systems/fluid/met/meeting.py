"""Coupling of a fluid with bodies: contacts of a step, their solution, and drag."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ....compiler.typed_call import TypedCall
from ..law import Law
from ..wall_table import Triangles, WallTable
from .bodies import MetBodies
from .carried import CarriedMass
from .contacts import contacts_of
from .drag import apply_drag, find_drag_factors
from .exchange import exchange_momentum
from .lag import NO_LAG, Lag

if TYPE_CHECKING:
    from ....world.world import World


class Meeting:
    """The bodies of a world, and the contacts of the current step.

    Attributes:
        origin: (3,) of the fluid's coordinates [m]; limit: the fluid makes no body faster than this [m/s].
        carried: fluid mass carried by deformable bodies.
    """

    def __init__(self, bodies: MetBodies, x: np.ndarray, unit_mass: float, spacing: float, gravity: np.ndarray) -> None:
        """A coupling of a fluid of that spacing [m].

        Args: x: (n, 3) positions at rest [m]; unit_mass: of a particle of the first fluid [kg]; gravity: (3,) [m/s²].
        """
        self.bodies, self.origin, self.limit = bodies, np.zeros(3), np.inf
        self._unit_mass, self._gravity = unit_mass, gravity
        self._contacts, self._found, self._close = contacts_of(0, len(bodies.columns.mass)), 0, 0
        self._exchange, self._find_drag_factors, self._apply_drag = map(
            TypedCall, (exchange_momentum, find_drag_factors, apply_drag)
        )
        self.carried = CarriedMass(bodies, x, spacing)

    def triangles(self, h: float) -> Triangles:
        """Triangles of all bodies in a step of h [s]."""
        return self.bodies.triangles(h, self.origin)

    def box(self, h: float) -> np.ndarray:
        """Box (2, 3) around the paths of all bodies in h [s], relative to the origin; (inf, -inf) without any [m]."""
        return self.bodies.box(h, self.origin)

    def exchange(
        self, h: np.float32, clearance: np.float32, rows: np.ndarray, speeds: np.ndarray,
        moved: np.ndarray, rel_inv_mass: np.ndarray, table: WallTable,
    ) -> None:
        """Exchange momentum between particles and the bodies whose walls moved them; see `density` for the arrays."""
        if not self.bodies.is_pushed:
            return
        gravity = tuple(float(h) * float(g) for g in self._gravity)
        sizes = h, clearance, self._unit_mass, float(self.limit), self.bodies.rigid_count
        known = (sizes, self.origin, gravity, rel_inv_mass, table, self.bodies.columns, rows, speeds, moved)
        self._found, self._close = self._exchange(*known, self._contacts)
        if self._close > len(self._contacts.row):
            self._contacts = contacts_of(self._close + self._close // 4, len(self.bodies.columns.mass))
            self._exchange(*known, self._contacts)

    def find_drag_factors(
        self, rows: np.ndarray, speeds: np.ndarray, law: Law, passes: int, table: WallTable
    ) -> None:
        """Set the fraction of their drag that walls exert."""
        if self.bodies.is_pushed:
            self._find_drag_factors(
                self._close, self._contacts, rows, speeds, law, passes * self._unit_mass, table, self.bodies.columns
            )

    def apply_drag(
        self, h: np.float32, rows: np.ndarray, rel_inv_mass: np.ndarray, table: WallTable, passes: int
    ) -> None:
        """Apply the reaction to drag to bodies, if there were passes of viscosity, and end the step."""
        if passes and self.bodies.is_pushed:
            self._apply_drag(
                self._close, self._contacts, rows, self.origin, h, self._unit_mass, rel_inv_mass, table,
                self.bodies.columns,
            )
        self.bodies.advance(float(h))

    def load(self, world: World, h: float, table: WallTable, order: np.ndarray, v: np.ndarray) -> None:
        """After the last step of a substep: load deformable bodies with fluid mass, see `CarriedMass.load`."""
        if self.bodies.is_pushed:
            self.carried.load(world, h, self._found, self._contacts, table, order, v)

    def stop(
        self, world: World, h: float, table: WallTable, fluid: tuple[Any, ...], v: np.ndarray
    ) -> None:
        """After springs, see `CarriedMass.stop`; fluid: see `FluidSolver.last_rows`."""
        if self.bodies.is_pushed:
            self.carried.stop(world, h, self._found, self._contacts, table, fluid, self.origin, self._unit_mass, v)

    def unload(self, world: World, h: float, table: WallTable, order: np.ndarray, v: np.ndarray) -> Lag:
        """End a substep, see `CarriedMass.unload`."""
        if not self.bodies.is_pushed:
            return NO_LAG
        return self.carried.unload(world, h, self._found, self._contacts, table, order, v)

    def memory(self) -> dict[str, Any]:
        """Last corner positions in contact with the fluid, and the corners that springs press onto it."""
        return self.bodies.memory() | {"presses": self.carried.corners.presses.copy()}

    def recall(self, memory: dict[str, Any]) -> None:
        """Restore what `memory` returned, if the number of corners is the same."""
        self.bodies.recall(memory)
        if memory["presses"].shape == self.carried.corners.presses.shape:
            self.carried.corners.presses[:] = memory["presses"]
