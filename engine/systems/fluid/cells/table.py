"""Cells of the neighbour search that hold particles, and their adjacency.

Cells far from each other may share a slot in the table of the grid, see `Grid`: drops that fly far from a pool share
slots with cells of the pool. Consecutive particles in one cell are a cell here; those that share a slot form a chain.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ....compiler.kernels import kernel, parallel_kernel, part_of_kernel, prange
from ....solver.neighbors import Grid
from ....solver.neighbors.grid import cells_along

FACES, AROUND = 6, 27
# Row of a stencil: 27 and padding, so that tasks share no cache line.
STENCIL = 32
# Indices of the cells across the six faces among the 27 around.
ACROSS = (12, 14, 10, 16, 4, 22)
TASK = 256


class Cells(NamedTuple):
    """Cells with particles, for kernels.

    Attributes:
        slot: of each slot of the grid's table, its first cell here or -1; following: (a,) int32, the next cell here
            that shares its slot in the table, or -1.
        first, stop: (a,) range of sorted particles; sequence: (a,) int32, cells in the order of sorted particles.
        place: (a, 3) int32, cell coordinates; beside: (a, 6) int32, cells across the faces -x, +x, -y, +y, -z, +z or
            -1; around: (a, 27) int32, cells around each, x fastest, or -1.
        stencil: (tasks, 32) float32, pressures around a task's current cell, also extrapolated behind walls [m²].
        is_wall: (a, 6) uint8, whether a face has a wall; wall_speed: (a, 6) its speed along the axis [m/s];
            stop_pressure: (a, 6) increase of the pressure one cell edge behind the wall [m²].
        light: (a,) the largest relative inverse mass in it; density: (a,) mean of C; source, pressure: (a,) [m²];
            speed: (a, 3) mean velocity [m/s]; all float32.
    """

    slot: np.ndarray
    following: np.ndarray
    first: np.ndarray
    stop: np.ndarray
    sequence: np.ndarray
    place: np.ndarray
    beside: np.ndarray
    around: np.ndarray
    stencil: np.ndarray
    is_wall: np.ndarray
    wall_speed: np.ndarray
    stop_pressure: np.ndarray
    light: np.ndarray
    density: np.ndarray
    source: np.ndarray
    pressure: np.ndarray
    speed: np.ndarray


def find_cells(grid: Grid) -> tuple[Cells, int]:
    """Cells of a grid that hold particles, and how many of them are red; columns of the pressure are not set yet."""
    starts = np.empty(grid.count, dtype=np.bool_)
    mark_runs(grid.columns, grid.count, grid.frame, starts)
    count = int(np.count_nonzero(starts))
    first, stop = np.empty(count, dtype=np.int64), np.empty(count, dtype=np.int64)
    place = np.empty((count, 3), dtype=np.int32)
    slot, following = np.empty(int(np.prod(grid.size)), dtype=np.int32), np.empty(count, dtype=np.int32)
    around, beside = (np.empty((count, number), dtype=np.int32) for number in (AROUND, FACES))
    single = np.float32
    found = Cells(
        slot, following, first, stop, np.empty(count, np.int32), place, beside, around,
        np.empty((count // TASK + 1, STENCIL), single), np.empty((count, FACES), np.uint8),
        *(np.empty((count, FACES), single) for _ in range(2)), *(np.empty(count, single) for _ in range(4)),
        np.empty((count, 3), single),
    )
    return found, int(list_cells(grid.columns, starts, grid.frame, grid.size, found))


@kernel
def list_cells(columns, starts, frame, size, cells):
    """Fill coordinates and neighbours of `Cells`; returns how many cells are red; starts: see `mark_runs`."""
    red = place_cells(columns, starts, frame, cells.first, cells.stop, cells.place, cells.sequence)
    chain_up(cells.place, size, cells.slot, cells.following)
    find_around(cells.slot, cells.following, cells.place, size, cells.around, cells.beside)
    return red


@parallel_kernel
def mark_runs(columns, count, frame, starts):
    """Mark each of `count` sorted particles that is not in the cell of the one before it."""
    for task in prange((count + TASK - 1) // TASK):
        for i in range(TASK * task, min(TASK * (task + 1), count)):
            starts[i] = i == 0 or not is_same_cell(columns, i - 1, i, frame)


@kernel
def is_same_cell(columns, i, j, frame):
    """Whether two sorted particles are in one cell."""
    is_same = True
    for k in range(3):
        a = math.floor(cells_along(columns[k, i], frame[k], frame[3]))
        is_same &= a == math.floor(cells_along(columns[k, j], frame[k], frame[3]))
    return is_same


@kernel
def chain_up(place, size, slot, following):
    """Chain cells at `place` (a, 3) that share a slot in the table, in ascending order."""
    for number in range(slot.shape[0]):
        slot[number] = -1
    for back in range(place.shape[0]):
        a = place.shape[0] - 1 - back
        number = number_at(size, place[a, 0], place[a, 1], place[a, 2])
        following[a] = slot[number]
        slot[number] = a


@kernel
def place_cells(columns, starts, frame, first, stop, place, sequence):
    """Ranges `first`, `stop` (a,) of the particles of each cell, and its coordinates, `place` (a, 3); all filled.

    Red cells come first, then black ones, both in the order of sorted particles; `sequence` (a,) lists all cells in
    that order. Returns how many are red.

    Args: starts: (n,) bool, see `mark_runs`.
    """
    red, black, a, count = 0, first.shape[0], -1, 0
    for i in range(starts.shape[0]):
        if not starts[i]:
            continue
        if a >= 0:
            stop[a] = i
        x = int(math.floor(cells_along(columns[0, i], frame[0], frame[3])))
        y = int(math.floor(cells_along(columns[1, i], frame[1], frame[3])))
        z = int(math.floor(cells_along(columns[2, i], frame[2], frame[3])))
        if (x + y + z) & 1:
            # Fill from the end, in reverse order.
            black -= 1
            a = black
        else:
            a = red
            red += 1
        sequence[count] = a
        count += 1
        first[a], place[a, 0], place[a, 1], place[a, 2] = i, x, y, z
    if a >= 0:
        stop[a] = starts.shape[0]
    a, b = red, first.shape[0] - 1
    while a < b:
        first[a], first[b], stop[a], stop[b] = first[b], first[a], stop[b], stop[a]
        for k in range(3):
            place[a, k], place[b, k] = place[b, k], place[a, k]
        a, b = a + 1, b - 1
    for k in range(count):
        if sequence[k] >= red:
            sequence[k] = red + first.shape[0] - 1 - sequence[k]
    return red


@part_of_kernel
def number_at(size, x, y, z):
    """Slot in the grid's table of the cell at these coordinates."""
    return ((z % size[2]) * size[1] + y % size[1]) * size[0] + x % size[0]


@part_of_kernel
def lies_at(place, a, x, y, z):
    """Whether cell a has these coordinates."""
    return place[a, 0] == x and place[a, 1] == y and place[a, 2] == z


@parallel_kernel
def find_around(slot, following, place, size, around, beside):
    """Cells around each cell, itself in the middle, and those across its faces."""
    for task in prange((place.shape[0] + TASK - 1) // TASK):
        for a in range(TASK * task, min(TASK * (task + 1), place.shape[0])):
            look_around(a, slot, following, place, size, around)
            for face in range(FACES):
                beside[a, face] = around[a, ACROSS[face]]


@kernel
def look_around(a, slot, following, place, size, around):
    """Cells around cell a: 27 slots in the table from nine remainders."""
    px, py, pz = np.int64(place[a, 0]), np.int64(place[a, 1]), np.int64(place[a, 2])
    for dz in range(-1, 2):
        layer = (pz + dz) % size[2]
        for dy in range(-1, 2):
            row = (layer * size[1] + (py + dy) % size[1]) * size[0]
            for dx in range(-1, 2):
                found = slot[row + (px + dx) % size[0]]
                while found >= 0 and not lies_at(place, found, px + dx, py + dy, pz + dz):
                    found = following[found]
                around[a, 13 + dx + 3 * dy + 9 * dz] = found
