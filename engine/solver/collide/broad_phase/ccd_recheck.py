"""Second continuous detection after the solve, for particles that passed through in spite of it.

The detection before the solve ruled out pairs that are too far apart to pass through, even if both sides deviate a
little from their expected positions. These are not tested again, unless a particle deviates further: then all pairs
near it are. Later rounds test the pairs of particles that the previous round moved.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ....compiler.kernels import kernel, parallel_kernel, prange
from ....compiler.typed_call import TypedCall
from ..narrow_phase.place import DISPLACED_FRACTION
from .broad_phase import BroadPhase
from .elements import Elements

# Bits of an element: one of its particles has moved; one is displaced beyond the margin from its expected position.
MOVED, DISPLACED = 1, 2


class PairSelection(NamedTuple):
    """Pairs that are tested again.

    Attributes:
        pairs: (p,) bool, first of particles and bodies, then of edges.
        goes_on: whether all others keep the result of the last test; is_known: whether it is known which are close.
    """

    pairs: np.ndarray
    goes_on: bool
    is_known: bool


class CcdRecheck:
    """Selects the pairs that are tested again."""

    def __init__(self, slack: np.ndarray, soft: np.ndarray, inv_mass: np.ndarray, elements: Elements) -> None:
        """Set up.

        Args:
            slack: (n,) distance by which springs may move a particle [m], see `find_face_contacts`.
            soft: (m,) particles of soft bodies; inv_mass: (n,) of all [1/kg], read again at each use; elements.
        """
        self._corner, self._edge, self._first = elements.corner, elements.edge, elements.first
        self._of_face, self._of_edge = (np.zeros(len(some), np.uint8) for some in (elements.corner, elements.edge))
        self._slack, self._expected = slack, np.zeros((len(slack), 3))
        self._seen, self._is_moved = np.zeros((len(slack), 3)), np.zeros(len(slack), dtype=bool)
        self._is_displaced, self._select = np.zeros(len(slack), dtype=bool), TypedCall(select_moved)
        self._oscillation, self._inv_mass = np.zeros(len(slack)), inv_mass
        self._oscillation[soft] = slack[soft]
        self._flag_elements, self._note_positions = TypedCall(flag_elements), TypedCall(note_positions)
        self.close, self._selected = np.zeros(0, dtype=bool), np.zeros(0, dtype=bool)

    def allot(self, slots: int) -> None:
        """Allocate arrays for `slots` pairs; `close` has one bool a pair, faces and then edges."""
        self.close, self._selected = np.zeros(slots, dtype=bool), np.zeros(slots, dtype=bool)

    def expect(self, start: np.ndarray, x: np.ndarray, moving: slice, x0: np.ndarray, is_predicted: bool) -> None:
        """Record start positions, in x0, and expected positions after the solve, x (n, 3) [m].

        Predicted displacements to x are shortened by their oscillation within a substep, see `note_positions`.
        """
        oscillation = self._oscillation[moving] if is_predicted else self._oscillation[:0]
        self._note_positions(
            start[moving], x[moving], oscillation, self._inv_mass[moving], x0[moving], self._expected[moving]
        )

    def expect_here(self, x: np.ndarray, stop: int) -> None:
        """Record that `close` is valid for the current positions of particles below `stop`; x: (n, 3) [m]."""
        self._expected[self._first : stop] = x[self._first : stop]

    def ask(self, search: BroadPhase, x: np.ndarray, is_known: bool, goes_on: bool) -> PairSelection:
        """Select the pairs to test, see `chosen`: those that may pass through, of particles moved since the last call.

        Args:
            is_known: whether `close` is valid for the expected positions of particles; otherwise all particles that
                have moved may pass through.
            goes_on: False for the first call in a substep, for which all particles count as moved.
        """
        moving = slice(self._first, search.moving)
        find_moved(
            self._expected[moving], x[moving], self._slack[moving], self._seen[moving], goes_on, self._is_moved[moving],
            self._is_displaced[moving],
        )
        near = search.near_pairs
        pairs = len(near.particle) + len(near.edges)
        self._flag_elements(
            search.moving, self._is_moved, self._is_displaced, self._corner, self._edge, self._of_face, self._of_edge
        )
        self._select(
            is_known, self.close[:pairs], self._is_moved, self._is_displaced, near, self._of_face, self._of_edge,
            self._selected[:pairs],
        )
        return PairSelection(self._selected[:pairs], goes_on, is_known)


def chosen(search: BroadPhase, asked: PairSelection | None) -> tuple[np.ndarray, np.ndarray]:
    """Indices of particle-body pairs and of edge pairs: of all, or of the selected ones.

    Args: asked: None for all.
    """
    faces, edges = len(search.pair_particle), len(search.edge_pair)
    if asked is None:
        return np.arange(faces), np.arange(edges)
    return asked.pairs[:faces].nonzero()[0], asked.pairs[faces : faces + edges].nonzero()[0]


@kernel
def note_positions(start, x, oscillation, inv_mass, x0, expected):
    """Shorten predicted displacements by their oscillation in a substep; copy start to x0, and x to `expected`.

    At the end of a substep vertices of a stretched cloth oscillate at metres a second about a fixed position. Contacts
    found where these velocities point differed in each substep. So a particle moves only the fraction of its
    displacement that its last substep, from x0 to start, has shown along it. At most `oscillation` is cut off: contacts
    are found within it in any case, and a particle that was just struck moves as it has not moved before.

    Args:
        start: (m, 3) [m]; x: (m, 3) in and out, positions [m].
        oscillation: (m,), or (0,) where no x is predicted [m]; inv_mass: (m,) [1/kg], held particles follow their keys.
        x0: in and out, (m, 3), start of the last substep, NaN if unknown, then `start`; expected: (m, 3) out.
    """
    are_predicted = oscillation.shape[0] > 0
    for i in range(x.shape[0]):
        fraction = 1.0
        if are_predicted and oscillation[i] > 0.0 and inv_mass[i] > 0.0:
            square = along = 0.0
            for k in range(3):
                displacement = x[i, k] - start[i, k]
                square += displacement * displacement
                along += displacement * (start[i, k] - x0[i, k])
            if along < square:
                fraction = max(along / square, 1.0 - oscillation[i] / math.sqrt(square), 0.0)
        for k in range(3):
            if fraction < 1.0:
                x[i, k] = start[i, k] + fraction * (x[i, k] - start[i, k])
            x0[i, k] = start[i, k]
            expected[i, k] = x[i, k]


@kernel
def find_moved(expected, x, slack, seen, goes_on, is_moved, is_displaced):
    """Mark particles that moved since last seen, and those displaced from the expected position by a fraction of slack.

    Args: expected, x: (m, 3) [m]; slack: (m,) [m]; seen: (m, 3), in and out [m]; goes_on: False if all count as
        moved; is_moved, is_displaced: out (m,) bool.
    """
    for i in range(x.shape[0]):
        most = 0.0
        is_there = goes_on
        for k in range(3):
            most = max(most, abs(x[i, k] - expected[i, k]))
            is_there = is_there and x[i, k] == seen[i, k]
            seen[i, k] = x[i, k]
        is_moved[i] = not is_there
        # NaN counts as displaced.
        is_displaced[i] = not most <= DISPLACED_FRACTION * slack[i]


@parallel_kernel
def flag_elements(moving, is_moved, is_displaced, corner, edge, of_face, of_edge):
    """Flag elements with a particle that moved (MOVED) or is displaced (DISPLACED), as bits.

    A pair then reads two elements instead of six particles.

    Args:
        moving: number of particles that may move, the first ones; is_moved, is_displaced: (n,) bool.
        corner: (t, 3), edge: (e, 2); of_face: out, (t,) uint8; of_edge: out, (e,) uint8.
    """
    for t in prange(corner.shape[0]):
        a, b, c = corner[t, 0], corner[t, 1], corner[t, 2]
        if a < moving:
            of_face[t] = MOVED * (is_moved[a] | is_moved[b] | is_moved[c]) | DISPLACED * (
                is_displaced[a] | is_displaced[b] | is_displaced[c]
            )
    for e in prange(edge.shape[0]):
        a, b = edge[e, 0], edge[e, 1]
        if a < moving:
            of_edge[e] = MOVED * (is_moved[a] | is_moved[b]) | DISPLACED * (is_displaced[a] | is_displaced[b])


@parallel_kernel
def select_moved(is_known, close, is_moved, is_displaced, pairs, of_face, of_edge, selected):
    """Select pairs (particle and body, or edges) with a moved particle that are close or have a displaced particle.

    Args:
        is_known: whether to select only pairs that are `close` or have a displaced particle; else all that moved.
        close: in and out, (pairs,) bool, faces and then edges: a pair selected once is selected whenever it moves.
        is_moved, is_displaced: (n,) bool; of_face, of_edge: see `flag_elements`; selected: out, (pairs,) bool.
        pairs: `narrow_phase.columns.NearPairs`.
    """
    faces = pairs.particle.shape[0]
    for pair in prange(faces):
        i = pairs.particle[pair]
        found = MOVED * is_moved[i] | DISPLACED * (not is_known or close[pair] or is_displaced[i])
        for place in range(pairs.start[pair], pairs.stop[pair]):
            found |= of_face[pairs.near[place]]
        selected[pair] = found == MOVED | DISPLACED
        close[pair] |= found >= DISPLACED
    for pair in prange(pairs.edges.shape[0]):
        found = DISPLACED * (not is_known or close[faces + pair])
        found |= of_edge[pairs.edges[pair, 0]] | of_edge[pairs.edges[pair, 1]]
        selected[faces + pair] = found == MOVED | DISPLACED
        close[faces + pair] |= found >= DISPLACED
