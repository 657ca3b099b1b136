"""Joints of rigid bodies, and their ties to each other, to colliders and to the world."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..solver.rigid.links.solve import solve_links
from ..solver.rigid.links.table import work_for
from ..solver.rigid.motion import place_particles
from ..step.stage import Stage
from ..world.builder import Builder
from ..world.world import Model, State, World
from .base import Interaction


class RigidLinks(Interaction):
    """Solves the links of rigid bodies; writes both sides. Contacts are solved afterwards and so take precedence."""

    sees_fluids = False

    def __init__(self, _rules: Sequence[Any], builder: Builder, _model: Model, _state: State) -> None:
        """Allocate the work arrays of the solver."""
        self.table = builder.links
        if self.table is None:
            return
        self._work = work_for(self.table, len(builder.rigid.mass))

    def acts(self) -> bool:
        """Whether there are any links."""
        return self.table is not None

    def apply(self, stage: Stage, world: World, h: float) -> None:
        """In POSITION, when all forces are known: correct poses and momenta of linked bodies."""
        if stage is not Stage.POSITION:
            return
        table, rigid, state = self.table, world.rigid, world.state
        elsewhere = solve_links(h, table, self._work, state.x_prev, state.x, rigid.columns)
        own = (rigid.first, rigid.start, rigid.stop, rigid.local)
        place_particles(*own, rigid.position, rigid.rotation, state.x)
        if elsewhere:
            place_particles(*own, rigid.position_before, rigid.rotation_before, state.x_prev)
        # Linked bodies stay awake: a sleeping one would not respond to the forces of its links.
        rigid.still[table.linked] = 0.0
