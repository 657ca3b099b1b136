"""Speed and depth of a fluid, which determine the length of steps and the pressure limits."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...compiler.kernels import kernel, parallel_kernel, part_of_kernel, prange
from ...compiler.typed_call import TypedCall

# Pressures can stop particles that are up to FASTER times faster than this quantile of the speeds.
NEARLY_ALL, FASTER = 0.99, 1.5
# Speed and depth are measured on a sample of no more than about twice this many particles.
SAMPLE = 4096
# Extent of a block of particles, over the standard deviation of their positions.
SPREAD = 3.5
# Particles in a task of a thread.
TASK = 4096


class Pace(NamedTuple):
    """How fast and how deep a fluid is.

    Attributes:
        speed: well above that of nearly all particles [m/s]; depth: along gravity [m].
    """

    speed: float
    depth: float


class Meter:
    """Measures how fast and how deep a fluid is."""

    def __init__(self, down: np.ndarray) -> None:
        """Args: down: (3,) unit vector of gravity."""
        self._down = down
        self._find_fastest, self._measure, self._find_top = map(TypedCall, (find_fastest, measure, find_top))

    def fastest(
        self, x: np.ndarray, v: np.ndarray, h: float, error: np.ndarray, alone: float, box: np.ndarray
    ) -> float:
        """The largest speed [m/s], without isolated drops that touch nothing in h [s]: drops that fly away.

        Args:
            x, v: (n, 3) [m], [m/s]; error: (n,) relative density less one, at most `alone` for an isolated particle.
            box: (2, 3) corners of the box around all that a drop may touch [m].
        """
        squares = np.empty((len(x) + TASK - 1) // TASK)
        return math.sqrt(float(self._find_fastest(x, v, h, error, alone, box, squares)))

    def pace(self, x: np.ndarray, v: np.ndarray) -> Pace:
        """The pace of particles at x (n, 3) [m] with velocities v (n, 3) [m/s]."""
        if len(x) == 0:
            return Pace(0.0, 0.0)
        top = quantile_heap(len(x), NEARLY_ALL)
        spread, largest = self._measure(x, v, self._down, stride_of(len(x)), top)
        return Pace(math.sqrt(min(largest, FASTER**2 * float(top[0]))), SPREAD * spread)

    def quantile(self, values: np.ndarray, fraction: float) -> float:
        """The quantile `fraction` of a sample of the values (n,); 0 without values."""
        if len(values) == 0:
            return 0.0
        top = quantile_heap(len(values), fraction)
        self._find_top(values, stride_of(len(values)), top)
        return float(top[0])


def stride_of(count: int) -> int:
    """Stride by which a sample is taken from `count` particles."""
    return max(count // SAMPLE, 1)


def quantile_heap(count: int, fraction: float) -> np.ndarray:
    """Heap for the largest of a sample of `count` values: its first one will be the quantile `fraction`."""
    size = -(-count // stride_of(count))
    return np.empty(size - min(int(fraction * size), size - 1))


@parallel_kernel
def find_fastest(x, v, h, error, alone, box, squares):
    """The largest squared speed, and that of each task's particles into `squares` [m²/s²], see `Meter.fastest`."""
    for task in prange(squares.shape[0]):
        squares[task] = fastest_in(TASK * task, min(TASK * (task + 1), x.shape[0]), x, v, h, error, alone, box)
    largest = 0.0
    for task in range(squares.shape[0]):
        largest = max(largest, squares[task])
    return largest


@kernel
def fastest_in(first, stop, x, v, h, error, alone, box):
    """The largest squared speed of the particles first : stop [m²/s²], see `Meter.fastest`."""
    largest = 0.0
    for i in range(first, stop):
        square = v[i, 0] * v[i, 0] + v[i, 1] * v[i, 1] + v[i, 2] * v[i, 2]
        if square > largest and (error[i] > alone or reaches_box(i, x, v, h, box)):
            largest = square
    return largest


@kernel
def reaches_box(i, x, v, h, box):
    """Whether the box around the path of particle i in h [s] touches the box (2, 3) [m]."""
    touches = True
    for axis in range(3):
        there = x[i, axis] + h * v[i, axis]
        touches &= min(x[i, axis], there) <= box[1, axis] and max(x[i, axis], there) >= box[0, axis]
    return touches


@kernel
def measure(x, v, down, stride, top):
    """Spread of the positions of one in `stride` particles along `down` (3,) [m], and the largest squared speed.

    The spread is the standard deviation, from sums about the first of them. `top` becomes the largest squares [m²/s²],
    see `keep_top`.
    """
    count = (x.shape[0] + stride - 1) // stride
    first = total = square = largest = 0.0
    for n in range(top.shape[0]):
        top[n] = -np.inf
    for k in range(count):
        i, along, speed = k * stride, 0.0, 0.0
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
def find_top(values, stride, top):
    """The largest of one in `stride` values, into `top`, see `keep_top`."""
    for n in range(top.shape[0]):
        top[n] = -np.inf
    for i in range(0, values.shape[0], stride):
        keep_top(values[i], top)


@part_of_kernel
def keep_top(value, top):
    """Keep the largest values: `top` is a min-heap."""
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
