"""`Follow`: one side keeps behind the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from ..param import param
from ..settings import spec
from .base import PairForce

if TYPE_CHECKING:
    import numpy as np


@spec
class Follow(PairForce):
    """Agents of side A stay near the nearest particle of side B and go as fast as it; what cannot steer is tied to it.

    That tie is a spring of strength / gap to the distance `gap`, and a dashpot that goes with it.
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
        """Pull to the gap [N] of what cannot steer."""
        return self.strength * (1.0 - distance / self.gap).clip(-1.0, 1.0)

    def damping(self, distance: np.ndarray) -> np.ndarray:
        """As fast as B [N s/m], in about a second for a kilogram."""
        return self.strength * (1.0 - distance / self.reach)
