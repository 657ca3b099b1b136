"""Positions and velocities of all particles within a frame, in the solver's order."""

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
    """A fluid's own copy of its particles between two substeps, so that the world's copy need not be up to date.

    Attributes:
        origin: (3,) that positions are relative to [m].
        x, v_end: (n, 3) positions and velocities at the end of the last substep; no rows while those of the world are
            valid [m], [m/s]. v: (n, 3) velocities with the forces of this substep [m/s].
        is_seen: whether other behaviours read the particles in the world in this substep, and may push them there.
    """

    def __init__(self, roster: Roster) -> None:
        """Args: roster: which particles there are."""
        self._roster, self._accelerate = roster, TypedCall(accelerate_all)
        self.origin = np.zeros(3)
        self.forget()

    def forget(self) -> None:
        """Use positions and velocities of the world: they may change before the next substep."""
        self.x, self.v_end, self.v = (np.zeros((0, 3)) for _ in range(3))
        self.is_seen = True

    def find_ended(self, state: State) -> None:
        """Fetch `v_end` from the world if it is not known here."""
        if len(self.v_end) == 0:
            self.v_end = self._roster.fetch(state.v)

    def find_places(self, state: State) -> np.ndarray:
        """Positions `x`; from the world if they are not known here."""
        if len(self.x) == 0:
            self.x = self._roster.fetch(state.x, tuple(self.origin.tolist()))
        return self.x

    def accelerate(self, dv: np.ndarray) -> None:
        """Set `v`: all velocities at the end of the last substep plus dv (3,) [m/s]."""
        self.v = np.empty_like(self.v_end)
        self._accelerate(self.v_end, tuple(dv.tolist()), self.v)

    def current_v(self, state: State) -> np.ndarray:
        """Velocities (n, 3) with all forces of this substep so far [m/s]."""
        return self._roster.fetch(state.v) if self.is_seen else self.v

    def write(self, state: State, v: np.ndarray, are_older: bool) -> None:
        """Write velocities v (n, 3) [m/s] to the world; and positions, if those in the world are older."""
        self._roster.put(v, state.v)
        if are_older and len(self.x):
            self._roster.put(self.x, state.x, tuple(self.origin.tolist()))

    def stream(self, state: State, kind: np.ndarray, inv_mass: np.ndarray) -> Stream:
        """Particles with their current velocities; kind, inv_mass: see `Stream`."""
        self.v = self.current_v(state)
        return Stream(self._roster.ids, self.find_places(state), self.origin, self.v, kind, inv_mass)

    def end_stream(self, state: State) -> None:
        """Write changed velocities to the world if other behaviours read them there."""
        if self.is_seen:
            self._roster.put(self.v, state.v)
