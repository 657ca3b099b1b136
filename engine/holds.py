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


@dataclass
class BodyHolds:
    """Contacts of rigid bodies in the running substep; `count` of them, in arrays that may have room for more.

    Attributes:
        contact, share, normal, gap: as in `Holds`.
        sides: (m, 2) int32 rigid body of both sides, or -1; rub: (m,) friction.
        spring: (m, 2) stiffness [N/m] and damping [N s/m] of those that are springs, nought for all others.
        spot: (m, 12) of those without shares, points of both sides from the centres of two bodies, or the first on a
            wall, by how much these are predicted to part in the substep [m], and how fast the wall goes [m/s].
        soft: (m,) bool, whether inner steps hold soft particles by it; borne: (m,) impulse along the normal that
            they took [N s].
    """

    contact: np.ndarray
    share: np.ndarray
    normal: np.ndarray
    gap: np.ndarray
    sides: np.ndarray
    rub: np.ndarray
    spring: np.ndarray
    spot: np.ndarray
    soft: np.ndarray
    borne: np.ndarray
    count: int = 0


def room_for_bodies(pairs: int) -> BodyHolds:
    """Room for so many contacts of rigid bodies, none of them there yet."""
    return BodyHolds(
        np.zeros((pairs, 4), dtype=np.int64), np.zeros((pairs, 4)), np.zeros((pairs, 3)), np.zeros(pairs),
        np.zeros((pairs, 2), dtype=np.int32), np.zeros(pairs), np.zeros((pairs, 2)),
        np.zeros((pairs, 12)), np.zeros(pairs, dtype=bool), np.zeros(pairs),
    )


def room_for(pairs: int) -> Holds:
    """Room for so many contacts, none of them there yet."""
    one = (pairs,)
    return Holds(
        np.zeros((pairs, 4), dtype=np.int64), np.zeros((pairs, 4)), np.zeros((pairs, 3)),
        np.zeros(one), np.zeros(one), np.zeros(one), np.zeros(one), np.zeros(1),
    )


def with_room(holds: Holds, more: int) -> Holds:
    """The same contacts with room for so many more."""
    if holds.count + more <= len(holds.gap):
        return holds
    larger = room_for(2 * (holds.count + more))
    for name, values in vars(holds).items():
        if isinstance(values, np.ndarray):
            getattr(larger, name)[: holds.count if name != "energy" else 1] = values[
                : holds.count if name != "energy" else 1
            ]
    larger.count = holds.count
    return larger
