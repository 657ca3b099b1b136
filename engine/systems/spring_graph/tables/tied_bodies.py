"""Ties between soft particles and rigid bodies, as constraints in the inner steps of spring graphs."""

from __future__ import annotations

import numpy as np

from ....solver.constraints.islands import Islands
from ....solver.rigid.bodies import RigidBodies
from ....solver.rigid.columns import InnerBodies
from ....solver.rigid.links.soft_ties import SoftTies, TieWork, begin_ties, follow_ties, hold_ties
from ....world.world import World
from .islands import listed
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
            np.zeros((count, 4), dtype=np.int64), parts, *(np.zeros((count, 3)) for _ in range(4)), np.zeros(count),
            np.zeros((1, 9)), *listed(np.zeros(count, dtype=np.int64), 1),
        )

    def begin(self, world: World, rigid: RigidBodies, of_body: np.ndarray, steps: np.ndarray) -> None:
        """Start a substep; of_body, steps: (bodies,) island and inner steps of each body."""
        ties, rows = self.ties, self._graph_rows
        ties_of = listed(of_body[ties.body], int(of_body.max()) + 1)
        self._work = self._work._replace(of_ties=ties_of.start, tie=ties_of.item)
        begin_ties(ties, world.state.x_prev, rigid.columns, rows.row, rows.spare, steps, self._work)
        # A tied body stays awake: asleep it would not react to its ties.
        rigid.still[ties.body] = 0.0

    def hold(self, bodies: InnerBodies, active: np.ndarray, islands: Islands) -> None:
        """Project the ties of some islands in an inner step, see `links.soft_ties.hold_ties`."""
        rows = self._graph_rows
        hold_ties(active, islands, self.ties, self._work, bodies, rows.columns, rows.row_block, rows.impulse)

    def follow(self, rigid: RigidBodies, active: np.ndarray, islands: Islands, rate: np.ndarray) -> None:
        """Update the ties of some islands after an inner step."""
        moved = self._graph_rows.moved
        follow_ties(active, islands, self.ties.body, self._work, moved, rigid.velocity, rate)
