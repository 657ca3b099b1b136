"""What the symplectic integrator does with all spring graphs: air as a force, springs as forces, and the move."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ....errors import SpecError
from ....spec import SpringGraphSpec
from ....step.stability import StabilityBound
from ....world.world import Model, State, World
from ..tables.gas import GasTable
from ..tables.rows import Rows
from ..tables.springs import Links
from .air import ExplicitAir
from .segment_air import SegmentAir
from .springs import ExplicitSprings

# What is a constraint here and not a force.
SOLVED_ONLY = ("bending", "yield_strain", "break_strain")


def refuse_solved(specs: Sequence[SpringGraphSpec]) -> None:
    """Raise SpecError for a spec that asks for what only a solve can do."""
    for spec in specs:
        if spec.graph == "LATTICE":
            raise SpecError(spec.name, "graph", spec.graph, "SURFACE or EDGES with the integrator SYMPLECTIC")
        for field in SOLVED_ONLY:
            if getattr(spec, field):
                allowed = "0 with the integrator SYMPLECTIC, or any with XPBD"
                raise SpecError(spec.name, field, getattr(spec, field), allowed)


class ExplicitBodies:
    """Springs and air of all spring graphs without a solve."""

    def __init__(self, links: Links, rows: Rows, gas: GasTable, inv_mass: np.ndarray, air_drag: np.ndarray) -> None:
        """Args: links, rows and gas of the spring graphs; inv_mass, air_drag: (n,) of all particles."""
        self.springs = ExplicitSprings(links, rows, inv_mass, air_drag)
        self.air = ExplicitAir(gas, rows)
        self._of_springs: tuple[np.ndarray, np.ndarray] | None = None

    def take_links(self, links: Links, rows: Rows, world: World) -> None:
        """Go on with other springs, or another drag of the air; the frame has begun."""
        self.springs = ExplicitSprings(links, rows, world.model.inv_mass, world.model.air_drag)
        self.springs.begin_frame(world.state)
        self._of_springs = None

    def begin_frame(self, state: State) -> None:
        """Where each piece is, and how it moves."""
        self.springs.begin_frame(state)

    def push(self, state: State, model: Model, h: float) -> None:
        """Everything but the springs, on the velocities."""
        self.air.push(state, model.inv_mass, h)

    def stability_bound(self, world: World, segment_air: SegmentAir) -> StabilityBound:
        """Bound of the stiffest body's swing."""
        model = world.model
        square, rate = self._swing_of_springs(model)
        of_piece = self.air.swing(world.state, model.inv_mass)
        of_segment = segment_air.swing(model.inv_mass)
        stiffest = StabilityBound("", 0.0, 0.0)
        for index, body in enumerate(model.bodies):
            if body.traits.is_springy:
                bound = StabilityBound(
                    body.name,
                    float(
                        square[index]
                        + of_piece[self.air.body == index].max(initial=0.0)
                        + of_segment[segment_air.table.body == index].max(initial=0.0)
                    ),
                    float(rate[index]),
                )
                stiffest = max(stiffest, bound, key=StabilityBound.longest_step_inverse)
        return stiffest

    def _swing_of_springs(self, model: Model) -> tuple[np.ndarray, np.ndarray]:
        """Largest omega² and rate of damping in each body, (bodies,) each; springs stay what they are."""
        if self._of_springs is None:
            each = self.springs.swing(model)
            largest = np.zeros((2, len(model.bodies)))
            for index, body in enumerate(model.bodies):
                for bound, values in zip(largest, each, strict=True):
                    bound[index] = values[body.start : body.stop].max(initial=0.0)
            self._of_springs = largest[0], largest[1]
        return self._of_springs
