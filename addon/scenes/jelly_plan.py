"""What scenes with jellies are made of, as plain values; see `plan`."""

from __future__ import annotations

from dataclasses import dataclass

Triple = tuple[float, float, float]


@dataclass(frozen=True)
class Jelly:
    """A block of jelly. `at` its middle, `size` [m]; `tilt` Euler angles [degrees]; `cuts` along its sides."""

    name: str
    at: Triple
    tilt: Triple
    size: Triple
    cuts: tuple[int, int, int]
    colour: str
    friction: float = 0.1


@dataclass(frozen=True)
class Ramp:
    """A board that bodies slide down. `at` its middle, `size` its sides [m]; `tilt` Euler angles [degrees]."""

    name: str
    at: Triple
    tilt: Triple
    size: Triple
    friction: float = 0.05
