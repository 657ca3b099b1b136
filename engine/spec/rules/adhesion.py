"""`Adhesion`: particles cling to each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from ..param import param
from ..settings import spec
from .base import PairForce

if TYPE_CHECKING:
    import numpy as np


@spec
class Adhesion(PairForce):
    """An attraction that is greatest at half the reach: F = -4 strength q (1 - q) with q = d / reach."""

    rule: ClassVar[str] = "ADHESION"
    label: ClassVar[str] = "Adhesion"
    tip: ClassVar[str] = "Their particles cling to each other where they are near"
    sentence: ClassVar[str] = "{a} and {b} cling together within {reach}"

    reach: float = param(
        0.1, "Reach", "How near two particles must be to cling", unit="m", limits=(0.0, None), soft=(0.01, 1.0),
        positive=True,
    )
    strength: float = param(
        0.1, "Strength", "Greatest pull between two particles", unit="N", limits=(0.0, 1e6), soft=(0.0, 10.0),
    )

    def force(self, distance: np.ndarray, closing: np.ndarray) -> np.ndarray:
        """Attraction [N], negative, at each distance [m]."""
        share = distance / self.reach
        return -4.0 * self.strength * share * (1.0 - share)
