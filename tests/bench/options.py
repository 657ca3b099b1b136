"""How a run of the benchmarks is made."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Options:
    """Attributes.

    quick: smallest sizes only, to see that everything runs; rounds: repeats of a figure; tell: is told what is
    measured now.
    """

    quick: bool
    tell: Callable[[str], None]

    @property
    def rounds(self) -> int:
        """A median of five asks for five."""
        return 5 if self.quick else 9

    @property
    def threads(self) -> tuple[int, ...]:
        """One, and two where there are two cores."""
        return (1, 2) if (os.cpu_count() or 1) > 1 else (1,)
