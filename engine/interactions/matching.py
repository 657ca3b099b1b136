"""Which bodies a rule means."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..spec import names_of


def named(side: Any, names: list[str]) -> np.ndarray:
    """Which bodies a side of a rule means, (bodies,) bool."""
    meant = set(names_of(side))
    return np.array(["*" in meant or name in meant for name in names], dtype=bool)


def fits(rule: Any, names: list[str]) -> np.ndarray:
    """Which pairs of bodies a rule is for, whichever of them is on which side, (bodies, bodies) bool."""
    one, other = named(rule.a, names), named(rule.b, names)
    return np.outer(one, other) | np.outer(other, one)
