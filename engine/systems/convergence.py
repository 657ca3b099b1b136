"""How far springs are from their rest lengths and how well they are solved, for what a frame tells of each body."""

from __future__ import annotations

import numpy as np

from ..constraints import distance
from ..constraints.strain import add_up, lengths, mean_strains, remaining, stretches
from .rows import Rows
from .springs import Links, Springs, SpringTable

SPRINGS_IN_BLOCK = 8192


def unpacked(links: Links, rows: Rows) -> Springs:
    """Links as they are, where no table packs them."""
    i, j = (rows.row[links.pairs[:, k]].astype(np.int32) for k in (0, 1))
    return Springs(i, j, links.rest.astype(rows.moved.dtype), np.array([0, len(i)]), np.array([0, 1]))


class Convergence:
    """Looks at the springs at the end of a frame; changes nothing."""

    def __init__(
        self, springs: Springs, solved: SpringTable | None, rows: Rows, body: np.ndarray, bodies: int
    ) -> None:
        """Args: springs; their table, None when nothing is solved; rows; body (n,) of particles; number of bodies."""
        self._springs, self._solved, self._rows = springs, solved, rows
        self._row_body = np.append(body[rows.ids], 0).astype(np.int32)
        self._block = np.append(np.arange(0, len(springs.i), SPRINGS_IN_BLOCK), len(springs.i)).astype(np.int64)
        self._base = None if solved is not None else np.zeros((3, len(springs.i)), dtype=rows.moved.dtype)
        # Each block is summed by one thread, so that sums do not depend on how many there are.
        self._sums = np.zeros((len(self._block) - 1, bodies, 3))

    def residual(self) -> np.ndarray:
        """Mean and largest residual of each body's springs, (2, bodies), as shares of their rest lengths.

        Right after a solve, while the rows still hold what came out of it. Forces leave nothing to solve.
        """
        solved = self._solved
        if solved is None:
            return np.zeros((2, self._sums.shape[1]))
        remaining(
            self._lengths(), solved.i, solved.goal, solved.kappa, solved.lam, self._row_body, self._block, self._sums
        )
        return self._total()

    def strain(self, particles: int) -> tuple[np.ndarray, np.ndarray]:
        """What springs are stretched by, l / l0 - 1, as the rows are.

        Returns:
            mean and largest of each body's, (2, bodies), and
            the mean over each particle's, (n,) float32; 0 where there are none.
        """
        springs, rows, length = self._springs, self._rows, self._lengths()
        stretches(length, springs.i, springs.rest, self._row_body, self._block, self._sums)
        total, count = np.zeros(len(rows.at)), np.zeros(len(rows.at))
        mean_strains(
            length, springs.i, springs.j, springs.rest, springs.task_start, springs.stage_start, total, count
        )
        found = np.zeros(particles, dtype=np.float32)
        found[rows.ids] = (total / np.maximum(count, 1.0))[:-1]
        return self._total(), found

    def _lengths(self) -> np.ndarray:
        """Length of each spring as the rows are, (s,) [m]."""
        springs, at = self._springs, self._rows.at
        if self._solved is not None:
            return self._solved.lengths(at)
        distance.span(at, springs.i, springs.j, self._base, springs.task_start, springs.task_start[1:])
        lengths(self._base)
        return self._base[0]

    def _total(self) -> np.ndarray:
        found = np.zeros((2, self._sums.shape[1]))
        add_up(self._sums, found[0], found[1])
        return found
