"""Base of solver threads: wait for the last one, prepare the kernels, report events, end on request.

Kernels release the GIL while they run, so Blender's interface stays responsive. Two solvers at once would compete for
cores, so a thread waits until the last one has ended.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from ...engine import Frame, WorldSpec, kernels_of, prepare
from . import ahead
from .begun_across import across_warnings
from .surfaces import surface_warnings

_SOLVER = threading.Lock()
WAIT_SECONDS = 0.05


@dataclass(frozen=True)
class Message:
    """A sentence about a long operation."""

    text: str


@dataclass(frozen=True)
class Warned:
    """A warning that stays for the artist to read afterwards."""

    text: str


@dataclass(frozen=True, eq=False)
class Ready:
    """The world is built; followed by frames after the start."""

    frame: Frame


@dataclass(frozen=True, eq=False)
class Solved:
    """A frame, sometimes with the state to resume from after it."""

    frame: Frame
    snapshot: Any | None = None


@dataclass(frozen=True)
class Failed:
    """The solver stopped with an error, to be raised on the main thread."""

    error: Exception


SolverEvent = Message | Warned | Ready | Solved | Failed


@contextmanager
def idle() -> Iterator[bool]:
    """Context that yields whether no solver thread runs; if so, none can start solving within it."""
    free = _SOLVER.acquire(blocking=False)
    try:
        yield free
    finally:
        if free:
            _SOLVER.release()


class Cancelled(Exception):
    """Ends the thread from inside; never propagates out of it."""


class SolverThread:
    """A solver thread; subclasses implement `_solve`, which runs when the kernels are ready."""

    def __init__(self, spec: WorldSpec, kernel_folder: str) -> None:
        """Args: spec of the world; folder of compiled kernels."""
        self._spec = spec
        self._kernel_folder = kernel_folder
        self._events: queue.SimpleQueue[SolverEvent] = queue.SimpleQueue()
        self._said = ""
        self._cancelled = threading.Event()
        self._thread = threading.Thread(target=self._run, name="Flotsam solver", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def receive(self, seconds: float) -> SolverEvent | None:
        """The next event, None when none came within that time."""
        try:
            return self._events.get(timeout=seconds) if seconds > 0.0 else self._events.get_nowait()
        except queue.Empty:
            return None

    def cancel(self) -> None:
        """Request the end of the thread without waiting; the step in progress ends by itself and is dropped."""
        self._cancelled.set()

    def _solve(self) -> None:
        """Build the world and step it."""
        raise NotImplementedError

    def _prepare(self) -> None:
        """Compile or load the kernels."""
        prepare(self._say, self._kernel_folder, self._warn, kernels_of(self._spec))

    def _run(self) -> None:
        try:
            while not _SOLVER.acquire(timeout=WAIT_SECONDS):
                self._say("Waiting for the last step of the solve before.")
            try:
                self._say("Loading the solver.")
                ahead.stop()
                self._prepare()
                self._say("Building the scene.")
                for sentence in (*surface_warnings(self._spec), *across_warnings(self._spec)):
                    self._warn(sentence)
                self._raise_if_cancelled()
                self._solve()
            finally:
                _SOLVER.release()
        except Cancelled:
            return
        except Exception as error:  # noqa: BLE001 - it is raised again on the main thread
            self._events.put(Failed(error))

    def _say(self, text: str) -> None:
        """Report a sentence, if it is new; during long operations a cancelled thread ends here."""
        self._raise_if_cancelled()
        if text != self._said:
            self._said = text
            self._events.put(Message(text))

    def _warn(self, text: str) -> None:
        self._events.put(Warned(text))

    def _raise_if_cancelled(self) -> None:
        if self._cancelled.is_set():
            raise Cancelled
