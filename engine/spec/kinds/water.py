"""`WaterSpec`: water, level or with the waves of a mesh; it exerts buoyancy, drag and flow on bodies in it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from ..param import choice, param
from ..settings import spec
from ..traits import Traits

if TYPE_CHECKING:
    import numpy as np


@spec
class WaterSpec:
    """Water below a horizontal plane, unbounded to the sides; over and under a mesh it is as high as that.

    Attributes:
        name: unique in its world.
        height: level of the surface [m] along world Z, where `surface` is LEVEL.
        vertices: of the mesh, where `surface` is MESH, at the start [m], shape (n, 3), world space; `Controls.water`
            moves them. Elsewhere the water lies at its mean height.
        triangles: corner indices, shape (t, 3); the highest one over a point counts.
    """

    kind: ClassVar[str] = "WATER"
    label: ClassVar[str] = "Water"
    tip: ClassVar[str] = "Carries bodies; its surface is level with this object's origin, or has the waves of its mesh"
    geometry: ClassVar[str] = "OBJECT"
    # Setting and value with which the mesh counts too.
    mesh_with: ClassVar[tuple[str, str]] = ("surface", "MESH")
    output: ClassVar[str] = "NONE"
    traits: ClassVar[Traits] = Traits(lifts=True)

    name: str
    height: float = 0.0

    surface: str = choice(
        "LEVEL", "Surface", "Where the water ends",
        choices=(
            ("LEVEL", "Level", "Flat and without end, at the height of the object's origin"),
            ("MESH", "Mesh", "As high as the object's mesh at each frame, with modifiers such as Ocean, Wave or "
             "Displace; bodies ride on its waves. Beyond the mesh it is level"),
        ),
        group="water",
    )
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
    vertices: np.ndarray | None = None
    triangles: np.ndarray | None = None

    # All that `kernels_with` may give.
    rare_kernels: ClassVar[tuple[str, ...]] = ("WAVES",)

    @staticmethod
    def kernels_with(values: Any) -> tuple[str, ...]:
        """Sets of kernels that a water needs for its values: a specification, or settings of an object."""
        return ("WAVES",) if values.surface == "MESH" else ()
