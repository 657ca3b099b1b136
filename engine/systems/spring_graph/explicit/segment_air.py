"""Air that pushes each vertex away from its segment's centre with a constant force."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....world.builder import Builder
from ....world.segments import segment_table
from ....world.world import Model, State


class SegmentAir:
    """The pressure law "SEGMENT" of all spring graphs.

    Attributes:
        force: (s,) [N] on each vertex of a segment.
    """

    def __init__(self, builder: Builder) -> None:
        """Args: builder: contains the segments of all bodies; none is inflated yet."""
        self.table = segment_table(builder)
        self.force = np.zeros(len(self.table.mass))

    def fill(self, body: int, force: float) -> None:
        """Set the force on each vertex of a body's segments [N]."""
        self.force[self.table.body == body] = force

    @property
    def pushes(self) -> bool:
        """Whether any segment is inflated."""
        return bool(self.force.any())

    def push(self, state: State, model: Model, h: float) -> None:
        """Add h f / m to the velocities."""
        if self.pushes:
            self.table.inflate(state, model, self.force, h)

    def omega_squared(self, inv_mass: np.ndarray) -> np.ndarray:
        """Bound on omega² of each segment, (s,) [1/s²].

        An outward force has no stiffness along the radius and is destabilizing across it. Only an inward force, f < 0,
        has a restoring stiffness, |f| / radius; by Gershgorin's theorem twice that is the bound.
        """
        table = self.table
        lightest = np.zeros(len(self.force))
        if len(lightest):
            lightest = np.maximum.reduceat(inv_mass[table.members], table.start[:-1])
        return 2.0 * np.maximum(-self.force, 0.0) * lightest / np.maximum(table.radius, 1e-9)

    def memory(self) -> dict[str, Any]:
        """State that a snapshot must keep."""
        return {"force": self.force}

    def recall(self, memory: dict[str, Any]) -> None:
        """Restore a snapshot's state."""
        self.force = memory["force"]
