"""Scene → WorldSpec, frame → Controls. Reads the scene and leaves it as it was.

Names are imported on first use, because panels need a few of them while Blender starts.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .captured import Captured, CapturedBody
    from .controls import capture_controls, controls_now, local_matrices
    from .errors import CaptureError
    from .rigid import placed
    from .world import capture_world

_MODULE_OF = {
    "CaptureError": "errors", "Captured": "captured", "CapturedBody": "captured", "capture_controls": "controls",
    "capture_world": "world", "controls_now": "controls", "local_matrices": "controls", "placed": "rigid",
}

__all__ = [
    "CaptureError", "Captured", "CapturedBody", "capture_controls", "capture_world", "controls_now",
    "local_matrices", "placed",
]


def __getattr__(name: str) -> Any:
    """Import a name from its file on first use."""
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_MODULE_OF[name]}", __name__), name)
