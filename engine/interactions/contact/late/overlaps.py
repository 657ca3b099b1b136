"""Detects pairs of bodies that already intersect: contacts cannot separate them, because the correct side is unknown.

For two soft bodies, the narrow phase also tests whether they overlap when a substep begins. Where a closed body is
pressed inside out, a particle below its nearest face only seems to be inside it.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ....solver.collide.broad_phase.elements import Elements
from ....solver.collide.narrow_phase.columns import NearPairs
from ....solver.collide.narrow_phase.intersections import Intersections

# A larger winding number is that of a point within a body or on its surface: a copied body begins exactly where its
# original is. Outside it is zero except for rounding.
ON_SURFACE = 0.05


class Overlaps:
    """Pairs of bodies that were found to intersect in the running frame.

    Attributes:
        pairs: sorted keys of the pairs, `first body * bodies + second body` with the first below the second.
        tangled: sorted keys of pairs of soft bodies that overlap at the start of the substep; knows_tangled: whether
            they were searched for in it.
    """

    def __init__(
        self, elements: Elements, winding: Callable[[int, int, np.ndarray], float], body: np.ndarray,
        deforms: np.ndarray,
    ) -> None:
        """Start without pairs.

        Args: elements: of all bodies; winding: winding number of a body's closed faces about a particle, at positions
            (n, 3); body: (n,) body of each particle; deforms: (bodies,) bool, whether each is soft.
        """
        self._elements, self._winding, self._body, self._deforms = elements, winding, body, deforms
        self._bodies, self._may_tangle = len(deforms), np.count_nonzero(deforms) > 1
        self._surfaces = Intersections(body, elements.edge, elements.corner, len(deforms))
        self.pairs = self.tangled = self._seen = np.zeros(0, dtype=np.int64)
        self.knows_tangled = False

    def begin_frame(self) -> None:
        """Forget all pairs."""
        self.pairs = self._seen = self.pairs[:0]

    def forget_tangled(self) -> None:
        """Forget which soft bodies overlap, at the start of a substep."""
        self.tangled, self.knows_tangled = self.tangled[:0], False

    def find_tangled(self, near: NearPairs, within: np.ndarray, x: np.ndarray) -> bool:
        """Find the soft bodies that overlap; returns whether any two only seemed to.

        Those that do overlap count as overlapping until the frame ends.

        Args: near: of the broad phase; within: of its pairs, see `columns.FoundContacts`; x: (n, 3) positions [m].
        """
        self.knows_tangled = True
        below = np.flatnonzero(within[: len(near.particle)]) if self._may_tangle else ()
        if len(below) == 0:
            return False
        face = near.near[near.start[below]]
        one, other = self._body[near.particle[below]], self._body[self._elements.corner[face, 0]]
        soft = self._deforms[one] & self._deforms[other] & (one != other)
        if not soft.any():
            return False
        candidates = np.unique(self._keys(one[soft], other[soft]))
        new = [key for key in np.setdiff1d(candidates, self._seen).tolist() if self._overlap(key, x)]
        self._seen = np.union1d(self._seen, np.array(new, dtype=np.int64))
        self.tangled = np.intersect1d(candidates, self._seen)
        return len(self.tangled) < len(candidates)

    def _overlap(self, key: int, x: np.ndarray) -> bool:
        """Whether the surfaces of two bodies intersect, or one encloses the other."""
        a, b = divmod(key, self._bodies)
        surfaces = self._surfaces
        (first, low, high), (second, least, most) = surfaces.extent(a, x), surfaces.extent(b, x)
        low, high = np.maximum(low, least), np.minimum(high, most)
        return (
            surfaces.cut(a, b, x, low, high) or surfaces.cut(b, a, x, low, high)
            or self._winding(first, b, x) > ON_SURFACE or self._winding(second, a, x) > ON_SURFACE
        )

    def has(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """Which of the pairs of bodies a and b, (k,) each, are known to intersect, (k,) bool."""
        if not len(self.pairs):
            return np.zeros(len(a), dtype=bool)
        return np.isin(self._keys(a, b), self.pairs)

    def look(self, particles: np.ndarray, x: np.ndarray) -> None:
        """Add the pairs of bodies of contacts that intersect near these contacts.

        Args: particles: (k, 4) of each contact; x: (n, 3) positions to look at [m].
        """
        keys = self._keys(self._body[particles[:, 0]], self._body[particles[:, 3]])
        for key in np.setdiff1d(keys, self.pairs):
            near = x[particles[keys == key]].reshape(-1, 3)
            a, b = divmod(int(key), self._bodies)
            low, high = near.min(axis=0), near.max(axis=0)
            if self._surfaces.cut(a, b, x, low, high) or (a != b and self._surfaces.cut(b, a, x, low, high)):
                self.pairs = np.union1d(self.pairs, [key])

    def _keys(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """Key of each pair of bodies, (k,) int64."""
        return np.minimum(a, b).astype(np.int64) * self._bodies + np.maximum(a, b)
