"""Constant traits of agents: random numbers that depend only on the agent's index and the flock's seed."""

from __future__ import annotations

import numpy as np

from ...compiler import aligned
from ...compiler.kernels import kernel, part_of_kernel

# Columns of `Agents.mind`: cruising speed as a fraction of the flock's; 1 for a leader; side to which it turns before a
# wall that it approaches head on, 1 or -1; waves of wandering along x, y, z: frequency [1/s], initial phase [cycles].
CRUISE, LEADS, SIDE, RATE, BEGIN = 0, 1, 2, 3, 6
# Number of columns of `Agents.mind`.
WIDTH = 16
# Cruising speeds differ by up to this fraction, so that agents do not move in unison.
VARIETY = 0.08
# Mean frequency of wandering [1/s].
WANDERING = 0.35


def natures(count: int, leaders: float, seed: int) -> np.ndarray:
    """Traits of agents, (count, WIDTH) float32, other columns 0; leaders: their fraction, at least one if above 0."""
    nature = aligned.zeros((count, WIDTH), np.float32)
    fill_natures(seed, nature)
    if leaders > 0.0 and count > 0:
        draws = np.array([chance(a, 1, seed) for a in range(count)])
        nature[np.argsort(draws, kind="stable")[: max(1, round(leaders * count))], LEADS] = 1.0
    return nature


@kernel
def fill_natures(seed, nature):
    """Fill the rows (n, WIDTH)."""
    for a in range(nature.shape[0]):
        nature[a, CRUISE] = 1.0 + VARIETY * (2.0 * chance(a, 8, seed) - 1.0)
        nature[a, SIDE] = 1.0 if chance(a, 10, seed) < 0.5 else -1.0
        for axis in range(3):
            nature[a, RATE + axis] = WANDERING * (0.6 + 0.8 * chance(a, 2 + 2 * axis, seed))
            nature[a, BEGIN + axis] = chance(a, 3 + 2 * axis, seed)


@part_of_kernel
def chance(a, k, seed):
    """A random number from 0 to 1 that depends only on agent a, draw k and the seed."""
    x = (a * 0x9E3779B1 + k * 0x85EBCA77 + seed) & 0xFFFFFFFF
    x ^= x >> 15
    x = (x * 0x2C1B3C6D) & 0xFFFFFFFF
    x ^= x >> 12
    x = (x * 0x297A2D39) & 0xFFFFFFFF
    x ^= x >> 15
    return x / 4294967296.0
