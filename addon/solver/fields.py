"""Accelerations by force fields at given places, from the engine, for the overlay."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...engine import EngineError, ForceFieldSpec, field_at, is_compiled, prepare
from .thread import idle

KERNELS = ("XPBD", *ForceFieldSpec.kernels)


def field_of(fields: Sequence[ForceFieldSpec], places: np.ndarray) -> np.ndarray | None:
    """Accelerations (n, 3) [m/s²] at places (n, 3) [m], None if a field cannot be built; kernels must be ready."""
    try:
        return field_at(fields, places)
    except EngineError:
        return None


def field_now(fields: Sequence[ForceFieldSpec], places: np.ndarray, kernel_folder: str) -> np.ndarray | None:
    """As `field_of`; also None during a solve, or before kernels are compiled: the overlay does not wait."""
    with idle() as free:
        if not free or not is_compiled(kernel_folder, KERNELS):
            return None
        prepare(None, kernel_folder, kernels=KERNELS)
        return field_of(fields, places)
