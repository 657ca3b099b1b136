"""Contents of scenes on a bare floor, as plain values; see `plan`."""

from __future__ import annotations

from dataclasses import dataclass

from .liquid_plan import Duck, Liquid, Pancake, Vessel, WaterBalloon

Triple = tuple[float, float, float]


@dataclass(frozen=True)
class Stretched:
    """A sheet stretched in a frame, which displays its stress and tears. `at` its centre, `size` its sides [m].

    `cuts` faces along a side; `stiffness` [N/m]; `weight` [kg/m²]; `break_strain` at which it tears.
    """

    name: str
    at: Triple
    size: float
    cuts: int
    stiffness: float
    weight: float
    break_strain: float


@dataclass(frozen=True)
class Weight:
    """A steel ball. `at` [m]; `radius` [m]; `mass` [kg]."""

    name: str
    at: Triple
    radius: float
    mass: float


@dataclass(frozen=True)
class Bridge:
    """A truss bridge along X, pinned at its four ends. `at` the middle of its deck; `panel`, `width`, `height` [m].

    `panels` along it; `bar` radius of its bars [m]; `stiffness` of each [N/m]; `mass` [kg]; `break_strain` of each.
    """

    name: str
    at: Triple
    panels: int
    panel: float
    width: float
    height: float
    bar: float
    stiffness: float
    mass: float
    break_strain: float


@dataclass(frozen=True)
class Lorry:
    """A lorry that rolls along X. `at` below its middle [m]; `mass` [kg]; `speed` [m/s]."""

    name: str
    at: Triple
    mass: float
    speed: float
    colour: str


@dataclass(frozen=True)
class Chassis:
    """A vehicle of bars on four wheels shaken by noise. `at` its centre at the height of the hubs; `size` [m].

    `drive` distance travelled along Y during the scene [m]; `bar`, `wheel` radii [m]; `stiffness` of bars and `springs`
    of wheels [N/m]; `mass` [kg]; `noise` amplitude of the wheels' height [m] and its `frequency` [1/s].
    """

    name: str
    at: Triple
    size: Triple
    drive: float
    bar: float
    wheel: float
    stiffness: float
    springs: float
    mass: float
    noise: float
    frequency: float


@dataclass(frozen=True)
class Jelly:
    """A cube of jelly. `at` its middle [m]; `tilt` [degrees]; `size` its side [m]; `cuts` faces along it."""

    name: str
    at: Triple
    tilt: Triple
    size: float
    cuts: int
    colour: str


@dataclass(frozen=True)
class Slope:
    """A board, or a block if `look` is "stone". `at` its centre, `size` its sides [m]; `tilt` [degrees]."""

    name: str
    at: Triple
    tilt: Triple
    size: Triple
    look: str = "planks"
    friction: float = 0.15


@dataclass(frozen=True)
class Balloon:
    """A balloon under tension that bursts. `at` [m]; `radius` [m]; `pressure` [Pa]."""

    name: str
    at: Triple
    radius: float
    pressure: float
    colour: str


@dataclass(frozen=True)
class Nails:
    """A bed of nails. `at` the middle of its top, `size` its sides [m]; `spacing` and `length` of the nails [m]."""

    name: str
    at: Triple
    size: tuple[float, float]
    spacing: float
    length: float


@dataclass(frozen=True)
class Studio:
    """Objects on a bare floor at the height `floor` [m].

    `stress` is the strain at full colour, for bodies that display their stress.
    """

    floor: float = 0.0
    stress: float = 0.1
    stretched: tuple[Stretched, ...] = ()
    weights: tuple[Weight, ...] = ()
    bridges: tuple[Bridge, ...] = ()
    lorries: tuple[Lorry, ...] = ()
    chassis: tuple[Chassis, ...] = ()
    jellies: tuple[Jelly, ...] = ()
    slopes: tuple[Slope, ...] = ()
    balloons: tuple[Balloon, ...] = ()
    nails: tuple[Nails, ...] = ()
    vessels: tuple[Vessel, ...] = ()
    liquids: tuple[Liquid, ...] = ()
    ducks: tuple[Duck, ...] = ()
    pancakes: tuple[Pancake, ...] = ()
    water_balloons: tuple[WaterBalloon, ...] = ()
