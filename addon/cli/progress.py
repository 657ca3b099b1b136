"""Progress of long work: tqdm's bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Protocol, TextIO

# Without a terminal, at most one line in this time [s].
_LINE_EVERY = 5.0


class Progress(Protocol):
    """Interface for progress reports: how much is done, or what happens before the first frame."""

    def show(self, done: int, message: str = "") -> None:
        """Show `done` of the total; `message` is a sentence about a long operation."""

    def close(self) -> None:
        """End the report."""


class Bar:
    """tqdm's bar."""

    def __init__(self, label: str, total: int, unit: str, out: TextIO) -> None:
        """Args: label: heading; total: number of units; unit: name of one; out: where to draw."""
        from tqdm import tqdm

        self._bar = tqdm(total=total, desc=label, unit=unit, file=out, dynamic_ncols=True)

    def show(self, done: int, message: str = "") -> None:
        """Move the bar."""
        self._bar.set_postfix_str(message, refresh=False)
        if not self._bar.update(done - self._bar.n):
            self._bar.refresh()

    def close(self) -> None:
        """Leave the bar as it is."""
        self._bar.close()


class Lines:
    """Prints a line at the start, every few seconds, and at the end."""

    def __init__(self, label: str, total: int, unit: str, say: Callable[[str], None]) -> None:
        """Args: label: heading; total: number of units; unit: name of one; say: prints a line."""
        self._label, self._total, self._unit, self._say = label, total, unit, say
        self._message = ""
        self._done = self._said = 0
        self._said_at = time.monotonic()

    def show(self, done: int, message: str = "") -> None:
        """Print a line when it is due."""
        self._done = done
        due = time.monotonic() - self._said_at >= _LINE_EVERY
        if message and message != self._message and (due or not self._message):
            self._message, self._said_at = message, time.monotonic()
            self._say(f"{self._label}: {message}")
        if done != self._said and due:
            self._line()

    def close(self) -> None:
        """Print the last line."""
        if self._done != self._said:
            self._line()

    def _line(self) -> None:
        self._said, self._said_at = self._done, time.monotonic()
        self._say(f"{self._label}: {self._done} of {self._total} {self._unit}s")
