"""Points sorted by cell, in an unbounded space.

A cell is as wide as the reach of the search, so the points near a position lie in three cells along each axis. Cells of
one row along x are consecutive in the table: nine runs of points cover a neighbourhood. With cells of half the width
there are 25 shorter runs; the search by sixteen points at a time then took 36 ms instead of 21 for 97,000 points.

Far away the table repeats: a cell's index is its coordinate modulo the table's size along each axis. So any finite
point has a cell, and the distance test separates points of different cells that share an index. The sort is stable and
split into a fixed number of chunks: its result does not depend on the number of threads. Compare Ihmsen et al. 2011,
"A parallel SPH implementation on multi-core CPUs".
"""

from __future__ import annotations

import math

import numpy as np

from ...compiler.kernels import kernel, parallel_kernel, part_of_kernel, prange
from ...compiler.typed_call import TypedCall

# Cells on either side of a point's own cell in which neighbours may lie.
REACH_CELLS = 1
SPAN = 2 * REACH_CELLS + 1
# Points are counted and sorted in this many chunks, for any number of threads.
CHUNKS = 4
# A table has at most the larger of this many cells a point and the second number.
CELLS_PER_POINT, FEWEST_CELLS = 4, 4096
# Coordinates are clamped to this distance [cells].
FARTHEST = 1e9
# Columns are longer than the points by this, so that sixteen values can be read from any point on.
SLACK = 16


class Grid:
    """A table of cells; `sort` fills it.

    Attributes:
        edge: width of a cell [m]; frame: (4,) float64, lowest corner [m] and cells a metre.
        size: (3,) int64, cells of the table along x, y, z.
        count: number of points in cells; the points after them in `order` are not finite.
        order: (n,) int32, the point at each sorted place; cell: (n,) int32, the cell of each point, in its own order.
        start: (cells + 2,) int32, first sorted place of each cell, then of the points without a cell, then n.
        columns: (3, n + SLACK) float32, positions [m] in sorted order.
    """

    def __init__(self, reach: float) -> None:
        """Args: reach: largest distance of neighbours [m]."""
        self.edge = reach / REACH_CELLS
        self.frame, self.size = np.array([0.0, 0.0, 0.0, 1.0 / self.edge]), np.full(3, SPAN, dtype=np.int64)
        self._bound, self._sort = TypedCall(bound), TypedCall(sort_points)
        self.count, self._chunk_counts = 0, np.zeros((CHUNKS, 0), dtype=np.int32)
        self.order, self.cell = np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.int32)
        self.start, self.columns = np.zeros(0, dtype=np.int32), np.zeros((3, SLACK), dtype=np.float32)

    def sort(self, points: np.ndarray) -> None:
        """Sort points (n, 3) or longer rows, float32 [m]."""
        count = len(points)
        if count != len(self.order):
            self.order, self.cell = np.zeros(count, dtype=np.int32), np.zeros(count, dtype=np.int32)
            self.columns = np.zeros((3, count + SLACK), dtype=np.float32)
        self._lay_out(points)
        cells = int(np.prod(self.size))
        if len(self.start) != cells + 2:
            self.start, self._chunk_counts = (
                np.zeros(shape, dtype=np.int32) for shape in (cells + 2, (CHUNKS, cells + 1))
            )
        table = self.frame, self.size, self.cell, self._chunk_counts, self.start, self.order, self.columns
        self.count = int(self._sort(points, table))

    def _lay_out(self, points: np.ndarray) -> None:
        """Choose the table's corner and size: the box of the points, or less where it would be mostly empty."""
        boxes = np.zeros((CHUNKS, 2, 3))
        self._bound(points, boxes)
        low, high = boxes[:, 0].min(axis=0), boxes[:, 1].max(axis=0)
        if not np.isfinite(low).all():
            low, high = np.zeros(3), np.zeros(3)
        self.frame[:3] = low
        # In floating point: the box of points far apart has more cells than an integer holds.
        box = np.minimum(np.floor((high - low) / self.edge) + 1.0, FARTHEST)
        most = max(CELLS_PER_POINT * len(points), FEWEST_CELLS)
        while box.prod() > most and box.max() > SPAN:
            box[box.argmax()] = math.ceil(box.max() / 2.0)
        self.size[:] = np.maximum(box, SPAN)


@parallel_kernel
def bound(points, boxes):
    """Corners (CHUNKS, 2, 3) of the box around the finite points of each chunk; infinite without any."""
    for chunk in prange(CHUNKS):
        bound_chunk(points, chunk, boxes)


@kernel
def bound_chunk(points, chunk, boxes):
    """Corners of the box of one chunk."""
    for k in range(3):
        boxes[chunk, 0, k], boxes[chunk, 1, k] = np.inf, -np.inf
    for i in range(points.shape[0] * chunk // CHUNKS, points.shape[0] * (chunk + 1) // CHUNKS):
        if is_finite(points, i):
            for k in range(3):
                value = float(points[i, k])
                boxes[chunk, 0, k] = min(boxes[chunk, 0, k], value)
                boxes[chunk, 1, k] = max(boxes[chunk, 1, k], value)


@part_of_kernel
def is_finite(points, i):
    """Whether all three coordinates of point i are finite."""
    return math.isfinite(points[i, 0]) and math.isfinite(points[i, 1]) and math.isfinite(points[i, 2])


@part_of_kernel
def cells_along(value, low, per_edge):
    """A coordinate in cells from the table's corner, clamped to the range of an integer."""
    return min(max((float(value) - low) * per_edge, -FARTHEST), FARTHEST)


@part_of_kernel
def cell_of(points, i, frame, size):
    """Index of the cell of point i."""
    x = int(math.floor(cells_along(points[i, 0], frame[0], frame[3])))
    y = int(math.floor(cells_along(points[i, 1], frame[1], frame[3])))
    z = int(math.floor(cells_along(points[i, 2], frame[2], frame[3])))
    return (wrap_any(z, size[2]) * size[1] + wrap_any(y, size[1])) * size[0] + wrap_any(x, size[0])


@part_of_kernel
def wrap_any(cell, size):
    """A coordinate modulo the table's size; most need no division, which is slow."""
    return cell if 0 <= cell < size else cell % size


@kernel
def sort_points(points, table):
    """Sort points into a table: frame, size, cell, chunk_counts, start, order, columns of a `Grid`; returns `count`."""
    frame, size, cell, chunk_counts, start, order, columns = table
    count_in_cells(points, frame, size, cell, chunk_counts)
    place_cells(chunk_counts, start)
    place_points(points, cell, chunk_counts, order, columns)
    return start[start.shape[0] - 2]


@parallel_kernel
def count_in_cells(points, frame, size, cell, chunk_counts):
    """The cell of each point (n,), and how many points of each chunk each cell has, (CHUNKS, cells + 1)."""
    cells = chunk_counts.shape[1] - 1
    for chunk in prange(CHUNKS):
        for c in range(cells + 1):
            chunk_counts[chunk, c] = 0
        for i in range(points.shape[0] * chunk // CHUNKS, points.shape[0] * (chunk + 1) // CHUNKS):
            c = cell_of(points, i, frame, size) if is_finite(points, i) else cells
            cell[i] = c
            chunk_counts[chunk, c] += 1


@kernel
def place_cells(chunk_counts, start):
    """First place of each cell, (cells + 2,), and of each chunk in it, which replaces the counts in `chunk_counts`."""
    total = 0
    for c in range(chunk_counts.shape[1]):
        start[c] = total
        for chunk in range(CHUNKS):
            here = chunk_counts[chunk, c]
            chunk_counts[chunk, c] = total
            total += here
    start[chunk_counts.shape[1]] = total


@parallel_kernel
def place_points(points, cell, chunk_counts, order, columns):
    """Write all points to their sorted places, see `Grid`; advances `chunk_counts`."""
    for chunk in prange(CHUNKS):
        for i in range(points.shape[0] * chunk // CHUNKS, points.shape[0] * (chunk + 1) // CHUNKS):
            place = chunk_counts[chunk, cell[i]]
            chunk_counts[chunk, cell[i]] = place + 1
            order[place] = i
            for k in range(3):
                columns[k, place] = points[i, k]
