"""The solver thread of Live: it solves at its own pace, with the input that is current when a frame starts."""

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

# Limit on solved frames that are not displayed yet [s]; then the solver waits for the interface.
_MOST_WAITING_SECONDS = 2.0


@dataclass(frozen=True, eq=False)
class Lived(Solved):
    """A frame of Live, with the number of resets before it."""

    resets: int = 0


class LiveSolver(SolverThread):
    """One solver thread for one live session. The main thread calls the methods below, which do not block.

    Attributes:
        controls: input of the next frame; replaced, never changed.
        spheres: proxy spheres by body name; replaced, never changed.
        springs: of all soft bodies, by name, soon after `find_springs`; replaced, never changed.
        field: accelerations (n, 3) [m/s²] at the places of `look_at_field`, None before.
        masses: of all bodies that have one, by name [kg], once they are built; replaced, never changed.
    """

    def __init__(self, spec: WorldSpec, kernel_folder: str) -> None:
        """Args: spec of the world; folder of compiled kernels."""
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
        self._plays = False
        self._single_steps = 0
        self._is_tangled = False
        self._world: Any = None
        self._resets_asked = self._resets_done = 0

    @property
    def speed(self) -> float:
        """Solved seconds per real second, 0 while nothing runs."""
        return self._clock.speed(time.monotonic()) if self._plays else 0.0

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
        """Go back to the start of the current world; frames from before are no longer received."""
        self._resets_asked += 1
        self._order(self._reset)

    def change(self, spec: WorldSpec) -> None:
        """Continue with other settings from the present state."""
        self._order(lambda: self._change(spec))

    def receive(self, seconds: float) -> SolverEvent | None:
        """The next event since the last reset, None when none came within that time."""
        event = super().receive(seconds)
        while isinstance(event, Lived) and event.resets < self._resets_asked:
            event = super().receive(0.0)
        return event

    def look_at_field(self, fields: Sequence[ForceFieldSpec], places: np.ndarray) -> None:
        """Find out soon what fields do at places (n, 3) [m]; `field` has it then."""
        self._order(lambda: self._look_at_field(fields, places))

    def _look_at_field(self, fields: Sequence[ForceFieldSpec], places: np.ndarray) -> None:
        self.field = field_of(fields, places)

    def find_springs(self) -> None:
        """Keep `springs` up to date from now on."""
        if not self._springs_wanted:
            self._springs_wanted = True
            self._order(self._look_at_springs)

    def cancel(self) -> None:
        """Ask the thread to end; returns at once."""
        super().cancel()
        self._wake.set()

    def _order(self, order: Callable[[], None]) -> None:
        self._orders.put(order)
        self._wake.set()

    def _prepare(self) -> None:
        """Begin as soon as the kernels are there that the world needs until something touches; go on with the rest."""
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
        if not self._plays or waiting >= _MOST_WAITING_SECONDS:
            return WAIT_SECONDS
        return self._clock.until_due(now)

    def _step(self) -> None:
        self._clock.begin(time.monotonic())
        frame = step_frame(self._world, self.controls)
        self._clock.end(time.monotonic())
        self._single_steps = max(self._single_steps - 1, 0)
        self._look_for_tangles(frame)
        self._events.put(Lived(frame, None, self._resets_done))

    def _look_for_tangles(self, frame: Frame) -> None:
        """Warn of the first tangle since the start."""
        if self._is_tangled:
            return
        tangles = Tangles()
        tangles.note(frame, frame.number)
        for sentence in tangles.warnings():
            self._is_tangled = True
            self._warn(sentence)

    def _look_at_springs(self) -> None:
        if self._springs_wanted:
            self.springs = springs_in(self._spec)

    def _build(self) -> None:
        self._world = build_world(self._spec)
        self._measure()

    def _measure(self) -> None:
        """Publish data for the main thread that needs a built world."""
        self.spheres = spheres_in(self._world)
        self.masses = masses_in(self._world)

    def _play(self) -> None:
        self._plays = True

    def _pause(self) -> None:
        self._plays = False
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
        """Change the world; a spec that cannot be built leaves it as it is, with a warning."""
        try:
            self._world = change_world(self._world, spec)
        except SpecError as error:
            self._events.put(Warned(str(error)))
            return
        self._measure()
        self._spec = spec
        self._look_at_springs()
        self._clock = Clock(1.0 / float(spec.frame_rate))
