"""`Rule`: what happens where two systems meet. A side is the name of a system, several names, or "*" for any.

Rules come in families. Families add up: a pair can touch, be pushed by a force and be coupled at the same time. Within
a family the last rule that fits a pair decides. Without a rule, everything meets everything by `Contact`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from ..param import param
from ..settings import spec

if TYPE_CHECKING:
    import numpy as np

Side = str | Sequence[str]
CONTACT, FORCE = "CONTACT", "FORCE"


@spec
class Rule:
    """What all rules have.

    Attributes:
        rule, label, tip: how scripts and people know it; family: rules of one family replace each other.
        sentence: the rule as a row of a list reads it, with {a}, {b} and names of parameters.
        instead_of_contact: pairs that it acts between do not touch, unless a later rule of contact says so.
        a, b: the two sides; it makes no difference which is which, unless the rule says so.
    """

    rule: ClassVar[str]
    label: ClassVar[str]
    tip: ClassVar[str]
    family: ClassVar[str]
    sentence: ClassVar[str] = ""
    instead_of_contact: ClassVar[bool] = False

    a: Side = "*"
    b: Side = "*"

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash((type(self), *vars(self).values()))


@spec
class PairForce(Rule):
    """A force along the line between each particle of one side and each of the other within `reach`.

    A rule derives from it, says `force` and may add parameters. The engine gives both particles the same force in
    opposite directions, so momentum and angular momentum are kept; rigid bodies take it at the particle's place.

    Attributes:
        urge: what the rule is to agents of side A that decide for themselves, in place of the force: "FLEE", "SEEK" or
            "FOLLOW"; "" for a force on them too.
    """

    family: ClassVar[str] = FORCE
    urge: ClassVar[str] = ""

    reach: float = param(
        1.0, "Reach", "How near two particles must be for the force to act", unit="m", limits=(0.0, None),
        soft=(0.01, 10.0), positive=True,
    )

    def force(self, distance: np.ndarray, closing: np.ndarray) -> np.ndarray:
        """The force that pushes two particles apart [N], (m,); below 0 it pulls them together.

        Args: distance: (m,) above 0 [m]; closing: (m,) how fast they come nearer [m/s].
        """
        raise NotImplementedError(f"{type(self).__name__} says no force")

    def damping(self, distance: np.ndarray) -> np.ndarray | None:
        """Force against each metre a second at which two particles come nearer [N s/m], (m,); None for none.

        It acts beside `force`, and however large it is, it does no more than stop the two.
        """
        return None


def names_of(side: Side) -> tuple[str, ...]:
    """A side as names; "*" stands for itself."""
    return (side,) if isinstance(side, str) else tuple(side)
