"""Places and velocities of all particles within a frame, in the order in which the solver has them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...compiler.typed_call import TypedCall
from ...world.stream import Stream
from .roster import Roster
from .rows import accelerate_all

if TYPE_CHECKING:
    from ...world.world import State


class FrameRows:
    """What a fluid knows of its particles between two substeps, so that the world need not hold it.

    Attributes:
        origin: (3,) that places are relative to [m].
        x, ended: (n, 3) places and velocities at the end of the last substep; no rows where those of the world count
            [m], [m/s]. going: (n, 3) velocities with what pushes particles in this substep [m/s].
        is_seen: whether something looks for particles in the world in this substep, and may push them there.
    """

    def __init__(self, roster: Roster) -> None:
        """Args: roster: which particles there are."""
        self._roster, self._accelerate = roster, TypedCall(accelerate_all)
        self.origin = np.zeros(3)
        self.forget()

    def forget(self) -> None:
        """Places and velocities of the world count: they may change before the next substep."""
        self.x, self.ended, self.going = (np.zeros((0, 3)) for _ in range(3))
        self.is_seen = True

    def find_ended(self, state: State) -> None:
        """Take velocities from the world where those count."""
        if len(self.ended) == 0:
            self.ended = self._roster.fetch(state.v)

    def find_places(self, state: State) -> np.ndarray:
        """Places `x`; from the world where those count."""
        if len(self.x) == 0:
            self.x = self._roster.fetch(state.x, tuple(self.origin.tolist()))
        return self.x

    def accelerate(self, dv: np.ndarray) -> None:
        """Begin `going`: add dv (3,) to all velocities [m/s]."""
        self.going = np.empty_like(self.ended)
        self._accelerate(self.ended, tuple(dv.tolist()), self.going)

    def gone(self, state: State) -> np.ndarray:
        """Velocities (n, 3) with all that pushed particles [m/s]."""
        return self._roster.fetch(state.v) if self.is_seen else self.going

    def show(self, state: State, v: np.ndarray, are_older: bool) -> None:
        """Write velocities v (n, 3) [m/s] to the world; and, where those there are older, places."""
        self._roster.put(v, state.v)
        if are_older and len(self.x):
            self._roster.put(self.x, state.x, tuple(self.origin.tolist()))

    def stream(self, state: State, kind: np.ndarray, inv_mass: np.ndarray) -> Stream:
        """Particles as they go now; kind, inv_mass: see `Stream`."""
        self.going = self.gone(state)
        return Stream(self._roster.ids, self.find_places(state), self.origin, self.going, kind, inv_mass)

    def end_stream(self, state: State) -> None:
        """Show changed velocities where others look for them."""
        if self.is_seen:
            self._roster.put(self.going, state.v)
