"""`AirSpec`: the air of a world, which exerts drag and lift on faces."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from ..param import param
from ..settings import spec
from ..traits import Traits


@spec
class AirSpec:
    """Air everywhere above the water. It acts on faces: of cloth on both sides, of closed bodies on the outside.

    It acts where a wind blows, that of the scene or of a field with a Wind Factor; still air acts only on request.

    Attributes:
        name: unique in its world.
    """

    kind: ClassVar[str] = "AIR"
    traits: ClassVar[Traits] = Traits()
    kernels: ClassVar[tuple[str, ...]] = ("FIELDS",)

    name: str = "Air"

    wind: Sequence[float] = param(
        (0.0, 0.0, 0.0), "Wind", "Velocity of the air over the whole scene; it may be keyed",
        unit="m/s", limits=(-1000.0, 1000.0), soft=(-20.0, 20.0), group="air", keyable=True,
    )
    density: float = param(
        1.2, "Air Density", "Mass of a cubic meter of air; 1.2 at the sea, 0 for no air",
        unit="kg/m³", limits=(0.0, 1e4), soft=(0.0, 5.0), group="air", keyable=True,
    )
    drag: float = param(
        1.2, "Drag", "How strongly a face is pushed along with the air; a plate across the wind has 1.2",
        limits=(0.0, 100.0), soft=(0.0, 4.0), group="air", keyable=True,
    )
    lift: float = param(
        1.2, "Lift", "How strongly a face at an angle is pushed across the wind; equal to Drag for pure pressure",
        limits=(0.0, 100.0), soft=(0.0, 4.0), group="air", keyable=True,
    )
    still_air: bool = param(
        False, "Still Air", "Whether air brakes faces where no wind blows: parachutes and leaves need it", group="air",
    )
