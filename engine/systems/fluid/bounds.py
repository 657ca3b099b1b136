"""Bounds of triangles and of groups of them, to reject those that are too far from a particle to be its wall."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...compiler.kernels import kernel, parallel_kernel, part_of_kernel, prange
from .triangle import area_of

# Bounds are larger by this factor, to allow for rounding.
ROUNDED = 1.001
# Columns of `NearLists.bound` and `NearLists.face`; in the latter, the column that flags a triangle at rest.
BOUND, FACE, RESTS = 8, 4, 3
# Triangles in a task of a thread.
TASK = 512
# A group has at most MOST_GROUP consecutive triangles, in a ball with at most this radius [support].
MOST_GROUP, GROUPED = 8, 1.4


class NearLists(NamedTuple):
    """Groups of triangles near each cell. A group is consecutive triangles, identified by the first of them.

    Attributes:
        start: (a + 1,) int64, start of each cell's list; near: int32, the lists; bound: (t, BOUND) float32, of each
            triangle the bounding ball, centre and radius, and the plane, normal and offset, when the step begins [m].
        face: (t, FACE), the normal of each triangle when the step ends, and 1 if it is at rest in the step.
        stop: (t,) int32, one past the last triangle of each group; ball: (t, 4) float32, around each group [m].
        found, cell: int32, as many as `near` or more: groups as they were found, and the cell of each.
    """

    start: np.ndarray
    near: np.ndarray
    bound: np.ndarray
    face: np.ndarray
    stop: np.ndarray
    ball: np.ndarray
    found: np.ndarray
    cell: np.ndarray


@kernel
def update_bounds(triangles, listed, margin, max_radius, lists):
    """Update balls and planes by `bound_all`; groups, too, if a corner has moved by more than `margin` [m].

    Returns whether none has. Args: listed: (t, 3, 3) corners when cells were listed [m].
    """
    holds = listed.shape[0] == triangles.end.shape[0]
    for t in range(listed.shape[0] if holds else 0):
        for k in range(3):
            for axis in range(3):
                holds &= not abs(triangles.end[t, k, axis] - listed[t, k, axis]) > margin
    bound_all(triangles.start, triangles.end, max_radius, not holds, lists)
    return holds


@parallel_kernel
def bound_all(corners, end, max_radius, regroup, lists):
    """A ball around each triangle and group, and the planes, see `NearLists`; the plane is zero without area.

    Args: corners, end: (t, 3, 3) when the step begins and ends [m]; max_radius: of a group [m]; regroup: whether to
        form the groups, too.
    """
    for task in prange((corners.shape[0] + TASK - 1) // TASK):
        first, stop = TASK * task, min(TASK * (task + 1), corners.shape[0])
        for t in range(first, stop):
            bound_one(corners, t, lists.bound)
            face_one(corners, end, t, lists.face)
        bound_groups(first, stop, max_radius, regroup, lists)


@kernel
def bound_groups(first, stop, max_radius, regroup, lists):
    """Balls around the groups of some triangles: each triangle's ball enlarges that of its group."""
    bound, t = lists.bound, first
    while t < stop:
        x, y, z, radius, end = bound[t, 0], bound[t, 1], bound[t, 2], bound[t, 3], t + 1
        while end < (min(t + MOST_GROUP, stop) if regroup else lists.stop[t]):
            dx, dy, dz = bound[end, 0] - x, bound[end, 1] - y, bound[end, 2] - z
            away = math.sqrt(dx * dx + dy * dy + dz * dz)
            larger = max(np.float32(0.5) * (np.float32(away) + radius + bound[end, 3]), bound[end, 3])
            if regroup and max(larger, radius) > max_radius:
                break
            if larger > radius:
                fraction = np.float32(min((larger - radius) / max(away, 1e-30), 1.0))
                x, y, z, radius = x + fraction * dx, y + fraction * dy, z + fraction * dz, larger
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


@kernel
def face_one(corners, end, t, face):
    """The normal of one triangle when the step ends, +Z if it has no area; and whether it is at rest."""
    nx, ny, nz = area_of(end, t)
    length = math.sqrt(nx * nx + ny * ny + nz * nz)
    face[t, 0], face[t, 1], face[t, 2] = 0.0, 0.0, 1.0
    if length > 0.0:
        face[t, 0], face[t, 1], face[t, 2] = nx / length, ny / length, nz / length
    rests = True
    for k in range(3):
        for axis in range(3):
            rests &= corners[t, k, axis] == end[t, k, axis]
    face[t, RESTS] = 1.0 if rests else 0.0


@part_of_kernel
def is_beyond(bound, t, x, y, z, reach):
    """Whether a point is certainly farther than `reach` [m] from triangle t."""
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
