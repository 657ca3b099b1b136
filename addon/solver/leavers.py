"""Reports how many particles of a bake went so far that they were removed, and how to keep them."""

from __future__ import annotations

from ...engine import Frame
from ..capture.sentence import about


class Leavers:
    """Counts particles of fluids that were removed because they went beyond their Range."""

    def __init__(self) -> None:
        self._removed: dict[str, tuple[int, int, float]] = {}

    def note(self, frame: Frame) -> None:
        """Examine a solved frame; its counts are totals since the start."""
        for name, found in frame.diagnostics.items():
            gone, reach = found.get("far", (0.0, 0.0))
            if gone:
                self._removed[name] = (int(gone), int(found["particles"][0]), reach)

    def warnings(self) -> list[str]:
        """A sentence for each fluid that lost particles in this way."""
        return [
            sentence for name, (gone, born, reach) in self._removed.items() for sentence in about(name, [
                f"{name}: {gone:,} of {born:,} particles went farther than {reach:g} m from where they began and are "
                "gone; close the container or put a floor below, or raise Range."
            ])
        ]
