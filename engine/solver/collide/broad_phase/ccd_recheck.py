"""Second continuous detection after the solve, for particles that passed through in spite of it.

Before the solve, pairs too far apart to pass through, even if both strayed a little, were ruled out; these are not
tested again. Only particles that strayed further are, with all pairs near them.
"""

from __future__ import annotations

import numpy as np

from ....compiler.kernels import kernel, parallel_kernel, prange
from ..narrow_phase.place import ASTRAY
from .broad_phase import BroadPhase
from .elements import Elements


class CcdRecheck:
    """Selects the pairs that are tested again."""

    def __init__(self, slack: np.ndarray) -> None:
        """Args: slack: (n,) distance by which springs may move a particle [m]; see `find_face_contacts`."""
        self._slack, self._expected = slack, np.zeros((len(slack), 3))
        self._is_moved = np.zeros(len(slack), dtype=bool)
        self.close, self._again = np.zeros(0, dtype=bool), np.zeros(0, dtype=bool)

    def allot(self, slots: int) -> None:
        """Allocate so many pairs; `close` is one bool a pair, faces and then edges."""
        self.close, self._again = np.zeros(slots, dtype=bool), np.zeros(slots, dtype=bool)

    def expect(self, start: np.ndarray, x: np.ndarray, moving: slice, x0: np.ndarray) -> None:
        """Record where particles start, in x0, and their expected positions after the solve, x (n, 3) [m]."""
        note_positions(start[moving], x[moving], x0[moving], self._expected[moving])

    def astray(self, search: BroadPhase, elements: Elements, x: np.ndarray) -> np.ndarray:
        """Pairs that were close, and pairs of particles that strayed from expectation; as `chosen` takes them."""
        moving = slice(elements.first, search.moving)
        far = find_astray(self._expected[moving], x[moving], self._slack[moving], self._is_moved[moving])
        if not far:
            return self.close
        self._again[:] = self.close
        self._ask(search, elements, None)
        self._is_moved[moving] = False
        return self._again

    def moved(
        self, search: BroadPhase, elements: Elements, x: np.ndarray, particles: np.ndarray, is_known: bool,
    ) -> np.ndarray:
        """Pairs of particles that were set back, (k, 4); the motion of all others is known to pass through nothing.

        Args: is_known: whether `close` is still valid for the pairs.
        """
        self._is_moved[particles] = True
        is_known = is_known and are_there(particles, self._expected, x, self._slack)
        self._again[:] = False
        self._ask(search, elements, self.close if is_known else None)
        self._is_moved[particles] = False
        return self._again

    def _ask(self, search: BroadPhase, elements: Elements, among: np.ndarray | None) -> None:
        ask_moved(
            *chosen(search, among), self._is_moved, search.pair_particle, search.pair_start, search.pair_stop,
            search.near, elements.corner, search.edge_pair, elements.edge, self._again,
        )


def chosen(search: BroadPhase, asked: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """Indices of particle-body pairs and of edge pairs: of all, or of the selected ones.

    Args: asked: (slots,) bool, first particle-body pairs, then edge pairs; None for all.
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
def find_astray(expected, x, slack, is_astray):
    """Number of particles that deviate from the expected position by more than a fraction of their slack.

    Args: expected, x: (m, 3) [m]; slack: (m,) [m]; is_astray: out (m,) bool.
    """
    found = 0
    for i in range(expected.shape[0]):
        most = 0.0
        for k in range(3):
            most = max(most, abs(x[i, k] - expected[i, k]))
        # NaN counts as strayed.
        is_astray[i] = not most <= ASTRAY * slack[i]
        found += is_astray[i]
    return found


def are_there(particles: np.ndarray, expected: np.ndarray, x: np.ndarray, slack: np.ndarray) -> bool:
    """Whether none of some particles, (k, 4), has strayed; see `find_astray`; arrays are of all particles."""
    return bool((np.abs(x[particles] - expected[particles]) <= ASTRAY * slack[particles][..., None]).all())


@parallel_kernel
def ask_moved(
    faces, edges, is_moved, pair_particle, pair_start, pair_stop, near, corner, edge_pair, edge, asked
):
    """Select the pairs, of a particle and a body or of edges, that have a particle that has moved.

    Args:
        faces, edges: indices of pairs; is_moved: (n,) bool.
        pair_particle ... edge_pair: see `broad_phase.BroadPhase`; corner, edge: see `Elements`.
        asked: in and out, of all pairs; selected pairs stay selected.
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
