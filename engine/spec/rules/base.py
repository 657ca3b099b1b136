"""`Rule`: how two systems interact. A side is the name of a system, several names, or "*" for any.

Rules come in families. Families add up: a pair can have contact, a force and a coupling at the same time. Within a
family the last rule that matches a pair applies. Without a rule, all pairs have `Contact`.
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
    """Base of all rules.

    Attributes:
        rule, label, tip: its name in scripts, and its texts in the interface; rules of one `family` replace each other.
        sentence: text of the rule in a list, with {a}, {b} and names of parameters.
        instead_of_contact: pairs on which it acts do not collide, unless a later contact rule says so.
        a, b: the two sides; their order does not matter, unless the rule says so.
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

    A rule derives from it, defines `force` and may add parameters. The engine applies equal and opposite forces to both
    particles, so momentum and angular momentum are conserved; on rigid bodies it acts at the particle's position.

    Attributes:
        urge: behaviour of steering agents of side A, in place of the force: "FLEE", "SEEK" or "FOLLOW"; "" applies the
            force to them too.
    """

    family: ClassVar[str] = FORCE
    urge: ClassVar[str] = ""

    reach: float = param(
        1.0, "Reach", "How near two particles must be for the force to act", unit="m", limits=(0.0, None),
        soft=(0.01, 10.0), positive=True,
    )

    def force(self, distance: np.ndarray, closing: np.ndarray) -> np.ndarray:
        """Repulsive force between two particles [N], (m,); negative values attract.

        Args: distance: (m,) above 0 [m]; closing: (m,) closing speed [m/s].
        """
        raise NotImplementedError(f"{type(self).__name__} says no force")

    def damping(self, distance: np.ndarray) -> np.ndarray | None:
        """Damping coefficient: force for each metre a second of closing speed [N s/m], (m,); None for none.

        It acts in addition to `force`. However large it is, it at most stops the relative motion.
        """
        return None


def names_of(side: Side) -> tuple[str, ...]:
    """A side as names; "*" stands for itself."""
    return (side,) if isinstance(side, str) else tuple(side)
