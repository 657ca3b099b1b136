"""Contents of scenes with particle fluids, as plain values; see `plan`."""

from __future__ import annotations

from dataclasses import dataclass

Triple = tuple[float, float, float]


@dataclass(frozen=True)
class Vessel:
    """A vessel for fluids. `shape` is "tank", "tub", "plate" or "tap"; `at` the centre of its base, `size` [m]."""

    name: str
    shape: str
    at: Triple
    size: Triple
    colour: str = "#ffffff"
    turn: float = 0.0


@dataclass(frozen=True)
class Liquid:
    """A block of fluid, or a source with `emission` "INFLOW". `at` its centre, `size` its sides, `spacing` [m].

    `look` is "clear", "muddy", "milk" or "honey"; `viscosity` [Pa·s]; `velocity` [m/s]; `limit`: most particles.
    `foam`: whether it emits spray, foam and bubbles; `foam_rate` of emission [1/s], `foam_speed` where it begins [m/s].
    """

    name: str
    at: Triple
    size: Triple
    spacing: float
    look: str
    density: float = 1000.0
    viscosity: float = 0.001
    surface_tension: float = 0.0
    emission: str = "FILL"
    velocity: Triple = (0.0, 0.0, 0.0)
    limit: int = 20000
    foam: bool = False
    foam_rate: float = 200.0
    foam_speed: float = 1.0


@dataclass(frozen=True)
class Duck:
    """A rubber duck. `at` [m]; `turn` around the vertical [degrees]; `size` its length [m]; `density` [kg/m³]."""

    name: str
    at: Triple
    turn: float
    size: float
    density: float
    colours: tuple[str, str]


@dataclass(frozen=True)
class Pancake:
    """A cake of jelly. `at` the centre of its base, `radius`, `height` [m]; `around`: vertices around it.

    `colours` of its faces and of its rim.
    """

    name: str
    at: Triple
    radius: float
    height: float
    around: int
    colours: tuple[str, str]


@dataclass(frozen=True)
class WaterBalloon:
    """A balloon full of water that is thrown and tears. `at` its centre, `radius` [m]; `velocity` [m/s].

    Its skin: `stiffness` of springs [N/m], `weight` [kg/m²], `break_strain` at which it tears, and `colour`. Its water:
    `spacing` of particles [m], and `look` as of a `Liquid`.
    """

    name: str
    at: Triple
    radius: float
    velocity: Triple
    stiffness: float
    weight: float
    break_strain: float
    colour: str
    spacing: float
    look: str = "clear"
