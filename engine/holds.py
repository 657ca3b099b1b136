"""The contacts of a substep, as those read them who solve in steps of their own."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass
class Holds:
    """Pairs of a particle and a triangle, or of two edges, that may touch in the running substep; `count` of them.

    Attributes:
        contact: (m, 4) int64 particles, the first of one side, the last of the other; share: (m, 4) of either sign,
            whose sum is nought, see `collide.narrow`.
        normal: (m, 3) from the second side to the first; gap: (m,) distance to keep [m].
        friction: (m,) of the pair; approach: (m,) normal speed before the substep [m/s].
        held: (m,) how far a pair was kept from coming closer, as if in the whole substep [m].
        energy: (1,) kinetic energy that this took [J].
    """

    contact: np.ndarray
    share: np.ndarray
    normal: np.ndarray
    gap: np.ndarray
    friction: np.ndarray
    approach: np.ndarray
    held: np.ndarray
    energy: np.ndarray
    count: int = 0


def room_for(pairs: int) -> Holds:
    """Room for so many contacts, none of them there yet."""
    one = (pairs,)
    return Holds(
        np.zeros((pairs, 4), dtype=np.int64), np.zeros((pairs, 4)), np.zeros((pairs, 3)),
        np.zeros(one), np.zeros(one), np.zeros(one), np.zeros(one), np.zeros(1),
    )
