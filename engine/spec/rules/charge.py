"""`Charge`: particles repel or attract each other like electric charges."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from ..param import param
from ..settings import spec
from .base import PairForce

if TYPE_CHECKING:
    import numpy as np


@spec
class Charge(PairForce):
    """Coulomb's law between particles: F = strength / d^2, constant below the distance `core`."""

    rule: ClassVar[str] = "CHARGE"
    label: ClassVar[str] = "Charge"
    tip: ClassVar[str] = "Their particles repel each other like charges; below zero they attract"
    sentence: ClassVar[str] = "{a} and {b} repel within {reach}"

    strength: float = param(
        0.01, "Strength", "Force between two particles that are a metre apart", unit="N", limits=(-1e6, 1e6),
        soft=(-1.0, 1.0),
    )
    core: float = param(
        0.05, "Core", "Nearer particles are pushed no harder", unit="m", limits=(0.0, None), soft=(0.01, 1.0),
        positive=True,
    )

    def force(self, distance: np.ndarray, closing: np.ndarray) -> np.ndarray:
        """Repulsion [N] at each distance [m]."""
        return self.strength / distance.clip(self.core) ** 2
