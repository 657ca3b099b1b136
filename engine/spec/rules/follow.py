"""`Follow`: one side follows the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from ..param import param
from ..settings import spec
from .base import PairForce

if TYPE_CHECKING:
    import numpy as np


@spec
class Follow(PairForce):
    """Agents of side A stay near the nearest particle of side B at its velocity; other particles are tied to it.

    That tie is a spring of stiffness strength / gap and rest length `gap`, with a dashpot in parallel.
    """

    rule: ClassVar[str] = "FOLLOW"
    label: ClassVar[str] = "Follow"
    tip: ClassVar[str] = "A follows B and keeps its distance: agents steer, all else is drawn along"
    sentence: ClassVar[str] = "{a} follow {b} within {reach}"
    urge: ClassVar[str] = "FOLLOW"

    reach: float = param(
        10.0, "Reach", "How near B must be for A to follow", unit="m", limits=(0.0, None), soft=(0.1, 100.0),
        positive=True,
    )
    strength: float = param(
        1.0, "Strength", "How closely they follow; between particles that do not steer, the force in newtons",
        limits=(0.0, 1e6), soft=(0.0, 3.0),
    )
    gap: float = param(
        0.5, "Gap", "Distance that they keep", unit="m", limits=(0.0, None), soft=(0.05, 5.0), positive=True,
    )
    in_line: bool = param(
        False, "In Line", "Each agent follows the one before it, the first one follows B; else all follow B",
    )

    def force(self, distance: np.ndarray, closing: np.ndarray) -> np.ndarray:
        """Force towards the distance `gap` [N] on particles that cannot steer."""
        return self.strength * (1.0 - distance / self.gap).clip(-1.0, 1.0)

    def damping(self, distance: np.ndarray) -> np.ndarray:
        """Brings a kilogram to the velocity of B in about a second [N s/m]."""
        return self.strength * (1.0 - distance / self.reach)
