"""Errors that end a command with one line, and that line."""

from __future__ import annotations

from pathlib import Path


class CommandError(Exception):
    """A command cannot continue; one sentence: what, where, what to do."""


def known_errors() -> tuple[type[Exception], ...]:
    """Errors whose message is a sentence for the user; any other is a bug and keeps its traceback."""
    from ...engine import EngineError
    from ..capture import CaptureError
    from ..presets import PresetError
    from ..render import RenderError
    from ..scenes.plan import SceneError

    return (CommandError, CaptureError, EngineError, PresetError, RenderError, SceneError, OSError)


def one_line(error: Exception) -> str:
    """The message without line breaks; for a disk error also the file name."""
    if isinstance(error, OSError) and error.errno is not None and error.filename is not None:
        return f"{Path(error.filename)}: {error.strerror}; choose another place or make room."
    return " ".join(str(error).split())
