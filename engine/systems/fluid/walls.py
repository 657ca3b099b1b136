"""Boundaries of a fluid: the triangles near each particle, as planes.

A wall of a particle is the plane through the closest point of a triangle, perpendicular to the line from there to the
particle's position at the start of the step: the particle stays on that side. If the closest point lies on a plane that
is listed already, the triangle continues that plane or lies behind it, and is left out: a particle on a table of many
triangles has one wall, in a corner three. So sheets have two sides, meshes need no inside, and no particle passes. A
solid has one side: a particle pressed into a solid with rigid response, as between it and a floor, leaves by the
nearest face.

A movable wall hides no immovable one: the floor below a mattress stops a particle that the mattress does not. The
hidden immovable wall has its own slots among the walls of a particle, and it only stops: the density sees the nearer
wall.

Each wall counts as a half space of fluid (`law.cap`), less if it is nearly parallel to a nearer one. Planes move with
their triangles to the end of the step.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...compiler.kernels import kernel, parallel_kernel, part_of_kernel, prange
from ...compiler.typed_call import TypedCall
from .bounds import RESTS, NearLists, is_away, is_beyond
from .cells import TASK, Cells
from .density import MOTION, OFFSET, WEIGHT
from .triangle import at, closest_weights
from .wall_table import MOST_WALLS, Triangles, WallTable

# Most movable and most immovable walls of a particle. The weight of a wall behind others: it only stops.
MOST_PER_KIND, BEHIND = 4, 0.0
# Triangles become walls within so many supports.
NEAR = 1.25
# A closest point no higher than this above a listed plane belongs to that plane [support].
FLAT = 0.05
# Below this distance the line to a triangle has no direction [support].
NEAREST = 1e-3
# Spare capacity: of a task, one in MORE of the walls that it had last; of a new table, one in LARGER of those needed.
MORE, LARGER = 4, 16
# Number of walls of a task whose walls are not listed yet.
UNKNOWN = -1
# A particle considers no more than this many triangles, the nearest ones.
MOST_NEAR = 64


class WallScratch(NamedTuple):
    """Scratch of each task of `list_walls` for its current particle.

    Attributes:
        near: (tasks, MOST_NEAR) int32, triangles near the particle; closest: (tasks, MOST_NEAR, 3) barycentric weights
            of the closest points; distance2: (tasks, MOST_NEAR) float32, squared distance [m²].
    """

    near: np.ndarray
    closest: np.ndarray
    distance2: np.ndarray


def scratch_for(cells: Cells) -> WallScratch:
    """Scratch for the tasks of `list_walls`."""
    shape = tasks_of(cells), MOST_NEAR
    return WallScratch(np.zeros(shape, np.int32), np.zeros((*shape, 3)), np.zeros(shape, np.float32))


def tasks_of(cells: Cells) -> int:
    """Number of tasks that list walls."""
    return (len(cells.first) + TASK - 1) // TASK


class WallFinder:
    """Finds the walls of all particles in a step."""

    def __init__(self) -> None:
        """None yet."""
        self._find = TypedCall(find_walls)

    def find(
        self, cells: Cells, triangles: Triangles, lists: NearLists, before: np.ndarray, support: np.float32,
        table: WallTable, scratch: WallScratch,
    ) -> WallTable:
        """Walls of all particles, in a new table if the capacity of this one is too small.

        Args: before: (3, p) positions of particles when the step began [m].
        """
        table = table.of_tasks(tasks_of(cells))
        while (
            needed := int(self._find(cells, triangles, lists, before, support, table, scratch))
        ) > len(table.triangle):
            table = table.of_walls(needed + needed // LARGER)
        return table


@kernel
def find_walls(cells, triangles, lists, before, support, table, scratch):
    """List the walls of all particles; returns the capacity needed. If `table` has less, it must be enlarged first.

    Each task gets capacity for as many as it had last, and some more; tasks that need more are listed again at the end.
    """
    needed = allot_rows(table)
    if needed <= table.triangle.shape[0]:
        mark_unknown(0, table)
        list_walls(cells, triangles, lists, before, support, table, scratch)
        first, needed = needed, allot_overflow(needed, table)
        if first < needed <= table.triangle.shape[0]:
            mark_unknown(first, table)
            list_walls(cells, triangles, lists, before, support, table, scratch)
    return needed


@kernel
def allot_rows(table):
    """Give each task capacity for the walls that it or its neighbours had last; returns the total."""
    tasks, needed = table.found.shape[0], 0
    for task in range(tasks):
        most = 0
        for beside in range(max(task - 1, 0), min(task + 2, tasks)):
            most = max(most, table.found[beside])
        table.begin[task], table.end[task] = needed, needed + most + most // MORE
        needed = table.end[task] + MOST_WALLS
    return needed


@kernel
def allot_overflow(needed, table):
    """Give tasks that found more walls than their capacity new rows behind all others; returns the new total."""
    for task in range(table.found.shape[0]):
        if table.found[task] > table.end[task] - table.begin[task]:
            table.begin[task], table.end[task] = needed, needed + table.found[task]
            needed = table.end[task] + MOST_WALLS
    return needed


@kernel
def mark_unknown(first, table):
    """Mark tasks whose parts begin at row `first` or behind it as not listed."""
    for task in range(table.found.shape[0]):
        if table.begin[task] >= first:
            table.found[task] = UNKNOWN


@parallel_kernel
def list_walls(cells, triangles, lists, before, support, table, scratch):
    """List the walls of tasks whose number is UNKNOWN, particle by particle in sorted order.

    Walls beyond the capacity of a task are only counted: they overwrite the rows right behind it.
    """
    first = table.first
    stop = table.stop
    found = table.found
    for task in prange(found.shape[0]):
        if found[task] != UNKNOWN:
            continue
        at = table.begin[task]
        for number in range(TASK * task, min(TASK * (task + 1), cells.sequence.shape[0])):
            a = cells.sequence[number]
            for i in range(cells.first[a], cells.stop[a]):
                near = find_near(
                    i, task, lists.start[a], lists.start[a + 1], triangles, lists, before, support, scratch
                )
                base = min(at, table.end[task])
                count = list_walls_of(i, task, near, base, triangles, lists.face, before, support, table, scratch)
                first[i], stop[i] = base, base + count
                at += count
        found[task] = at - table.begin[task]


@part_of_kernel
def find_near(i, task, first, stop, triangles, lists, before, support, scratch):
    """Nearest triangles of a cell's list to particle i, into the scratch of a task; returns how many."""
    count, reach = 0, np.float32(NEAR) * support
    x, y, z = before[0, i], before[1, i], before[2, i]
    for n in range(first, stop):
        group = lists.near[n]
        end = lists.stop[group]
        if end > group + 1 and is_away(lists.ball, group, x, y, z, reach):
            continue
        for t in range(group, end):
            if is_beyond(lists.bound, t, x, y, z, reach):
                continue
            u, v, w = closest_weights(triangles.start, t, x, y, z)
            px, py, pz = at(triangles.start, t, u, v, w)
            dx, dy, dz = x - px, y - py, z - pz
            distance2 = dx * dx + dy * dy + dz * dz
            if not distance2 < reach * reach:
                continue
            place = count
            if count == MOST_NEAR:
                for k in range(MOST_NEAR):
                    if place == MOST_NEAR or scratch.distance2[task, k] > scratch.distance2[task, place]:
                        place = k
                if scratch.distance2[task, place] <= distance2:
                    continue
            else:
                count += 1
            scratch.near[task, place], scratch.distance2[task, place] = t, distance2
            scratch.closest[task, place, 0], scratch.closest[task, place, 1], scratch.closest[task, place, 2] = u, v, w
    return count


@part_of_kernel
def list_walls_of(i, task, near, base, triangles, face, before, support, table, scratch):
    """Walls of particle i among `near` triangles, the nearest first, into `table` from `base` on; returns how many."""
    count, immovable_count = 0, 0
    while count < MOST_WALLS:
        nearest, nearest_is_fixed = -1, False
        for k in range(near):
            if (
                nearest >= 0 and scratch.distance2[task, k] >= scratch.distance2[task, nearest]
                or scratch.distance2[task, k] == np.inf
            ):
                continue
            t = scratch.near[task, k]
            is_fixed = is_immovable(triangles, t)
            # Where a moving wall comes from does not matter beside where it goes.
            if (immovable_count if is_fixed else count - immovable_count) == MOST_PER_KIND or is_covered(
                i, base, count, t, scratch.closest[task, k], is_fixed, triangles, before, support, table
            ):
                scratch.distance2[task, k] = np.inf
            else:
                nearest, nearest_is_fixed = k, is_fixed
        if nearest < 0:
            break
        t = scratch.near[task, nearest]
        is_behind = immovable_count < count and nearest_is_fixed and is_covered(
            i, base, count, t, scratch.closest[task, nearest], False, triangles, before, support, table
        )
        weights = scratch.closest[task, nearest]
        set_plane(i, base, base + count, t, weights, is_behind, triangles, face, before, support, table)
        immovable_count += nearest_is_fixed
        scratch.distance2[task, nearest] = np.inf
        count += 1
    return count


@part_of_kernel
def is_immovable(triangles, t):
    """Whether a triangle keeps all of its motion against the fluid."""
    return triangles.firm[t, 0] == 1.0 and triangles.firm[t, 1] == 1.0


@part_of_kernel
def is_covered(i, base, count, t, weights, is_fixed, triangles, before, support, table):
    """Whether the closest point lies on or behind one of `count` walls, both when the step begins and when it ends.

    If `is_fixed`, only immovable walls can cover it: a body that is pushed may go through an immovable wall, or draw
    back and uncover it. A particle pressed to a wall is as near to it as the floor below is: the tolerance is at most
    half the particle's own distance, so that the floor does not count as lying on that wall.
    """
    u, v, w = np.float32(weights[0]), np.float32(weights[1]), np.float32(weights[2])
    x0, y0, z0 = at(triangles.start, t, u, v, w)
    x1, y1, z1 = at(triangles.end, t, u, v, w)
    for row in range(base, base + count):
        if is_fixed and not is_immovable(triangles, table.triangle[row]):
            continue
        plane = table.plane[row]
        come = plane[0] * plane[MOTION] + plane[1] * plane[MOTION + 1] + plane[2] * plane[MOTION + 2] - plane[OFFSET]
        own = plane[0] * before[0, i] + plane[1] * before[1, i] + plane[2] * before[2, i] + come
        start = plane[0] * x0 + plane[1] * y0 + plane[2] * z0 + come
        end = plane[0] * x1 + plane[1] * y1 + plane[2] * z1 - plane[OFFSET]
        if max(start, end) <= max(min(FLAT * support, 0.5 * own), NEAREST * support):
            return True
    return False


@part_of_kernel
def set_plane(i, first, row, t, weights, is_behind, triangles, face, before, support, table):
    """Set wall `row` of particle i, of triangle t, with its weight beside the walls from row `first` on."""
    u, v, w = weights[0], weights[1], weights[2]
    x0, y0, z0 = at(triangles.start, t, u, v, w)
    x1, y1, z1 = (x0, y0, z0) if face[t, RESTS] == 1.0 else at(triangles.end, t, u, v, w)
    nx, ny, nz = before[0, i] - x0, before[1, i] - y0, before[2, i] - z0
    length = math.sqrt(nx * nx + ny * ny + nz * nz)
    if min(u, v, w) > 0.0 or length < NEAREST * support:
        # Above the face itself the plane rotates with it. A particle inside a solid leaves by the nearest face.
        is_first = True
        for other in range(first, row):
            is_first &= not triangles.solid[table.triangle[other]]
        fx, fy, fz = face[t, 0], face[t, 1], face[t, 2]
        if fx * nx + fy * ny + fz * nz < 0.0 and not (triangles.solid[t] and is_first):
            fx, fy, fz = -fx, -fy, -fz
        nx, ny, nz = fx, fy, fz
    else:
        nx, ny, nz = nx / length, ny / length, nz / length
    plane, parallel = table.plane[row], 0.0
    for other in range(first, row):
        there = table.plane[other]
        parallel = max(parallel, nx * there[0] + ny * there[1] + nz * there[2])
    table.owner[row] = i
    plane[0], plane[1], plane[2] = nx, ny, nz
    plane[OFFSET] = nx * x1 + ny * y1 + nz * z1
    plane[WEIGHT] = BEHIND if is_behind else 1.0 - parallel
    plane[MOTION], plane[MOTION + 1], plane[MOTION + 2] = x1 - x0, y1 - y0, z1 - z0
    table.triangle[row], table.drag_factor[row] = t, 1.0
    table.barycentric[row, 0], table.barycentric[row, 1], table.barycentric[row, 2] = u, v, w
    table.displacement[row, 0] = table.displacement[row, 1] = table.displacement[row, 2] = 0.0
