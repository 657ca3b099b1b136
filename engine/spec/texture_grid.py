"""`TextureGrid`: values of a texture, sampled in the region of the bodies."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .settings import spec

if TYPE_CHECKING:
    import numpy as np


@spec
class TextureGrid:
    """Samples at origin + cell (i, j, k), in the space in which the texture is looked up.

    Attributes:
        origin: (3,) position of the first sample [m]; cell: (3,) distance of samples along each axis [m].
        samples: (nx, ny, nz, 4) float32: red, green, blue and brightness; four or more along each axis.
        has_color: whether it has colors; otherwise only brightness.
    """

    origin: np.ndarray
    cell: np.ndarray
    samples: np.ndarray
    has_color: bool
