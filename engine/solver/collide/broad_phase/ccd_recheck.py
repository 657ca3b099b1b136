"""Whose ways are looked at once more after the solve, for somebody who got through in spite of it.

The ways foreseen were looked at before it, and who was then too far from each other to get through, even if both
strayed a little, is not asked again. Who strayed further is, and all who are near them.
"""

from __future__ import annotations

import numpy as np

from ....compiler.kernels import kernel, parallel_kernel, prange
from ..narrow_phase.place import ASTRAY
from .broad_phase import BroadPhase
from .elements import Elements


class CcdRecheck:
    """Which of the pairs that a search found are looked at."""

    def __init__(self, slack: np.ndarray) -> None:
        """Args: (n,) how near springs may bring a particle [m]; see `narrow.find_face_contacts`."""
        self._slack, self._expected = slack, np.zeros((len(slack), 3))
        self._is_moved = np.zeros(len(slack), dtype=bool)
        self.close, self._again = np.zeros(0, dtype=bool), np.zeros(0, dtype=bool)

    def allot(self, slots: int) -> None:
        """Room for so many pairs; `close` is one bool a pair, faces and then edges."""
        self.close, self._again = np.zeros(slots, dtype=bool), np.zeros(slots, dtype=bool)

    def expect(self, x: np.ndarray, moving: slice) -> None:
        """Who may move will be at x, (n, 3) [m], after the solve."""
        self._expected[moving] = x[moving]

    def astray(self, search: BroadPhase, elements: Elements, x: np.ndarray) -> np.ndarray:
        """Pairs that were close, and those of who is elsewhere than was expected; as `chosen` takes them."""
        moving = slice(elements.first, search.moving)
        far = find_astray(self._expected[moving], x[moving], self._slack[moving], self._is_moved[moving])
        if not far:
            return self.close
        self._again[:] = self.close
        self._ask(search, elements, None)
        self._is_moved[moving] = False
        return self._again

    def moved(
        self, search: BroadPhase, elements: Elements, x: np.ndarray, who: np.ndarray, is_known: bool,
    ) -> np.ndarray:
        """Pairs of those who were moved, (k, 4) particles: all other ways were found to lead through nothing.

        Args: is_known: whether `close` still tells of the pairs.
        """
        self._is_moved[who] = True
        is_known = is_known and are_there(who, self._expected, x, self._slack)
        self._again[:] = False
        self._ask(search, elements, self.close if is_known else None)
        self._is_moved[who] = False
        return self._again

    def _ask(self, search: BroadPhase, elements: Elements, among: np.ndarray | None) -> None:
        ask_moved(
            *chosen(search, among), self._is_moved, search.pair_particle, search.pair_start, search.pair_stop,
            search.near, elements.corner, search.edge_pair, elements.edge, self._again,
        )


def chosen(search: BroadPhase, asked: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """Numbers of pairs of a particle and a body, and of those of edges: of all, or of those that are asked.

    Args: asked: (slots,) bool, first of the one and then of the other; None for all.
    """
    faces, edges = len(search.pair_particle), len(search.edge_pair)
    if asked is None:
        return np.arange(faces), np.arange(edges)
    return np.flatnonzero(asked[:faces]), np.flatnonzero(asked[faces : faces + edges])


@kernel
def find_astray(expected, x, slack, is_astray):
    """How many of some particles are elsewhere than was expected, by more than a share of their slack.

    Args: expected, x: (m, 3) [m]; slack: (m,) [m]; is_astray: out (m,) bool.
    """
    found = 0
    for i in range(expected.shape[0]):
        most = 0.0
        for k in range(3):
            most = max(most, abs(x[i, k] - expected[i, k]))
        # Who is nowhere is astray as well.
        is_astray[i] = not most <= ASTRAY * slack[i]
        found += is_astray[i]
    return found


@kernel
def are_there(who, expected, x, slack):
    """Whether none of some particles, (k, 4), is astray; see `find_astray`, here of all particles."""
    for m in range(who.shape[0]):
        for e in range(4):
            i = who[m, e]
            for k in range(3):
                if not abs(x[i, k] - expected[i, k]) <= ASTRAY * slack[i]:
                    return False
    return True


@parallel_kernel
def ask_moved(
    faces, edges, is_moved, pair_particle, pair_start, pair_stop, near, corner, edge_pair, edge, asked
):
    """Which of some pairs of a particle and a body, and of edges, have a particle that has moved.

    Args:
        faces, edges: numbers of pairs; is_moved: (n,) bool.
        pair_particle ... edge_pair: see `search.BroadPhase`; corner, edge: see `Elements`.
        asked: in and out, of all pairs; nobody is taken away.
    """
    for m in prange(faces.shape[0]):
        pair = faces[m]
        found = asked[pair] or is_moved[pair_particle[pair]]
        for place in range(pair_start[pair], pair_stop[pair]):
            if found:
                break
            t = near[place]
            found = is_moved[corner[t, 0]] or is_moved[corner[t, 1]] or is_moved[corner[t, 2]]
        asked[pair] = found
    pairs = pair_particle.shape[0]
    for m in prange(edges.shape[0]):
        pair = edges[m]
        e = edge_pair[pair, 0]
        f = edge_pair[pair, 1]
        asked[pairs + pair] = (
            asked[pairs + pair] or is_moved[edge[e, 0]] or is_moved[edge[e, 1]] or is_moved[edge[f, 0]]
            or is_moved[edge[f, 1]]
        )
