"""`ColliderSpec`: a mesh that bodies collide with and that nothing moves by force."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from ..param import choice, param
from ..settings import spec
from ..traits import Traits

if TYPE_CHECKING:
    import numpy as np


@spec
class ColliderSpec:
    """A mesh that is static or moves as `Controls.colliders[name]` says.

    Attributes:
        name: unique in its world.
        vertices: positions [m], shape (n, 3), world space.
        triangles: corner indices, shape (t, 3).
        keyed: fields that `Controls.values` will change.
    """

    kind: ClassVar[str] = "COLLIDER"
    label: ClassVar[str] = "Collider"
    tip: ClassVar[str] = "Bodies bump into it; it follows its keyframes, modifiers and parents"
    geometry: ClassVar[str] = "MESH"
    output: ClassVar[str] = "NONE"
    traits: ClassVar[Traits] = Traits(is_wall=True)

    name: str
    vertices: np.ndarray
    triangles: np.ndarray

    sides: str = choice(
        "BOTH", "Sides", "Which sides of an open surface hold others; one that encloses volume holds outside what "
        "begins outside of it, and inside what begins inside",
        choices=(
            ("BOTH", "Both", "Nothing gets from one side to the other"),
            ("FRONT", "Front", "Only the side that its faces look to: what comes from behind goes through"),
        ),
        group="contact",
    )
    thickness: float = param(
        0.0, "Thickness", "Thickness of its surface: others keep half of it away, beside half of their own",
        unit="m", limits=(0.0, None), soft=(0.0, 0.1), group="contact", precision=4,
    )
    sharp: bool = param(
        False, "Sharp", "Splits what touches it, of bodies with Tear: pins, thorns, blades", group="contact",
    )
    absorption: float = param(
        0.0, "Field Absorption", "Share of a force field that it keeps off what lies behind it, where the field's "
        "Absorption is on",
        limits=(0.0, 1.0), group="contact",
    )
    friction: float = param(
        0.3, "Friction", "Grip against bodies that touch it",
        limits=(0.0, 10.0), soft=(0.0, 1.0), group="contact", keyable=True,
    )
    restitution: float = param(
        0.0, "Bounciness", "Share of the impact speed given back",
        limits=(0.0, 1.0), group="contact", keyable=True,
    )

    keyed: Sequence[str] = ()
