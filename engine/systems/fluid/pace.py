"""How fast the particles of a fluid are, which decides on the length of steps and on the largest pressures."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...compiler.kernels import kernel, parallel_kernel, part_of_kernel, prange
from ...compiler.typed_call import TypedCall

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


class Meter:
    """Measures how fast and how deep a fluid is."""

    def __init__(self, down: np.ndarray) -> None:
        """Args: down: (3,) unit vector of gravity."""
        self._down = down
        self._find_fastest, self._measure, self._find_most = map(TypedCall, (find_fastest, measure, find_most))

    def fastest(
        self, x: np.ndarray, v: np.ndarray, h: float, error: np.ndarray, alone: float, box: np.ndarray
    ) -> float:
        """The largest speed [m/s], without drops that are alone and meet nothing in h [s]: drops that fly away.

        Args:
            x, v: (n, 3) [m], [m/s]; error: (n,) relative density less one, at most `alone` of a particle alone.
            box: (2, 3) corners of the box around what a drop may meet [m].
        """
        squares = np.empty((len(x) + TASK - 1) // TASK)
        return math.sqrt(float(self._find_fastest(x, v, h, error, alone, box, squares)))

    def pace(self, x: np.ndarray, v: np.ndarray) -> Pace:
        """The pace of particles at x (n, 3) [m] with velocities v (n, 3) [m/s]."""
        if len(x) == 0:
            return Pace(0.0, 0.0)
        top = room_above(len(x), MOST_OF)
        spread, largest = self._measure(x, v, self._down, every_of(len(x)), top)
        return Pace(math.sqrt(min(largest, FASTER**2 * float(top[0]))), SPREAD * spread)

    def most(self, values: np.ndarray, share: float) -> float:
        """What this share of a sample of the values (n,) is not larger than; 0 of none."""
        if len(values) == 0:
            return 0.0
        top = room_above(len(values), share)
        self._find_most(values, every_of(len(values)), top)
        return float(top[0])


def every_of(count: int) -> int:
    """One in so many of `count` particles is a sample of them."""
    return max(count // SAMPLE, 1)


def room_above(count: int, share: float) -> np.ndarray:
    """Room for the largest of a sample of `count` values: the first one will be what this share is not larger than."""
    size = -(-count // every_of(count))
    return np.empty(size - min(int(share * size), size - 1))


@parallel_kernel
def find_fastest(x, v, h, error, alone, box, squares):
    """The largest square of the speeds, and of each task's particles [m²/s²], see `Meter.fastest`."""
    for task in prange(squares.shape[0]):
        squares[task] = fastest_in(TASK * task, min(TASK * (task + 1), x.shape[0]), x, v, h, error, alone, box)
    largest = 0.0
    for task in range(squares.shape[0]):
        largest = max(largest, squares[task])
    return largest


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


@kernel
def measure(x, v, down, every, top):
    """How far the places of one in `every` particles spread along `down` (3,) [m], and the largest square of a speed.

    The first is the standard deviation, from sums about the first of them. `top` becomes the largest squares [m²/s²],
    see `keep_top`.
    """
    count = (x.shape[0] + every - 1) // every
    first = total = square = largest = 0.0
    for n in range(top.shape[0]):
        top[n] = -np.inf
    for k in range(count):
        i, along, speed = k * every, 0.0, 0.0
        speed = v[i, 0] * v[i, 0] + v[i, 1] * v[i, 1] + v[i, 2] * v[i, 2]
        keep_top(speed, top)
        largest = max(largest, speed)
        for axis in range(3):
            along += x[i, axis] * down[axis]
        if k == 0:
            first = along
        total += along - first
        square += (along - first) * (along - first)
    mean = total / count
    return math.sqrt(max(square / count - mean * mean, 0.0)), largest


@kernel
def find_most(values, every, top):
    """The largest of one in `every` values, into `top`, see `keep_top`."""
    for n in range(top.shape[0]):
        top[n] = -np.inf
    for i in range(0, values.shape[0], every):
        keep_top(values[i], top)


@part_of_kernel
def keep_top(value, top):
    """Keep the largest values: `top` is a heap, whose smallest one is the first."""
    if value > top[0]:
        n = 0
        while 2 * n + 1 < top.shape[0]:
            below = 2 * n + 1
            if below + 1 < top.shape[0] and top[below + 1] < top[below]:
                below += 1
            if not top[below] < value:
                break
            top[n] = top[below]
            n = below
        top[n] = value
