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


@dataclass(frozen=True)
class PowerRepulsion:
    """Segments of the two bodies push each other away by a power of their distance; instead of contact.

    Two segments whose centres are d apart get a force of max(minimum, d - r_a - r_b) ** -exponent newtons on each of
    their vertices, along the line of centres, r being `segment_radius`. Bodies whose bounding spheres at rest are
    more than 0.01 m apart are skipped.

    Attributes:
        a, b: names of systems with segments, or "*" for all of them.
        exponent: of the power law.
        minimum: least gap that counts [m].
    """

    a: str = "*"
    b: str = "*"
    exponent: float = 2.0
    minimum: float = 0.01
