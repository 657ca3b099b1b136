"""Lists of triangles near each cell, rebuilt when the sets of cells or triangles change or triangles have moved."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from ...compiler.kernels import kernel
from ...compiler.typed_call import TypedCall
from ...solver.neighbors.grid import cells_along
from .bounds import BOUND, FACE, GROUPED, NearLists, is_away, is_beyond, update_bounds
from .cells import lies_at
from .triangle import at, closest_weights

if TYPE_CHECKING:
    from ...solver.neighbors import Grid
    from .cells import Cells
    from .wall_table import Triangles

# Triangles are listed for cells within so many supports of them. Triangles with a larger radius than LARGE are tested
# themselves, not only their ball [cells].
LISTED, LARGE = 1.9, 0.5
# Lists stay valid while no corner has moved farther than this [support].
MARGIN = 0.4


class NearTriangles:
    """Lists of the triangles near each cell of a fluid."""

    def __init__(self, support: float) -> None:
        """Args: support: of the fluid's kernel [m]."""
        self._support = support
        whole = np.int32
        self._lists = NearLists(
            np.zeros(1, np.int64), np.zeros(0, whole), *_bounds(0), *(np.zeros(0, whole),) * 2,
        )
        # Corners when the lists were built [m]; infinite after cells have changed.
        self._listed = self._nowhere = np.full((1, 3, 3), np.inf, dtype=np.float32)
        self._bound, self._find = TypedCall(update_bounds), TypedCall(near_triangles)

    def forget(self) -> None:
        """Invalidate the lists: cells have changed."""
        self._listed = self._nowhere

    def of(self, triangles: Triangles, cells: Cells, grid: Grid) -> NearLists:
        """The list of each cell."""
        count = len(cells.first)
        if len(self._lists.bound) != len(triangles.start):
            bound, face, stop, ball = _bounds(len(triangles.start))
            self._lists = self._lists._replace(bound=bound, face=face, stop=stop, ball=ball)
        margin, group = MARGIN * self._support, np.float32(GROUPED * self._support)
        if self._bound(triangles, self._listed, margin, group, self._lists):
            return self._lists
        self._lists = self._lists._replace(start=np.zeros(count + 1, dtype=np.int64))
        self._listed = triangles.end.copy()
        if count and len(triangles.end):
            box = np.zeros((4, 3), dtype=np.int64)
            arguments = (triangles, cells, grid.frame, grid.size, LISTED * self._support, box)
            needed = self._find(*arguments, self._lists)
            if needed > len(self._lists.near):
                near, found, cell = (np.zeros(needed + needed // 2, dtype=np.int32) for _ in range(3))
                self._lists = self._lists._replace(near=near, found=found, cell=cell)
                self._find(*arguments, self._lists)
        return self._lists


def _bounds(count: int) -> tuple[np.ndarray, ...]:
    """Arrays for the bounds and faces of so many triangles, and for groups of them."""
    bound, ball = (np.zeros((count, columns), np.float32) for columns in (BOUND, 4))
    return bound, np.zeros((count, FACE)), np.zeros(count, np.int32), ball


@kernel
def near_triangles(triangles, cells, frame, size, reach, box, lists):
    """List the groups near each cell: near[start[a]] to near[start[a + 1] - 1]; returns the number of entries.

    Each group searches its cells once; the entries are then sorted by cell. Nothing is listed if capacity is too small.

    Args:
        reach: [m]; box: (4, 3) int64, scratch for the first and last coordinates of all cells, and those of a group.
        lists: `NearLists`, whose bounds and groups are set.
    """
    count, total = cells.first.shape[0], 0
    for axis in range(3):
        box[0, axis] = box[1, axis] = cells.place[0, axis]
        for a in range(count):
            box[0, axis] = min(box[0, axis], cells.place[a, axis])
            box[1, axis] = max(box[1, axis], cells.place[a, axis])
    for a in range(count + 1):
        lists.start[a] = 0
    t = 0
    while t < triangles.start.shape[0]:
        bound_paths_of(triangles, t, lists.stop[t], frame, reach, box)
        volume = 1.0
        for axis in range(3):
            volume *= max(box[3, axis] - box[2, axis] + 1, 0)
        if volume > count:
            for a in range(count):
                inside = True
                for axis in range(3):
                    inside &= box[2, axis] <= cells.place[a, axis] <= box[3, axis]
                if inside:
                    total = add_near(triangles, t, cells, a, frame, reach, total, lists)
        else:
            for z in range(box[2, 2], box[3, 2] + 1):
                layer = (z % size[2]) * size[1]
                for y in range(box[2, 1], box[3, 1] + 1):
                    row = (layer + y % size[1]) * size[0]
                    column = box[2, 0] % size[0]
                    for x in range(box[2, 0], box[3, 0] + 1):
                        a = cells.slot[row + column]
                        column = 0 if column + 1 == size[0] else column + 1
                        while a >= 0:
                            if lies_at(cells.place, a, x, y, z):
                                total = add_near(triangles, t, cells, a, frame, reach, total, lists)
                            a = cells.following[a]
        t = lists.stop[t]
    if total <= lists.near.shape[0]:
        sort_by_cell(total, lists)
    return total


@kernel
def sort_by_cell(total, lists):
    """Turn the number of entries of each cell into the start of its list; fill the lists, in the order of triangles."""
    start, first = lists.start, 0
    for a in range(start.shape[0]):
        here = start[a]
        start[a] = first
        first += here
    for k in range(total):
        a = lists.cell[k]
        lists.near[start[a]] = lists.found[k]
        start[a] += 1
    for a in range(start.shape[0] - 1, 0, -1):
        start[a] = start[a - 1]
    start[0] = 0


@kernel
def bound_paths_of(triangles, first, stop, frame, reach, box):
    """Cells around the paths of some triangles, within those of the fluid, into the last two rows of `box`."""
    for axis in range(3):
        low, high = np.inf, -np.inf
        for t in range(first, stop):
            for k in range(3):
                low = min(low, triangles.start[t, k, axis], triangles.end[t, k, axis])
                high = max(high, triangles.start[t, k, axis], triangles.end[t, k, axis])
        box[2, axis] = max(int(math.floor(cells_along(low - reach, frame[axis], frame[3]))), box[0, axis])
        box[3, axis] = min(int(math.floor(cells_along(high + reach, frame[axis], frame[3]))), box[1, axis])


@kernel
def add_near(triangles, t, cells, a, frame, reach, total, lists):
    """Add a group to a cell's list if it is within reach of the ball around the cell; returns the total then."""
    edge = 1.0 / frame[3]
    x = frame[0] + (cells.place[a, 0] + 0.5) * edge
    y = frame[1] + (cells.place[a, 1] + 0.5) * edge
    z = frame[2] + (cells.place[a, 2] + 0.5) * edge
    far = reach + 0.87 * edge
    is_one = lists.stop[t] == t + 1
    if is_beyond(lists.bound, t, x, y, z, far) if is_one else is_away(lists.ball, t, x, y, z, far):
        return total
    is_near = not is_one or lists.bound[t, 3] < LARGE * edge
    if not is_near:
        u, v, w = closest_weights(triangles.start, t, x, y, z)
        px, py, pz = at(triangles.start, t, u, v, w)
        is_near = (px - x) * (px - x) + (py - y) * (py - y) + (pz - z) * (pz - z) < far * far
    if not is_near:
        return total
    lists.start[a] += 1
    if total < lists.found.shape[0]:
        lists.found[total], lists.cell[total] = t, a
    return total + 1
