"""Output of a command: lines and a progress bar for the user, while Blender's own output goes to a log."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from .progress import Bar, Lines, Progress


class Screen:
    """Output for the user on standard output. `say` prints a line, `progress` shows progress."""

    def __init__(self) -> None:
        """Start with sys.stdout."""
        self.out: TextIO = sys.stdout

    def say(self, text: str = "") -> None:
        """Print one line and flush."""
        print(text, file=self.out, flush=True)

    @contextmanager
    def progress(self, label: str, total: int, unit: str = "frame") -> Generator[Progress, None, None]:
        """A bar on a terminal, plain lines otherwise."""
        progress = Bar(label, total, unit, self.out) if _is_wide(self.out) else Lines(label, total, unit, self.say)
        try:
            yield progress
        finally:
            progress.close()

    @contextmanager
    def chatter_to(self, log: Path) -> Generator[None, None, None]:
        """Redirect the output of Blender and its drivers to a file; `say` and `progress` still reach the user.

        Raises:
            OSError: the log cannot be written.
        """
        _flush()
        before = self.out
        with log.open("ab") as file, _restored(1) as user_stdout, _restored(2):
            os.dup2(file.fileno(), 1)
            os.dup2(file.fileno(), 2)
            with os.fdopen(os.dup(user_stdout), "w", encoding=before.encoding or "utf-8") as self.out:
                try:
                    yield
                finally:
                    _flush()
                    self.out.flush()
                    self.out = before


def _is_wide(out: TextIO) -> bool:
    """Whether there is a terminal wide enough for a bar; pseudo-terminals on some machines have no columns."""
    return out.isatty() and os.get_terminal_size(out.fileno()).columns > 0


@contextmanager
def _restored(descriptor: int) -> Generator[int, None, None]:
    """Yield a copy of a file descriptor, and restore the descriptor at the end."""
    copy = os.dup(descriptor)
    try:
        yield copy
    finally:
        os.dup2(copy, descriptor)
        os.close(copy)


def _flush() -> None:
    """Flush the buffers of Python and of C, which Blender prints through."""
    sys.stdout.flush()
    sys.stderr.flush()
    (ctypes.cdll.ucrtbase if sys.platform == "win32" else ctypes.CDLL(None)).fflush(None)
