"""The search for who may touch whom, and how long what it found holds."""

from __future__ import annotations

import numpy as np

from .broad import find_close_bodies, find_near_patches, has_strayed, refit_patches, refit_top, set_way
from .elements import Elements
from .face_contact import SLOTS
from .near import find_near, split_by_body

# The fastest particle may go so many slacks before the search is made again.
FORESIGHT = 8.0
# Triangles near a particle, or edges near an edge, that there is room for at first.
ROOM = 8


class Search:
    """Near pairs of the frame, or of as much of it as can be foreseen.

    Attributes:
        pair_particle: (m,) int64; pair_start, pair_stop: (m,) ranges of near: triangles of one body near a particle.
        near: (k,) int32; edge_pair: (l, 2) int32, edges near each other.
    """

    def __init__(
        self, elements: Elements, meets: np.ndarray, most_slack: np.ndarray, radius: np.ndarray,
        body: np.ndarray,
    ) -> None:
        """Args: who can be touched; (bodies, bodies) bool; of all particles, (n,) each [m], and their bodies."""
        self.elements, self.meets, self._most_slack = elements, meets, most_slack
        self._slack = most_slack.copy()
        self._radius, self._body = radius, body
        count, nodes, patches = len(most_slack), len(elements.skip), len(elements.patch_body)
        self._x_found, self._v_found, self._wide = np.zeros((count, 3)), np.zeros((count, 3)), np.zeros(count)
        self._patch_at = np.full(nodes, -1, dtype=np.int64)
        self._patch_at[elements.patch_node[:-1]] = np.arange(patches)
        self._bends = np.ascontiguousarray(np.diag(meets))
        self._axis, self._cone = np.zeros((patches, 3)), np.full(patches, np.pi)
        self._close_start = np.zeros(len(meets) + 1, dtype=np.int64)
        self._close = np.zeros(int(np.count_nonzero(meets)), dtype=np.int64)
        self._foresight = FORESIGHT * float(most_slack.min(initial=np.inf))
        self.near, self.edge_pair = np.zeros(0, dtype=np.int32), np.zeros((0, 2), dtype=np.int32)
        self.pair_particle, self.pair_start, self.pair_stop = (np.zeros(0, dtype=np.int64) for _ in range(3))
        self.forget()

    @property
    def slots(self) -> int:
        """Places for contacts of all pairs."""
        return SLOTS * len(self.pair_particle) + len(self.edge_pair)

    def forget(self) -> None:
        """Search before the next substep."""
        self._passed, self._time = 0.0, 0.0

    def look(self, start: np.ndarray, x: np.ndarray, v: np.ndarray, h: float, frame: float) -> bool:
        """Before a substep from `start` to `x`, (n, 3): search again when what was found may not hold; whether it did.

        Args: v: (n, 3) speed of that way [m/s]; h: the substep [s]; frame: [s].
        """
        # Where it begins was looked at when the last substep ended.
        holds = self._passed + h <= self._time * (1.0 + 1e-9) and not has_strayed(
            x, self._passed + h, self._x_found, self._v_found, self._slack
        )
        if not holds:
            fastest = max(float(v.max(initial=0.0)), -float(v.min(initial=0.0)))
            # A substep more than foreseen costs less than a search for each.
            self._search(start, v, h, max(h, min(frame, self._foresight / max(fastest, 1e-300))))
        self._passed += h
        return not holds

    def look_back(self, start: np.ndarray, x: np.ndarray, h: float) -> bool:
        """After a substep: search along the way really gone if somebody strayed from the way foreseen."""
        if not has_strayed(x, self._passed, self._x_found, self._v_found, self._slack):
            return False
        self._search(start, (x - start) / h, h, h)
        self._passed = h
        return True

    def _search(self, start: np.ndarray, v: np.ndarray, h: float, time: float) -> None:
        elements = self.elements
        self._passed, self._time = 0.0, time
        set_way(
            start, v, h, self._most_slack, self._radius, self._x_found, self._v_found, self._slack, self._wide
        )
        refit_patches(
            self._x_found, self._v_found, time, self._wide, elements.corner, elements.order, elements.first,
            elements.last, elements.skip, elements.patch_node, elements.patch_body, self._bends, elements.low,
            elements.high, self._axis, self._cone,
        )
        refit_top(elements.top, elements.skip, elements.low, elements.high)
        find_close_bodies(
            self.meets, elements.tree_start, elements.low, elements.high, self._close_start, self._close
        )
        near_start, near = self._near_patches()
        self._near_features(np.flatnonzero(np.diff(near_start)), near_start, near, time)

    def _near_patches(self) -> tuple[np.ndarray, np.ndarray]:
        """Patches near each patch, as ranges and list."""
        elements, count = self.elements, np.zeros(len(self.elements.patch_body), dtype=np.int64)
        start, near = np.zeros(len(count) + 1, dtype=np.int64), np.zeros(0, dtype=np.int64)
        for fill in (False, True):
            find_near_patches(
                fill, self._close_start, self._close, elements.tree_start, elements.skip, elements.low, elements.high,
                elements.patch_node, elements.patch_body, self._patch_at, elements.beside_start, elements.beside,
                elements.whole, self._axis, self._cone, start, near, count,
            )
            if not fill:
                np.cumsum(count, out=start[1:])
                near = np.zeros(int(start[-1]), dtype=np.int64)
                if len(near) == 0:
                    break
        return start, near

    def _near_features(self, active: np.ndarray, patch_start: np.ndarray, patches: np.ndarray, time: float) -> None:
        """Triangles near particles and edges near edges, of patches that are near others."""
        elements = self.elements
        particles, first_slot = _ranges(elements.particle_start, active)
        edges, first_edge_slot = _ranges(elements.edge_start, active)
        counts = np.zeros(len(particles), dtype=np.int64), np.zeros(len(edges), dtype=np.int64)
        room, starts = ROOM, tuple(ROOM * np.arange(len(count)) for count in counts)
        lists = tuple(np.empty(ROOM * len(count), dtype=np.int32) for count in counts)
        while True:
            find_near(
                room, active, elements.patch_body, patch_start, patches, self._x_found, self._v_found, time,
                self._wide, elements.corner, elements.order, elements.first, elements.last, elements.skip,
                elements.low, elements.high, elements.patch_node, elements.particle_start, elements.particle,
                elements.edge_start, elements.edge_of, elements.edge, elements.edge_face, elements.neighbour_start,
                elements.neighbour, first_slot, starts[0], lists[0], counts[0], first_edge_slot, starts[1], lists[1],
                counts[1],
            )
            most = max(int(count.max(initial=0)) for count in counts)
            if most <= room:
                break
            # Few have so many near: each gets as much room as it needs.
            room, starts = most, tuple(np.cumsum(count) - count for count in counts)
            lists = tuple(np.empty(int(count.sum()), dtype=np.int32) for count in counts)
        self.near = lists[0]
        pairs = [np.zeros(int(counts[0].sum()), dtype=np.int64) for _ in range(3)]
        of = elements.particle[particles]
        count = split_by_body(
            of, np.argsort(of, kind="stable"), starts[0], counts[0], self.near, elements.corner, self._body, *pairs
        )
        self.pair_particle, self.pair_start, self.pair_stop = (column[:count].copy() for column in pairs)
        # As particles, edges are met in their own order, wherever in space they are and whichever is sharp.
        span = np.int64(max(len(elements.edge), 1))
        one, other = np.repeat(elements.edge_of[edges], counts[1]), lists[1][_spread(starts[1], counts[1])]
        keys = np.sort(np.minimum(one, other) * span + np.maximum(one, other))
        self.edge_pair = np.stack([keys // span, keys % span], axis=1).astype(np.int32)


def _spread(start: np.ndarray, count: np.ndarray) -> np.ndarray:
    """Indices start[k], start[k] + 1, ... of ranges of so many, one after another."""
    first = np.cumsum(count) - count
    return np.arange(int(count.sum())) + np.repeat(start - first, count)


def _ranges(start: np.ndarray, chosen: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Indices in the chosen ranges one after another, and where each range begins among them."""
    sizes = start[chosen + 1] - start[chosen]
    return _spread(start[chosen], sizes), np.cumsum(sizes) - sizes
