"""`FluidSpec`: particles of a liquid."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from ..param import choice, param
from ..settings import spec
from ..traits import Traits

if TYPE_CHECKING:
    import numpy as np

# Spacing 0 means this fraction of the longest side of the filled volume.
SPACING_SHARE = 1.0 / 24.0
# Memory for a particle and its neighbours while it is solved [B].
BYTES_EACH = 1000
# A fluid fills a body if more than this fraction of the fluid starts inside it; other bodies displace the fluid.
MOST_DISPLACED = 0.5
# A last layer of particles still fits into the filled volume if at most this much is missing [spacing].
SQUEEZE = 0.3


def layers(side: float, spacing: float) -> int:
    """Layers of particles that fit along a side [m] at a spacing [m]; more would make the fluid burst out at once."""
    return max(int(side / spacing + SQUEEZE), 1)


@spec
class FluidSpec:
    """A liquid that fills a mesh at the start or streams out of it, or a drain for all liquids.

    `Frame.positions[name]` are the particles alive, in the order of their `id`, followed by points of spray, foam and
    bubbles, whose attribute `kind` is 1, 2 and 3. All fluids of a world have the same spacing.

    Attributes:
        name: unique in its world.
        vertices: of the filled volume [m], shape (n, 3), world space.
        triangles: corner indices, shape (t, 3).
        nozzle: (4, 4) pose of the point from which a jet flows along its Z axis; None for the origin. `Controls.poses`
            moves it. Vertices and triangles are not used then.
    """

    kind: ClassVar[str] = "FLUID"
    label: ClassVar[str] = "Fluid"
    tip: ClassVar[str] = "A liquid of particles that fills this mesh, or streams out of it"
    geometry: ClassVar[str] = "MESH"
    output: ClassVar[str] = "POINTS"
    traits: ClassVar[Traits] = Traits(moves=True, deforms=True, is_grabbable=True, carries=True)
    kernels: ClassVar[tuple[str, ...]] = ("FLUIDS",)

    name: str
    vertices: np.ndarray
    triangles: np.ndarray
    nozzle: np.ndarray | None = None

    emission: str = choice(
        "FILL", "Emission", "Where particles come from",
        choices=(
            ("FILL", "Fill", "The mesh is full at the start"),
            ("INFLOW", "Inflow", "The mesh is a source: where it has room, particles come into being"),
            ("OUTFLOW", "Outflow", "The mesh is a drain: particles of all fluids that come into it are gone"),
            ("POINT", "Nozzle", "A round jet leaves a point along its Z axis: of the object Nozzle, such as an Empty, "
             "or of this one"),
        ),
        group="fluid",
    )
    spacing: float = param(
        0.0, "Spacing", "Distance of particles at rest; 0 takes a 24th of the longest side, of a nozzle half "
        "its radius",
        unit="m", limits=(0.0, 1e3), soft=(0.0, 0.2), group="fluid", precision=4,
    )
    density: float = param(
        1000.0, "Density", "Mass of a cubic metre; water 1000, oil 900, honey 1400",
        unit="kg/m³", limits=(0.0, 1e5), soft=(500.0, 2000.0), positive=True, group="fluid", precision=1,
    )
    viscosity: float = param(
        0.001, "Viscosity", "Water 0.001, oil 0.1, honey 10, tar 1000",
        unit="Pa·s", limits=(0.0, 1e5), soft=(0.0, 20.0), group="fluid", precision=4,
    )
    vorticity: float = param(
        0.0, "Vorticity", "Keeps up eddies that would die down; 0.1 is lively, more boils",
        unit="m/s", limits=(0.0, 100.0), soft=(0.0, 1.0), group="fluid",
        only_with=("emission", "FILL", "INFLOW", "POINT"),
    )
    surface_tension: float = param(
        0.0, "Surface Tension", "Pull that rounds drops and holds films together; water 0.07",
        unit="N/m", limits=(0.0, 1e3), soft=(0.0, 1.0), group="fluid",
    )
    adhesion: float = param(
        0.0, "Adhesion", "Share of the surface tension with which it clings to what it meets",
        limits=(0.0, 10.0), soft=(0.0, 2.0), group="fluid",
    )
    velocity: Sequence[float] = param(
        (0.0, 0.0, 0.0), "Velocity", "Velocity of particles when they come into being",
        unit="m/s", limits=(-1e3, 1e3), soft=(-10.0, 10.0), group="fluid",
        only_with=("emission", "FILL", "INFLOW"),
    )
    speed: float = param(
        2.0, "Speed", "How fast the jet leaves the nozzle; a nozzle that moves gives it its own velocity too",
        unit="m/s", limits=(0.0, 1e3), soft=(0.0, 20.0), group="fluid", keyable=True, only_with=("emission", "POINT"),
    )
    rate: float = param(
        0.0, "Rate", "How much leaves the nozzle, but no more than goes through at its speed; 0 is that much",
        unit="L/s", limits=(0.0, 1e6), soft=(0.0, 100.0), group="fluid", keyable=True, only_with=("emission", "POINT"),
    )
    radius: float = param(
        0.05, "Radius", "Of the nozzle's opening",
        unit="m", limits=(0.0, 1e3), soft=(0.0, 1.0), positive=True, group="fluid", only_with=("emission", "POINT"),
    )
    opening: float = param(
        1.0, "Opening", "How far the source is open, from its middle outward, or the drain: 0 is shut, 1 is open",
        limits=(0.0, 1.0), group="fluid", keyable=True,
        only_with=("emission", "INFLOW", "OUTFLOW", "POINT"),
    )
    joins_water: bool = param(
        False, "Join Water", "Particles that sink below a Water surface become part of it and are gone",
        group="fluid", only_with=("emission", "FILL", "INFLOW", "POINT"),
    )
    limit: int = param(
        100_000, "Limit", "No more particles than this come out of an inflow",
        limits=(1, 50_000_000), soft=(1_000, 1_000_000), group="fluid",
        only_with=("emission", "INFLOW", "POINT"),
    )
    lifetime: float = param(
        0.0, "Lifetime", "Particles are gone after this time; 0 keeps them",
        unit="s", limits=(0.0, 1e6), soft=(0.0, 20.0), group="fluid",
    )
    range: float = param(
        100.0, "Range", "Particles are gone that are farther than this from where they began",
        unit="m", limits=(0.0, 1e6), soft=(1.0, 1000.0), positive=True, group="fluid",
    )
    foam: bool = param(
        False, "Foam and Spray", "White points where fluid breaks, splashes or takes in air; the fluid "
        "carries them, and they do not push it",
        group="foam", only_with=("emission", "FILL", "INFLOW", "POINT"),
    )
    foam_rate: float = param(
        200.0, "Rate", "How many of them a particle of the fluid makes in a second where it breaks hardest",
        unit="1/s", limits=(0.0, 1e5), soft=(0.0, 1000.0), group="foam", precision=1,
        only_with=("emission", "FILL", "INFLOW", "POINT"),
    )
    foam_speed: float = param(
        1.0, "Slowest", "Fluid that is slower makes none; three times as fast it makes all it can",
        unit="m/s", limits=(0.0, 1e3), soft=(0.1, 10.0), positive=True, group="foam",
        only_with=("emission", "FILL", "INFLOW", "POINT"),
    )
    foam_lifetime: float = param(
        3.0, "Lifetime", "How long spray and foam last on average; bubbles rise first",
        unit="s", limits=(0.0, 1e4), soft=(0.1, 20.0), positive=True, group="foam",
        only_with=("emission", "FILL", "INFLOW", "POINT"),
    )
    foam_limit: int = param(
        50_000, "Limit", "No more of them than this are there at once",
        limits=(1, 10_000_000), soft=(1_000, 1_000_000), group="foam",
        only_with=("emission", "FILL", "INFLOW", "POINT"),
    )
