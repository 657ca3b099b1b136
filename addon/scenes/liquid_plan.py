"""What scenes with particle fluids are made of, as plain values; see `plan`."""

from __future__ import annotations

from dataclasses import dataclass

Triple = tuple[float, float, float]


@dataclass(frozen=True)
class Vessel:
    """What holds a fluid. `shape` is "tank", "tub", "plate" or "tap"; `at` the middle of its base, `size` [m]."""

    name: str
    shape: str
    at: Triple
    size: Triple
    colour: str = "#ffffff"
    turn: float = 0.0


@dataclass(frozen=True)
class Liquid:
    """A block of fluid, or a source with `emission` "INFLOW". `at` its middle, `size` its sides, `spacing` [m].

    `look` is "clear", "muddy", "milk" or "honey"; `viscosity` [Pa·s]; `velocity` [m/s]; `limit` of particles.
    `foam` whether it makes spray, foam and bubbles, `foam_rate` of them [1/s] and the `foam_speed` [m/s] they begin at.
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
    """A rubber duck. `at` [m]; `turn` about the vertical [degrees]; `size` its length [m]; `density` [kg/m³]."""

    name: str
    at: Triple
    turn: float
    size: float
    density: float
    colours: tuple[str, str]


@dataclass(frozen=True)
class Pancake:
    """A cake of jelly. `at` the middle of its base, `radius`, `height` [m]; `around`: points round it.

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
    """A skin full of water that is thrown and tears. `at` its middle, `radius` [m]; `velocity` [m/s].

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
