"""Ties between soft particles and rigid bodies, as constraints in the inner steps of spring graphs."""

from __future__ import annotations

import numpy as np

from ....solver.rigid.columns import BodyColumns
from ....solver.rigid.links.soft_ties import SoftTies, TieWork, begin_ties
from ....world.world import World
from .islands import by_island
from .rows import Rows


class TiedBodies:
    """Ties, and their working arrays `work`, see `links.soft_ties`."""

    def __init__(self, ties: SoftTies, rows: Rows) -> None:
        """Args: ties; rows: the rows that they move."""
        self.ties, self._graph_rows = ties, rows
        count = len(ties.body)
        parts = np.zeros((count, 4))
        parts[:, 0] = 1.0
        self.work = TieWork(
            np.zeros((count, 4), dtype=np.int64), parts, *(np.zeros((count, 3)) for _ in range(4)), np.zeros(count),
            np.zeros((1, 9)), *by_island(np.zeros(count, dtype=np.int64), 1),
        )

    def begin(self, world: World, bodies: BodyColumns, of_body: np.ndarray, steps: np.ndarray) -> None:
        """Start a substep; of_body, steps: (bodies,) island and inner steps of each."""
        ties, rows = self.ties, self._graph_rows
        ties_of = by_island(of_body[ties.body], int(of_body.max()) + 1)
        self.work = self.work._replace(of_ties=ties_of.start, tie=ties_of.item)
        begin_ties(ties, world.state.x_prev, bodies, rows.row, rows.spare, steps, self.work)
