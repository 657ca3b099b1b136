"""The solver thread of a bake: it solves requested frames, and takes a snapshot at intervals for resuming."""

from __future__ import annotations

import queue
import threading
import time
from pathlib import Path

from ...engine import Controls, WorldSpec, build_world, frame_now, step_frame
from ...engine.cache import load_state
from ..solver.flooded import flooded_warnings
from ..solver.lone_vertices import lone_warnings
from ..solver.masses import mass_warnings, masses_in
from ..solver.thread import WAIT_SECONDS, Ready, Solved, SolverThread

# Interval between snapshots [s]. One with every frame would cost copies that nothing reads.
_SNAPSHOT_SECONDS = 0.5
# Saving a large scene takes long, so the interval is this multiple of the time to save. It is limited so that a killed
# process loses at most so many seconds of solving, the save included.
_INTERVAL_FACTOR, _MOST_LOST = 4.0, 2.0


class Worker(SolverThread):
    """One solver thread for one bake."""

    def __init__(self, spec: WorldSpec, kernel_folder: str, state_file: Path | None) -> None:
        """Args: spec of the world; folder of compiled kernels; saved state to resume from, or None."""
        super().__init__(spec, kernel_folder)
        self._snapshot_seconds = _SNAPSHOT_SECONDS
        self._state_file = state_file
        self._controls: queue.SimpleQueue[tuple[Controls, bool]] = queue.SimpleQueue()
        self._may_run = threading.Event()
        self._may_run.set()

    def send(self, controls: Controls, last: bool) -> None:
        """Request one more frame; `last`: no other follows."""
        self._controls.put((controls, last))

    def pause(self, pause: bool) -> None:
        """Pause after the frame being solved, or continue."""
        (self._may_run.clear if pause else self._may_run.set)()

    def adapt_interval(self, seconds: float) -> None:
        """Adapt the interval between snapshots to the time that saving one takes [s]."""
        self._snapshot_seconds = max(_SNAPSHOT_SECONDS, min(_INTERVAL_FACTOR * seconds, _MOST_LOST - seconds))

    def _solve(self) -> None:
        world = build_world(self._spec)
        for sentence in (
            *mass_warnings(masses_in(world), self._spec.interactions), *lone_warnings(world), *flooded_warnings(world),
        ):
            self._warn(sentence)
        if self._state_file is not None:
            world.restore(load_state(self._state_file, world.snapshot()))
        self._events.put(Ready(frame_now(world)))
        saved_at = time.monotonic()
        last = False
        while not last:
            controls, last = self._next_controls()
            frame = step_frame(world, controls)
            due = last or time.monotonic() - saved_at > self._snapshot_seconds
            snapshot = world.snapshot() if due else None
            saved_at = time.monotonic() if due else saved_at
            self._events.put(Solved(frame, snapshot))

    def _next_controls(self) -> tuple[Controls, bool]:
        while True:
            self._raise_if_cancelled()
            if not self._may_run.wait(WAIT_SECONDS):
                continue
            try:
                return self._controls.get(timeout=WAIT_SECONDS)
            except queue.Empty:
                continue
