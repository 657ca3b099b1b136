"""Lists of neighbours of sixteen points at a time, from a grid.

Points are in sorted order, sixteen to a block. Slot s of a block holds one neighbour of each of its points: slots
`slot_start[b]` to `slot_start[b + 1]` of `neighbor`. Shorter lists are padded with the index of a row far
from all points, so that a kernel needs no mask. Lists are symmetric: if j is in the list of i, then i is in that of j.

A list has a maximum length. A point with more neighbours keeps those near it in sorted order, and entries that are then
on one side only are removed: pair forces conserve momentum even there.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...compiler.kernels import kernel, parallel_kernel, part_of_kernel, prange
from ..vector.ir.lanes import LANES
from ..vector.near import test_sixteen
from .grid import REACH_CELLS, SPAN, Grid, cells_along

# Number of blocks that are searched before they are packed, and number of blocks per task.
WAVE, TASK = 256, 8
# A row of cells is skipped if it is farther than the reach by this fraction.
ROUNDING = 1e-3


class Table(NamedTuple):
    """Arrays of a `Grid`, under the same names, for kernels; reach: largest distance of neighbours [m]."""

    frame: np.ndarray
    size: np.ndarray
    start: np.ndarray
    columns: np.ndarray
    reach: np.float32


class NeighborLists:
    """Lists of those points of a grid that are near given points.

    Attributes:
        most: maximum length of a list.
        slot_start: (blocks + 1,) int64; neighbor: (slots, 16) int32 or longer, sorted places in the grid.
        none: the index that pads a list, `LANES` times the number of blocks of the grid's own points.
        overflow: number of points with more neighbours than `most`.
    """

    def __init__(self, most: int = 96) -> None:
        self.most, self.none, self.overflow = most, 0, 0
        self.slot_start, self.neighbor = np.zeros(1, dtype=np.int64), np.zeros((0, LANES), dtype=np.int32)
        self._found = np.zeros((WAVE * LANES, most + LANES), dtype=np.int32)
        self._length = np.zeros(WAVE * LANES, dtype=np.int32)

    def find(self, grid: Grid, reach: float) -> None:
        """Find the lists of the grid's own points, each without itself."""
        self._find(grid.columns, grid.count, grid, reach, True)
        if self.overflow:
            drop_one_sided(grid.count, self.slot_start, self.neighbor, self.none)

    def find_others(self, columns: np.ndarray, count: int, grid: Grid, reach: float) -> None:
        """Find lists of the first `count` points of columns (3, m) float32 [m]; a full list keeps those found first."""
        self._find(columns, count, grid, reach, False)

    def _find(self, columns: np.ndarray, count: int, grid: Grid, reach: float, own: bool) -> None:
        blocks = -(-count // LANES)
        self.none = LANES * -(-grid.count // LANES)
        if len(self.slot_start) != blocks + 1:
            self.slot_start = np.zeros(blocks + 1, dtype=np.int64)
        table = Table(grid.frame, grid.size, grid.start, grid.columns, np.float32(reach))
        out = (self._found, self._length, self.slot_start)
        self.overflow = fill_lists(columns, count, table, own, self.none, *out, self.neighbor)
        if self.slot_start[blocks] > len(self.neighbor):
            slots = int(self.slot_start[blocks])
            self.neighbor = np.zeros((slots + slots // 4, LANES), dtype=np.int32)
            self.overflow = fill_lists(columns, count, table, own, self.none, *out, self.neighbor)


@parallel_kernel
def fill_lists(columns, count, table, own, none, found, length, slot_start, neighbor):
    """Find and pack the lists of all points; returns how many overflow. Lists beyond `neighbor` are left out.

    Args:
        columns: (3, m) positions [m], of which the first `count` are used; own: whether they are the grid's points.
        found, length: scratch for the lists of a wave.
    """
    overflow = 0
    blocks = slot_start.shape[0] - 1
    most = found.shape[1] - LANES
    slot_start[0] = 0
    for wave in range((blocks + WAVE - 1) // WAVE):
        first = wave * WAVE
        here = min(WAVE, blocks - first)
        for task in prange((here + TASK - 1) // TASK):
            for k in range(LANES * TASK * task, LANES * min(TASK * (task + 1), here)):
                i = LANES * first + k
                length[k] = 0 if i >= count else find_near(columns, table, i, own, none, found[k])
        for b in range(here):
            longest = 0
            for k in range(LANES * b, LANES * (b + 1)):
                overflow += length[k] > most
                length[k] = min(length[k], most)
                longest = max(longest, length[k])
            slot_start[first + b + 1] = slot_start[first + b] + longest
        if slot_start[first + here] <= neighbor.shape[0]:
            for b in prange(here):
                pack_block(b, found, length, none, slot_start[first + b], slot_start[first + b + 1], neighbor)
    return overflow


@kernel
def pack_block(block, found, length, none, first, stop, neighbor):
    """Transpose the sixteen lists of a block of the wave into slots."""
    for lane in range(LANES):
        k = LANES * block + lane
        for s in range(stop - first):
            neighbor[first + s, lane] = found[k, s] if s < length[k] else none


@kernel
def find_near(columns, table, i, own, none, near):
    """Write points of the grid near point i to `near` (most + 16,), overwriting what follows; returns their number.

    A number above `most` means that the list is full; then `near` holds `most` of them.
    """
    most = near.shape[0] - LANES
    count = scan(columns, table, i, i if own else -1, near)
    if own and count > most:
        keep_close(columns, table, i, none, near)
    return count


@kernel
def keep_close(columns, table, i, none, near):
    """Fill the list (most + 16,) of point i with the neighbours near it in sorted order, then with `none`."""
    most = near.shape[0] - LANES
    last = table.columns.shape[1] - LANES
    square = table.reach * table.reach
    kept = 0
    for j in range(max(i - most // 2, 0), min(i + most // 2 + 1, last)):
        dx = table.columns[0, j] - columns[0, i]
        dy = table.columns[1, j] - columns[1, i]
        dz = table.columns[2, j] - columns[2, i]
        if j != i and dx * dx + dy * dy + dz * dz < square:
            near[kept] = j
            kept += 1
    for k in range(kept, most):
        near[k] = none


@kernel
def scan(columns, table, i, skip, near):
    """List points nearer than the reach, except `skip`, until the list is full; returns their number."""
    most = near.shape[0] - LANES
    at_x = cells_along(columns[0, i], table.frame[0], table.frame[3])
    at_y = cells_along(columns[1, i], table.frame[1], table.frame[3])
    at_z = cells_along(columns[2, i], table.frame[2], table.frame[3])
    x, y, z = math.floor(at_x), math.floor(at_y), math.floor(at_z)
    nx, ny, nz = table.size[0], table.size[1], table.size[2]
    first_x = (int(x) - REACH_CELLS) % nx
    before_wrap = min(SPAN, nx - first_x)
    far = min(table.reach * table.frame[3], float(REACH_CELLS)) * (1.0 + ROUNDING)
    count = 0
    for dz in range(-REACH_CELLS, REACH_CELLS + 1):
        gap_z = distance_to_row(at_z - z, dz)
        row_z = wrapped(int(z) % nz + dz, nz) * ny
        for dy in range(-REACH_CELLS, REACH_CELLS + 1):
            gap_y = distance_to_row(at_y - y, dy)
            if gap_y * gap_y + gap_z * gap_z > far * far:
                continue
            row = (row_z + wrapped(int(y) % ny + dy, ny)) * nx
            count = test_run(columns, table, i, skip, row + first_x, row + first_x + before_wrap, near, count)
            if before_wrap < SPAN:
                count = test_run(columns, table, i, skip, row, row + SPAN - before_wrap, near, count)
            if count > most:
                return count
    return count


@part_of_kernel
def distance_to_row(inside, cells):
    """Distance of a point to a row `cells` cells further [cells]; inside: its position in its own cell, 0 to 1."""
    return cells - inside if cells > 0 else inside - cells - 1.0 if cells < 0 else 0.0


@part_of_kernel
def wrapped(cell, size):
    """A cell's coordinate in the table, from a coordinate at most one table size outside."""
    return cell + size if cell < 0 else cell - size if cell >= size else cell


@part_of_kernel
def test_run(columns, table, i, skip, first_cell, stop_cell, near, count):
    """Append the near points of consecutive cells; returns the new count."""
    stop = table.start[stop_cell]
    for first in range(table.start[first_cell], stop, LANES):
        if count <= near.shape[0] - LANES:
            count = test_sixteen(
                table.columns, columns[0, i], columns[1, i], columns[2, i], table.reach * table.reach, first, stop,
                skip, near, count,
            )
    return count


@parallel_kernel
def drop_one_sided(count, slot_start, neighbor, none):
    """Remove from the list of each point those that do not list it in turn; mutual pairs stay."""
    for block in prange(slot_start.shape[0] - 1):
        for lane in range(min(LANES, count - LANES * block)):
            i = LANES * block + lane
            for s in range(slot_start[block], slot_start[block + 1]):
                j = neighbor[s, lane]
                if j == none:
                    continue
                is_mutual = False
                for t in range(slot_start[j // LANES], slot_start[j // LANES + 1]):
                    is_mutual |= neighbor[t, j % LANES] == i
                if not is_mutual:
                    neighbor[s, lane] = none
