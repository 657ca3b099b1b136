"""Compiles the solver before somebody waits for it: in processes of the lowest priority, which end with Blender.

It begins by itself as soon as a file has a body of Flotsam, or by the button in the preferences. A solver stops it, and
compiles the rest with all cores; what was compiled by then is kept.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence

from ...engine import compile_ahead, is_compiled
from ..paths import kernel_cache_folder

_STOP_SECONDS = 2.0


class _Stopped(Exception):
    """Ends the work from within."""


class _Work:
    """One run in a thread that only waits for the processes."""

    def __init__(self, folder: str, kernels: Sequence[str]) -> None:
        self.kernels = frozenset(kernels)
        self.sentence = "Compiling the solver for this machine."
        self._folder = folder
        self._stop = threading.Event()
        self.thread = threading.Thread(target=self._run, name="Flotsam compiles ahead", daemon=True)

    def stop(self) -> None:
        """End the processes; returns once they have ended, or after a while."""
        self._stop.set()
        self.thread.join(_STOP_SECONDS)

    def _run(self) -> None:
        try:
            done = compile_ahead(self._hear, self._folder, sorted(self.kernels))
        except _Stopped:
            return
        if done:
            _done.setdefault(self._folder, set()).update(self.kernels)

    def _hear(self, sentence: str) -> None:
        self.sentence = sentence
        if self._stop.is_set():
            raise _Stopped


_work: _Work | None = None
# Sets of kernels that are known to be there, by folder: looking costs file accesses.
_done: dict[str, set[str]] = {}


def begin(kernels: Sequence[str]) -> bool:
    """Compile what is not compiled yet of these sets, see `engine.kernels_of`; returns whether there is any of it."""
    global _work
    folder = kernel_cache_folder()
    done = _done.setdefault(folder, set())
    if done.issuperset(kernels):
        return False
    if running() is not None:
        return _work is not None and _work.kernels.issuperset(kernels)
    if is_compiled(folder, kernels):
        done.update(kernels)
        return False
    _work = _Work(folder, kernels)
    _work.thread.start()
    return True


def running() -> str | None:
    """How far it is, in a sentence with numbers; None while nothing is compiled ahead."""
    return _work.sentence if _work is not None and _work.thread.is_alive() else None


def stop() -> None:
    """End it, for somebody solves now or Blender ends; what is compiled is kept."""
    global _work
    if _work is not None:
        _work.stop()
        _work = None
