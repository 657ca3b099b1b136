"""Strain and residual of springs, for the diagnostics of a frame."""

from __future__ import annotations

import numpy as np

from ...solver.constraints import distance, strain
from ...solver.constraints.strain import add_strains, add_up, count_springs, mean_strains
from ...solver.vector import strain as vector_strain
from .tables.rows import Rows
from .tables.springs import Links, Springs, SpringTable

SPRINGS_IN_BLOCK = 8192


def unpacked(links: Links, rows: Rows) -> Springs:
    """Links as `Springs` in the user's order, for integrators that have no packed table."""
    i, j = (rows.row[links.pairs[:, k]].astype(np.int32) for k in (0, 1))
    return Springs(i, j, links.rest.astype(rows.moved.dtype), np.array([0, len(i)]), np.array([0, 1]))


class Convergence:
    """Measures the springs at the end of a frame; changes nothing."""

    def __init__(
        self, springs: Springs, solved: SpringTable | None, rows: Rows, body: np.ndarray, bodies: int
    ) -> None:
        """Args: springs; solved: their table, None for explicit forces; rows; body: (n,); bodies: number of bodies."""
        self._springs, self._solved, self._rows = springs, solved, rows
        is_packed = solved is not None and springs.rest.dtype == np.float32
        self._law = vector_strain if is_packed else strain
        self._row_body = np.append(body[rows.ids], 0).astype(np.int32)
        self._block = _blocks(springs)
        self._block_body = self._bodies_of_blocks()
        self._length = None if solved is not None else np.zeros(len(springs.i), dtype=rows.moved.dtype)
        # One thread sums each block, so that sums do not depend on the number of threads.
        self._sums = np.zeros((len(self._block) - 1, bodies, 3))
        self._inv_spring_count, self._counted_at = np.zeros(len(rows.at), dtype=np.float32), -1

    def _bodies_of_blocks(self) -> np.ndarray:
        """The body that all springs of a block belong to, (blocks,) int32; -1 for several bodies."""
        springs, row_body = self._springs, self._row_body
        count = len(self._block) - 1
        if count == 0:
            return np.zeros(0, dtype=np.int32)
        is_there = springs.rest > 0.0
        body = row_body[springs.i]
        low, high = (
            reduce.reduceat(np.where(is_there, body, none), self._block[:-1])
            for reduce, none in ((np.minimum, np.iinfo(np.int32).max), (np.maximum, -1))
        )
        return np.where(low == high, low, -1).astype(np.int32)

    def take_rest(self, rest: np.ndarray) -> None:
        """Set rest lengths (s,) [m] of links that have no packed table."""
        self._springs.rest[:] = rest

    def residual(self) -> np.ndarray:
        """Mean and largest residual of each body's springs, (2, bodies), relative to their rest lengths.

        Call it right after a solve, while the rows still have its result. Explicit forces have no residual.
        """
        solved = self._solved
        if solved is None:
            return np.zeros((2, self._sums.shape[1]))
        self._law.remaining(
            self._lengths(), solved.i, solved.goal, solved.kappa, solved.lam, self._row_body, self._block,
            self._block_body, self._sums,
        )
        return self._total()

    def strain(self, particles: int) -> tuple[np.ndarray, np.ndarray]:
        """Strain of springs, l / l0 - 1, for the current rows.

        Returns:
            mean and largest strain of each body, (2, bodies), and
            mean strain of the springs at each particle, (n,) float32; 0 for a particle without any.
        """
        springs, rows, length = self._springs, self._rows, self._lengths()
        self._law.stretches(length, springs.i, springs.rest, self._row_body, self._block, self._block_body, self._sums)
        total, found = np.zeros(len(rows.at), dtype=np.float32), np.zeros(particles, dtype=np.float32)
        add_strains(length, springs.i, springs.j, springs.task_start, springs.stage_start, total)
        alterations = 0 if self._solved is None else self._solved.alterations
        if self._counted_at != alterations:
            count_springs(springs.i, springs.j, springs.rest, self._inv_spring_count)
            self._counted_at = alterations
        mean_strains(total, self._inv_spring_count, rows.ids, found)
        return self._total(), found

    def _lengths(self) -> np.ndarray:
        """Length of each spring for the current rows, (s,) [m]."""
        springs, at = self._springs, self._rows.at
        if self._solved is not None:
            return self._solved.lengths(at)
        distance.lengths(at, springs.i, springs.j, self._length, springs.task_start, springs.task_start[:, None])
        return self._length

    def _total(self) -> np.ndarray:
        found = np.zeros((2, self._sums.shape[1]))
        add_up(self._sums, found[0], found[1])
        return found


def _blocks(springs: Springs) -> np.ndarray:
    """Ranges of springs, (blocks + 1,) int64, each within one task and of at most SPRINGS_IN_BLOCK springs."""
    starts = [
        np.arange(first, stop, SPRINGS_IN_BLOCK)
        for first, stop in zip(springs.task_start[:-1], springs.task_start[1:], strict=True)
    ]
    return np.concatenate([*starts, [len(springs.i)]]).astype(np.int64)
