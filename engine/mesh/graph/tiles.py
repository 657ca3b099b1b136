"""Surfaces cut into tiles: particles that lie together, and all triangles that have a corner among them.

What is summed over triangles for each particle of a tile stays in the caches of one thread.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .tree import halved

# Particles in a tile: what water sums for so many, 64 bytes each, stays in a processor's second cache.
MOST_IN_TILE = 2048


@dataclass
class Tiles:
    """Tiles of particles.

    Attributes:
        start: (tiles + 1,) int64 ranges of `ids`, (q,) int64, the particles; in a tile they ascend.
        order: (t,) int64, triangles by the tile of their first corner, and there as they came;
            owned_start: (tiles + 1,) int64, ranges of them.
        entry_start: (tiles + 1,) int64 ranges of a tile's entries; entry_triangle: (e,) int64, places in `order`.
        entry_place: (e, 3) int32, where in the tile each corner lies; `most` where it is of another tile.
        most: particles of the largest tile.
    """

    start: np.ndarray
    ids: np.ndarray
    order: np.ndarray
    owned_start: np.ndarray
    entry_start: np.ndarray
    entry_triangle: np.ndarray
    entry_place: np.ndarray
    most: int


def cut_tiles(x: np.ndarray, triangles: np.ndarray, piece: np.ndarray) -> Tiles:
    """Tiles over (t, 3) triangles of particles at rest x (n, 3), of the pieces (t,) in order.

    A piece larger than a tile is cut where it is longest; smaller ones share a tile.
    """
    tile_of = np.full(len(x), -1, dtype=np.int64)
    ids, first = np.unique(triangles, return_index=True)
    tile_of[ids] = _tile_of_each(x[ids], piece[first // 3])
    tiles = int(tile_of.max(initial=-1)) + 1
    ids = ids[np.argsort(tile_of[ids], kind="stable")]
    start = np.searchsorted(tile_of[ids], np.arange(tiles + 1)).astype(np.int64)
    most = int(np.diff(start).max(initial=0))
    place = np.full(len(x), most, dtype=np.int64)
    place[ids] = np.arange(len(ids)) - start[tile_of[ids]]
    order = np.argsort(tile_of[triangles[:, 0]], kind="stable")
    corner_tile = tile_of[triangles[order]]
    owned_start = np.searchsorted(corner_tile[:, 0], np.arange(tiles + 1)).astype(np.int64)
    tile, triangle = np.unique(
        np.stack([corner_tile.T.reshape(-1), np.tile(np.arange(len(order)), 3)]), axis=1
    ) if len(order) else np.zeros((2, 0), dtype=np.int64)
    inside = corner_tile[triangle] == tile[:, None]
    places = np.where(inside, place[triangles[order[triangle]]], most)
    entry_start = np.searchsorted(tile, np.arange(tiles + 1)).astype(np.int64)
    return Tiles(start, ids, order, owned_start, entry_start, triangle.astype(np.int64), places.astype(np.int32), most)


def _tile_of_each(points: np.ndarray, piece: np.ndarray) -> np.ndarray:
    """Tile of each point (q,), of the piece (q,) of each."""
    tile = np.empty(len(points), dtype=np.int64)
    count, room = 0, 0
    for own in np.split(np.argsort(piece, kind="stable"), np.flatnonzero(np.diff(np.sort(piece))) + 1):
        if len(own) <= room:
            tile[own] = count - 1
            room -= len(own)
            continue
        part = halved(points[own], MOST_IN_TILE)
        tile[own] = count + part
        count += int(part.max(initial=-1)) + 1
        room = MOST_IN_TILE - len(own)
    return tile
