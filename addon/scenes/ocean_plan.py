"""Plan of an open sea, as plain values; see `plan`."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Ocean:
    """Sea with the waves of an Ocean modifier, a square that repeats itself.

    `size` of the square [m], cut into `resolution` times `resolution` faces along each side; `tiles` of it along X and
    Y, the first of them around `at` [m]. `wind` [m/s] and its `direction` from +X towards +Y [degrees]; `alignment` of
    the waves with it, 0 to 1; `scale` multiplies their height; waves shorter than `shortest` [m] are left out. `seed`
    of the random phases.
    """

    size: int
    resolution: int
    tiles: tuple[int, int]
    at: tuple[float, float]
    wind: float
    direction: float
    alignment: float
    scale: float
    choppiness: float
    shortest: float
    seed: int
