"""Flocks of a scene preset, as plain values; see `plan`."""

from __future__ import annotations

from dataclasses import dataclass

Triple = tuple[float, float, float]


@dataclass(frozen=True)
class Flock:
    """A flock. `creature` is "starling", "duckling", "duck", "fish" or "shark", `scale` its length [m].

    `count` agents start in a box of `size` around `at` [m] with `velocity` [m/s]. Their goal is `path` [m]: one point,
    or several points of a closed path. The other fields have the names of the settings of flocks.
    """

    name: str
    creature: str
    scale: float
    motion: str
    at: Triple
    size: Triple
    count: int
    speed: float
    sight_radius: float
    distance: float
    velocity: Triple = (0.0, 0.0, 0.0)
    path: tuple[Triple, ...] = ()
    separation: float = 1.0
    alignment: float = 1.0
    cohesion: float = 1.0
    goal: float = 0.5
    wander: float = 0.2
    acceleration: float = 15.0
    turn_rate: float = 240.0
    climb: float = 45.0
    slowest: float = 0.5
    fastest: float = 1.6
    foresight: float = 0.7
    banking: float = 1.0
    beat: float = 4.0
    radius: float = 0.05
    mass: float = 0.1
    density: float = 500.0


@dataclass(frozen=True)
class Will:
    """An interaction of the scene: `rule` in lower case, names of the flocks or bodies `a` and `b`, `reach` [m]."""

    rule: str
    a: str
    b: str
    reach: float
    strength: float = 1.0
    gap: float = 0.5
    in_line: bool = False
