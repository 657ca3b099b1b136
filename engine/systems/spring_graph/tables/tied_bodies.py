"""Ties between soft particles and rigid bodies, as constraints in the inner steps of spring graphs."""

from __future__ import annotations

import numpy as np

from ....solver.rigid.bodies import RigidBodies
from ....solver.rigid.columns import InnerBodies
from ....solver.rigid.links.soft_ties import SoftTies, TieWork, begin_ties, follow_ties, hold_ties
from ....world.world import World
from .rows import Rows


class TiedBodies:
    """Working arrays of `links.soft_ties`."""

    def __init__(self, ties: SoftTies, rows: Rows) -> None:
        """Args: ties; rows: the rows that they move."""
        self.ties, self._graph_rows = ties, rows
        count = len(ties.body)
        parts = np.zeros((count, 4))
        parts[:, 0] = 1.0
        self._work = TieWork(
            np.zeros((count, 4), dtype=np.int64), parts, *(np.zeros((count, 3)) for _ in range(4)), np.zeros((1, 9))
        )

    def begin(self, world: World, rigid: RigidBodies, steps: int) -> None:
        """Start a substep of `steps` inner steps."""
        ties, rows = self.ties, self._graph_rows
        begin_ties(ties, world.state.x_prev, rigid.columns, rows.row, rows.spare, steps, self._work)
        # A tied body stays awake: asleep it would not react to its ties.
        rigid.still[ties.body] = 0.0

    def hold(self, bodies: InnerBodies, left: int, steps: int, h: float) -> None:
        """Project the ties in an inner step, see `links.soft_ties.hold_ties`."""
        rows = self._graph_rows
        hold_ties(self.ties, self._work, bodies, rows.columns, rows.row_block, rows.impulse, left, steps, h)

    def follow(self, rigid: RigidBodies, h: float, rate: np.ndarray) -> None:
        """Update the ties after an inner step of h [s]."""
        work = self._work
        follow_ties(
            self.ties.body, work.rows, work.creep, self._graph_rows.moved, rigid.velocity, h, rate, work.apart,
            work.lever,
        )
