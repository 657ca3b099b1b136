"""Neighbour tables: particles in blocks of sixteen, and for each block slots of one neighbour a particle.

Each link is seen from both its ends, so a particle's force is a sum over its own slots and nobody else writes it.
Pieces start at a block of their own and follow in the order of their rows, neighbours near each other.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .edges import neighbour_lists

LANES = 16


@dataclass
class Neighbours:
    """Where each particle stands, and who its neighbours are.

    Attributes:
        particle: (blocks * 16,) int64, particle at each place; -1 for none.
        place: (n,) int64, place of each particle; -1 for those without.
        block_piece: (blocks,) int64, piece of each block.
        slot_start: (blocks + 1,) int64, ranges of slots.
        neighbour: (slots * 16,) int32, place of each neighbour; the particle's own where it has no more.
        link: (slots * 16,) int64, which link leads there; -1 where there is none.
    """

    particle: np.ndarray
    place: np.ndarray
    block_piece: np.ndarray
    slot_start: np.ndarray
    neighbour: np.ndarray
    link: np.ndarray


def build_neighbours(pairs: np.ndarray, ids: np.ndarray, piece: np.ndarray, particle_count: int) -> Neighbours:
    """Tables of links given as (s, 2) particles.

    Args:
        ids: (r,) particles in the order they shall stand; piece: (r,) ascending piece of each.
        particle_count: of the whole world.
    """
    size = np.bincount(piece) if len(piece) else np.zeros(0, dtype=np.int64)
    blocks = (size + LANES - 1) // LANES
    first_place = LANES * np.concatenate([[0], np.cumsum(blocks)]).astype(np.int64)
    first_row = np.concatenate([[0], np.cumsum(size)]).astype(np.int64)
    at = first_place[piece] + np.arange(len(ids)) - first_row[piece]
    particle = np.full(first_place[-1], -1, dtype=np.int64)
    particle[at] = ids
    place = np.full(particle_count, -1, dtype=np.int64)
    place[ids] = at
    ends = place[pairs]
    start, _ids = neighbour_lists(ends, len(particle))
    both = np.concatenate([ends, ends[:, ::-1]])
    order = np.lexsort((both[:, 1], both[:, 0]))
    degree = np.diff(start)
    slots = degree.reshape(-1, LANES).max(axis=1) if len(degree) else np.zeros(0, dtype=np.int64)
    slot_start = np.concatenate([[0], np.cumsum(slots)]).astype(np.int64)
    owner = both[order, 0]
    nth = np.arange(len(order)) - start[owner]
    where = LANES * (slot_start[owner // LANES] + nth) + owner % LANES
    lane_place = LANES * np.repeat(np.arange(len(slots)), slots)[:, None] + np.arange(LANES)
    neighbour = lane_place.reshape(-1).astype(np.int32)
    neighbour[where] = both[order, 1]
    link = np.full(len(neighbour), -1, dtype=np.int64)
    link[where] = order % len(pairs) if len(pairs) else order
    return Neighbours(particle, place, np.repeat(np.arange(len(size)), blocks), slot_start, neighbour, link)
