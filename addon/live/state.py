"""The live session that runs now, for panels and operators to find. Imports nothing that costs time at start."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .session import LiveSession

_current: LiveSession | None = None


def current() -> LiveSession | None:
    """The session that runs, None when none does."""
    return _current


def publish(session: LiveSession | None) -> None:
    """Say which session runs; None when it has ended."""
    global _current
    _current = session
