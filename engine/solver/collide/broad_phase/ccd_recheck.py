"""Second continuous detection after the solve, for particles that passed through in spite of it.

Before the solve, pairs too far apart to pass through, even if both strayed a little, were ruled out; these are not
tested again. Only particles that strayed further are, with all pairs near them. Later rounds test the pairs of
particles that the round before has moved.
"""

from __future__ import annotations

import numpy as np

from ....compiler.kernels import kernel, parallel_kernel, prange
from ....compiler.typed_call import TypedCall
from ..narrow_phase.columns import NearPairs
from ..narrow_phase.place import ASTRAY
from .broad_phase import BroadPhase
from .elements import Elements


class CcdRecheck:
    """Selects the pairs that are tested again."""

    def __init__(self, slack: np.ndarray) -> None:
        """Args: slack: (n,) distance by which springs may move a particle [m]; see `find_face_contacts`."""
        self._slack, self._expected = slack, np.zeros((len(slack), 3))
        self._seen, self._is_moved = np.zeros((len(slack), 3)), np.zeros(len(slack), dtype=bool)
        self._is_astray, self._ask = np.zeros(len(slack), dtype=bool), TypedCall(ask_moved)
        self.close, self._asked = np.zeros(0, dtype=bool), np.zeros(0, dtype=bool)

    def allot(self, slots: int) -> None:
        """Allocate so many pairs; `close` is one bool a pair, faces and then edges."""
        self.close, self._asked = np.zeros(slots, dtype=bool), np.zeros(slots, dtype=bool)

    def expect(self, start: np.ndarray, x: np.ndarray, moving: slice, x0: np.ndarray) -> None:
        """Record where particles start, in x0, and their expected positions after the solve, x (n, 3) [m]."""
        note_positions(start[moving], x[moving], x0[moving], self._expected[moving])

    def ask(self, search: BroadPhase, elements: Elements, x: np.ndarray, is_known: bool, goes_on: bool) -> np.ndarray:
        """Which pairs to test, see `chosen`: those that may pass through, of particles moved since the last call.

        Args:
            is_known: whether `close` is valid for the pairs; else all may pass through that have moved.
            goes_on: False for the first call in a substep, for which all have moved.
        """
        moving = slice(elements.first, search.moving)
        astray = find_moved(
            self._expected[moving], x[moving], self._slack[moving], self._seen[moving], goes_on, self._is_moved[moving],
            self._is_astray[moving],
        )
        near = NearPairs(search.pair_particle, search.pair_start, search.pair_stop, search.near, search.edge_pair)
        pairs = len(near.particle) + len(near.edges)
        self._ask(
            is_known, astray > 0, self.close[:pairs], self._is_moved, self._is_astray, near, elements.corner,
            elements.edge, self._asked[:pairs],
        )
        return self._asked[:pairs]


def chosen(search: BroadPhase, asked: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """Indices of particle-body pairs and of edge pairs: of all, or of the selected ones.

    Args: asked: (pairs,) bool, first particle-body pairs, then edge pairs; None for all.
    """
    faces, edges = len(search.pair_particle), len(search.edge_pair)
    if asked is None:
        return np.arange(faces), np.arange(edges)
    return asked[:faces].nonzero()[0], asked[faces : faces + edges].nonzero()[0]


@parallel_kernel
def note_positions(start, x, x0, expected):
    """Copy start to x0 and x to `expected`, (m, 3) each [m]."""
    for i in prange(x.shape[0]):
        for k in range(3):
            x0[i, k] = start[i, k]
            expected[i, k] = x[i, k]


@kernel
def find_moved(expected, x, slack, seen, goes_on, is_moved, is_astray):
    """Mark particles that moved since they were seen, and those off their expected place by more than a part of slack.

    Returns the number of the latter.

    Args: expected, x: (m, 3) [m]; slack: (m,) [m]; seen: (m, 3), in and out [m]; goes_on: False where all count as
        moved; is_moved, is_astray: out (m,) bool.
    """
    astray = 0
    for i in range(x.shape[0]):
        most = 0.0
        is_there = goes_on
        for k in range(3):
            most = max(most, abs(x[i, k] - expected[i, k]))
            is_there = is_there and x[i, k] == seen[i, k]
            seen[i, k] = x[i, k]
        is_moved[i] = not is_there
        # NaN counts as strayed.
        is_astray[i] = not most <= ASTRAY * slack[i]
        astray += is_astray[i]
    return astray


@parallel_kernel
def ask_moved(is_known, any_astray, close, is_moved, is_astray, pairs, corner, edge, asked):
    """Select pairs, of a particle and a body or of edges, of which a particle has moved and that are close or astray.

    Args:
        is_known: whether only pairs are asked that are `close`, or of which a particle is astray; else all that moved.
        close: in and out, (pairs,) bool, faces and then edges: a pair that is asked once is asked whenever it moves.
        is_moved, is_astray: (n,) bool; any_astray: whether any is astray; asked: out, (pairs,) bool.
        pairs: `narrow_phase.columns.NearPairs`; corner, edge: see `Elements`.
    """
    faces = pairs.particle.shape[0]
    for pair in prange(faces):
        i = pairs.particle[pair]
        moved = is_moved[i]
        strays = not is_known or close[pair] or is_astray[i]
        if strays or any_astray:
            for place in range(pairs.start[pair], pairs.stop[pair]):
                if moved and strays:
                    break
                t = pairs.near[place]
                for e in range(3):
                    moved |= is_moved[corner[t, e]]
                    strays |= is_astray[corner[t, e]]
        asked[pair] = moved and strays
        close[pair] |= strays
    for pair in prange(pairs.edges.shape[0]):
        moved = False
        strays = not is_known or close[faces + pair]
        if strays or any_astray:
            for side in range(2):
                for e in range(2):
                    i = edge[pairs.edges[pair, side], e]
                    moved |= is_moved[i]
                    strays |= is_astray[i]
        asked[faces + pair] = moved and strays
        close[faces + pair] |= strays
