"""Rules: what happens where two systems meet. A side is the name of a system, several names, or "*" for any.

The last rule that fits a pair decides; without one, everything meets everything by `Contact`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from .param import param

Side = str | Sequence[str]


@dataclass(frozen=True)
class Rule:
    """What all rules have.

    Attributes:
        rule, label, tip: how scripts and people know it.
        a, b: the two sides; it makes no difference which is which.
    """

    rule: ClassVar[str]
    label: ClassVar[str]
    tip: ClassVar[str]

    a: Side = "*"
    b: Side = "*"


@dataclass(frozen=True)
class Contact(Rule):
    """Bodies keep apart and rub.

    Attributes:
        friction: coefficient between the two; None takes the root of the product of their own.
        restitution: between the two; None takes the larger of their own.
    """

    rule: ClassVar[str] = "CONTACT"
    label: ClassVar[str] = "Contact"
    tip: ClassVar[str] = "They keep apart and rub, with a grip and a bounciness of this pair's own"

    friction: float | None = param(
        None, "Friction", "Grip between the two; without it, the mean of what each has by itself",
        limits=(0.0, 10.0), soft=(0.0, 1.0), when_given=0.3,
    )
    restitution: float | None = param(
        None, "Bounciness", "Share of the impact speed given back; without it, the larger one of the two",
        limits=(0.0, 1.0), when_given=0.0,
    )


@dataclass(frozen=True)
class Ignore(Rule):
    """Bodies pass through each other; a body named on both sides, through itself."""

    rule: ClassVar[str] = "IGNORE"
    label: ClassVar[str] = "Ignore"
    tip: ClassVar[str] = "They pass through each other"


@dataclass(frozen=True)
class PowerRepulsion(Rule):
    """Segments of the two bodies push each other away by a power of their distance; instead of contact.

    Two segments whose centres are d apart get a force of max(minimum, d - r_a - r_b) ** -exponent newtons on each of
    their vertices, along the line of centres, r being `segment_radius`. Bodies whose bounding spheres at rest are
    more than 0.01 m apart are skipped. A body that is named must have
    segments; others without them are passed over, and go on touching.
    """

    rule: ClassVar[str] = "POWER_REPULSION"
    label: ClassVar[str] = "Power Repulsion"
    tip: ClassVar[str] = "Their segments push each other away, the harder the nearer they are; instead of contact"

    exponent: float = param(
        2.0, "Exponent", "Power of the distance: the larger, the shorter the reach and the harder the push",
        limits=(0.0, 20.0), soft=(0.0, 6.0),
    )
    minimum: float = param(
        0.01, "Nearest", "Least gap that counts: nearer segments are pushed no harder",
        unit="m", limits=(0.0, None), soft=(0.001, 0.1), positive=True,
    )


@dataclass(frozen=True)
class SpringDashpot(Rule):
    """Springs and dashpots push apart what comes nearer than its thickness; instead of contact.

    Where two surfaces are d nearer than they keep, and part at the velocity u, one pushes the other with
    stiffness d n - damping u newtons (Harada, Koshizuka and Kawaguchi 2007), never pulls. Each spring and dashpot is
    taken at the end of a substep, so that no stiffness explodes. Nobody gets through all the same.
    """

    rule: ClassVar[str] = "SPRING_DASHPOT"
    label: ClassVar[str] = "Spring and Dashpot"
    tip: ClassVar[str] = "Springs push them apart where they are nearer than their thickness: a soft touch that gives"

    stiffness: float = param(
        1000.0, "Stiffness", "How hard each point of contact pushes back for how deep it is pressed in",
        unit="N/m", limits=(0.0, None), soft=(1.0, 1e5), positive=True,
    )
    damping: float = param(
        1.0, "Damping", "How much each point of contact slows what moves in it, along the surface as well",
        unit="N s/m", limits=(0.0, None), soft=(0.0, 100.0),
    )


RULES: dict[str, type[Rule]] = {rule.rule: rule for rule in (Contact, Ignore, SpringDashpot, PowerRepulsion)}


def names_of(side: Side) -> tuple[str, ...]:
    """A side as names; "*" stands for itself."""
    return (side,) if isinstance(side, str) else tuple(side)
