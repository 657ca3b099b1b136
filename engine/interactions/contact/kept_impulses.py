"""Impulses of rigid contacts, carried over from one broad-phase search to the next by keys of their pairs."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...compiler.kernels import kernel, part_of_kernel
from ...compiler.typed_call import TypedCall
from ...solver.collide.broad_phase.broad_phase import BroadPhase
from ...solver.collide.narrow_phase.face_contact import SLOTS

# Spare capacity, as an inverse fraction of the number of slots.
MORE = 4


class KeptImpulses:
    """Impulses of contact slots in the last substep.

    Attributes:
        key: (slots,) int64, the same for a pair in every search; impulse: (slots, 3) [N s].
    """

    def __init__(self) -> None:
        """No slots yet."""
        self.key, self.impulse = np.zeros(0, dtype=np.int64), np.zeros((0, 3))
        # Double buffer: known impulses are in one buffer while the other is filled.
        self._buffers, self._current = [(self.key, self.impulse)] * 2, 0
        self._follow = TypedCall(follow_pairs)

    def follow(self, search: BroadPhase, body: np.ndarray, bodies: int, slot: np.ndarray) -> None:
        """After a search: move impulses to the new slots of their pairs.

        Args: body: (n,) system of each particle; bodies: number of systems; slot: (c,), in and out, of contacts.
        """
        slots, elements, self._current = search.slots, search.elements, 1 - self._current
        if len(self._buffers[self._current][0]) < slots:
            capacity = slots + slots // MORE
            self._buffers[self._current] = np.zeros(capacity, dtype=np.int64), np.zeros((capacity, 3))
        key, impulse = (column[:slots] for column in self._buffers[self._current])
        span = bodies, len(elements.edge)
        self._follow(search.near_pairs, body, elements.corner, span, self.key, self.impulse, slot, key, impulse)
        self.key, self.impulse = key, impulse

    def memory(self) -> dict[str, Any]:
        """All impulses that are not zero, and their keys."""
        some = np.flatnonzero(self.impulse.any(axis=1))
        return {"key": self.key[some], "impulse": self.impulse[some]}

    def recall(self, memory: dict[str, Any]) -> None:
        """Restore `memory`; the next search assigns the slots."""
        self.key, self.impulse = memory["key"], memory["impulse"]


@kernel
def follow_pairs(near, body, corner, span, old_key, old_impulse, slot, key, impulse):
    """Keys of the slots of a new search, and the impulses of the last one, at the new slots of their pairs.

    Args:
        near: `NearPairs`; body: (n,) system of each particle; corner: (t, 3); span: numbers of systems and edges.
        old_key, old_impulse: of the last search.
        slot: in and out, slots of listed contacts, -1 for a pair that is gone.
        key: out (slots,), odd for edges; impulse: out (slots, 3) [N s].
    """
    bodies, edges = span
    place = 0
    for pair in range(near.particle.shape[0]):
        own = near.particle[pair] * bodies + body[corner[near.near[near.start[pair]], 0]]
        for k in range(SLOTS):
            key[place] = 2 * (SLOTS * own + k)
            place += 1
    for pair in range(near.edges.shape[0]):
        key[place] = 2 * (near.edges[pair, 0] * edges + near.edges[pair, 1]) + 1
        place += 1
    for s in range(impulse.shape[0]):
        for k in range(3):
            impulse[s, k] = 0.0
    for s in range(old_key.shape[0]):
        if old_impulse[s, 0] != 0.0 or old_impulse[s, 1] != 0.0 or old_impulse[s, 2] != 0.0:
            place = _place_of(old_key[s], near, span, key)
            if place >= 0:
                for k in range(3):
                    impulse[place, k] = old_impulse[s, k]
    for m in range(slot.shape[0]):
        if slot[m] >= 0:
            slot[m] = _place_of(old_key[slot[m]], near, span, key)


@part_of_kernel
def _place_of(wanted, near, span, key):
    """The slot with a key, or -1: pairs ascend by their particle, or by their first edge."""
    bodies, edges = span
    faces = near.particle.shape[0]
    is_edge = wanted % 2 == 1
    first = wanted // 2 // edges if is_edge else wanted // 2 // SLOTS // bodies
    low, high = 0, near.edges.shape[0] if is_edge else faces
    stop = high
    while low < high:
        middle = (low + high) // 2
        if (near.edges[middle, 0] if is_edge else near.particle[middle]) < first:
            low = middle + 1
        else:
            high = middle
    while low < stop and (near.edges[low, 0] if is_edge else near.particle[low]) == first:
        place = SLOTS * faces + low if is_edge else SLOTS * low + wanted // 2 % SLOTS
        if key[place] == wanted:
            return place
        low += 1
    return -1
