"""Examines the frames of a bake, to warn the artist at its end."""

from __future__ import annotations

from ...engine import Frame
from .leavers import Leavers
from .tangles import Tangles


class FrameWatch:
    """Collects tangles of bodies, and particles that were removed beyond their Range."""

    def __init__(self) -> None:
        self._tangles, self._leavers = Tangles(), Leavers()

    def note(self, frame: Frame, number: int) -> None:
        """Examine a solved frame; `number`: its frame in the scene."""
        self._tangles.note(frame, number)
        self._leavers.note(frame)

    def warnings(self) -> list[str]:
        """A sentence for each problem that was found."""
        return [*self._tangles.warnings(), *self._leavers.warnings()]
