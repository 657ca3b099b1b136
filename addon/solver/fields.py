"""What force fields do at some places: asked of the engine, for the overlay to show."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...engine import EngineError, ForceFieldSpec, field_at, is_compiled, prepare
from .thread import idle

KERNELS = ("XPBD", *ForceFieldSpec.kernels)


def field_of(fields: Sequence[ForceFieldSpec], places: np.ndarray) -> np.ndarray | None:
    """Accelerations (n, 3) [m/s²] at places (n, 3) [m], None where a field cannot be built; kernels are there."""
    try:
        return field_at(fields, places)
    except EngineError:
        return None


def field_now(fields: Sequence[ForceFieldSpec], places: np.ndarray, kernel_folder: str) -> np.ndarray | None:
    """As `field_of`, None while something is solved, or before kernels are compiled: nobody waits for a picture."""
    with idle() as free:
        if not free or not is_compiled(kernel_folder, KERNELS):
            return None
        prepare(None, kernel_folder, kernels=KERNELS)
        return field_of(fields, places)
