"""What a bake watches in its frames, to warn the artist at its end."""

from __future__ import annotations

from ...engine import Frame
from .leavers import Leavers
from .tangles import Tangles


class FrameWatch:
    """Tangles of bodies, and particles that left."""

    def __init__(self) -> None:
        self._tangles, self._leavers = Tangles(), Leavers()

    def note(self, frame: Frame, number: int) -> None:
        """Look at a solved frame, which the scene shows as `number`."""
        self._tangles.note(frame, number)
        self._leavers.note(frame)

    def warnings(self) -> list[str]:
        """All sentences."""
        return [*self._tangles.warnings(), *self._leavers.warnings()]
