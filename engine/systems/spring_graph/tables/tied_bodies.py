"""Soft particles that are tied to rigid bodies, as spring graphs see them: held in the inner steps."""

from __future__ import annotations

import numpy as np

from ....solver.rigid.bodies import RigidBodies
from ....solver.rigid.links.soft_ties import SoftTies, begin_ties, follow_ties, hold_ties
from ....world.world import World
from .rows import Rows


class TiedBodies:
    """What `links.soft_ties` needs beside the ties themselves."""

    def __init__(self, ties: SoftTies, rows: Rows) -> None:
        """Args: the ties; the rows that they move."""
        self.ties, self._graph_rows = ties, rows
        count = len(ties.body)
        self._rows, self._parts = np.zeros((count, 4), dtype=np.int64), np.zeros((count, 4))
        self._parts[:, 0] = 1.0
        self._apart, self._creep, self._lever, self._arm = (np.zeros((count, 3)) for _ in range(4))
        self._axes = np.zeros((1, 9))

    def begin(self, world: World, rigid: RigidBodies, steps: int) -> None:
        """Start a substep of so many inner steps."""
        ties, rows = self.ties, self._graph_rows
        begin_ties(
            ties.particle, ties.body, ties.local, world.state.x_prev, rigid.position_before, rigid.rotation_before,
            rigid.position, rigid.rotation, rows.row, rows.spare, steps, self._axes, self._rows, self._apart,
            self._creep, self._lever,
        )
        # Who hangs on others does not sleep: they would pull at it in vain.
        rigid.still[ties.body] = 0.0

    def hold(
        self, rigid: RigidBodies, inverse: np.ndarray, kick: np.ndarray, left: int, steps: int, h: float,
        went: np.ndarray, rate: np.ndarray, gave: np.ndarray,
    ) -> None:
        """Hold ties in an inner step, see `links.soft_ties.hold_ties`."""
        ties, rows = self.ties, self._graph_rows
        hold_ties(
            ties.body, ties.rest, ties.stiffness, ties.damping, self._rows, self._parts, self._apart, self._creep,
            self._lever, rows.at, rows.began, rows.moved, rows.row_block, rigid.mass, inverse, kick, left, steps, h,
            went, self._arm, rate, gave, rows.impulse,
        )

    def follow(self, rigid: RigidBodies, h: float, rate: np.ndarray) -> None:
        """After the inner step."""
        follow_ties(
            self.ties.body, self._rows, self._creep, self._graph_rows.moved, rigid.velocity, h, rate, self._apart,
            self._lever,
        )
