"""How fast this machine is now, for limits in milliseconds: they hold on an idle one of the project's machines."""

from __future__ import annotations

import time
from collections.abc import Callable

# The time of `_work` on the machine on which limits were set, idle [s].
_IDLE = 6e-3


def slowness() -> float:
    """How many times slower this machine is now than the one on which limits were set, at least 1."""
    return max(1.0, min(_work() for _ in range(3)) / _IDLE)


def paced(measure: Callable[[], float], rounds: int = 3) -> float:
    """A duration [s] as on the machine on which limits were set: the round least disturbed by other load."""
    return min(measure() / slowness() for _ in range(rounds))


def _work() -> float:
    """The time of some fixed work of Python [s]."""
    began = time.perf_counter()
    names = {}
    for number in range(20_000):
        names[f"name_{number}"] = [number, str(number)]
    sorted(names)
    return time.perf_counter() - began
