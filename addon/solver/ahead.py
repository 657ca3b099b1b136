"""Compiles the solver in advance, in processes of the lowest priority, which end with Blender.

It starts when a file contains a body of Flotsam, or by the button in the preferences. A starting solver stops it, and
compiles the rest with all cores; kernels compiled so far are kept.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence

from ...engine import compile_ahead, is_compiled

_STOP_SECONDS = 2.0


class _Stopped(Exception):
    """Ends the compilation from inside its thread."""


class _Compilation:
    """One run of the compiler processes, in a thread that only waits for them."""

    def __init__(self, folder: str, kernels: Sequence[str]) -> None:
        self.kernels = tuple(kernels)
        self.sentence = "Compiling the solver for this machine."
        self._folder = folder
        self._stop = threading.Event()
        self.thread = threading.Thread(target=self._run, name="Flotsam compiles ahead", daemon=True)

    def stop(self) -> None:
        """End the processes; returns when they have ended, or after a timeout."""
        self._stop.set()
        self.thread.join(_STOP_SECONDS)

    def _run(self) -> None:
        try:
            done = compile_ahead(self._on_progress, self._folder, self.kernels)
        except _Stopped:
            return
        if done:
            _done.setdefault(self._folder, set()).update(self.kernels)

    def _on_progress(self, sentence: str) -> None:
        self.sentence = sentence
        if self._stop.is_set():
            raise _Stopped


_current: _Compilation | None = None
# Kernel sets known to be compiled, by folder, to save file accesses.
_done: dict[str, set[str]] = {}


def begin(kernels: Sequence[str], folder: str) -> bool:
    """Start compiling the missing kernels of these sets; returns whether a compilation of all of them runs.

    Args: kernels: see `engine.kernels_of`; folder: of compiled kernels.
    """
    global _current
    done = _done.setdefault(folder, set())
    if done.issuperset(kernels):
        return False
    if running() is not None:
        return _current is not None and set(_current.kernels).issuperset(kernels)
    if is_compiled(folder, kernels):
        done.update(kernels)
        return False
    _current = _Compilation(folder, kernels)
    _current.thread.start()
    return True


def running() -> str | None:
    """A sentence with the progress in numbers; None when nothing is being compiled."""
    return _current.sentence if _current is not None and _current.thread.is_alive() else None


def stop() -> None:
    """End the compilation, because a solver starts or Blender ends; compiled kernels are kept."""
    global _current
    if _current is not None:
        _current.stop()
        _current = None
