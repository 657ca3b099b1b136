"""The terrain as formulas: course and depth of the stream, height of its banks.

`s` is the distance across the stream from its centre line [m], `y` the distance along it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True)
class River:
    """A stream along Y.

    Attributes:
        level: height of the water [m].
        half_width: from the centre line to the water's edge [m].
        depth: of the bed at the centre line [m].
        bank_height: height of the near bank above the water [m].
        bend: sideways displacement of the centre line up the valley [m].
        length: (lowest, highest) y of the land [m].
    """

    level: float
    half_width: float
    depth: float
    bank_height: float
    bend: float
    length: tuple[float, float]

    def middle(self, y: np.ndarray) -> np.ndarray:
        """x of the centre line [m]: straight in front, curved up the valley."""
        import numpy as np

        far = np.maximum(y - 5.0, 0.0) / 10.0
        return self.bend * far**2 / (1.0 + 0.25 * far)

    def edge(self, s: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Signed distance from the water's edge [m], positive on land, negative in the stream."""
        import numpy as np

        wander = 0.28 * np.sin(0.83 * y + 1.0 * np.sign(s)) + 0.16 * np.sin(2.1 * y - 2.0 * np.sign(s))
        return np.abs(s) - self.half_width - wander

    def height(self, s: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Height of the ground [m], without the roughness of stones."""
        import numpy as np

        edge = self.edge(s, y)
        bed = -self.depth * (1.0 - np.exp(np.minimum(edge, 0.0) / 0.8))
        dry = np.maximum(edge, 0.0)
        bank = self.bank_height * (1.0 - np.exp(-dry / 0.6)) + 0.06 * dry + 0.012 * dry**2
        return self.level + bed + bank
