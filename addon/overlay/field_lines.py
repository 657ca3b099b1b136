"""Arrows of force fields and wind, as arrays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .lines import Lines, joined, strokes

FIELD, WIND = (0.1, 0.95, 0.85, 0.9), (0.8, 0.9, 1.0, 0.45)


@dataclass(frozen=True, eq=False)
class FieldArrows:
    """Samples of force fields around bodies.

    Attributes:
        places: (n, 3) [m], with the spacing `size` [m].
        accelerations: (n, 3) [m/s²], of a body at rest there.
        wind: (3,) of the scene [m/s].
    """

    places: np.ndarray
    accelerations: np.ndarray
    wind: np.ndarray
    size: float


def field_lines(fields: FieldArrows, length: float) -> Lines:
    """Lines of the fields in one colour, of the scene's wind in another."""
    parts = []
    winds = np.broadcast_to(fields.wind, fields.places.shape)
    for vectors, color in ((fields.accelerations, FIELD), (winds, WIND)):
        strongest = float(np.linalg.norm(vectors, axis=1).max(initial=0.0))
        arrows = (length or fields.size / max(strongest, 1e-9)) * vectors
        # Limit the length: near the centre of a field arrows would cross the whole view.
        longest = np.maximum(np.linalg.norm(arrows, axis=1, keepdims=True) / (4.0 * fields.size), 1.0)
        parts.append(strokes(fields.places, arrows / longest, color))
    return joined(parts)
