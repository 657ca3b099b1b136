"""Scene → WorldSpec, frame → Controls. Reads the scene and leaves it as it was."""

from __future__ import annotations

from .captured import Captured, CapturedBody
from .controls import capture_controls, controls_now, local_matrices
from .errors import CaptureError
from .rigid import placed
from .world import capture_world

__all__ = [
    "CaptureError", "Captured", "CapturedBody", "capture_controls", "capture_world", "controls_now",
    "local_matrices", "placed",
]
