"""Spring graphs with the symplectic integrator: air and springs as forces, and the motion of particles."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ....errors import SpecError
from ....spec import SpringGraphSpec, WorldSpec
from ....step.stability import StabilityBound
from ....world.world import Model, State, World
from ..tables.gas import GasTable
from ..tables.rows import Rows
from ..tables.springs import Links
from .air import ExplicitAir
from .segment_air import SegmentAir
from .springs import ExplicitSprings

# A link to an agent is implicit and acts before springs (`interactions.leashes`). With a = w k h² of the link and
# b = (omega h)² of the springs at its end, the matrix of a substep has the trace 2 / (1 + a) - b and the determinant
# 1 / (1 + a). So it is stable while b < 1 + 3 / (1 + a): 4 without the link, and 1 with a rigid one.
LEASHED = 4.0

# Spec fields that only a constraint solve supports.
SOLVED_ONLY = ("bending", "yield_strain", "break_strain", "tear")


def refuse_solved(specs: Sequence[SpringGraphSpec]) -> None:
    """Raise SpecError for a spec that uses a field of `SOLVED_ONLY`."""
    for spec in specs:
        if spec.graph == "LATTICE":
            raise SpecError(spec.name, "graph", spec.graph, "SURFACE or EDGES with the integrator SYMPLECTIC")
        for field in SOLVED_ONLY:
            if getattr(spec, field):
                allowed = f"{False if field == 'tear' else 0} with the integrator SYMPLECTIC, or any with XPBD"
                raise SpecError(spec.name, field, getattr(spec, field), allowed)


class ExplicitBodies:
    """Springs and air of all spring graphs as explicit forces."""

    def __init__(self, links: Links, rows: Rows, gas: GasTable, inv_mass: np.ndarray, air_drag: np.ndarray) -> None:
        """Args: links, rows, gas: of the spring graphs; inv_mass: (n,) [1/kg]; air_drag: (n,) [1/s]."""
        self.springs = ExplicitSprings(links, rows, inv_mass, air_drag)
        self.air = ExplicitAir(gas, rows)
        self._of_springs: tuple[np.ndarray, np.ndarray] | None = None

    def take_links(self, links: Links, rows: Rows, world: World) -> None:
        """Replace the springs, or their air drag, within a frame."""
        self.springs = ExplicitSprings(links, rows, world.model.inv_mass, world.model.air_drag)
        self.springs.begin_frame(world.state)
        self._of_springs = None

    def begin_frame(self, state: State) -> None:
        """Choose the reference frame of each piece."""
        self.springs.begin_frame(state)

    def push(self, state: State, model: Model, h: float) -> None:
        """Apply all forces except springs to the velocities."""
        self.air.push(state, model.inv_mass, h)

    def stability_bound(self, world: World, segment_air: SegmentAir) -> StabilityBound:
        """Bound on the oscillation of the stiffest body."""
        model = world.model
        square, rate = self._spring_bounds(model)
        of_piece = self.air.omega_squared(world.state, model.inv_mass)
        of_segment = segment_air.omega_squared(model.inv_mass)
        leashed = _leashed(world.spec)
        stiffest = StabilityBound("", 0.0, 0.0)
        for index, body in enumerate(model.bodies):
            if body.traits.is_springy:
                own = (
                    square[index]
                    + of_piece[self.air.body == index].max(initial=0.0)
                    + of_segment[segment_air.table.body == index].max(initial=0.0)
                )
                own *= LEASHED if body.name in leashed else 1.0
                bound = StabilityBound(body.name, float(own), float(rate[index]))
                stiffest = max(stiffest, bound, key=StabilityBound.longest_step_inverse)
        return stiffest

    def _spring_bounds(self, model: Model) -> tuple[np.ndarray, np.ndarray]:
        """Largest omega² [1/s²] and damping rate [1/s] of each body's springs, (bodies,) each; cached."""
        if self._of_springs is None:
            each = self.springs.bounds(model)
            largest = np.zeros((2, len(model.bodies)))
            for index, body in enumerate(model.bodies):
                for bound, values in zip(largest, each, strict=True):
                    bound[index] = values[body.start : body.stop].max(initial=0.0)
            self._of_springs = largest[0], largest[1]
        return self._of_springs


def _leashed(spec: WorldSpec) -> set[str]:
    """Names of systems that are attached to an agent."""
    agents = {system.name for system in spec.systems if system.traits.steers}
    return {name for tie in spec.attachments if {tie.a, tie.b} & agents for name in (tie.a, tie.b)}
