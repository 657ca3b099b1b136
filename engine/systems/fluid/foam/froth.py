"""The spray, foam and bubbles of all fluids of a world, once a frame, after the solve."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ....solver.neighbors import LANES, NeighborLists
from ....world.frame import Frame
from ..filling import Drain
from ..population import Population
from ..solver import FluidSolver
from .drift import Near, drift
from .foam import CLEARANCE, Foam
from .potentials import find_potentials
from .screens import boxes_of, move_bits


class Froth:
    """Spray, foam and bubbles of the fluids that have Foam enabled; without any, nothing is done.

    Attributes:
        foams: by the name of their fluid.
    """

    def __init__(self, populations: Sequence[Population], drains: Sequence[Drain], dt: float) -> None:
        """Args: dt: of a frame [s]."""
        self._populations, self._drains, self._dt = list(populations), list(drains), dt
        self.foams = {
            p.name: Foam(p.spec, p.spacing, len(p.living.alive)) for p in self._populations if p.spec.foam
        }
        self._lists = NeighborLists() if self.foams else None

    def step(
        self, solver: FluidSolver, rank: np.ndarray, places: np.ndarray, velocities: np.ndarray, origin: np.ndarray,
        corners: np.ndarray, gravity: np.ndarray, number: int,
    ) -> None:
        """Advance all of them by a frame.

        Args:
            solver: after its last step; rank: (n,) index of each of its particles in the order of `places`.
            places, velocities: (n, 3) of all particles, fluid by fluid [m], [m/s].
            origin: (3,) of the solver's coordinates [m]; corners: (t, 3, 3) float32 of walls in these.
            gravity: (3,) [m/s²]; number: of the frame.
        """
        if not self.foams:
            return
        count, first = len(places), 0
        trapped, crest = np.zeros(count), np.zeros(count)
        if count:
            trapped[rank], crest[rank] = find_potentials(solver)
        boxes = boxes_of(corners) if len(corners) else np.zeros((0, 2, 3), np.float32)
        for p in self._populations:
            own = slice(first, first + len(p.ids))
            first = own.stop
            if p.name not in self.foams:
                continue
            foam = self.foams[p.name]
            fresh = foam.emit(places[own], velocities[own], trapped[own], crest[own], self._dt, number)
            bits = foam.bits(origin, fresh, self._dt)
            near = self._near(bits.x + bits.displacement, solver if count else None)
            drift(len(foam), near, solver.rows, solver.speeds, solver.law.per_support, tuple(map(float, gravity)), bits)
            move_bits(len(foam), corners, boxes, CLEARANCE * foam.spacing, bits)
            foam.settle(bits, origin, self._lost(bits.x + origin, p))

    def _near(self, x: np.ndarray, solver: FluidSolver | None) -> Near:
        """Fluid particles near points (m, 3); solver: None without fluid particles."""
        if solver is None:
            return Near(np.zeros(-(-len(x) // LANES) + 1, np.int64), np.zeros((0, LANES), np.int32), 0)
        grid, lists = solver.neighbors.grid, self._lists
        lists.find_others(np.ascontiguousarray(x.T, dtype=np.float32), len(x), grid, grid.edge)
        return Near(lists.slot_start, lists.neighbor, lists.none)

    def _lost(self, x: np.ndarray, p: Population) -> np.ndarray:
        """Which points (m, 3) are in a drain, or farther from the fluid's source than its range."""
        away = np.abs(x - p.middle).max(axis=1, initial=0.0)
        lost = away > p.spec.range
        for drain in self._drains:
            lost |= drain.swallows(x)
        return lost

    def add_to(self, frame: Frame) -> None:
        """Add them to a frame that has their fluids already."""
        for name, foam in self.foams.items():
            foam.add_to(frame, name)

    def memory(self) -> dict[str, Any]:
        """Copy of the state that changes, by fluid."""
        return {name: foam.memory() for name, foam in self.foams.items()}

    def recall(self, memory: dict[str, Any]) -> None:
        """Restore what `memory` returned, for fluids that still exist."""
        for name in self.foams.keys() & memory.keys():
            self.foams[name].recall(memory[name])
