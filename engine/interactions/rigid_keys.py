"""Numbers for the places of contacts of rigid bodies, by which a search finds those of the one before it again."""

from __future__ import annotations

import numpy as np

from ..collide.face_contact import SLOTS
from ..collide.search import Search


def places_of(key: np.ndarray, order: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Where each of the wanted numbers is among key[order], ascending, and -1 where it is not: (m,) int64."""
    if len(key) == 0:
        return np.full(len(wanted), -1, dtype=np.int64)
    place = order[np.minimum(np.searchsorted(key, wanted, sorter=order), len(key) - 1)]
    return np.where(key[place] == wanted, place, -1)


def keys_of(search: Search, body: np.ndarray, bodies: int) -> np.ndarray:
    """A number for every place of a contact, the same in every search: (slots,) int64."""
    other = body[search.elements.corner[search.near[search.pair_start], 0]] if len(search.pair_start) else body[:0]
    pair = search.pair_particle * np.int64(bodies) + other
    faces = (pair[:, None] * SLOTS + np.arange(SLOTS)).reshape(-1)
    edges = search.edge_pair[:, 0] * np.int64(len(search.elements.edge)) + search.edge_pair[:, 1]
    # Those of edges are odd, those of faces even.
    return np.concatenate([2 * faces, 2 * edges + 1])
