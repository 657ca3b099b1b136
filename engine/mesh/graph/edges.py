"""Edges and vertex adjacency of a mesh."""

from __future__ import annotations

import numpy as np

from ...compiler.kernels import building_kernel, kernel


def pair_keys(pairs: np.ndarray) -> tuple[np.ndarray, int]:
    """One integer key for each unordered pair, (e,) int64 = smaller * span + larger, and the span.

    Sorting integers is ten times as fast as sorting rows, and it releases the GIL.
    """
    pairs = np.asarray(pairs, dtype=np.int64).reshape(-1, 2)
    span = int(pairs.max(initial=0)) + 1
    a, b = pairs[:, 0], pairs[:, 1]
    return np.minimum(a, b) * span + np.maximum(a, b), span


def unique_pairs(pairs: np.ndarray) -> np.ndarray:
    """Distinct unordered pairs, smaller index first, sorted; (e, 2) int32. Drops pairs of a vertex with itself."""
    a, b = np.asarray(pairs).reshape(-1, 2).T
    low, high = np.minimum(a, b).astype(np.int32), np.maximum(a, b).astype(np.int32)
    order = pair_order(low, high)
    low, high = low[order], high[order]
    chosen = low != high
    chosen[1:] &= (low[1:] != low[:-1]) | (high[1:] != high[:-1])
    return np.stack([low[chosen], high[chosen]], axis=1)


def sorted_ends(groups: np.ndarray) -> np.ndarray:
    """Each row of (e, k) in ascending order; for pairs this takes a tenth of the time of a sort."""
    if groups.shape[1] != 2:
        return np.sort(groups, axis=1)
    a, b = groups.T
    found = np.empty_like(groups)
    np.minimum(a, b, out=found[:, 0])
    np.maximum(a, b, out=found[:, 1])
    return found


def pair_order(major: np.ndarray, minor: np.ndarray) -> np.ndarray:
    """Stable order of pairs of numbers (e,) >= 0, by `major`, then by `minor`; (e,) int64.

    A counting sort: the largest number should not be much larger than the number of pairs.
    """
    order = np.empty(len(major), dtype=np.int64)
    sizes = int(major.max(initial=0)) + 1, int(minor.max(initial=0)) + 1
    _count_out(
        major.astype(np.int32, copy=False), minor.astype(np.int32, copy=False), np.zeros(sizes[0] + 1, dtype=np.int64),
        np.zeros(sizes[1] + 1, dtype=np.int64), np.empty(len(major), dtype=np.int64), order,
    )
    return order


@kernel
def _count_out(major, minor, major_start, minor_start, by_minor, order):
    """Counting sort by the minor number, then a stable one by the major number; both starts must be 0 at first."""
    count = major.shape[0]
    for e in range(count):
        major_start[major[e] + 1] += 1
        minor_start[minor[e] + 1] += 1
    for k in range(1, major_start.shape[0]):
        major_start[k] += major_start[k - 1]
    for k in range(1, minor_start.shape[0]):
        minor_start[k] += minor_start[k - 1]
    for e in range(count):
        by_minor[minor_start[minor[e]]] = e
        minor_start[minor[e]] += 1
    for place in range(count):
        e = by_minor[place]
        order[major_start[major[e]]] = e
        major_start[major[e]] += 1


def triangle_edges(triangles: np.ndarray) -> np.ndarray:
    """Directed edges of all triangles in winding order, (3 t, 2); a shared edge appears once for each triangle."""
    return triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)


def quad_diagonals(triangles: np.ndarray, edges: np.ndarray) -> np.ndarray:
    """The missing diagonal of every quad, (q, 2) int32.

    Two triangles that share an edge which is not an edge of the mesh come from a quad. With both diagonals a quad
    resists shear equally in both directions.
    """
    sides = np.sort(triangle_edges(triangles), axis=1).astype(np.int64)
    opposite = triangles[:, [2, 0, 1]].reshape(-1)
    span = int(triangles.max()) + 1 if triangles.size else 1
    key = sides[:, 0] * span + sides[:, 1]
    inner = ~np.isin(key, edges[:, 0].astype(np.int64) * span + edges[:, 1])
    key, opposite = key[inner], opposite[inner]
    order = np.argsort(key, kind="stable")
    key, opposite = key[order], opposite[order]
    first = np.flatnonzero(key[1:] == key[:-1])
    return unique_pairs(np.stack([opposite[first], opposite[first + 1]], axis=1))


def neighbour_lists(pairs: np.ndarray, vertex_count: int) -> tuple[np.ndarray, np.ndarray]:
    """Adjacency in compressed rows: `ids[start[i]:start[i + 1]]` are the neighbours of vertex i, ascending."""
    pairs = np.ascontiguousarray(np.asarray(pairs).reshape(-1, 2), dtype=np.int32)
    start, ids = np.zeros(vertex_count + 1, dtype=np.int64), np.empty(2 * len(pairs), dtype=np.int32)
    _list_neighbours(pairs, start, ids)
    return start, ids


@building_kernel
def _list_neighbours(pairs, start, ids):
    """Fill each row of `ids` with the other ends of pairs, and sort it; sorted pairs give nearly sorted rows."""
    for e in range(pairs.shape[0]):
        start[pairs[e, 0] + 1] += 1
        start[pairs[e, 1] + 1] += 1
    for i in range(1, start.shape[0]):
        start[i] += start[i - 1]
    place = start.copy()
    for e in range(pairs.shape[0]):
        a = pairs[e, 0]
        b = pairs[e, 1]
        ids[place[a]] = b
        place[a] += 1
        ids[place[b]] = a
        place[b] += 1
    for i in range(start.shape[0] - 1):
        for k in range(start[i] + 1, start[i + 1]):
            j = ids[k]
            m = k
            while m > start[i] and ids[m - 1] > j:
                ids[m] = ids[m - 1]
                m -= 1
            ids[m] = j


def match_pairs(known: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Index of the first known pair (k, 2) that equals each wanted one (w, 2) in either order; -1 for none."""
    keys = pair_keys(np.concatenate([known, wanted]))[0]
    own, wanted_keys = keys[: len(known)], keys[len(known) :]
    if len(own) == 0:
        return np.full(len(wanted), -1, dtype=np.int64)
    order = np.argsort(own, kind="stable")
    found = order[np.minimum(np.searchsorted(own[order], wanted_keys), len(own) - 1)]
    return np.where(own[found] == wanted_keys, found, -1)
