"""`WaterSpec`: a level sheet of water that carries, brakes and moves what lies in it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from ..param import choice, param
from ..settings import spec
from ..traits import Traits


@spec
class WaterSpec:
    """Water below a horizontal plane, without end to the sides.

    Attributes:
        name: unique in its world.
        height: level of the surface [m] along world Z.
    """

    kind: ClassVar[str] = "WATER"
    label: ClassVar[str] = "Water"
    tip: ClassVar[str] = "Carries bodies; the surface lies level with this object's origin"
    geometry: ClassVar[str] = "OBJECT"
    output: ClassVar[str] = "NONE"
    traits: ClassVar[Traits] = Traits(lifts=True)

    name: str
    height: float = 0.0

    law: str = choice(
        "HYDROSTATIC", "Law", "How water lifts what lies in it",
        choices=(
            ("HYDROSTATIC", "Hydrostatic", "By its pressure on the wet surface, so bodies float at their density"),
            ("LINEAR", "Linear", "Every vertex alike by its depth, whatever it weighs or encloses"),
        ),
        group="water",
    )
    linear_buoyancy: float = param(
        20.0, "Linear Buoyancy", "Upward acceleration of a vertex for each metre it is under water",
        unit="1/s²", limits=(0.0, 1e6), soft=(0.0, 200.0), group="water", keyable=True, only_with=("law", "LINEAR"),
    )
    density: float = param(
        1000.0, "Density", "Fresh water 1000, sea water 1025", unit="kg/m³", limits=(0.0, 1e5), soft=(500.0, 1500.0),
        positive=True, group="water", keyable=True, precision=1, only_with=("law", "HYDROSTATIC"),
    )
    flow: Sequence[float] = param(
        (0.0, 0.0, 0.0), "Flow", "Velocity of the water itself",
        unit="m/s", limits=(-100.0, 100.0), soft=(-5.0, 5.0), group="water", keyable=True,
        only_with=("law", "HYDROSTATIC"),
    )
    drag: float = param(
        1.0, "Drag", "Drag coefficient of all the wet surface: 0.1 to 0.3 for a hull in a stream, 1 for a sheet",
        limits=(0.0, 100.0), soft=(0.0, 4.0), group="water", keyable=True, only_with=("law", "HYDROSTATIC"),
    )
