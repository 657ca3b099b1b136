"""`Drag`: particles slow each other down."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from ..param import param
from ..settings import spec
from .base import PairForce

if TYPE_CHECKING:
    import numpy as np


@spec
class Drag(PairForce):
    """A dashpot between particles within reach, along the line between them, weaker towards its end.

    F = strength (1 - d / reach) u, with u their closing speed, as in dissipative particle dynamics (Groot and Warren
    1997). It is integrated so that no strength overshoots.
    """

    rule: ClassVar[str] = "DRAG"
    label: ClassVar[str] = "Drag"
    tip: ClassVar[str] = "Their particles slow each other down where they are near"
    sentence: ClassVar[str] = "{a} and {b} slow each other within {reach}"

    reach: float = param(
        0.2, "Reach", "How near two particles must be to slow each other", unit="m", limits=(0.0, None),
        soft=(0.01, 2.0), positive=True,
    )
    strength: float = param(
        1.0, "Strength", "Force against each metre a second at which two particles come nearer or part", unit="N·s/m",
        limits=(0.0, 1e9), soft=(0.0, 100.0),
    )

    def force(self, distance: np.ndarray, closing: np.ndarray) -> np.ndarray:
        """Zero: this rule has damping only."""
        return 0.0 * distance

    def damping(self, distance: np.ndarray) -> np.ndarray:
        """Damping coefficient of each pair [N s/m]."""
        return self.strength * (1.0 - distance / self.reach)
