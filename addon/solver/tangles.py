"""Warns of bodies that lay in each other, jammed, or were too dense for all contacts to be solved."""

from __future__ import annotations

from ...engine import Frame

# Edges count as torn apart by a tangle when they are longer than at rest by this fraction, that is twice as long.
BEYOND_TWICE = 1.0


class Tangles:
    """Counts the frames in which bodies lay in each other, or jammed: no way to part them was found in a substep."""

    def __init__(self) -> None:
        self._caught, self._jammed, self._dense = _Frames(), _Frames(), _Frames()
        self._longest, self._of = BEYOND_TWICE, ""

    def note(self, frame: Frame, number: int) -> None:
        """Look at a solved frame, which the scene shows as `number`."""
        found = frame.diagnostics.get("world", {})
        is_caught, is_jammed, is_dense = (found.get(name, (0.0,))[0] > 0.0 for name in ("left", "stopped", "dense"))
        self._caught.note(is_caught, number)
        self._jammed.note(is_jammed and not is_caught, number)
        self._dense.note(is_dense, number)
        if not (is_caught or is_jammed or is_dense):
            return
        for name, told in frame.diagnostics.items():
            longest = max(told.get("stretch", (0.0,)))
            if longest > self._longest:
                self._longest, self._of = longest, name

    def warnings(self) -> list[str]:
        """A sentence for each kind, if there were any."""
        told = []
        if self._caught.count:
            told.append(
                f"In {self._caught.words()}, bodies were caught in each other and could not be parted; let them start "
                "apart, or give the scene more Substeps."
            )
        if self._jammed.count:
            told.append(
                f"In {self._jammed.words()}, bodies jammed, and moved as one for a moment so that none went through "
                "another; give the scene more Substeps, or less weight to what presses."
            )
        if self._dense.count:
            told.append(
                f"In {self._dense.words()}, soft bodies were pressed so close together that only a part of their "
                "contacts was solved; make them stiffer, or what presses them lighter."
            )
        if told and self._of:
            told.append(f"Meanwhile edges of {self._of} were up to {1.0 + self._longest:.1f} times as long as at rest.")
        return told


class _Frames:
    """How many frames of a kind there were, and the number of the first."""

    def __init__(self) -> None:
        self.count, self._first = 0, 0

    def note(self, is_one: bool, number: int) -> None:
        """Count a frame."""
        if is_one:
            self._first = self._first or number
            self.count += 1

    def words(self) -> str:
        """As in a sentence."""
        many = "a frame" if self.count == 1 else f"{self.count} frames"
        return f"{many}, first in frame {self._first}"
