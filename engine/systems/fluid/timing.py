"""How long the steps of a fluid are, and how many of them a substep and a frame take."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from .kinds import for_steps, ripples
from .solver import MOST_WAVE

if TYPE_CHECKING:
    from .pace import Pace
    from .rows import FluidKinds
    from .solver import FluidSolver

# What is thin is smoothed so many times a frame, or once a substep where these are longer.
SMOOTHINGS = 5
# A world with a fluid takes up to so many times as many substeps as are asked for.
MORE = 1.6
# Shares of a frame are equal within this.
ROUNDING = 1e-9


def least_substeps(depth: float, support: float, gravity: float, frame: float, asked: int) -> int:
    """So many substeps of a frame [s] that each has one step for a fluid of that depth, or a few.

    A wave on the deepest part is sqrt(2 g depth) fast (`FluidSolver.waves`). With as many substeps as are asked for, it
    often needs two steps in each where one and a half would do.

    Args: depth, support: [m]; gravity: [m/s²].
    """
    needed = frame * math.sqrt(2.0 * gravity * depth) / (MOST_WAVE * support)
    return math.ceil(needed / max(math.ceil(needed / (MORE * asked)), 1))


class Timing:
    """The steps of a fluid.

    Attributes:
        length: of the last step [s]; steps: of the last substep; taken: of the frame so far.
    """

    def __init__(self, length: float, frame: float) -> None:
        """Args: length: of a substep; frame: of a frame [s]."""
        self.length, self._frame, self.steps, self.taken = length, frame, 1, 0
        # What was found for these kinds, by what was asked for; they are others each frame and as particles come or go.
        self._kinds: FluidKinds | None = None
        self._known: dict[tuple[float, ...], Any] = {}

    def choose(
        self, solver: FluidSolver, x: np.ndarray, v: np.ndarray, h: float, box: np.ndarray, pace: Pace, least: int
    ) -> None:
        """Choose the steps of a substep of h [s], `least` or more; pressures are those of the new step then.

        Args: x, v: (n, 3) [m], [m/s]; box, pace: see `FluidSolver.steps`.
        """
        self.steps = solver.steps(x, v, h, self.length, box, pace, least)
        if len(solver.kept) == len(x):
            solver.kept *= np.float32((h / self.steps / self.length) ** 2)
        self.length = h / self.steps
        self.taken += self.steps

    def kinds_of(self, kinds: FluidKinds, support: float, h: float) -> tuple[FluidKinds, int, bool]:
        """What `for_steps` gives for the steps of a substep of h [s]."""
        interval = max(h, self._frame / SMOOTHINGS)
        return self._once(kinds, (h, self.steps), lambda: for_steps(kinds, support, h, self.steps, interval))

    def ripples(self, kinds: FluidKinds, support: float, h: float) -> int:
        """What `kinds.ripples` gives for a substep of h [s]."""
        return self._once(kinds, (h,), lambda: ripples(kinds, support, h))

    def _once(self, kinds: FluidKinds, asked: tuple[float, ...], find: Callable[[], Any]) -> Any:
        """What `find` gives for these kinds, found once."""
        if self._kinds is not kinds:
            self._kinds, self._known = kinds, {}
        if asked not in self._known:
            self._known[asked] = find()
        return self._known[asked]

    def smooths(self, h: float, done: float) -> bool:
        """Whether one of these intervals ends in the substep of h [s] that ends at the share `done` of the frame."""
        share = SMOOTHINGS * h / self._frame
        return math.floor(SMOOTHINGS * done + ROUNDING) > math.floor(SMOOTHINGS * done - share + ROUNDING)
