"""Noise that shakes pins: gradient noise in time (Perlin 1985), independent for each pin and axis.

It uses only integers, sums and products, so it has the same bits on every machine. At time 0 it is zero, so a shaken
body starts where it is.
"""

from __future__ import annotations

import numpy as np

_MULTIPLIERS = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))


def pin_noise(time: float, frequency: float, octaves: int, seed: int, pins: np.ndarray) -> np.ndarray:
    """Noise between about -1 and 1 along each axis, (p, 3), of pins (p,) given by their index in the body.

    Args: time [s]; frequency: of the slowest octave [1/s]; each further octave is twice as fast and half as strong.
    """
    total = np.zeros((len(pins), 3))
    for octave in range(octaves):
        phase = time * frequency * 2**octave
        cell = int(np.floor(phase))
        u = phase - cell
        fade = u * u * u * (u * (u * 6.0 - 15.0) + 10.0)
        before, after = (hashed(cell + k, octave, seed, pins) for k in (0, 1))
        total += (2.0 / 2**octave) * (before * u + fade * (after * (u - 1.0) - before * u))
    return total


def hashed(cell: int, octave: int, seed: int, pins: np.ndarray) -> np.ndarray:
    """Pseudo-random numbers from -1 to 1, (p, 3)."""
    with np.errstate(over="ignore"):
        value = np.asarray(pins, dtype=np.uint64)[:, None] * np.uint64(3) + np.arange(3, dtype=np.uint64)
        for part in (cell, octave, seed):
            value = (value + np.uint64(part + 2**32)) * _MULTIPLIERS[0]
            value = (value ^ (value >> np.uint64(30))) * _MULTIPLIERS[1]
            value = (value ^ (value >> np.uint64(27))) * _MULTIPLIERS[2]
            value ^= value >> np.uint64(31)
    return (value >> np.uint64(11)).astype(np.float64) * (2.0 / 2**53) - 1.0
