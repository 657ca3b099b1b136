"""The closest point of a triangle, and which triangles are near which cells of a fluid."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...compiler.kernels import kernel, parallel_kernel, part_of_kernel, prange
from ...solver.neighbors.grid import cells_along
from .cells import lies_at

# Triangles are listed for cells within so many supports of them.
LISTED = 1.9
# For rounding, bounds are larger by this factor. What is larger than this is tested itself, not its ball [cells].
ROUNDED, LARGE = 1.001, 0.5
# Triangles in a task of a thread.
TASK = 512
# So many triangles or fewer that follow each other are a group, if a ball around them is no larger than this [support].
MOST_GROUP, GROUPED = 8, 1.4


class NearLists(NamedTuple):
    """Groups of triangles near each cell. A group are triangles in sequence, and is called by the first of these.

    Attributes:
        start: (a + 1,) int64, where each cell's list begins; near: int32, the lists; bound: (t, 8) float32, of each
            triangle a ball around it, centre and radius, and its plane, normal and offset, when the step begins [m].
        stop: (t,) int32, of each group the triangle behind its last one; ball: (t, 4) float32, around each group [m].
        found, cell: int32, as many as `near` or more: groups as they were found, and the cell of each.
    """

    start: np.ndarray
    near: np.ndarray
    bound: np.ndarray
    stop: np.ndarray
    ball: np.ndarray
    found: np.ndarray
    cell: np.ndarray


@kernel
def bound_anew(triangles, listed, slack, most, lists):
    """Balls and planes as `bound_all` sets them; groups, too, if a corner has moved by more than `slack` [m].

    Returns whether none has. Args: listed: (t, 3, 3) where corners were when cells were listed [m].
    """
    holds = listed.shape[0] == triangles.end.shape[0]
    for t in range(listed.shape[0] if holds else 0):
        for k in range(3):
            for axis in range(3):
                holds &= not abs(triangles.end[t, k, axis] - listed[t, k, axis]) > slack
    bound_all(triangles.start, most, not holds, lists)
    return holds


@parallel_kernel
def bound_all(corners, most, anew, lists):
    """A ball around each triangle and each group, and the planes, see `NearLists`; one without area has no plane.

    Args: most: radius of a group [m]; anew: whether to form the groups, too.
    """
    for task in prange((corners.shape[0] + TASK - 1) // TASK):
        first, stop = TASK * task, min(TASK * (task + 1), corners.shape[0])
        for t in range(first, stop):
            bound_one(corners, t, lists.bound)
        bound_groups(first, stop, most, anew, lists)


@kernel
def bound_groups(first, stop, most, anew, lists):
    """Balls around the groups of some triangles: each triangle's ball makes that of its group larger."""
    bound, t = lists.bound, first
    while t < stop:
        x, y, z, radius, end = bound[t, 0], bound[t, 1], bound[t, 2], bound[t, 3], t + 1
        while end < (min(t + MOST_GROUP, stop) if anew else lists.stop[t]):
            dx, dy, dz = bound[end, 0] - x, bound[end, 1] - y, bound[end, 2] - z
            away = math.sqrt(dx * dx + dy * dy + dz * dz)
            larger = max(np.float32(0.5) * (np.float32(away) + radius + bound[end, 3]), bound[end, 3])
            if anew and max(larger, radius) > most:
                break
            if larger > radius:
                share = np.float32(min((larger - radius) / max(away, 1e-30), 1.0))
                x, y, z, radius = x + share * dx, y + share * dy, z + share * dz, larger
            end += 1
        lists.ball[t, 0], lists.ball[t, 1], lists.ball[t, 2] = x, y, z
        lists.ball[t, 3] = np.float32(ROUNDED) * radius
        lists.stop[t] = end
        t = end


@kernel
def bound_one(corners, t, bound):
    """The ball and the plane of one triangle."""
    square = 0.0
    for axis in range(3):
        middle = (corners[t, 0, axis] + corners[t, 1, axis] + corners[t, 2, axis]) / np.float32(3.0)
        bound[t, axis] = middle
    for k in range(3):
        here = 0.0
        for axis in range(3):
            here += (corners[t, k, axis] - bound[t, axis]) ** 2
        square = max(square, here)
    bound[t, 3] = ROUNDED * math.sqrt(square)
    offset = 0.0
    nx, ny, nz = area_of(corners, t)
    length = math.sqrt(nx * nx + ny * ny + nz * nz)
    for axis, n in enumerate((nx, ny, nz)):
        bound[t, 4 + axis] = n / length if length > 0.0 else 0.0
        offset += bound[t, 4 + axis] * bound[t, axis]
    bound[t, 7] = offset


@part_of_kernel
def is_beyond(bound, t, x, y, z, reach):
    """Whether a point is surely farther than `reach` [m] from triangle t."""
    dx, dy, dz = x - bound[t, 0], y - bound[t, 1], z - bound[t, 2]
    far = bound[t, 3] + reach
    if dx * dx + dy * dy + dz * dz > far * far:
        return True
    return abs(bound[t, 4] * x + bound[t, 5] * y + bound[t, 6] * z - bound[t, 7]) > np.float32(ROUNDED) * reach


@part_of_kernel
def is_away(ball, t, x, y, z, reach):
    """Whether a point is farther than `reach` [m] from the ball of group t."""
    dx, dy, dz = x - ball[t, 0], y - ball[t, 1], z - ball[t, 2]
    far = ball[t, 3] + reach
    return dx * dx + dy * dy + dz * dz > far * far


@part_of_kernel
def closest_share(corners, t, x, y, z):
    """Shares (u, v, w) of the corners of triangle t in its point that is closest to (x, y, z).

    Ericson 2005, "Real-Time Collision Detection", section 5.1.5: by the region that the point projects into.
    """
    abx, aby, abz = (corners[t, 1, 0] - corners[t, 0, 0], corners[t, 1, 1] - corners[t, 0, 1],
                     corners[t, 1, 2] - corners[t, 0, 2])
    acx, acy, acz = (corners[t, 2, 0] - corners[t, 0, 0], corners[t, 2, 1] - corners[t, 0, 1],
                     corners[t, 2, 2] - corners[t, 0, 2])
    px, py, pz = x - corners[t, 0, 0], y - corners[t, 0, 1], z - corners[t, 0, 2]
    d1, d2 = abx * px + aby * py + abz * pz, acx * px + acy * py + acz * pz
    if d1 <= 0.0 and d2 <= 0.0:
        return 1.0, 0.0, 0.0
    qx, qy, qz = x - corners[t, 1, 0], y - corners[t, 1, 1], z - corners[t, 1, 2]
    d3, d4 = abx * qx + aby * qy + abz * qz, acx * qx + acy * qy + acz * qz
    if d3 >= 0.0 and d4 <= d3:
        return 0.0, 1.0, 0.0
    vc = d1 * d4 - d3 * d2
    if vc <= 0.0 and d1 >= 0.0 and d3 <= 0.0:
        v = d1 / (d1 - d3) if d1 > d3 else 0.0
        return 1.0 - v, v, 0.0
    rx, ry, rz = x - corners[t, 2, 0], y - corners[t, 2, 1], z - corners[t, 2, 2]
    d5, d6 = abx * rx + aby * ry + abz * rz, acx * rx + acy * ry + acz * rz
    if d6 >= 0.0 and d5 <= d6:
        return 0.0, 0.0, 1.0
    vb = d5 * d2 - d1 * d6
    if vb <= 0.0 and d2 >= 0.0 and d6 <= 0.0:
        w = d2 / (d2 - d6) if d2 > d6 else 0.0
        return 1.0 - w, 0.0, w
    va = d3 * d6 - d5 * d4
    if va <= 0.0 and d4 >= d3 and d5 >= d6:
        w = (d4 - d3) / (d4 - d3 + d5 - d6) if d4 - d3 + d5 - d6 > 0.0 else 0.0
        return 0.0, 1.0 - w, w
    total = va + vb + vc
    v, w = vb / total, vc / total
    return 1.0 - v - w, v, w


@part_of_kernel
def at(corners, t, u, v, w):
    """A point of a triangle by the shares of its corners."""
    return (
        u * corners[t, 0, 0] + v * corners[t, 1, 0] + w * corners[t, 2, 0],
        u * corners[t, 0, 1] + v * corners[t, 1, 1] + w * corners[t, 2, 1],
        u * corners[t, 0, 2] + v * corners[t, 1, 2] + w * corners[t, 2, 2],
    )


@part_of_kernel
def area_of(corners, t):
    """Cross product of two edges of a triangle [m²]."""
    ax, ay, az = (corners[t, 1, 0] - corners[t, 0, 0], corners[t, 1, 1] - corners[t, 0, 1],
                  corners[t, 1, 2] - corners[t, 0, 2])
    bx, by, bz = (corners[t, 2, 0] - corners[t, 0, 0], corners[t, 2, 1] - corners[t, 0, 1],
                  corners[t, 2, 2] - corners[t, 0, 2])
    return ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx


@kernel
def near_triangles(triangles, cells, frame, size, reach, box, lists):
    """Groups near each cell: near[start[a]] to near[start[a + 1] - 1]; returns how many entries there are.

    Each group looks for its cells once; what it found is then sorted by cell. Nothing is listed without room.

    Args:
        reach: [m]; box: (4, 3) int64, room for the first and last coordinates of all cells, and those of a group.
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
        bound_ways_of(triangles, t, lists.stop[t], frame, reach, box)
        volume = 1.0
        for axis in range(3):
            volume *= max(box[3, axis] - box[2, axis] + 1, 0)
        if volume > count:
            for a in range(count):
                inside = True
                for axis in range(3):
                    inside &= box[2, axis] <= cells.place[a, axis] <= box[3, axis]
                if inside:
                    total = note_near(triangles, t, cells, a, frame, reach, total, lists)
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
                                total = note_near(triangles, t, cells, a, frame, reach, total, lists)
                            a = cells.following[a]
        t = lists.stop[t]
    if total <= lists.near.shape[0]:
        sort_by_cell(total, lists)
    return total


@kernel
def sort_by_cell(total, lists):
    """Turn numbers of entries of each cell into where its list begins; fill the lists, in the order of triangles."""
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
def bound_ways_of(triangles, first, stop, frame, reach, box):
    """Cells around some triangles on their ways, within those of the fluid, into the last two rows of `box`."""
    for axis in range(3):
        low, high = np.inf, -np.inf
        for t in range(first, stop):
            for k in range(3):
                low = min(low, triangles.start[t, k, axis], triangles.end[t, k, axis])
                high = max(high, triangles.start[t, k, axis], triangles.end[t, k, axis])
        box[2, axis] = max(int(math.floor(cells_along(low - reach, frame[axis], frame[3]))), box[0, axis])
        box[3, axis] = min(int(math.floor(cells_along(high + reach, frame[axis], frame[3]))), box[1, axis])


@kernel
def note_near(triangles, t, cells, a, frame, reach, total, lists):
    """Note a group for a cell, if it is within reach of the ball around the cell; returns how many are noted now."""
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
        u, v, w = closest_share(triangles.start, t, x, y, z)
        px, py, pz = at(triangles.start, t, u, v, w)
        is_near = (px - x) * (px - x) + (py - y) * (py - y) + (pz - z) * (pz - z) < far * far
    if not is_near:
        return total
    lists.start[a] += 1
    if total < lists.found.shape[0]:
        lists.found[total], lists.cell[total] = t, a
    return total + 1
