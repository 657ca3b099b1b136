"""Contents of a scene with a trampoline, as plain values; see `plan`."""

from __future__ import annotations

from dataclasses import dataclass

Triple = tuple[float, float, float]


@dataclass(frozen=True)
class Cushion:
    """A block of foam. `at` its centre, `size` its sides [m]; `tilt` [degrees]; `cuts` faces along each side.

    `stiffness` of its springs [N/m]; `stripes` and `colours` as of a towel.
    """

    name: str
    at: Triple
    tilt: Triple
    size: Triple
    cuts: tuple[int, int, int]
    stiffness: float
    stripes: int
    colours: tuple[str, str]


@dataclass(frozen=True)
class Trampoline:
    """A mat pinned in a frame. `at` its centre, `radius`, `height` above the ground [m]; `rings` of vertices.

    `stiffness` of its springs [N/m]; `weight` [kg/m²]; `colours` of the weave, of the target mark, and two of the pad.
    """

    name: str
    at: Triple
    radius: float
    height: float
    rings: int
    stiffness: float
    weight: float
    colours: tuple[str, str, str, str]
