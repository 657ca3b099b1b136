"""Rules: what happens where two systems meet. `a` and `b` are names of systems, or "*" for any.

The last rule that fits a pair decides; without one, everything meets everything by `Contact`.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Contact:
    """Bodies keep apart and rub.

    Attributes:
        a, b: names of systems, or "*".
        friction: coefficient between the two; None takes the root of the product of their own.
        restitution: between the two; None takes the larger of their own.
    """

    a: str = "*"
    b: str = "*"
    friction: float | None = None
    restitution: float | None = None


@dataclass(frozen=True)
class Ignore:
    """Bodies pass through each other."""

    a: str = "*"
    b: str = "*"
