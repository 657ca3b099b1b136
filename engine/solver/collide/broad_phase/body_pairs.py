"""Pairs of bodies that collide and are near: sweep and prune over boxes around entire bodies."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ....compiler.kernels import kernel, parallel_kernel, prange
from .boxes import HIGH, LEAST, LOW, MOST, boxes_miss
from .elements import Elements
from .row_lists import counts_to_starts, sort_rows

# Sign by which each column of a node's box increases inward.
_INWARD = np.repeat([1.0, -1.0, 1.0, -1.0], 3)


@dataclass
class Meeting:
    """Collision filter: which bodies collide, by kinds. A world has few kinds, however many bodies.

    Attributes:
        kind: (bodies,) int32; table: (kinds, kinds) bool, symmetric, whether two bodies of these kinds collide.
        own: (bodies,) bool, whether a body collides with itself.
    """

    kind: np.ndarray
    table: np.ndarray
    own: np.ndarray

    def any(self) -> bool:
        """Whether any two bodies collide, or one with itself."""
        return bool(self.asked().any())

    def asked(self) -> np.ndarray:
        """Which bodies collide with any other or with themselves, (bodies,) bool."""
        count = np.bincount(self.kind, minlength=len(self.table))
        pairs = np.outer(count, count) - np.diag(count)
        return self.own | (self.table & (pairs > 0)).any(axis=1)[self.kind]

    def matrix(self) -> np.ndarray:
        """Table of all pairs of bodies, (bodies, bodies) bool."""
        pairs = self.table[np.ix_(self.kind, self.kind)]
        np.fill_diagonal(pairs, self.own)
        return pairs


def meeting_of(matrix: np.ndarray) -> Meeting:
    """Collision filter from a table of bodies, (bodies, bodies) bool; each body is a kind of its own."""
    return Meeting(np.arange(len(matrix), dtype=np.int32), matrix, np.diag(matrix).copy())


class CloseBodies:
    """Colliding bodies whose boxes overlap, for each body: close[start[a] : start[a + 1]], ascending."""

    def __init__(self, meeting: Meeting, tree_start: np.ndarray) -> None:
        """Args: meeting: which bodies collide; tree_start: (bodies + 1,) first node of each body's tree."""
        self._meeting, self._tree_start = meeting, tree_start
        self._there = np.flatnonzero(np.diff(tree_start) > 0)
        self.start = np.zeros(len(meeting.kind) + 1, dtype=np.int64)
        self.close = np.zeros(4 * len(meeting.kind), dtype=np.int64)
        self._found = np.zeros((len(self._there), len(_INWARD)))

    def hold(self, node_box: np.ndarray) -> bool:
        """Whether all bodies still lie within their boxes of the last `find`."""
        return bool(np.all(_INWARD * node_box[self._tree_start[self._there]] >= self._found))

    def are_none(
        self, elements: Elements, patches: int, x: np.ndarray, v: np.ndarray, time: float, margin: np.ndarray,
        node_box: np.ndarray,
    ) -> bool:
        """Whether coarse boxes already show that no two bodies touch; only the first `patches` patches have moved.

        Args: x ... margin, node_box: see `refit_patches`; all other patches have their boxes.
        """
        bodies = np.unique(elements.patch_body[:patches])
        patch_start = np.searchsorted(elements.patch_body, np.arange(len(self.start)))
        bound_bodies(
            bodies, patch_start, elements.particle_start, elements.particle, x, v, time, margin, self._tree_start,
            node_box,
        )
        self.find(node_box)
        return int(self.start[-1]) == 0

    def find(self, node_box: np.ndarray) -> None:
        """Update `start` and `close`; node_box: (nodes, 12), see `refit_patches`."""
        root = node_box[self._tree_start[self._there]]
        np.multiply(_INWARD, root, out=self._found)
        low = root[:, LOW : LOW + 3] + np.minimum(0.0, root[:, LEAST : LEAST + 3])
        high = root[:, HIGH : HIGH + 3] + np.maximum(0.0, root[:, MOST : MOST + 3])
        offset = low - low.sum(axis=0) / max(len(low), 1)
        axis = int(np.argmax((offset * offset).sum(axis=0)))
        order = np.argsort(low[:, axis], kind="stable")
        meeting = (self._meeting.kind, self._meeting.table, self._meeting.own)
        columns = (self._there[order], low[order, axis], high[order, axis])
        found = sweep_bodies(*meeting, self._tree_start, node_box, *columns, self.start, self.close)
        if found > len(self.close):
            self.close = np.zeros(found + found // 2, dtype=np.int64)
            sweep_bodies(*meeting, self._tree_start, node_box, *columns, self.start, self.close)


@parallel_kernel
def bound_bodies(bodies, patch_start, particle_start, particle, x, v, time, margin, tree_start, node_box):
    """Conservative boxes around some bodies, at less than a tenth of the cost of boxes around all their patches.

    Args:
        bodies: (m,); patch_start: (bodies + 1,) patches of each; particle_start, particle: see `elements.Elements`.
        tree_start: (bodies + 1,) first node of each body's tree; x ... margin, node_box: see `refit_patches`.
    """
    for m in prange(bodies.shape[0]):
        b = bodies[m]
        first = particle_start[patch_start[b]]
        stop = particle_start[patch_start[b + 1]]
        widest = 0.0
        for place in range(first, stop):
            widest = max(widest, margin[particle[place]])
        for k in range(3):
            low = math.inf
            high = -math.inf
            least = math.inf
            most = -math.inf
            for place in range(first, stop):
                i = particle[place]
                low = min(low, x[i, k])
                high = max(high, x[i, k])
                least = min(least, v[i, k])
                most = max(most, v[i, k])
            node_box[tree_start[b], LOW + k] = low - widest
            node_box[tree_start[b], HIGH + k] = high + widest
            node_box[tree_start[b], LEAST + k] = time * least
            node_box[tree_start[b], MOST + k] = time * most


@kernel
def sweep_bodies(kind, table, own, tree_start, node_box, order, low, high, start, close):
    """Fill `start` and, where it has capacity for all, `close`; returns the number of entries.

    Args:
        kind, table, own: see `Meeting`; order: (m,) bodies; low, high: (m,) bounds of their motion along an axis, low
            ascending [m].
    """
    bodies = kind.shape[0]
    total = 0
    for stage in range(2):
        if stage == 0:
            for a in range(bodies + 1):
                start[a] = 0
        for j in range(order.shape[0]):
            for k in range(j, order.shape[0]):
                if low[k] > high[j]:
                    break
                a = order[j]
                b = order[k]
                meets = own[a] if j == k else table[kind[a], kind[b]]
                if not meets or boxes_miss(node_box, tree_start[a], node_box, tree_start[b]):
                    continue
                for direction in range(1 if j == k else 2):
                    if direction == 1:
                        a = order[k]
                        b = order[j]
                    if stage == 1:
                        close[start[a]] = b
                    start[a] += 1
        if stage == 0:
            total = counts_to_starts(start)
            if total > close.shape[0]:
                return total
    sort_rows(start, close)
    return total
