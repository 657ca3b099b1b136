"""Pinned particles of spring graphs, and their motion during a frame."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ...errors import SpecError
from ...spec.check import points
from ...world.controls import Controls
from ...world.world import State


class Pins:
    """Pins of all bodies.

    Attributes:
        ids: by body name, its pinned particles, (p,) each.
    """

    def __init__(self, ids: Mapping[str, np.ndarray]) -> None:
        """Args: ids: as the attribute."""
        self.ids = ids
        self._from: dict[str, np.ndarray] = {}
        self._to: dict[str, np.ndarray] = {}

    def begin_frame(self, state: State, controls: Controls) -> None:
        """Read the targets of pins at the end of the frame; raises SpecError for a wrong number of targets."""
        for ids in self.ids.values():
            state.v[ids] = 0.0
        self._from = {name: state.x[ids].copy() for name, ids in self.ids.items() if len(ids)}
        self._to = {}
        for name, targets in controls.pins.items():
            targets = points(name, "pins", targets)
            if len(targets) != len(self.ids[name]):
                raise SpecError(name, "pins", f"{len(targets)} targets", f"{len(self.ids[name])}, one for each pin")
            self._to[name] = targets

    @property
    def move(self) -> bool:
        """Whether any pin moves in this frame."""
        return bool(self._to)

    def lead(self, state: State, h: float, done: float) -> None:
        """Set velocities that bring pins to their position at the end of a substep of h [s].

        Args: done: fraction of the frame that has passed at the end of the substep.
        """
        for name, target in self._to.items():
            start = self._from[name]
            state.v[self.ids[name]] = (start + (target - start) * done - state.x[self.ids[name]]) / h
