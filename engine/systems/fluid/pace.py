"""How fast the particles of a fluid are, which decides on the length of steps and on the largest pressures."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...compiler.kernels import kernel, parallel_kernel, prange

# Pressures stop what is so much faster than this share of the particles.
MOST_OF, FASTER = 0.99, 1.5
# Speed and depth are measured on no more particles than about twice this.
SAMPLE = 4096
# How far a block of particles extends, over the standard deviation of their places.
SPREAD = 3.5
# Particles in a task of a thread.
TASK = 4096


class Pace(NamedTuple):
    """How fast and how deep a fluid is.

    Attributes:
        speed: that nearly all particles stay well below [m/s]; depth: along gravity [m].
    """

    speed: float
    depth: float


def fastest_of(
    x: np.ndarray, v: np.ndarray, h: float, error: np.ndarray, alone: float, box: np.ndarray
) -> float:
    """The largest speed [m/s], without drops that are alone and meet nothing in h [s]: drops that fly away.

    Args:
        x, v: (n, 3) [m], [m/s]; error: (n,) relative density less one, at most `alone` of a particle without others.
        box: (2, 3) corners of the box around what a drop may meet [m].
    """
    squares = np.zeros((len(x) + TASK - 1) // TASK)
    find_fastest(x, v, h, error, alone, box, squares)
    return math.sqrt(float(squares.max(initial=0.0)))


@parallel_kernel
def find_fastest(x, v, h, error, alone, box, squares):
    """The largest square of the speeds of each task's particles [m²/s²], see `fastest_of`."""
    for task in prange(squares.shape[0]):
        squares[task] = fastest_in(TASK * task, min(TASK * (task + 1), x.shape[0]), x, v, h, error, alone, box)


@kernel
def fastest_in(first, stop, x, v, h, error, alone, box):
    """The largest square of the speeds of some particles [m²/s²]."""
    largest = 0.0
    for i in range(first, stop):
        square = v[i, 0] * v[i, 0] + v[i, 1] * v[i, 1] + v[i, 2] * v[i, 2]
        if square > largest and (error[i] > alone or goes_through(i, x, v, h, box)):
            largest = square
    return largest


@kernel
def goes_through(i, x, v, h, box):
    """Whether the box around the way of particle i in h [s] touches another one (2, 3) [m]."""
    touches = True
    for axis in range(3):
        there = x[i, axis] + h * v[i, axis]
        touches &= min(x[i, axis], there) <= box[1, axis] and max(x[i, axis], there) >= box[0, axis]
    return touches


def pace_of(x: np.ndarray, v: np.ndarray, down: np.ndarray) -> Pace:
    """The pace of particles at x (n, 3) [m] with velocities v (n, 3) [m/s]; down: (3,) unit vector of gravity."""
    if len(x) == 0:
        return Pace(0.0, 0.0)
    every = every_of(len(x))
    squares = np.empty((len(x) + every - 1) // every)
    depth = SPREAD * measure(x, v, down, every, squares)
    return Pace(math.sqrt(min(float(squares.max()), FASTER**2 * most_of(squares, MOST_OF))), depth)


@kernel
def measure(x, v, down, every, squares):
    """Squares (s,) of the speeds of one in `every` particles [m²/s²]; returns how far their places spread [m].

    That is the standard deviation of the places along `down` (3,), from sums about the first of them.
    """
    first = total = square = 0.0
    for k in range(squares.shape[0]):
        i, along = k * every, 0.0
        squares[k] = v[i, 0] * v[i, 0] + v[i, 1] * v[i, 1] + v[i, 2] * v[i, 2]
        for axis in range(3):
            along += x[i, axis] * down[axis]
        if k == 0:
            first = along
        total += along - first
        square += (along - first) * (along - first)
    mean = total / squares.shape[0]
    return math.sqrt(max(square / squares.shape[0] - mean * mean, 0.0))


def most_of(values: np.ndarray, share: float) -> float:
    """What this share of the values (n,) is not larger than; 0 of none."""
    place = min(int(share * len(values)), len(values) - 1)
    return float(np.partition(values, place)[place]) if len(values) else 0.0


def sample(values: np.ndarray) -> np.ndarray:
    """Some of the values (n, ...), evenly spread."""
    return values[:: every_of(len(values))]


def every_of(count: int) -> int:
    """One in so many of `count` particles is a sample of them."""
    return max(count // SAMPLE, 1)
