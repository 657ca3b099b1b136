"""`Joint`: connects a rigid body with another one, with a moving mesh, or with the world."""

from __future__ import annotations

from collections.abc import Sequence

from .param import choice
from .settings import spec


@spec
class Joint:
    """A ball joint keeps a point of both sides together, a hinge also an axis; a fixed joint allows no relative motion.

    Attributes:
        a: name of a rigid body.
        b: name of another one, or of a collider, whose face nearest to the point carries it along; "" for the world.
        point: (3,) position of the joint at the start [m].
        axis: (3,) axis of a hinge, of any length; not used by other joints.
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
