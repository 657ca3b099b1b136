"""Pinned particles of spring graphs, and where they are led during a frame."""

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
        ids: by name of a body, its pinned particles, (p,) each.
    """

    def __init__(self, ids: Mapping[str, np.ndarray]) -> None:
        """Args: as the attribute."""
        self.ids = ids
        self._from: dict[str, np.ndarray] = {}
        self._to: dict[str, np.ndarray] = {}

    def begin_frame(self, state: State, controls: Controls) -> None:
        """Take where pins are to be at the end of the frame; raises SpecError."""
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
        """Whether any pin is led somewhere in this frame."""
        return bool(self._to)

    def lead(self, state: State, h: float, done: float) -> None:
        """Let pins arrive at the end of a substep of h [s] where they are when a share of the frame is `done`."""
        for name, target in self._to.items():
            start = self._from[name]
            state.v[self.ids[name]] = (start + (target - start) * done - state.x[self.ids[name]]) / h
