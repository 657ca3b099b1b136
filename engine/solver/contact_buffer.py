"""Contact buffer: the contacts of a substep, for systems that solve them in their inner steps."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np


class BufferColumns(NamedTuple):
    """The arrays of a `ContactBuffer` as kernels take them."""

    contact: np.ndarray
    weight: np.ndarray
    normal: np.ndarray
    rest_separation: np.ndarray
    friction: np.ndarray
    approach: np.ndarray
    held: np.ndarray
    beside: np.ndarray
    energy: np.ndarray


@dataclass
class ContactBuffer:
    """Pairs of a particle and a triangle, or of two edges, that may touch in the running substep; `count` of them.

    Attributes:
        contact: (m, 4) int64 particles, the first on one side, the last on the other; weight: (m, 4), signed, with
            zero sum, see `narrow_phase.contacts`.
        normal: (m, 3) from the second side to the first; rest_separation: (m,) distance to keep [m].
        friction: (m,) coefficient; approach: (m,) normal velocity before the substep [m/s].
        held: (m,) accumulated correction of the contact, as a displacement in the whole substep [m].
        beside: (m,) inverse mass that a rigid body adds to those of the soft particles in contact with it [1/kg], see
            `rigid.contact.yields`; 0 except for late contacts.
        energy: (1,) kinetic energy removed by corrections [J].
    """

    contact: np.ndarray
    weight: np.ndarray
    normal: np.ndarray
    rest_separation: np.ndarray
    friction: np.ndarray
    approach: np.ndarray
    held: np.ndarray
    beside: np.ndarray
    energy: np.ndarray
    count: int = 0

    @cached_property
    def columns(self) -> BufferColumns:
        """The arrays; a buffer keeps the same ones for its lifetime."""
        return BufferColumns(*(getattr(self, name) for name in BufferColumns._fields))


def contact_buffer(pairs: int) -> ContactBuffer:
    """An empty buffer with capacity for `pairs` contacts."""
    one = (pairs,)
    return ContactBuffer(
        np.zeros((pairs, 4), dtype=np.int64), np.zeros((pairs, 4)), np.zeros((pairs, 3)),
        *(np.zeros(one) for _ in range(5)), np.zeros(1),
    )


def with_capacity(buffer: ContactBuffer, more: int) -> ContactBuffer:
    """The same contacts with capacity for `more` further ones."""
    if buffer.count + more <= len(buffer.rest_separation):
        return buffer
    larger = contact_buffer(2 * (buffer.count + more))
    for name, values in vars(buffer).items():
        if isinstance(values, np.ndarray):
            getattr(larger, name)[: buffer.count if name != "energy" else 1] = values[
                : buffer.count if name != "energy" else 1
            ]
    larger.count = buffer.count
    return larger
