"""Joints of rigid bodies, and what ties them to each other, to colliders and to the world."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..solver.rigid.links.solve import hold_links
from ..solver.rigid.motion import place_particles
from ..step.stage import Stage
from ..world.builder import Builder
from ..world.world import Model, State, World
from .base import Interaction


class RigidLinks(Interaction):
    """Holds rigid bodies by their links; writes both sides. Contacts come after it, and have the last word."""

    def __init__(self, _rules: Sequence[Any], builder: Builder, _model: Model, _state: State) -> None:
        """Make room for the solve."""
        self.table = builder.links
        if self.table is None:
            return
        rows, frames = len(self.table.row_link), len(builder.rigid.mass) + len(self.table.faces)
        self._frames = np.zeros((frames, 3)), np.zeros((frames, 9))
        self._pushes = np.zeros((rows, 3)), np.zeros((rows, 2, 3))
        self._matrix, self._pivot = np.zeros(self.table.start[-1]), np.zeros(rows)
        # What rows measure, what was left of it, 1 / G, B, a turn's impulses and all of them, see `links.solve`.
        self._rows = tuple(np.zeros(rows) for _ in range(6))
        self._moved, self._inverse = np.zeros((len(builder.rigid.mass), 3)), np.zeros((len(builder.rigid.mass), 6))

    def acts(self) -> bool:
        """Whether there is any."""
        return self.table is not None

    def apply(self, stage: Stage, world: World, h: float) -> None:
        """Once all forces are known, let bodies go where their links let them."""
        if stage is not Stage.POSITION:
            return
        table, rigid, state = self.table, world.rigid, world.state
        elsewhere = hold_links(
            h, table.linked, table.faces, table.kind, table.frame, table.local, table.turned, table.rest,
            table.stiffness, table.damping, table.row_start, table.row_link, table.start, table.first, *self._frames,
            *self._pushes, self._matrix, self._pivot, *self._rows, self._moved, self._inverse, state.x_prev, state.x,
            rigid.mass, rigid.inertia, rigid.position_before, rigid.rotation_before, rigid.velocity,
            rigid.angular_momentum, rigid.position, rigid.rotation,
        )
        own = (rigid.first, rigid.start, rigid.stop, rigid.local)
        place_particles(*own, rigid.position, rigid.rotation, state.x)
        if elsewhere:
            place_particles(*own, rigid.position_before, rigid.rotation_before, state.x_prev)
        # Who hangs on others does not sleep: they would pull at it in vain.
        rigid.still[table.linked] = 0.0
