"""What a fluid meets: the triangles near each particle, as planes.

A particle's wall is the plane through the closest point of a triangle, across the line from there to where the
particle was when the step began: on that side it stays. Where a wall's closest point lies on a plane that is there
already, the triangle is its continuation or lies behind it, and is left out: a particle on a table of many triangles
has one wall, in a corner three. So sheets have two sides, meshes need no inside, and no particle passes.

Each wall counts as a half space of fluid (`law.cap`), less where it is nearly parallel to one that is nearer. Planes
move with their triangles, to where these are at the end of the step.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...compiler.kernels import kernel, parallel_kernel, prange
from .cells import TASK
from .density import MOST_WALLS, OFFSET, WALL, WAY, WEIGHT
from .nearest import closest_share

# Triangles make walls within so many supports.
NEAR = 1.25
# A closest point so little above a plane that is there already belongs to it [support].
FLAT = 0.05
# Closer than this the line to a triangle has no direction [support].
NEAREST = 1e-3


class Triangles(NamedTuple):
    """Corners near the fluid's origin, float32 [m].

    Attributes:
        start, end: (t, 3, 3), of each triangle's corners, when the step begins and when it ends.
    """

    start: np.ndarray
    end: np.ndarray


class WallTable(NamedTuple):
    """Walls of each particle in sorted order.

    Attributes:
        count: (p,) int32; plane: (p, MOST_WALLS, WALL) float32, columns of `density`.
        triangle: (p, MOST_WALLS) int32; share: (p, MOST_WALLS, 3) float32, of its corners in the closest point;
            push: (p, MOST_WALLS, 3) float32, what each wall moved the particle by in the step [m]; give:
            (p, MOST_WALLS) float32, share of its drag that it exerts.
    """

    count: np.ndarray
    plane: np.ndarray
    triangle: np.ndarray
    share: np.ndarray
    push: np.ndarray
    give: np.ndarray


def wall_table(rows: int) -> WallTable:
    """A table without walls."""
    return WallTable(
        np.zeros(rows, np.int32), np.zeros((rows, MOST_WALLS, WALL), np.float32),
        np.zeros((rows, MOST_WALLS), np.int32), np.zeros((rows, MOST_WALLS, 3), np.float32),
        np.zeros((rows, MOST_WALLS, 3), np.float32), np.ones((rows, MOST_WALLS), np.float32),
    )


@parallel_kernel
def find_walls(cells, triangles, near_start, near, rows, before, support, table):
    """Walls of all particles.

    Args:
        near_start: (a + 1,), near: triangles near each cell, see `near_triangles`.
        rows: (p, 4) where particles are going; before: (3, p) where they were when the step began [m].
    """
    for task in prange((cells.first.shape[0] + TASK - 1) // TASK):
        for a in range(TASK * task, min(TASK * (task + 1), cells.first.shape[0])):
            for i in range(cells.first[a], cells.stop[a]):
                walls_of(i, triangles, near_start[a], near_start[a + 1], near, rows, before, support, table)


@kernel
def walls_of(i, triangles, first, stop, near, rows, before, support, table):
    """Walls of one particle, the nearest first."""
    table.count[i] = 0
    for found in range(MOST_WALLS):
        nearest, square = -1, NEAR * NEAR * support * support
        for n in range(first, stop):
            t = near[n]
            u, v, w = closest_share(triangles.start, t, before[0, i], before[1, i], before[2, i])
            x, y, z = at(triangles.start, t, u, v, w)
            dx, dy, dz = before[0, i] - x, before[1, i] - y, before[2, i] - z
            away = dx * dx + dy * dy + dz * dz
            # Where a moving wall comes from does not matter beside where it goes.
            if away < square and not is_covered(i, found, t, u, v, w, triangles, before, support, table):
                nearest, square = t, away
                table.share[i, found, 0], table.share[i, found, 1], table.share[i, found, 2] = u, v, w
        if nearest < 0:
            return
        set_plane(i, found, nearest, triangles, before, support, table)
        table.count[i] = found + 1


@kernel
def at(corners, t, u, v, w):
    """A point of a triangle by the shares of its corners."""
    return (
        u * corners[t, 0, 0] + v * corners[t, 1, 0] + w * corners[t, 2, 0],
        u * corners[t, 0, 1] + v * corners[t, 1, 1] + w * corners[t, 2, 1],
        u * corners[t, 0, 2] + v * corners[t, 1, 2] + w * corners[t, 2, 2],
    )


@kernel
def is_covered(i, found, t, u, v, w, triangles, before, support, table):
    """Whether the closest point lies on or behind one of the walls found so far, when the step begins and when it ends.

    A body that is pushed may go through a wall that stands, or draw back and uncover it. A particle that is pressed to
    a wall is as near to it as the floor below is: the floor does not lie on that wall for this.
    """
    x0, y0, z0 = at(triangles.start, t, u, v, w)
    x1, y1, z1 = at(triangles.end, t, u, v, w)
    for k in range(found):
        plane = table.plane[i, k]
        come = plane[0] * plane[WAY] + plane[1] * plane[WAY + 1] + plane[2] * plane[WAY + 2] - plane[OFFSET]
        own = plane[0] * before[0, i] + plane[1] * before[1, i] + plane[2] * before[2, i] + come
        start = plane[0] * x0 + plane[1] * y0 + plane[2] * z0 + come
        end = plane[0] * x1 + plane[1] * y1 + plane[2] * z1 - plane[OFFSET]
        if max(start, end) <= max(min(FLAT * support, 0.5 * own), NEAREST * support):
            return True
    return False


@kernel
def set_plane(i, k, t, triangles, before, support, table):
    """The plane of a triangle, and how much it counts beside those before it."""
    u, v, w = table.share[i, k, 0], table.share[i, k, 1], table.share[i, k, 2]
    x0, y0, z0 = at(triangles.start, t, u, v, w)
    x1, y1, z1 = at(triangles.end, t, u, v, w)
    nx, ny, nz = before[0, i] - x0, before[1, i] - y0, before[2, i] - z0
    length = math.sqrt(nx * nx + ny * ny + nz * nz)
    if min(u, v, w) > 0.0 or length < NEAREST * support:
        # Above the face itself the plane turns with it.
        fx, fy, fz = normal_of(triangles.end, t)
        if fx * nx + fy * ny + fz * nz < 0.0:
            fx, fy, fz = -fx, -fy, -fz
        nx, ny, nz = fx, fy, fz
    else:
        nx, ny, nz = nx / length, ny / length, nz / length
    plane, parallel = table.plane[i, k], 0.0
    for other in range(k):
        there = table.plane[i, other]
        parallel = max(parallel, nx * there[0] + ny * there[1] + nz * there[2])
    plane[0], plane[1], plane[2] = nx, ny, nz
    plane[OFFSET] = nx * x1 + ny * y1 + nz * z1
    plane[WEIGHT] = 1.0 - parallel
    plane[WAY], plane[WAY + 1], plane[WAY + 2] = x1 - x0, y1 - y0, z1 - z0
    table.triangle[i, k] = t
    table.push[i, k, 0] = table.push[i, k, 1] = table.push[i, k, 2] = 0.0
    table.give[i, k] = 1.0


@kernel
def normal_of(corners, t):
    """Unit normal of a triangle; of one without area, upwards."""
    ax, ay, az = (corners[t, 1, 0] - corners[t, 0, 0], corners[t, 1, 1] - corners[t, 0, 1],
                  corners[t, 1, 2] - corners[t, 0, 2])
    bx, by, bz = (corners[t, 2, 0] - corners[t, 0, 0], corners[t, 2, 1] - corners[t, 0, 1],
                  corners[t, 2, 2] - corners[t, 0, 2])
    nx, ny, nz = ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx
    length = math.sqrt(nx * nx + ny * ny + nz * nz)
    if not length > 0.0:
        return 0.0, 0.0, 1.0
    return nx / length, ny / length, nz / length
