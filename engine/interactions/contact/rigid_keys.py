"""Stable keys for contact slots of rigid bodies: they carry impulses over from one broad-phase search to the next."""

from __future__ import annotations

import numpy as np

from ...solver.collide.broad_phase.broad_phase import BroadPhase
from ...solver.collide.narrow_phase.face_contact import SLOTS


def places_of(key: np.ndarray, order: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Index of each wanted key, with key[order] ascending; -1 where it is missing: (m,) int64."""
    if len(key) == 0:
        return np.full(len(wanted), -1, dtype=np.int64)
    place = order[np.minimum(np.searchsorted(key, wanted, sorter=order), len(key) - 1)]
    return np.where(key[place] == wanted, place, -1)


def keys_of(search: BroadPhase, body: np.ndarray, bodies: int) -> np.ndarray:
    """A key for every contact slot, the same in every search: (slots,) int64."""
    other = body[search.elements.corner[search.near[search.pair_start], 0]] if len(search.pair_start) else body[:0]
    pair = search.pair_particle * np.int64(bodies) + other
    faces = (pair[:, None] * SLOTS + np.arange(SLOTS)).reshape(-1)
    edges = search.edge_pair[:, 0] * np.int64(len(search.elements.edge)) + search.edge_pair[:, 1]
    # Keys of edge pairs are odd, those of faces even.
    return np.concatenate([2 * faces, 2 * edges + 1])


def follow_pairs(
    key: np.ndarray, old_key: np.ndarray, impulse: np.ndarray, slot: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The keys of a new search, and the impulses (slots, 3) moved to the new slots of their pairs [N s].

    Args: old_key: (old slots,) of the last search; impulse: of these; slot: in and out, slots of listed contacts.
    """
    order = np.argsort(key, kind="stable")
    moved = np.zeros((len(key), 3))
    some = np.unique(np.flatnonzero(impulse) // 3)
    place = places_of(key, order, old_key[some])
    moved[place[place >= 0]] = impulse[some[place >= 0]]
    slot[slot >= 0] = places_of(key, order, old_key[slot[slot >= 0]])
    return key, moved
