"""The solver thread of Live: it solves at its own rate, with the input that is current when a frame starts."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ...engine import (
    Controls,
    Frame,
    SpecError,
    WorldSpec,
    build_world,
    change_world,
    frame_now,
    prepare_to_begin,
    step_frame,
)
from ..solver import ahead
from ..solver.fields import field_of
from ..solver.flooded import flooded_warnings
from ..solver.lone_vertices import lone_warnings
from ..solver.masses import mass_warnings, masses_in
from ..solver.spheres import Spheres, spheres_in
from ..solver.springs import springs_in
from ..solver.tangles import Tangles
from ..solver.thread import WAIT_SECONDS, Ready, Solved, SolverEvent, SolverThread, Warned
from .clock import Clock

if TYPE_CHECKING:
    import numpy as np

    from ...engine import ForceFieldSpec
    from ...engine.systems.spring_graph.links import BodySprings

# Largest total duration of solved frames that are not displayed yet [s]; then the solver waits for the interface.
_MOST_WAITING_SECONDS = 2.0


@dataclass(frozen=True, eq=False)
class LiveSolved(Solved):
    """A solved frame, with the number of resets before it."""

    resets: int = 0


class LiveSolver(SolverThread):
    """One solver thread for one live session. The main thread calls the methods below, which do not block.

    Attributes:
        controls: input of the next frame; replaced, never changed.
        spheres: proxy spheres by body name; replaced, never changed.
        springs: springs of all soft bodies by name, soon after `find_springs`; replaced, never changed.
        field: accelerations (n, 3) [m/s²] at the places of `request_field`, None before.
        masses: of all bodies that have a mass, by name [kg], once they are built; replaced, never changed.
    """

    def __init__(self, spec: WorldSpec, kernel_folder: str) -> None:
        """Args: spec: of the world; kernel_folder: of compiled kernels."""
        super().__init__(spec, kernel_folder)
        self.controls = Controls()
        self.spheres: dict[str, Spheres] = {}
        self.springs: dict[str, BodySprings] = {}
        self.field: np.ndarray | None = None
        self._springs_wanted = False
        self.masses: dict[str, float] = {}
        self._orders: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._wake = threading.Event()
        self._clock = Clock(1.0 / float(spec.frame_rate))
        self._is_playing = False
        self._single_steps = 0
        self._is_tangled = False
        self._world: Any = None
        self._resets_requested = self._resets_done = 0

    @property
    def speed(self) -> float:
        """Solved seconds per real second, 0 while nothing runs."""
        return self._clock.speed(time.monotonic()) if self._is_playing else 0.0

    def play(self) -> None:
        """Run the simulation."""
        self._order(self._play)

    def pause(self) -> None:
        """Pause the simulation."""
        self._order(self._pause)

    def step_once(self) -> None:
        """Solve one frame, then pause."""
        self._order(self._step_once)

    def reset(self) -> None:
        """Return to the start of the current world; frames from before the reset are no longer received."""
        self._resets_requested += 1
        self._order(self._reset)

    def change(self, spec: WorldSpec) -> None:
        """Continue with other settings from the present state."""
        self._order(lambda: self._change(spec))

    def receive(self, seconds: float) -> SolverEvent | None:
        """The next event since the last reset, None when none came within that time."""
        event = super().receive(seconds)
        while isinstance(event, LiveSolved) and event.resets < self._resets_requested:
            event = super().receive(0.0)
        return event

    def request_field(self, fields: Sequence[ForceFieldSpec], places: np.ndarray) -> None:
        """Request the accelerations by fields at places (n, 3) [m]; soon after, `field` has them."""
        self._order(lambda: self._evaluate_field(fields, places))

    def _evaluate_field(self, fields: Sequence[ForceFieldSpec], places: np.ndarray) -> None:
        self.field = field_of(fields, places)

    def find_springs(self) -> None:
        """Keep `springs` up to date from now on."""
        if not self._springs_wanted:
            self._springs_wanted = True
            self._order(self._update_springs)

    def cancel(self) -> None:
        """Ask the thread to end; returns at once."""
        super().cancel()
        self._wake.set()

    def _order(self, order: Callable[[], None]) -> None:
        self._orders.put(order)
        self._wake.set()

    def _prepare(self) -> None:
        """Wait for the kernels that the world needs before the first contact; compile the rest in the background."""
        later = prepare_to_begin(self._spec, self._say, self._kernel_folder, self._warn, ahead.stop)
        if later:
            ahead.begin(later, self._kernel_folder)

    def _solve(self) -> None:
        self._build()
        for sentence in (
            *mass_warnings(self.masses, self._spec.interactions), *lone_warnings(self._world),
            *flooded_warnings(self._world),
        ):
            self._warn(sentence)
        self._events.put(Ready(frame_now(self._world)))
        while True:
            self._raise_if_cancelled()
            self._wake.clear()
            while not self._orders.empty():
                self._orders.get()()
            seconds = self._until_next(time.monotonic())
            if seconds > 0.0:
                self._wake.wait(min(seconds, WAIT_SECONDS))
                continue
            self._step()

    def _until_next(self, now: float) -> float:
        if self._single_steps:
            return 0.0
        waiting = self._events.qsize() / float(self._spec.frame_rate)
        if not self._is_playing or waiting >= _MOST_WAITING_SECONDS:
            return WAIT_SECONDS
        return self._clock.until_due(now)

    def _step(self) -> None:
        self._clock.begin(time.monotonic())
        frame = step_frame(self._world, self.controls)
        self._clock.end(time.monotonic())
        self._single_steps = max(self._single_steps - 1, 0)
        self._check_tangles(frame)
        self._events.put(LiveSolved(frame, None, self._resets_done))

    def _check_tangles(self, frame: Frame) -> None:
        """Warn about the first tangle since the start."""
        if self._is_tangled:
            return
        tangles = Tangles()
        tangles.note(frame, frame.number)
        for sentence in tangles.warnings():
            self._is_tangled = True
            self._warn(sentence)

    def _update_springs(self) -> None:
        if self._springs_wanted:
            self.springs = springs_in(self._spec)

    def _build(self) -> None:
        self._world = build_world(self._spec)
        self._publish_world_data()

    def _publish_world_data(self) -> None:
        """Publish data of the built world for the main thread."""
        self.spheres = spheres_in(self._world)
        self.masses = masses_in(self._world)

    def _play(self) -> None:
        self._is_playing = True

    def _pause(self) -> None:
        self._is_playing = False
        self._clock.stop()

    def _step_once(self) -> None:
        self._pause()
        self._single_steps += 1

    def _reset(self) -> None:
        self._build()
        self._is_tangled = False
        self._resets_done += 1
        self._clock.stop()

    def _change(self, spec: WorldSpec) -> None:
        """Change the world; if the spec cannot be built, keep the world and warn."""
        try:
            self._world = change_world(self._world, spec)
        except SpecError as error:
            self._events.put(Warned(str(error)))
            return
        self._publish_world_data()
        self._spec = spec
        self._update_springs()
        self._clock = Clock(1.0 / float(spec.frame_rate))
