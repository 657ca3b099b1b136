"""The thread that solves. It knows the engine and queues, and never calls Blender.

Kernels let go of Python's lock while they run, so Blender's interface stays alive beside them. Two solvers at
once are not safe with every threading layer of numba: a worker waits until the one before has let go.
"""

from __future__ import annotations

import queue
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...engine import Controls, Frame, WorldSpec, build_world, prepare, step_frame
from ...engine.cache import load_state

_SOLVER = threading.Lock()

# A snapshot with every frame would cost copies that nobody reads; one a second is enough to go on from.
_SNAPSHOT_SECONDS = 1.0
_WAIT_SECONDS = 0.05


@dataclass(frozen=True)
class Message:
    """A sentence about what takes long."""

    text: str


@dataclass(frozen=True)
class Warned:
    """A sentence that the artist should still read after the bake."""

    text: str


@dataclass(frozen=True)
class Ready:
    """The world is built; frames follow."""


@dataclass(frozen=True, eq=False)
class Solved:
    """A frame, and now and then the state to go on from after it."""

    frame: Frame
    snapshot: Any | None


@dataclass(frozen=True)
class Failed:
    """The solver stopped with an error, to be raised where the bake was started."""

    error: Exception


WorkerEvent = Message | Warned | Ready | Solved | Failed


class _Cancelled(Exception):
    """Ends the thread from within; never leaves this file."""


class Worker:
    """One solver thread for one bake."""

    def __init__(self, spec: WorldSpec, kernel_folder: str, state_file: Path | None) -> None:
        """Args: spec of the world; folder of compiled kernels; a saved state to go on from, or None."""
        self._spec = spec
        self._kernel_folder = kernel_folder
        self._state_file = state_file
        self._controls: queue.SimpleQueue[tuple[Controls, bool]] = queue.SimpleQueue()
        self._events: queue.SimpleQueue[WorkerEvent] = queue.SimpleQueue()
        self._said = ""
        self._cancelled = threading.Event()
        self._thread = threading.Thread(target=self._run, name="Flotsam solver", daemon=True)

    def start(self) -> None:
        """Let the thread run."""
        self._thread.start()

    def send(self, controls: Controls, last: bool) -> None:
        """Ask for one more frame; `last` for the one after which no other follows."""
        self._controls.put((controls, last))

    def receive(self, seconds: float) -> WorkerEvent | None:
        """The next event, None when none came within that time."""
        try:
            return self._events.get(timeout=seconds) if seconds > 0.0 else self._events.get_nowait()
        except queue.Empty:
            return None

    def cancel(self) -> None:
        """Ask the thread to end; returns at once, a step in flight ends on its own and is dropped."""
        self._cancelled.set()

    def _run(self) -> None:
        try:
            while not _SOLVER.acquire(timeout=_WAIT_SECONDS):
                self._say("Waiting for the last step of the bake before.")
            try:
                self._solve()
            finally:
                _SOLVER.release()
        except _Cancelled:
            return
        except Exception as error:  # noqa: BLE001 - it is raised again on the main thread
            self._events.put(Failed(error))

    def _solve(self) -> None:
        self._say("Loading the solver.")
        prepare(self._say, self._kernel_folder, self._warn, str(self._spec.integrator))
        self._say("Building the springs.")
        world = build_world(self._spec)
        if self._state_file is not None:
            world.restore(load_state(self._state_file, world.snapshot()))
        self._events.put(Ready())
        saved_at = time.monotonic()
        last = False
        while not last:
            controls, last = self._next_controls()
            frame = step_frame(world, controls)
            due = last or time.monotonic() - saved_at > _SNAPSHOT_SECONDS
            snapshot = world.snapshot() if due else None
            saved_at = time.monotonic() if due else saved_at
            self._events.put(Solved(frame, snapshot))

    def _next_controls(self) -> tuple[Controls, bool]:
        while True:
            self._raise_if_cancelled()
            try:
                return self._controls.get(timeout=_WAIT_SECONDS)
            except queue.Empty:
                continue

    def _say(self, text: str) -> None:
        """Pass a sentence on, once; during long work this is also where a cancelled thread ends."""
        self._raise_if_cancelled()
        if text != self._said:
            self._said = text
            self._events.put(Message(text))

    def _warn(self, text: str) -> None:
        self._events.put(Warned(text))

    def _raise_if_cancelled(self) -> None:
        if self._cancelled.is_set():
            raise _Cancelled
