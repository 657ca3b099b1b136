"""Cells of the search that hold particles, and which of them lie beside each other."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ....compiler.kernels import kernel, parallel_kernel, part_of_kernel, prange
from ....solver.neighbors import Grid
from ....solver.neighbors.grid import cells_along

FACES, AROUND = 6, 27
# Places across the faces among those around.
ACROSS = (12, 14, 10, 16, 4, 22)
TASK = 256


class Cells(NamedTuple):
    """Cells with particles, for kernels.

    Attributes:
        slot: of each cell of the grid's table, its number here or -1.
        first, stop: (a,) range of sorted particles; place: (a, 3) int32, cell coordinates; beside: (a, 6) int32, cells
            across the faces -x, +x, -y, +y, -z, +z or -1; around: (a, 27) int32, cells around each, x fastest, or -1;
            stencil: (a, 27) float32, pressures there as this cell sees them, behind walls too [m²].
        is_wall: (a, 6) uint8, whether a wall lies there; wall_speed: (a, 6) its speed along the axis [m/s];
            stop_pressure: (a, 6) how much higher the pressure is an edge behind it [m²].
        light: (a,) the largest relative inverse mass in it; density: (a,) mean of C; source, pressure: (a,) [m²];
            speed: (a, 3) mean velocity [m/s]; all float32.
    """

    slot: np.ndarray
    first: np.ndarray
    stop: np.ndarray
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
    """Cells of a grid that hold particles, and how many of them are red."""
    cells = int(np.prod(grid.size))
    filled = np.flatnonzero(np.diff(grid.start[: cells + 1]))
    first = grid.start[filled].astype(np.int64)
    place = np.zeros((len(filled), 3), dtype=np.int32)
    place_cells(grid.columns, first, grid.frame, place)
    is_black = (place.sum(axis=1) & 1).astype(bool)
    order = np.concatenate([np.flatnonzero(~is_black), np.flatnonzero(is_black)])
    filled, first, place = filled[order], first[order], np.ascontiguousarray(place[order])
    slot = np.full(cells, -1, dtype=np.int32)
    slot[filled] = np.arange(len(filled))
    count = len(filled)
    around = np.zeros((count, AROUND), dtype=np.int32)
    find_around(slot, place, grid.size, around)
    beside = np.ascontiguousarray(around[:, ACROSS])
    single = np.float32
    found = Cells(
        slot, first, grid.start[filled + 1].astype(np.int64), place, beside, around,
        np.zeros((count, AROUND), single), np.zeros((count, FACES), np.uint8),
        *(np.zeros((count, FACES), single) for _ in range(2)), *(np.zeros(count, single) for _ in range(4)),
        np.zeros((count, 3), single),
    )
    return found, int((~is_black).sum())


@kernel
def place_cells(columns, first, frame, place):
    """Coordinates of the cell that each particle `first` (a,) lies in."""
    for a in range(first.shape[0]):
        for k in range(3):
            place[a, k] = int(math.floor(cells_along(columns[k, first[a]], frame[k], frame[3])))


@part_of_kernel
def slot_at(slot, place, size, x, y, z):
    """The filled cell at these coordinates, or -1: cells far away may share a place in the table."""
    found = slot[((z % size[2]) * size[1] + y % size[1]) * size[0] + x % size[0]]
    if found >= 0 and (place[found, 0] != x or place[found, 1] != y or place[found, 2] != z):
        found = -1
    return found


@parallel_kernel
def find_around(slot, place, size, around):
    """Cells around each, itself in the middle."""
    for task in prange((place.shape[0] + TASK - 1) // TASK):
        for a in range(TASK * task, min(TASK * (task + 1), place.shape[0])):
            for n in range(AROUND):
                around[a, n] = slot_at(
                    slot, place, size, place[a, 0] + n % 3 - 1, place[a, 1] + n // 3 % 3 - 1, place[a, 2] + n // 9 - 1
                )
