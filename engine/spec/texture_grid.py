"""`TextureGrid`: what a texture shows, sampled where bodies are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .settings import spec

if TYPE_CHECKING:
    import numpy as np


@spec
class TextureGrid:
    """Samples at origin + cell (i, j, k), in the space that the texture is looked up in.

    Attributes:
        origin: (3,) place of the first sample [m]; cell: (3,) from one to the next along each axis [m].
        samples: (nx, ny, nz, 4) float32: red, green, blue and brightness; four or more along each axis.
        has_color: whether it has colors; one without shows brightness alone.
    """

    origin: np.ndarray
    cell: np.ndarray
    samples: np.ndarray
    has_color: bool
