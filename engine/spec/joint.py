"""`Joint`: a rigid body that turns about a point of another, of a moving mesh, or of the world."""

from __future__ import annotations

from collections.abc import Sequence

from .param import choice
from .settings import spec


@spec
class Joint:
    """Rigid body `a` and what it is joined to keep a point in common, a hinge an axis too, a fixed pair everything.

    Attributes:
        a: name of a rigid body.
        b: name of another one, or of a collider, whose face next to the point takes it along; "" for the world.
        point: (3,) where they meet when time begins [m].
        axis: (3,) what a hinge turns about, of any length; others have none.
    """

    a: str
    b: str
    point: Sequence[float]
    axis: Sequence[float] = (0.0, 0.0, 1.0)

    kind: str = choice(
        "BALL", "Joint", "What the two may still do",
        choices=(
            ("BALL", "Ball", "Turn every way about the point, as a shoulder does"),
            ("HINGE", "Hinge", "Turn about one axis through the point, as a door does"),
            ("FIXED", "Fixed", "Nothing: both go on as one body"),
        ),
    )
    collide: str = choice(
        "NO", "Contact", "Whether the two touch each other",
        choices=(
            ("NO", "None", "They may lie in each other, as the halves of a hinge do"),
            ("YES", "Touch", "They touch as all others do, so that a lid stops where it closes"),
        ),
    )
