"""The contacts of a substep, as those read them who solve in steps of their own."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np


class BufferColumns(NamedTuple):
    """The arrays of a `ContactBuffer`, as kernels take them."""

    contact: np.ndarray
    weight: np.ndarray
    normal: np.ndarray
    rest_separation: np.ndarray
    friction: np.ndarray
    approach: np.ndarray
    held: np.ndarray
    energy: np.ndarray


@dataclass
class ContactBuffer:
    """Pairs of a particle and a triangle, or of two edges, that may touch in the running substep; `count` of them.

    Attributes:
        contact: (m, 4) int64 particles, the first of one side, the last of the other; weight: (m, 4) of either sign,
            whose sum is nought, see `narrow_phase.contacts`.
        normal: (m, 3) from the second side to the first; rest_separation: (m,) distance to keep [m].
        friction: (m,) of the pair; approach: (m,) normal speed before the substep [m/s].
        held: (m,) how far a pair was kept from coming closer, as if in the whole substep [m].
        energy: (1,) kinetic energy that this took [J].
    """

    contact: np.ndarray
    weight: np.ndarray
    normal: np.ndarray
    rest_separation: np.ndarray
    friction: np.ndarray
    approach: np.ndarray
    held: np.ndarray
    energy: np.ndarray
    count: int = 0

    @cached_property
    def columns(self) -> BufferColumns:
        """The arrays; a buffer keeps them as long as it lives."""
        return BufferColumns(*(getattr(self, name) for name in BufferColumns._fields))


def contact_buffer(pairs: int) -> ContactBuffer:
    """Room for so many contacts, none of them there yet."""
    one = (pairs,)
    return ContactBuffer(
        np.zeros((pairs, 4), dtype=np.int64), np.zeros((pairs, 4)), np.zeros((pairs, 3)),
        np.zeros(one), np.zeros(one), np.zeros(one), np.zeros(one), np.zeros(1),
    )


def with_room(holds: ContactBuffer, more: int) -> ContactBuffer:
    """The same contacts with room for so many more."""
    if holds.count + more <= len(holds.rest_separation):
        return holds
    larger = contact_buffer(2 * (holds.count + more))
    for name, values in vars(holds).items():
        if isinstance(values, np.ndarray):
            getattr(larger, name)[: holds.count if name != "energy" else 1] = values[
                : holds.count if name != "energy" else 1
            ]
    larger.count = holds.count
    return larger
