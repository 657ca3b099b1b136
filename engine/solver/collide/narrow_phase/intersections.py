"""Whether two surfaces intersect: an edge of one passes through a face of the other."""

from __future__ import annotations

import numpy as np

from ....compiler.kernels import kernel
from ....compiler.typed_call import TypedCall
from .sweep import volume_at

# Volumes up to this fraction of their size cubed count as rounding, as for a copy that begins exactly at its original.
FLAT = 1e-12


class Intersections:
    """Looks for edges of one body that pass through faces of another.

    Edges within the given box are sorted along its longest side, so each face is tested against few of them.
    """

    def __init__(self, body: np.ndarray, edge: np.ndarray, corner: np.ndarray, bodies: int) -> None:
        """Args: body: (n,) body of each particle; edge: (e, 2), corner: (t, 3), both sorted by body; bodies: number."""
        self._edge, self._corner = edge, corner
        self._edge_start, self._face_start = (
            np.searchsorted(body[elements[:, 0]], np.arange(bodies + 1)) for elements in (edge, corner)
        )
        self._particles: dict[int, np.ndarray] = {}
        self._chosen, self._box = np.zeros(len(edge), dtype=np.int64), np.zeros((len(edge), 6))
        self._choose, self._cut = TypedCall(choose_edges), TypedCall(any_cut)

    def extent(self, body: int, x: np.ndarray) -> tuple[int, np.ndarray, np.ndarray]:
        """A particle of a body's faces, and the lowest and highest coordinates of all of them, (3,) each [m]."""
        first, stop = self._face_start[body : body + 2].tolist()
        if body not in self._particles:
            self._particles[body] = np.unique(self._corner[first:stop])
        place = x[self._particles[body]]
        return int(self._corner[first, 0]), place.min(axis=0), place.max(axis=0)

    def cut(self, a: int, b: int, x: np.ndarray, low: np.ndarray, high: np.ndarray) -> bool:
        """Whether an edge of body a passes through a face of body b; only edges and faces that overlap a box count.

        Args: x: (n, 3) positions [m]; low, high: (3,) corners of the box [m].
        """
        axis, (first, stop) = int((high - low).argmax()), self._edge_start[a : a + 2].tolist()
        count = self._choose(first, stop, self._edge, x, low, high, self._chosen, self._box)
        order = np.argsort(self._box[:count, axis], kind="stable")
        edges, box = self._edge[self._chosen[order]], self._box[order]
        first, stop = self._face_start[b : b + 2].tolist()
        return bool(self._cut(edges, box, box[:, axis].copy(), first, stop, self._corner, x, low, high, axis))


@kernel
def choose_edges(first, stop, edge, x, low, high, chosen, box):
    """List the edges first : stop whose box overlaps the box low to high; returns their number.

    Args:
        edge: (e, 2); x: (n, 3) [m]; low, high: (3,) [m].
        chosen: out, indices of the edges; box: out, (e, 6), their lowest and highest coordinates [m].
    """
    count = 0
    for e in range(first, stop):
        a, b = edge[e, 0], edge[e, 1]
        meets = True
        for k in range(3):
            box[count, k] = min(x[a, k], x[b, k])
            box[count, 3 + k] = max(x[a, k], x[b, k])
            meets = meets and box[count, k] <= high[k] and box[count, 3 + k] >= low[k]
        if meets:
            chosen[count] = e
            count += 1
    return count


@kernel
def any_cut(edges, box, least, first, stop, corner, x, low, high, axis):
    """Whether any of the edges passes through any of the faces first : stop that overlap the box low to high.

    An edge and a face that share a particle do not count.

    Args:
        edges: (m, 2), with their `box`, see `choose_edges`, ascending by its lowest coordinate along `axis`, `least`.
        corner: (t, 3) of all faces; x: (n, 3) [m]; low, high: (3,) [m].
    """
    longest = 0.0
    for place in range(edges.shape[0]):
        longest = max(longest, box[place, 3 + axis] - box[place, axis])
    for t in range(first, stop):
        a, b, c = corner[t, 0], corner[t, 1], corner[t, 2]
        lx, ly, lz = (min(x[a, 0], x[b, 0], x[c, 0]), min(x[a, 1], x[b, 1], x[c, 1]), min(x[a, 2], x[b, 2], x[c, 2]))
        hx, hy, hz = (max(x[a, 0], x[b, 0], x[c, 0]), max(x[a, 1], x[b, 1], x[c, 1]), max(x[a, 2], x[b, 2], x[c, 2]))
        if lx > high[0] or ly > high[1] or lz > high[2] or hx < low[0] or hy < low[1] or hz < low[2]:
            continue
        from_here, to = (lx, hx) if axis == 0 else ((ly, hy) if axis == 1 else (lz, hz))
        for place in range(np.searchsorted(least, from_here - longest), edges.shape[0]):
            if least[place] > to:
                break
            if (
                box[place, 0] > hx or box[place, 1] > hy or box[place, 2] > hz
                or box[place, 3] < lx or box[place, 4] < ly or box[place, 5] < lz
            ):
                continue
            p, q = edges[place, 0], edges[place, 1]
            if p != a and p != b and p != c and q != a and q != b and q != c and _passes(x, p, q, a, b, c):
                return True
    return False


@kernel
def _passes(x, p, q, a, b, c):
    """Whether edge p, q passes through triangle a, b, c; touching does not count."""
    size = 0.0
    for k in range(3):
        low = min(x[p, k], x[q, k], x[a, k], x[b, k], x[c, k])
        size = max(size, max(x[p, k], x[q, k], x[a, k], x[b, k], x[c, k]) - low)
    flat = FLAT * size**3
    above, below = volume_at(x, a, b, c, p), volume_at(x, a, b, c, q)
    if min(above, below) >= -flat or max(above, below) <= flat:
        return False
    u, v, w = volume_at(x, p, q, a, b), volume_at(x, p, q, b, c), volume_at(x, p, q, c, a)
    return min(u, v, w) > flat or max(u, v, w) < -flat
