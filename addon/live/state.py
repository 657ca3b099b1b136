"""The running live session, for panels and operators. Its imports do not slow down Blender's start."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .session import LiveSession

_current: LiveSession | None = None


def current() -> LiveSession | None:
    """The running session, or None."""
    return _current


def publish(session: LiveSession | None) -> None:
    """Set the running session; None when it has ended."""
    global _current
    _current = session
