"""Links between all vertices within a distance, also for points without faces."""

from __future__ import annotations

import numpy as np

from ...errors import SpecError
from ..voxel.grid import inside_voxels, touched_voxels
from .links import lengths

# More links than this are refused; each takes about this many bytes while a world is built.
MOST_LINKS, BYTES_OF_LINK = 20_000_000, 100
# A link leaves the volume if one of this many points on it does; voxels have this fraction of the reach.
SAMPLES, VOXEL_FRACTION = 9, 1.0 / 6.0


def near_pairs(name: str, x: np.ndarray, reach: float) -> np.ndarray:
    """Pairs of points (n, 3) nearer than `reach` [m] and not coincident, (s, 2) int32, smaller index first.

    Raises:
        SpecError: there would be too many.
    """
    cell = np.floor((x - x.min(axis=0)) / reach).astype(np.int64) + 1
    span = cell.max(axis=0) + 2
    key = (cell[:, 0] * span[1] + cell[:, 1]) * span[2] + cell[:, 2]
    order = np.argsort(key, kind="stable")
    sorted_key = key[order]
    found = [np.zeros((0, 2), dtype=np.int32)]
    total = 0
    for i, j, k in np.ndindex(3, 3, 3):
        cell_offset = ((i - 1) * span[1] + j - 1) * span[2] + k - 1
        if cell_offset < 0:
            continue
        first, stop = (np.searchsorted(sorted_key, key + cell_offset, side=side) for side in ("left", "right"))
        count = stop - first
        total += int(count.sum())
        if total > 27 * MOST_LINKS:
            size = f"{reach:g} m, which makes more than {MOST_LINKS:,} links, {MOST_LINKS * BYTES_OF_LINK / 1e9:.0f} GB"
            raise SpecError(name, "reach", size, "a shorter reach, of a few edges of the mesh")
        a = np.repeat(np.arange(len(x)), count)
        b = order[np.arange(len(a)) - np.repeat(np.cumsum(count) - count, count) + np.repeat(first, count)]
        is_kept = a < b if cell_offset == 0 else a != b
        pairs = np.stack([a[is_kept], b[is_kept]], axis=1).astype(np.int32)
        length = lengths(x, pairs)
        found.append(np.sort(pairs[(length <= reach) & (length > 1e-9 * reach)], axis=1))
    pairs = np.concatenate(found)
    return pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]


def nearest_only(pairs: np.ndarray, length: np.ndarray, count: int, most: int) -> np.ndarray:
    """Which links (s, 2) are among the `most` shortest of both their vertices, (s,) bool; count: number of vertices."""
    keep = np.ones(len(pairs), dtype=bool)
    for end in range(2):
        own, other = pairs[:, end], pairs[:, 1 - end]
        both = np.concatenate([own, other])
        order = np.lexsort((np.tile(np.arange(len(pairs)), 2), np.tile(length, 2), both))
        start = np.searchsorted(both[order], np.arange(count))
        rank = np.empty(len(both), dtype=np.int64)
        rank[order] = np.arange(len(both)) - start[both[order]]
        keep &= rank[: len(pairs)] < most
    return keep


def stays_inside(x: np.ndarray, pairs: np.ndarray, triangles: np.ndarray, reach: float) -> np.ndarray:
    """Which links (s, 2) run inside the volume enclosed by triangles (t, 3), or along them, (s,) bool."""
    size = VOXEL_FRACTION * reach
    corner = x.min(axis=0) - size
    shape = tuple((np.ceil((x.max(axis=0) - corner) / size).astype(int) + 1).tolist())
    at = np.ascontiguousarray((x - corner) / size)
    corners = np.ascontiguousarray(triangles, dtype=np.int64)
    full = inside_voxels(at, corners, shape)[0] | touched_voxels(at, corners, shape)
    keep = np.ones(len(pairs), dtype=bool)
    for fraction in np.linspace(0.0, 1.0, SAMPLES):
        voxel = np.floor(at[pairs[:, 0]] * (1.0 - fraction) + at[pairs[:, 1]] * fraction).astype(np.int64)
        keep &= full[tuple(np.clip(voxel, 0, np.array(shape) - 1).T)]
    return keep


def stiffness_fraction(x: np.ndarray, rest: np.ndarray) -> np.ndarray:
    """Fraction of a body's stiffness for each link of length `rest` (s,), (s,), at points x (n, 3) [m].

    An isotropic network of springs has Young's modulus E = sum of k r² / 6 V. A cube of side L pulled at two opposite
    faces responds like a spring of E L. To match the artist's stiffness S whatever the number of links,
    sum k r² = 6 E V = 6 S L², where L² is the mean square side of the points' bounding box. Shorter links are stiffer,
    as if all were cut from one wire.
    """
    square = float((np.ptp(x, axis=0) ** 2).mean())
    return 6.0 * square / (np.maximum(rest, 1e-12) * max(float(rest.sum()), 1e-12))
