"""How well the springs of each body are solved, for the diagnostics of a frame."""

from __future__ import annotations

import numpy as np

from ..constraints.strain import add_up, remaining, stretches
from ..world import World
from .rows import Rows
from .springs import Links, SpringTable

SPRINGS_IN_BLOCK = 8192


class Convergence:
    """Looks at the springs at the end of a frame; changes nothing."""

    def __init__(
        self, links: Links, springs: SpringTable | None, rows: Rows, body: np.ndarray, bodies: int
    ) -> None:
        """Args: links; their springs, None when nothing is solved; rows; body (n,) of particles; number of bodies."""
        self._springs, self._rows = springs, rows
        self._row_body = np.append(body[rows.ids], 0).astype(np.int32)
        self._pairs = links.pairs
        self._link_block = _blocks(len(links.pairs))
        self._bodies = bodies

    def residual(self) -> np.ndarray:
        """Mean and largest residual of each body's springs, (2, bodies), as shares of their rest lengths.

        Right after a solve, while the rows still hold what came out of it. Forces leave nothing to solve.
        """
        springs = self._springs
        if springs is None:
            return np.zeros((2, self._bodies))
        block = _blocks(len(springs.i))
        sums = np.zeros((len(block) - 1, self._bodies, 3))
        remaining(
            self._rows.at, springs.i, springs.j, springs.rest, springs.kappa, springs.lam, self._row_body, block, sums
        )
        return self._total(sums)

    def stretch(self, world: World, rest: np.ndarray) -> np.ndarray:
        """Mean and largest l / l0 - 1 of each body's links, (2, bodies); rest (s,) [m], 0 for broken ones."""
        sums = np.zeros((len(self._link_block) - 1, self._bodies, 3))
        stretches(world.state.x, self._pairs, rest, world.model.body, self._link_block, sums)
        return self._total(sums)

    def _total(self, sums: np.ndarray) -> np.ndarray:
        found = np.zeros((2, self._bodies))
        add_up(sums, found[0], found[1])
        return found


def _blocks(count: int) -> np.ndarray:
    """Ranges of springs, each summed by one thread, so that sums do not depend on how many there are."""
    return np.append(np.arange(0, count, SPRINGS_IN_BLOCK), count).astype(np.int64)
