"""Matches rules to bodies by name."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..spec import names_of


def named(side: Any, names: list[str]) -> np.ndarray:
    """Bodies that a side of a rule names, (bodies,) bool."""
    meant = set(names_of(side))
    return np.array(["*" in meant or name in meant for name in names], dtype=bool)


def fits(rule: Any, names: list[str]) -> np.ndarray:
    """Pairs of bodies that a rule applies to, symmetric, (bodies, bodies) bool."""
    one, other = named(rule.a, names), named(rule.b, names)
    return np.outer(one, other) | np.outer(other, one)
