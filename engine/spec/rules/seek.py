"""`Seek`: one side moves towards the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from ..param import param
from ..settings import spec
from .base import PairForce

if TYPE_CHECKING:
    import numpy as np


@spec
class Seek(PairForce):
    """Agents of side A steer for the nearest particle of side B at full speed; other particles are attracted to it.

    That attraction is F = -strength d / reach, equal and opposite on both sides.
    """

    rule: ClassVar[str] = "SEEK"
    label: ClassVar[str] = "Seek"
    tip: ClassVar[str] = "A seeks B: agents steer for it, all else is pulled to it"
    sentence: ClassVar[str] = "{a} seek {b} within {reach}"
    urge: ClassVar[str] = "SEEK"

    reach: float = param(
        10.0, "Reach", "How near B must be for A to notice", unit="m", limits=(0.0, None), soft=(0.1, 100.0),
        positive=True,
    )
    strength: float = param(
        1.0, "Strength", "How much they want it; between particles that do not steer, the force in newtons",
        limits=(0.0, 1e6), soft=(0.0, 3.0),
    )

    def force(self, distance: np.ndarray, closing: np.ndarray) -> np.ndarray:
        """Attraction [N] of particles that cannot steer."""
        return -self.strength * distance / self.reach
