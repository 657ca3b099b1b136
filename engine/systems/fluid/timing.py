"""Length of the steps of a fluid, and their number in a substep and a frame."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from .kinds import capillary_steps, for_steps
from .solver import MOST_WAVE_TRAVEL

if TYPE_CHECKING:
    from .pace import Pace
    from .rows import FluidKinds
    from .solver import FluidSolver

# Fluids of low viscosity are smoothed so many times a frame, or once a substep if there are fewer substeps.
SMOOTHINGS = 5
# A world with a fluid takes up to so many times as many substeps as are requested.
MORE = 1.6
# Fractions of a frame are equal within this tolerance.
ROUNDING = 1e-9


def least_substeps(depth: float, support: float, gravity: float, frame: float, requested: int) -> int:
    """So many substeps of a frame [s] that each has one step for a fluid of that depth, or a few.

    A wave on the deepest part is sqrt(2 g depth) fast (`FluidSolver.wave_steps`). With as many substeps as are
    requested, it often needs two steps in each where one and a half would do.

    Args: depth, support: [m]; gravity: [m/s²].
    """
    needed = frame * math.sqrt(2.0 * gravity * depth) / (MOST_WAVE_TRAVEL * support)
    return math.ceil(needed / max(math.ceil(needed / (MORE * requested)), 1))


class Timing:
    """The steps of a fluid.

    Attributes:
        length: of the last step [s]; steps: number in the last substep; taken: number in the frame so far.
    """

    def __init__(self, length: float, frame: float) -> None:
        """Args: length: of a substep; frame: of a frame [s]."""
        self.length, self._frame, self.steps, self.taken = length, frame, 1, 0
        # Results for these kinds, by their arguments. Kinds are replaced each frame and when particles come or go.
        self._kinds: FluidKinds | None = None
        self._cache: dict[tuple[float, ...], Any] = {}

    def choose(
        self, solver: FluidSolver, x: np.ndarray, v: np.ndarray, h: float, box: np.ndarray, pace: Pace, least: int
    ) -> None:
        """Choose the steps of a substep of h [s], `least` or more, and scale the pressures to the new step length.

        Args: x, v: (n, 3) [m], [m/s]; box, pace: see `FluidSolver.steps`.
        """
        self.steps = solver.steps(x, v, h, self.length, box, pace, least)
        if len(solver.kept) == len(x):
            solver.kept *= np.float32((h / self.steps / self.length) ** 2)
        self.length = h / self.steps
        self.taken += self.steps

    def kinds_of(self, kinds: FluidKinds, support: float, h: float) -> tuple[FluidKinds, int, bool]:
        """Result of `for_steps` for the steps of a substep of h [s]."""
        interval = max(h, self._frame / SMOOTHINGS)
        return self._cached(kinds, (h, self.steps), lambda: for_steps(kinds, support, h, self.steps, interval))

    def capillary_steps(self, kinds: FluidKinds, support: float, h: float) -> int:
        """Result of `kinds.capillary_steps` for a substep of h [s]."""
        return self._cached(kinds, (h,), lambda: capillary_steps(kinds, support, h))

    def _cached(self, kinds: FluidKinds, key: tuple[float, ...], find: Callable[[], Any]) -> Any:
        """Result of `find` for these kinds and this key, computed once."""
        if self._kinds is not kinds:
            self._kinds, self._cache = kinds, {}
        if key not in self._cache:
            self._cache[key] = find()
        return self._cache[key]

    def smooths(self, h: float, done: float) -> bool:
        """Whether a smoothing interval ends in the substep of h [s] that ends at the fraction `done` of the frame."""
        intervals = SMOOTHINGS * h / self._frame
        return math.floor(SMOOTHINGS * done + ROUNDING) > math.floor(SMOOTHINGS * done - intervals + ROUNDING)
