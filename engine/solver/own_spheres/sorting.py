"""The spheres of a body sorted by the cells that they cross in the next substeps.

A search is valid for several substeps, in which spheres are predicted to move along straight lines. They are sorted by
their positions in the middle of that time, so no sphere is farther from there than half its displacement.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...compiler.kernels import kernel, part_of_kernel
from ..neighbors.grid import FARTHEST, FEWEST_CELLS, SPAN, cell_of, is_finite

# Cells of the table for each sphere.
CELLS = 2


class SphereTable(NamedTuple):
    """Spheres sorted by cell: the columns of a `neighbors.Grid`, for a single kernel that sizes the table and sorts.

    Attributes:
        frame: (4,) lowest corner [m] and cells a metre; size: (3,) int64, cells along x, y, z.
        start: (most + 3,) int32, first sorted place of each cell; the last holds spheres that are not finite.
        order: (k,) int32, the sphere at each sorted place; cell: (k,) int32, of each sphere.
        rows: (k, 8) float32, in sorted order: position of spheres in the middle of the time for which they are sorted,
            from the lowest corner, half their displacement in that time, their diameter [m], and an unused column.
        points: (k, 3), the same positions, not sorted and from the origin [m].
    """

    frame: np.ndarray
    size: np.ndarray
    start: np.ndarray
    order: np.ndarray
    cell: np.ndarray
    rows: np.ndarray
    points: np.ndarray


def sphere_table(count: int) -> SphereTable:
    """A table for `count` spheres."""
    most = max(CELLS * count, FEWEST_CELLS)
    return SphereTable(
        np.zeros(4), np.zeros(3, dtype=np.int64),
        *(np.zeros(size, dtype=np.int32) for size in (most + 3, count, count)),
        np.zeros((count, 8), dtype=np.float32), np.zeros((count, 3)),
    )


class _Vector(NamedTuple):
    """A vector [m]."""

    x: float
    y: float
    z: float


@kernel
def largest_displacement(particle, x_prev, x):
    """Largest displacement of a particle relative to the mean of all [m]; x_prev, x: (n, 3) of all particles."""
    mean = _Vector(0.0, 0.0, 0.0)
    for i in particle:
        mean = _Vector(
            mean.x + x[i, 0] - x_prev[i, 0], mean.y + x[i, 1] - x_prev[i, 1], mean.z + x[i, 2] - x_prev[i, 2]
        )
    count = max(particle.shape[0], 1)
    most = 0.0
    for i in particle:
        dx = x[i, 0] - x_prev[i, 0] - mean.x / count
        dy = x[i, 1] - x_prev[i, 1] - mean.y / count
        dz = x[i, 2] - x_prev[i, 2] - mean.z / count
        most = max(most, dx * dx + dy * dy + dz * dz)
    return math.sqrt(most)


@kernel
def count_deviating(spheres, table, done, x, allowed, most):
    """Number of spheres farther than `allowed` [m] from their prediction, relative to the mean deviation of all.

    All, if one is farther than `most` [m].

    Args: done: time within that for which spheres are sorted, from -1 to 1; x: (n, 3) of all particles [m].
    """
    rows, order, particle = table.rows, table.order, spheres.particle
    mean = _Vector(0.0, 0.0, 0.0)
    for p in range(order.shape[0]):
        deviation = _deviation(rows, p, done, x, particle[order[p]])
        mean = _Vector(mean.x + deviation.x, mean.y + deviation.y, mean.z + deviation.z)
    count = max(order.shape[0], 1)
    deviating = 0
    for p in range(order.shape[0]):
        deviation = _deviation(rows, p, done, x, particle[order[p]])
        dx = deviation.x - mean.x / count
        dy = deviation.y - mean.y / count
        dz = deviation.z - mean.z / count
        square = dx * dx + dy * dy + dz * dz
        if not square <= most * most:
            return order.shape[0]
        deviating += square > allowed * allowed
    return deviating


@part_of_kernel
def _deviation(rows, p, done, x, i):
    """Vector from the predicted position of sphere p of the table to particle i [m]."""
    return _Vector(
        x[i, 0] - rows[p, 0] - done * rows[p, 3], x[i, 1] - rows[p, 1] - done * rows[p, 4],
        x[i, 2] - rows[p, 2] - done * rows[p, 5],
    )


@kernel
def sort_spheres(x_prev, x, lasts, reach, spheres, table):
    """Sort spheres by cells of width `reach` [m], at their positions in the middle of `lasts` substeps.

    Args: x_prev, x: (n, 3) at the start and the end of the first of these [m]; table: `SphereTable`, out.
    """
    particle, points, frame, size = spheres.particle, table.points, table.frame, table.size
    ahead = 0.5 * lasts
    for axis in range(3):
        low = math.inf
        high = -math.inf
        for k in range(particle.shape[0]):
            i = particle[k]
            value = x_prev[i, axis] + ahead * (x[i, axis] - x_prev[i, axis])
            points[k, axis] = value
            if math.isfinite(value):
                low = min(low, value)
                high = max(high, value)
        frame[axis] = low if low <= high else 0.0
        size[axis] = max(int(min(max((high - low) / reach, 0.0), FARTHEST)) + 1, SPAN)
    frame[3] = 1.0 / reach
    while float(size[0]) * float(size[1]) * float(size[2]) > table.start.shape[0] - 3:
        longest = 0
        for axis in range(1, 3):
            if size[axis] > size[longest]:
                longest = axis
        size[longest] = (size[longest] + 1) // 2
    cells = size[0] * size[1] * size[2]
    start, cell, rows = table.start, table.cell, table.rows
    for c in range(cells + 3):
        start[c] = 0
    for k in range(particle.shape[0]):
        cell[k] = cell_of(points, k, frame, size) if is_finite(points, k) else cells
        start[cell[k] + 2] += 1
    for c in range(2, cells + 3):
        start[c] += start[c - 1]
    # Each start moves up to the next one while its cell is filled.
    for k in range(particle.shape[0]):
        i = particle[k]
        place = start[cell[k] + 1]
        start[cell[k] + 1] = place + 1
        table.order[place] = k
        for axis in range(3):
            rows[place, axis] = points[k, axis] - frame[axis]
            rows[place, 3 + axis] = ahead * (x[i, axis] - x_prev[i, axis])
        rows[place, 6] = spheres.diameter[k]


