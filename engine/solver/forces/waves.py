"""Water with waves: height and velocity of its surface, a mesh that moves, over and around given points.

The height over a point is that of the highest triangle there, so a body floats on the surface that is rendered. Corners
move in lines within a frame, and the surface has the velocity of its corners. Waves fade with depth like those of deep
water (Airy): with the elevation e of the surface above its mean level, and a point z in the depth d below the surface,

    p / (rho g) = level + e exp(-k d) - z,   u = u_surface exp(-k d),   k^2 = mean of |grad e|^2 / mean of e^2

k is the wave number of a sine, and of a mixed sea that of its steepest waves. Beyond the mesh water is level. The water
that moves with a body (`added_mass`) is also accelerated with the waves, as by their pressure.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...compiler.kernels import kernel, parallel_kernel, part_of_kernel, prange

# Points in a task.
TASK = 256
# Points on an edge belong to both triangles; as a share of the triangle.
ON_EDGE = 1e-9
# Slope up to which a triangle counts in the wave number; folded crests are steeper.
STEEPEST = 1.0
# Columns of what is found at each point: elevation that presses there [m]; velocity of the waves, and how far that
# has changed since the last substep [m/s].
COLUMNS = 7


class WaveSurface(NamedTuple):
    """The surface of a water in a frame, with its triangles by the cells of a grid in the XY plane.

    Attributes:
        start, end: (n, 3) corners at both ends of the frame [m]; triangles: (t, 3) int32.
        start_velocity, end_velocity: (n, 3) of the water at the corners [m/s].
        cell_start: (columns * rows + 1,) int64; cell_triangle: (entries,) int32, triangles of each cell.
    """

    start: np.ndarray
    end: np.ndarray
    start_velocity: np.ndarray
    end_velocity: np.ndarray
    triangles: np.ndarray
    cell_start: np.ndarray
    cell_triangle: np.ndarray


class WaveGrid(NamedTuple):
    """The grid: its lowest corner x, y [m], cells per metre, and how many lie along X and Y."""

    x: float
    y: float
    per_metre: float
    columns: int
    rows: int


@kernel
def measure_waves(x, triangles):
    """Mean height [m], and means of squared elevation [m²] and of squared slope, weighted by area in the XY plane."""
    area = height = 0.0
    for t in range(triangles.shape[0]):
        a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
        twice = abs((x[b, 0] - x[a, 0]) * (x[c, 1] - x[a, 1]) - (x[b, 1] - x[a, 1]) * (x[c, 0] - x[a, 0]))
        area += twice
        height += twice * (x[a, 2] + x[b, 2] + x[c, 2]) / 3.0
    if area == 0.0:
        return 0.0, 0.0, 0.0
    height /= area
    square = slope = 0.0
    for t in range(triangles.shape[0]):
        a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
        ux, uy, uz = x[b, 0] - x[a, 0], x[b, 1] - x[a, 1], x[b, 2] - x[a, 2]
        sx, sy, sz = x[c, 0] - x[a, 0], x[c, 1] - x[a, 1], x[c, 2] - x[a, 2]
        twice = abs(ux * sy - uy * sx)
        if twice == 0.0:
            continue
        nx, ny = uy * sz - uz * sy, uz * sx - ux * sz
        slope += twice * min((nx * nx + ny * ny) / (twice * twice), STEEPEST)
        p, q, r = x[a, 2] - height, x[b, 2] - height, x[c, 2] - height
        square += twice * (p * p + q * q + r * r + p * q + q * r + r * p) / 6.0
    return height, square / area, slope / area


@kernel
def count_cells(start, end, triangles, grid, cell_start):
    """Count the triangles over each cell into `cell_start` (cells + 1,), as starts; returns how many there are."""
    for cell in range(cell_start.shape[0]):
        cell_start[cell] = 0
    for t in range(triangles.shape[0]):
        low_x, high_x, low_y, high_y = cells_of(start, end, triangles, t, grid)
        for row in range(low_y, high_y + 1):
            for column in range(low_x, high_x + 1):
                cell_start[row * grid.columns + column + 1] += 1
    for cell in range(1, cell_start.shape[0]):
        cell_start[cell] += cell_start[cell - 1]
    return cell_start[cell_start.shape[0] - 1]


@kernel
def fill_cells(start, end, triangles, grid, cell_start, cell_triangle):
    """List the triangles over each cell, ascending, after `count_cells`."""
    for t in range(triangles.shape[0] - 1, -1, -1):
        low_x, high_x, low_y, high_y = cells_of(start, end, triangles, t, grid)
        for row in range(low_y, high_y + 1):
            for column in range(low_x, high_x + 1):
                cell = row * grid.columns + column + 1
                cell_start[cell] -= 1
                cell_triangle[cell_start[cell]] = t
    # Each start has moved down to that of its own cell; entry 0 is 0 in any case.
    for cell in range(1, cell_start.shape[0] - 1):
        cell_start[cell] = cell_start[cell + 1]
    cell_start[cell_start.shape[0] - 1] = cell_triangle.shape[0]


@part_of_kernel
def cells_of(start, end, triangles, t, grid):
    """The cells that triangle t covers in a frame: lowest and highest along X, lowest and highest along Y."""
    low_x = low_y = math.inf
    high_x = high_y = -math.inf
    for k in range(3):
        i = triangles[t, k]
        low_x, high_x = min(low_x, start[i, 0], end[i, 0]), max(high_x, start[i, 0], end[i, 0])
        low_y, high_y = min(low_y, start[i, 1], end[i, 1]), max(high_y, start[i, 1], end[i, 1])
    return (
        cell_along(low_x - grid.x, grid.per_metre, grid.columns),
        cell_along(high_x - grid.x, grid.per_metre, grid.columns),
        cell_along(low_y - grid.y, grid.per_metre, grid.rows),
        cell_along(high_y - grid.y, grid.per_metre, grid.rows),
    )


@part_of_kernel
def cell_along(offset, per_metre, count):
    """Number of a cell along an axis, within the grid."""
    return min(max(int(offset * per_metre), 0), count - 1)


@kernel
def surface_over(px, py, done, surface, grid):
    """Whether there is a surface over a place, its height [m] and its velocity, three numbers [m/s].

    Args: px, py: place [m]; done: fraction of the frame.
    """
    found, height, ux, uy, uz = False, -math.inf, 0.0, 0.0, 0.0
    if not (px >= grid.x and py >= grid.y):
        return found, height, ux, uy, uz
    column, row = int((px - grid.x) * grid.per_metre), int((py - grid.y) * grid.per_metre)
    if column >= grid.columns or row >= grid.rows:
        return found, height, ux, uy, uz
    start, end, cell, left = surface.start, surface.end, row * grid.columns + column, 1.0 - done
    for n in range(surface.cell_start[cell], surface.cell_start[cell + 1]):
        t = surface.cell_triangle[n]
        a, b, c = surface.triangles[t, 0], surface.triangles[t, 1], surface.triangles[t, 2]
        ax, ay = left * start[a, 0] + done * end[a, 0] - px, left * start[a, 1] + done * end[a, 1] - py
        bx, by = left * start[b, 0] + done * end[b, 0] - px, left * start[b, 1] + done * end[b, 1] - py
        cx, cy = left * start[c, 0] + done * end[c, 0] - px, left * start[c, 1] + done * end[c, 1] - py
        twice = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
        if twice == 0.0:
            continue
        wa, wb = (bx * cy - by * cx) / twice, (cx * ay - cy * ax) / twice
        wc = 1.0 - wa - wb
        if min(wa, wb, wc) < -ON_EDGE:
            continue
        z = (
            wa * (left * start[a, 2] + done * end[a, 2]) + wb * (left * start[b, 2] + done * end[b, 2])
            + wc * (left * start[c, 2] + done * end[c, 2])
        )
        if z > height:
            found, height = True, z
            ux, uy, uz = velocity_at(a, b, c, wa, wb, wc, done, surface)
    return found, height, ux, uy, uz


@part_of_kernel
def velocity_at(a, b, c, wa, wb, wc, done, surface):
    """Velocity between corners a, b, c of these weights at the fraction `done` of the frame, three numbers [m/s]."""
    first, last, left = surface.start_velocity, surface.end_velocity, 1.0 - done
    ux = wa * (left * first[a, 0] + done * last[a, 0]) + wb * (left * first[b, 0] + done * last[b, 0])
    uy = wa * (left * first[a, 1] + done * last[a, 1]) + wb * (left * first[b, 1] + done * last[b, 1])
    uz = wa * (left * first[a, 2] + done * last[a, 2]) + wb * (left * first[b, 2] + done * last[b, 2])
    ux += wc * (left * first[c, 0] + done * last[c, 0])
    uy += wc * (left * first[c, 1] + done * last[c, 1])
    uz += wc * (left * first[c, 2] + done * last[c, 2])
    return ux, uy, uz


@parallel_kernel
def sample_waves(x, surface, grid, done, sea, waves):
    """What the waves do at points x (n, 3) [m].

    Args:
        surface, grid: `WaveSurface`, `WaveGrid`; done: fraction of the frame.
        sea: level of the water without waves [m], height that no wave exceeds [m], above which nothing is looked up,
            and wave number k, 0 for waves that reach down to any depth [1/m].
        waves: (n, COLUMNS) in and out, see there, of the last substep and of this one; zero beyond the mesh.
    """
    level, highest, wave_number = sea
    count = x.shape[0]
    for task in prange((count + TASK - 1) // TASK):
        for i in range(TASK * task, min(TASK * (task + 1), count)):
            found, height, ux, uy, uz = False, level, 0.0, 0.0, 0.0
            if x[i, 2] <= highest:
                found, height, ux, uy, uz = surface_over(x[i, 0], x[i, 1], done, surface, grid)
            fade = math.exp(-wave_number * max(height - x[i, 2], 0.0)) if found else 0.0
            waves[i, 0] = fade * (height - level) if found else 0.0
            ux, uy, uz = fade * ux, fade * uy, fade * uz
            waves[i, 4], waves[i, 5], waves[i, 6] = ux - waves[i, 1], uy - waves[i, 2], uz - waves[i, 3]
            waves[i, 1], waves[i, 2], waves[i, 3] = ux, uy, uz


@part_of_kernel
def wave_at(waves, i):
    """Elevation that presses at particle i [m]; waves: (n, COLUMNS) of `sample_waves`, no row for level water."""
    return waves[i, 0] if waves.shape[0] > 0 else 0.0


@part_of_kernel
def stream_at(waves, i):
    """Velocity of the waves at particle i, three numbers [m/s], see `wave_at`."""
    if waves.shape[0] == 0:
        return 0.0, 0.0, 0.0
    return waves[i, 1], waves[i, 2], waves[i, 3]


@part_of_kernel
def stream_change_at(waves, i):
    """How far the velocity of the waves at particle i has changed since the last substep, three numbers [m/s]."""
    if waves.shape[0] == 0:
        return 0.0, 0.0, 0.0
    return waves[i, 4], waves[i, 5], waves[i, 6]
