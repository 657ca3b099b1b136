"""The contacts of a substep, as those read them who solve in steps of their own."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass
class Holds:
    """Pairs of a particle and the surface near it, which may touch in the running substep; `count` of them.

    Attributes:
        particle: (m,) int64; corner: (m, 3) int64, particles of the triangle; share: (m, 3) barycentric.
        normal: (m, 3) from the surface to the particle; gap: (m,) distance to keep [m].
        friction: (m,) of the pair; approach: (m,) normal speed before the substep [m/s].
        held: (m,) how far a pair was kept from coming closer, as if in the whole substep [m].
        energy: (1,) kinetic energy that this took [J].
    """

    particle: np.ndarray
    corner: np.ndarray
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
    one, three = (pairs,), (pairs, 3)
    return Holds(
        np.zeros(one, dtype=np.int64), np.zeros(three, dtype=np.int64), np.zeros(three), np.zeros(three),
        np.zeros(one), np.zeros(one), np.zeros(one), np.zeros(one), np.zeros(1),
    )
