"""Surface tiles: groups of nearby particles, each with all triangles that have a corner in the group.

Sums over triangles for the particles of one tile stay in the caches of one thread.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .tree import halved

# Most particles in a tile: the sums of the water field, 64 bytes a particle, then fit into the second-level cache.
MOST_IN_TILE = 2048


@dataclass
class Tiles:
    """Tiles of particles.

    Attributes:
        start: (tiles + 1,) int64, ranges of ids; ids: (q,) int64, particles, ascending within a tile.
        order: (t,) int64, triangles sorted by the tile of their first corner, otherwise in input order.
        owned_start: (tiles + 1,) int64, ranges of `order`.
        entry_start: (tiles + 1,) int64, ranges of entries (triangles with a corner in the tile).
        entry_triangle: (e,) int64, position in `order` of each entry's triangle.
        entry_place: (e, 3) int32, index within the tile of each corner; `most` for a corner in another tile.
        most: number of particles in the largest tile.
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
    """Cut (t, 3) triangles into tiles.

    A piece larger than a tile is split across its longest side; small pieces share a tile.

    Args: x: (n, 3) rest positions [m]; piece: (t,) ascending piece of each triangle.
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
    """Tile of each point, (q,) int64; piece: (q,)."""
    tile = np.empty(len(points), dtype=np.int64)
    count, free_count = 0, 0
    for own in np.split(np.argsort(piece, kind="stable"), np.flatnonzero(np.diff(np.sort(piece))) + 1):
        if len(own) <= free_count:
            tile[own] = count - 1
            free_count -= len(own)
            continue
        tile_of_own = halved(points[own], MOST_IN_TILE)
        tile[own] = count + tile_of_own
        count += int(tile_of_own.max(initial=-1)) + 1
        free_count = MOST_IN_TILE - len(own)
    return tile
