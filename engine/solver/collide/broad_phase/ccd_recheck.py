"""Second continuous detection after the solve, for particles that passed through in spite of it.

Before the solve, pairs too far apart to pass through, even if both strayed a little, were ruled out; these are not
tested again. Only particles that strayed further are, with all pairs near them. Later rounds test the pairs of
particles that the round before has moved.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ....compiler.kernels import kernel, parallel_kernel, prange
from ....compiler.typed_call import TypedCall
from ..narrow_phase.place import ASTRAY
from .broad_phase import BroadPhase
from .elements import Elements

# Bits of an element: one of its particles has moved; one is off its expected place.
MOVED, STRAYS = 1, 2


class Asked(NamedTuple):
    """Pairs that are tested again.

    Attributes:
        pairs: (p,) bool, first of particles and bodies, then of edges.
        goes_on: whether all others are as in the last test; is_known: whether it is known which are close.
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
            soft: (m,) particles of soft bodies; inv_mass: (n,) of all, as it is now and later [1/kg]; elements.
        """
        self._corner, self._edge, self._first = elements.corner, elements.edge, elements.first
        self._of_face, self._of_edge = (np.zeros(len(some), np.uint8) for some in (elements.corner, elements.edge))
        self._slack, self._expected = slack, np.zeros((len(slack), 3))
        self._seen, self._is_moved = np.zeros((len(slack), 3)), np.zeros(len(slack), dtype=bool)
        self._is_astray, self._ask = np.zeros(len(slack), dtype=bool), TypedCall(ask_moved)
        self._swing, self._inv_mass = np.zeros(len(slack)), inv_mass
        self._swing[soft] = slack[soft]
        self._note, self._note_positions = TypedCall(note_elements), TypedCall(note_positions)
        self.close, self._asked = np.zeros(0, dtype=bool), np.zeros(0, dtype=bool)

    def allot(self, slots: int) -> None:
        """Allocate so many pairs; `close` is one bool a pair, faces and then edges."""
        self.close, self._asked = np.zeros(slots, dtype=bool), np.zeros(slots, dtype=bool)

    def expect(self, start: np.ndarray, x: np.ndarray, moving: slice, x0: np.ndarray, is_predicted: bool) -> None:
        """Record where particles start, in x0, and their expected positions after the solve, x (n, 3) [m].

        Ways to x that are only predicted are shortened by what swings within a substep, see `note_positions`.
        """
        swing = self._swing[moving] if is_predicted else self._swing[:0]
        self._note_positions(
            start[moving], x[moving], swing, self._inv_mass[moving], x0[moving], self._expected[moving]
        )

    def expect_here(self, x: np.ndarray, stop: int) -> None:
        """Record that it is known which pairs are close where particles below `stop` are now; x: (n, 3) [m]."""
        self._expected[self._first : stop] = x[self._first : stop]

    def ask(self, search: BroadPhase, x: np.ndarray, is_known: bool, goes_on: bool) -> Asked:
        """Which pairs to test, see `chosen`: those that may pass through, of particles moved since the last call.

        Args:
            is_known: whether `close` is valid for the pairs, where particles are expected; else all that have moved may
                pass through.
            goes_on: False for the first call in a substep, for which all have moved.
        """
        moving = slice(self._first, search.moving)
        find_moved(
            self._expected[moving], x[moving], self._slack[moving], self._seen[moving], goes_on, self._is_moved[moving],
            self._is_astray[moving],
        )
        near = search.near_pairs
        pairs = len(near.particle) + len(near.edges)
        self._note(
            search.moving, self._is_moved, self._is_astray, self._corner, self._edge, self._of_face, self._of_edge
        )
        self._ask(
            is_known, self.close[:pairs], self._is_moved, self._is_astray, near, self._of_face, self._of_edge,
            self._asked[:pairs],
        )
        return Asked(self._asked[:pairs], goes_on, is_known)


def chosen(search: BroadPhase, asked: Asked | None) -> tuple[np.ndarray, np.ndarray]:
    """Indices of particle-body pairs and of edge pairs: of all, or of the selected ones.

    Args: asked: None for all.
    """
    faces, edges = len(search.pair_particle), len(search.edge_pair)
    if asked is None:
        return np.arange(faces), np.arange(edges)
    return asked.pairs[:faces].nonzero()[0], asked.pairs[faces : faces + edges].nonzero()[0]


@kernel
def note_positions(start, x, swing, inv_mass, x0, expected):
    """Copy start to x0, and x to `expected`; before it, shorten predicted ways by what swings in a substep.

    At the end of a substep vertices of a stretched cloth swing at metres a second about a place that they keep.
    Contacts found where these velocities point were others in each substep. So a particle goes the share of its way
    that its last substep, from x0 to start, has shown along it. At most `swing` is left out: contacts are found within
    it in any case, and what was just struck moves as it has not moved before.

    Args:
        start: (m, 3) [m]; x: (m, 3) in and out, positions [m]; swing: (m,), or (0,) where none is predicted [m].
        inv_mass: (m,) [1/kg]: what is held goes where it is led.
        x0: in and out, (m, 3), where the last substep began, not a number if unknown, and start; expected: (m, 3) out.
    """
    are_predicted = swing.shape[0] > 0
    for i in range(x.shape[0]):
        share = 1.0
        if are_predicted and swing[i] > 0.0 and inv_mass[i] > 0.0:
            square = along = 0.0
            for k in range(3):
                way = x[i, k] - start[i, k]
                square += way * way
                along += way * (start[i, k] - x0[i, k])
            if along < square:
                share = max(along / square, 1.0 - swing[i] / math.sqrt(square), 0.0)
        for k in range(3):
            if share < 1.0:
                x[i, k] = start[i, k] + share * (x[i, k] - start[i, k])
            x0[i, k] = start[i, k]
            expected[i, k] = x[i, k]


@kernel
def find_moved(expected, x, slack, seen, goes_on, is_moved, is_astray):
    """Mark particles that moved since they were seen, and those off their expected place by more than a part of slack.

    Args: expected, x: (m, 3) [m]; slack: (m,) [m]; seen: (m, 3), in and out [m]; goes_on: False where all count as
        moved; is_moved, is_astray: out (m,) bool.
    """
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


@parallel_kernel
def note_elements(moving, is_moved, is_astray, corner, edge, of_face, of_edge):
    """Note which elements have a particle that moved (MOVED) or is astray (STRAYS), as bits.

    A pair asks two elements then, and not six particles.

    Args:
        moving: only the first so many particles may move; is_moved, is_astray: (n,) bool.
        corner: (t, 3), edge: (e, 2); of_face: out, (t,) uint8; of_edge: out, (e,) uint8.
    """
    for t in prange(corner.shape[0]):
        a, b, c = corner[t, 0], corner[t, 1], corner[t, 2]
        if a < moving:
            of_face[t] = MOVED * (is_moved[a] | is_moved[b] | is_moved[c]) | STRAYS * (
                is_astray[a] | is_astray[b] | is_astray[c]
            )
    for e in prange(edge.shape[0]):
        a, b = edge[e, 0], edge[e, 1]
        if a < moving:
            of_edge[e] = MOVED * (is_moved[a] | is_moved[b]) | STRAYS * (is_astray[a] | is_astray[b])


@parallel_kernel
def ask_moved(is_known, close, is_moved, is_astray, pairs, of_face, of_edge, asked):
    """Select pairs, of a particle and a body or of edges, of which a particle has moved and that are close or astray.

    Args:
        is_known: whether only pairs are asked that are `close`, or of which a particle is astray; else all that moved.
        close: in and out, (pairs,) bool, faces and then edges: a pair that is asked once is asked whenever it moves.
        is_moved, is_astray: (n,) bool; of_face, of_edge: see `note_elements`; asked: out, (pairs,) bool.
        pairs: `narrow_phase.columns.NearPairs`.
    """
    faces = pairs.particle.shape[0]
    for pair in prange(faces):
        i = pairs.particle[pair]
        found = MOVED * is_moved[i] | STRAYS * (not is_known or close[pair] or is_astray[i])
        for place in range(pairs.start[pair], pairs.stop[pair]):
            found |= of_face[pairs.near[place]]
        asked[pair] = found == MOVED | STRAYS
        close[pair] |= found >= STRAYS
    for pair in prange(pairs.edges.shape[0]):
        found = STRAYS * (not is_known or close[faces + pair])
        found |= of_edge[pairs.edges[pair, 0]] | of_edge[pairs.edges[pair, 1]]
        asked[faces + pair] = found == MOVED | STRAYS
        close[faces + pair] |= found >= STRAYS
