"""Warns of bodies that were left intersecting, jammed, or were too dense for all contacts to be solved."""

from __future__ import annotations

from ...engine import Frame

# Edges are reported as stretched by a tangle when they are longer than at rest by this fraction, that is twice as long.
BEYOND_TWICE = 1.0


class Tangles:
    """Counts frames in which bodies were left intersecting, jammed (no separation found in a substep), or too dense."""

    def __init__(self) -> None:
        self._caught, self._jammed, self._dense = _Frames(), _Frames(), _Frames()
        self._longest, self._of = BEYOND_TWICE, ""

    def note(self, frame: Frame, number: int) -> None:
        """Examine a solved frame; `number`: its frame in the scene."""
        found = frame.diagnostics.get("world", {})
        is_caught, is_jammed, is_dense = (found.get(name, (0.0,))[0] > 0.0 for name in ("left", "stopped", "dense"))
        self._caught.note(is_caught, number)
        self._jammed.note(is_jammed and not is_caught, number)
        self._dense.note(is_dense, number)
        if not (is_caught or is_jammed or is_dense):
            return
        for name, values in frame.diagnostics.items():
            longest = max(values.get("stretch", (0.0,)))
            if longest > self._longest:
                self._longest, self._of = longest, name

    def warnings(self) -> list[str]:
        """A sentence for each problem that occurred, and one for the most stretched edges."""
        sentences = []
        if self._caught.count:
            sentences.append(
                f"In {self._caught.words()}, bodies were caught in each other and could not be parted; let them start "
                "apart, or give the scene more Substeps."
            )
        if self._jammed.count:
            sentences.append(
                f"In {self._jammed.words()}, bodies jammed, and moved as one for a moment so that none went through "
                "another; give the scene more Substeps, or less weight to what presses."
            )
        if self._dense.count:
            sentences.append(
                f"In {self._dense.words()}, soft bodies were pressed so close together that only a part of their "
                "contacts was solved; make them stiffer, or what presses them lighter."
            )
        if sentences and self._of:
            sentences.append(
                f"Meanwhile edges of {self._of} were up to {1.0 + self._longest:.1f} times as long as at rest."
            )
        return sentences


class _Frames:
    """Number of frames with a problem, and the scene frame of the first."""

    def __init__(self) -> None:
        self.count, self._first = 0, 0

    def note(self, occurred: bool, number: int) -> None:
        """Count a frame if the problem occurred in it."""
        if occurred:
            self._first = self._first or number
            self.count += 1

    def words(self) -> str:
        """Text for a sentence."""
        many = "a frame" if self.count == 1 else f"{self.count} frames"
        return f"{many}, first in frame {self._first}"
