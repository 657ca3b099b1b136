"""Contact rules: whether and how the surfaces of two systems touch."""

from __future__ import annotations

from typing import ClassVar

from ..param import Unset, param
from ..settings import spec
from .base import CONTACT, Rule


@spec
class Contact(Rule):
    """Contact with friction and restitution.

    Attributes:
        friction: coefficient between the two; None takes the square root of the product of their own.
        restitution: between the two; None takes the larger of their own.
    """

    rule: ClassVar[str] = "CONTACT"
    label: ClassVar[str] = "Contact"
    tip: ClassVar[str] = "They keep apart and rub, with a grip and a bounciness of this pair's own"
    sentence: ClassVar[str] = "{a} and {b} touch"
    family: ClassVar[str] = CONTACT

    friction: float | None = param(
        Unset(0.3), "Friction", "Grip between the two; without it, the mean of what each has by itself",
        limits=(0.0, 10.0), soft=(0.0, 1.0),
    )
    restitution: float | None = param(
        Unset(0.0), "Bounciness", "Share of the impact speed given back; without it, the larger one of the two",
        limits=(0.0, 1.0),
    )


@spec
class Ignore(Rule):
    """Bodies pass through each other; a body that is named on both sides passes through itself."""

    rule: ClassVar[str] = "IGNORE"
    label: ClassVar[str] = "Ignore"
    tip: ClassVar[str] = "They pass through each other"
    sentence: ClassVar[str] = "{a} and {b} pass through each other"
    family: ClassVar[str] = CONTACT


@spec
class SpringDashpot(Rule):
    """Penalty contact: springs and dashpots separate surfaces that are closer than their thickness; replaces contact.

    Where the rest separation of two surfaces is violated by d and they separate at the velocity u, the force is
    stiffness d n - damping u newtons (Harada, Koshizuka and Kawaguchi 2007); it never pulls. Springs and dashpots are
    evaluated at the end of a substep, so that any stiffness is stable. Nothing passes through nonetheless.
    """

    rule: ClassVar[str] = "SPRING_DASHPOT"
    label: ClassVar[str] = "Spring and Dashpot"
    tip: ClassVar[str] = "Springs push them apart where they are nearer than their thickness: a soft touch that gives"
    sentence: ClassVar[str] = "{a} and {b} touch by springs"
    family: ClassVar[str] = CONTACT

    stiffness: float = param(
        1000.0, "Stiffness", "How hard each point of contact pushes back for how deep it is pressed in",
        unit="N/m", limits=(0.0, None), soft=(1.0, 1e5), positive=True,
    )
    damping: float = param(
        1.0, "Damping", "How much each point of contact slows what moves in it, along the surface as well",
        unit="N s/m", limits=(0.0, None), soft=(0.0, 100.0),
    )
