"""Neighbour lists of all points of a grid, in blocks of up to sixteen points of one row of cells.

A block's points lie close together. First all points within the reach of the box around the block are collected, then
each of its points is tested against those, sixteen at a time: fewer tests than a search of the cells point by point,
and with vector instructions. Compare Páll and Hess 2013, "A flexible algorithm for calculating pair interactions on
SIMD architectures".

Lists are symmetric: if j is in the list of i, then i is in that of j. A list has a maximum length. A point with more
neighbours keeps those near it in sorted order, and entries that are then on one side only are removed: pair forces
conserve momentum even there.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...compiler import aligned
from ...compiler.kernels import kernel, parallel_kernel, prange
from ...compiler.typed_call import TypedCall
from ..vector.ir.lanes import LANES
from ..vector.near import list_near_box, test_listed, transpose_lists
from .grid import REACH_CELLS, SPAN, Grid

# Number of blocks that are searched before they are packed, and number of blocks per task.
WAVE, TASK = 128, 8
# A block collects no more points than this.
MOST_COLLECTED = 2048
# When slots do not fit, the capacity grows by one slot in this many.
SPARE_DIVISOR = 16


class Blocks(NamedTuple):
    """Blocks and lists, for kernels: b blocks of n sorted points.

    Attributes:
        start: (b + 1,) int32 or longer, first point of each block; block: (n,) int32, the block of each point.
        slot_start: (b + 1,) int64 or longer; neighbor: (slots, 16) int32 or longer: each slot holds one neighbour of
            each point of a block. Shorter lists are padded with n, the index of a row far from all points.
    """

    start: np.ndarray
    block: np.ndarray
    slot_start: np.ndarray
    neighbor: np.ndarray


class Scratch(NamedTuple):
    """Scratch arrays for the search of a wave of blocks.

    Attributes:
        near: (tasks, MOST_COLLECTED + 16) int32, points near a block; listed: (tasks, 3, MOST_COLLECTED + 16) float32,
            their positions [m]; box: (tasks, 6) float32 [m].
        found: (16 WAVE, most + 16) int32, lists; length: (16 WAVE,) int32.
    """

    near: np.ndarray
    listed: np.ndarray
    box: np.ndarray
    found: np.ndarray
    length: np.ndarray


class BlockTable(NamedTuple):
    """Arrays of a `Grid`, under the same names, for kernels; reach: largest distance of neighbours [m]."""

    columns: np.ndarray
    start: np.ndarray
    size: np.ndarray
    order: np.ndarray
    cell: np.ndarray
    reach: np.float32


class BlockLists:
    """Blocks of the points of a grid, and their lists.

    Attributes:
        most: maximum length of a list; count: number of blocks; columns: `Blocks`.
        overflow: number of points with more neighbours than `most`, or too many points around their block.
    """

    def __init__(self, most: int = 96) -> None:
        self.most, self.count, self.overflow = most, 0, 0
        self._count, self._split, self._fill = map(TypedCall, (count_blocks, split_rows, fill_lists))
        integer = np.int32
        self.columns = Blocks(
            np.zeros(1, integer), np.zeros(0, integer), np.zeros(1, np.int64), np.zeros((0, LANES), integer),
        )
        tasks, width = WAVE // TASK, MOST_COLLECTED + LANES
        self._scratch = Scratch(
            aligned.zeros((tasks, width), integer), aligned.zeros((tasks, 3, width), np.float32),
            np.zeros((tasks, 6), np.float32), aligned.zeros((WAVE * LANES, most + LANES), integer),
            np.zeros(WAVE * LANES, integer),
        )

    def find(self, grid: Grid, reach: float) -> None:
        """Find the lists of the grid's own points, each without itself."""
        rows, columns = int(grid.size[1] * grid.size[2]), self.columns
        self.count = int(self._count(grid.start, grid.size[0], rows))
        if self.count >= len(columns.start) or len(columns.block) != grid.count:
            places = self.count + self.count // 4 + 1
            columns = columns._replace(
                start=np.zeros(places, np.int32), block=np.zeros(grid.count, np.int32),
                slot_start=np.zeros(places, np.int64),
            )
        self._split(grid.start, grid.size[0], rows, columns)
        table = BlockTable(grid.columns, grid.start, grid.size, grid.order, grid.cell, np.float32(reach))
        self.overflow = self._fill(self.count, table, self._scratch, columns)
        slots = int(columns.slot_start[self.count])
        if slots > len(columns.neighbor):
            columns = columns._replace(neighbor=np.zeros((slots + slots // SPARE_DIVISOR, LANES), dtype=np.int32))
            self.overflow = self._fill(self.count, table, self._scratch, columns)
        if self.overflow:
            drop_one_sided(self.count, grid.count, columns)
        self.columns = columns


@kernel
def count_blocks(start, length, rows):
    """Number of blocks of the points in `rows` rows of `length` cells."""
    count = 0
    for row in range(rows):
        count += (start[(row + 1) * length] - start[row * length] + LANES - 1) // LANES
    return count


@kernel
def split_rows(start, length, rows, blocks):
    """Split the points of each row of cells into blocks."""
    count = 0
    for row in range(rows):
        stop = start[(row + 1) * length]
        for first in range(start[row * length], stop, LANES):
            blocks.start[count] = first
            for i in range(first, min(first + LANES, stop)):
                blocks.block[i] = count
            count += 1
    blocks.start[count] = start[rows * length]


@parallel_kernel
def fill_lists(count, table, scratch, blocks):
    """Find and pack all lists; returns the number of points that had to leave neighbours out.

    Lists beyond the capacity of `neighbor` are left out.
    """
    overflow = 0
    blocks.slot_start[0] = 0
    for wave in range((count + WAVE - 1) // WAVE):
        first = wave * WAVE
        here = min(WAVE, count - first)
        for task in prange((here + TASK - 1) // TASK):
            for b in range(TASK * task, min(TASK * (task + 1), here)):
                search_block(first, b, task, table, scratch, blocks)
        overflow += place_slots(first, here, scratch, blocks)
        if blocks.slot_start[first + here] <= blocks.neighbor.shape[0]:
            for b in prange(here):
                pack_block(first, b, table, scratch, blocks)
    return overflow


@kernel
def place_slots(first, here, scratch, blocks):
    """Find the first slot of each block of a wave; returns how many of its points have more neighbours than fit."""
    overflow, most = 0, scratch.found.shape[1] - LANES
    for b in range(here):
        longest = 0
        for k in range(LANES * b, LANES * (b + 1)):
            overflow += scratch.length[k] > most
            scratch.length[k] = min(scratch.length[k], most)
            longest = max(longest, scratch.length[k])
        blocks.slot_start[first + b + 1] = blocks.slot_start[first + b] + longest
    return overflow


@kernel
def pack_block(first, b, table, scratch, blocks):
    """Transpose the sixteen lists of block b of the wave into slots."""
    none = table.start[table.start.shape[0] - 2]
    begin, stop = blocks.slot_start[first + b], blocks.slot_start[first + b + 1]
    for k in range(LANES * b, LANES * (b + 1)):
        for s in range(scratch.length[k], stop - begin):
            scratch.found[k, s] = none
    for s in range(0, stop - begin, LANES):
        transpose_lists(scratch.found, LANES * b, s, blocks.neighbor, begin + s, stop)


@kernel
def search_block(first, b, task, table, scratch, blocks):
    """Find the lists of the points of block b of a wave; a length above `most` means that some were left out."""
    start, stop = blocks.start[first + b], blocks.start[first + b + 1]
    box, near, listed, points = scratch.box[task], scratch.near[task], scratch.listed[task], table.columns
    for axis in range(3):
        low = high = points[axis, start]
        for i in range(start + 1, stop):
            low, high = min(low, points[axis, i]), max(high, points[axis, i])
        box[axis], box[3 + axis] = low, high
    lowest, highest = 0, table.start[table.start.shape[0] - 2]
    collected = collect(start, stop, lowest, highest, table, box, near, listed)
    is_crowded = collected > MOST_COLLECTED
    if is_crowded:
        half = MOST_COLLECTED // 2
        collected = collect(start, stop, start - half, start + half, table, box, near, listed)
    most, square = scratch.found.shape[1] - LANES, table.reach * table.reach
    for lane in range(LANES):
        k, i, count = LANES * b + lane, start + lane, 0
        found = scratch.found[k]
        if i < stop:
            px, py, pz = points[0, i], points[1, i], points[2, i]
            for at in range(0, collected, LANES):
                if count <= most:
                    count = test_listed(near, listed, px, py, pz, square, at, collected, i, found, count)
            if count > most:
                keep_close(i, collected, near, listed, points, square, found, highest)
            elif is_crowded:
                for s in range(count, most):
                    found[s] = highest
                count = most + 1
        scratch.length[k] = count


@kernel
def keep_close(i, collected, near, listed, points, square, found, none):
    """Fill the list (most + 16,) of point i with the neighbours near it in sorted order, then with `none`."""
    most = found.shape[0] - LANES
    kept = 0
    for at in range(collected):
        j = near[at]
        dx, dy, dz = listed[0, at] - points[0, i], listed[1, at] - points[1, i], listed[2, at] - points[2, i]
        if j != i and abs(j - i) <= most // 2 and dx * dx + dy * dy + dz * dz < square:
            found[kept] = j
            kept += 1
    for k in range(kept, most):
        found[k] = none


@kernel
def collect(start, stop, lowest, highest, table, box, near, listed):
    """Collect points `lowest` to `highest` near the box of a block, up to the capacity; returns their number."""
    size, cell = table.size, table.cell
    first_cell, last_cell = cell[table.order[start]], cell[table.order[stop - 1]]
    nx, ny, nz = size[0], size[1], size[2]
    row = first_cell // nx
    y, z = row % ny, row // ny
    length = min(last_cell - first_cell + SPAN, nx)
    from_x = (first_cell % nx - REACH_CELLS) % nx
    before_wrap = min(length, nx - from_x)
    square, count = table.reach * table.reach, 0
    for dz in range(-REACH_CELLS, REACH_CELLS + 1):
        for dy in range(-REACH_CELLS, REACH_CELLS + 1):
            line = (((z + dz) % nz) * ny + (y + dy) % ny) * nx
            for part in range(2):
                here = line + from_x if part == 0 else line
                there = here + before_wrap if part == 0 else here + length - before_wrap
                first, end = max(table.start[here], lowest), min(table.start[there], highest)
                for at in range(first, end, LANES):
                    if count <= MOST_COLLECTED:
                        count = list_near_box(table.columns, box, square, at, end, near, listed, count)
    return count


@parallel_kernel
def drop_one_sided(count, points, blocks):
    """Remove from the list of each point those that do not list it in turn; mutual pairs stay."""
    for b in prange(count):
        drop_of_block(b, points, blocks)


@kernel
def drop_of_block(b, none, blocks):
    """Remove from the lists of block b the points that do not list its points in turn."""
    for lane in range(blocks.start[b + 1] - blocks.start[b]):
        for s in range(blocks.slot_start[b], blocks.slot_start[b + 1]):
            j = blocks.neighbor[s, lane]
            if j == none:
                continue
            other = blocks.block[j]
            place, is_mutual = j - blocks.start[other], False
            for t in range(blocks.slot_start[other], blocks.slot_start[other + 1]):
                is_mutual |= blocks.neighbor[t, place] == blocks.start[b] + lane
            if not is_mutual:
                blocks.neighbor[s, lane] = none
