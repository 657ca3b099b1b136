"""The contacts of a substep, as those read them who solve in steps of their own."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

# What the rigid solve keeps of each contact: numbers a row, 0 for a single one, and their type.
RIGID_COLUMNS = {
    "slot": (0, np.int64), "contact": (4, np.int64), "around": (0, np.int64), "sides": (2, np.int32), "soft": (0, bool),
} | {name: (wide, np.float64) for name, wide in {
    "weight": 4, "normal": 3, "rest_separation": 0, "approach": 0, "friction": 0, "bounces": 0, "spring": 2,
    "impulse": 4, "lever_a": 3, "lever_b": 3, "base": 3, "target": 0, "give_way": 2, "total_inv_mass": 2, "overlap": 0,
    "firm": 2, "more": 0, "normal_impulse": 0, "anchors": 12, "toward": 4}.items()}


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


@dataclass
class RigidContactBuffer:
    """Contacts of rigid bodies in the running substep; `count` of them, in arrays that may have room for more.

    Attributes:
        contact, weight, normal, rest_separation: as in `ContactBuffer`.
        sides: (m, 2) int32 rigid body of both sides, or -1; friction: (m,) friction.
        spring: (m, 2) stiffness [N/m] and damping [N s/m] of those that are springs, nought for all others.
        anchors: (m, 12) of those without shares, points of both sides from the centres of two bodies, or the first on a
            wall, by how much these are predicted to part in the substep [m], and how fast the wall goes [m/s].
        soft: (m,) bool, whether inner steps hold soft particles by it; normal_impulse: (m,) impulse along the normal
            that they took [N s].
    """

    contact: np.ndarray
    weight: np.ndarray
    normal: np.ndarray
    rest_separation: np.ndarray
    sides: np.ndarray
    friction: np.ndarray
    spring: np.ndarray
    anchors: np.ndarray
    soft: np.ndarray
    normal_impulse: np.ndarray
    count: int = 0


def rigid_contact_buffer(pairs: int) -> RigidContactBuffer:
    """Room for so many contacts of rigid bodies, none of them there yet."""
    return RigidContactBuffer(
        np.zeros((pairs, 4), dtype=np.int64), np.zeros((pairs, 4)), np.zeros((pairs, 3)), np.zeros(pairs),
        np.zeros((pairs, 2), dtype=np.int32), np.zeros(pairs), np.zeros((pairs, 2)),
        np.zeros((pairs, 12)), np.zeros(pairs, dtype=bool), np.zeros(pairs),
    )


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
