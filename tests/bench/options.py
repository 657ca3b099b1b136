"""Options of a benchmark run."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Options:
    """Options.

    Attributes:
        quick: smallest sizes only, to check that everything runs.
        tell: called with a description of the current measurement.
    """

    quick: bool
    tell: Callable[[str], None]

    @property
    def rounds(self) -> int:
        """Number of repeats of a figure."""
        return 3 if self.quick else 9

    @property
    def threads(self) -> tuple[int, ...]:
        """One thread, and two where there are two cores."""
        return (1, 2) if (os.cpu_count() or 1) > 1 else (1,)
