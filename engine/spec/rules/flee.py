"""`Flee`: one side moves away from the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from ..param import param
from ..settings import spec
from .base import PairForce

if TYPE_CHECKING:
    import numpy as np


@spec
class Flee(PairForce):
    """Agents of side A steer away from the nearest particle of side B; other particles are repelled by it.

    That repulsion is F = strength (1 - d / reach), equal and opposite on both sides. Agents push off what carries them.
    """

    rule: ClassVar[str] = "FLEE"
    label: ClassVar[str] = "Flee"
    tip: ClassVar[str] = "A flees B: agents steer away in fright, all else is pushed away"
    sentence: ClassVar[str] = "{a} flee {b} within {reach}"
    urge: ClassVar[str] = "FLEE"

    reach: float = param(
        3.0, "Reach", "How near B must come to frighten A", unit="m", limits=(0.0, None), soft=(0.1, 20.0),
        positive=True,
    )
    strength: float = param(
        1.0, "Strength", "How great the fright is; between particles that do not steer, the force in newtons",
        limits=(0.0, 1e6), soft=(0.0, 3.0),
    )

    def force(self, distance: np.ndarray, closing: np.ndarray) -> np.ndarray:
        """Repulsion [N] of particles that cannot steer."""
        return self.strength * (1.0 - distance / self.reach)
