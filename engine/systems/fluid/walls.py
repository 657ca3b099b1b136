"""What a fluid meets: the triangles near each particle, as planes.

A particle's wall is the plane through the closest point of a triangle, across the line from there to where the
particle was when the step began: on that side it stays. Where a wall's closest point lies on a plane that is there
already, the triangle is its continuation or lies behind it, and is left out: a particle on a table of many triangles
has one wall, in a corner three. So sheets have two sides, meshes need no inside, and no particle passes. A solid has
one: what was pressed into one that answers as a whole, as between it and a floor, comes out by the nearest face.

What gives way hides no wall that stands: the floor below a mattress stops a particle that the mattress does not.
It has places of its own among the walls of a particle, and it only stops: the fluid feels the nearer wall.

Each wall counts as a half space of fluid (`law.cap`), less where it is nearly parallel to one that is nearer. Planes
move with their triangles, to where these are at the end of the step.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...compiler.kernels import kernel, parallel_kernel, part_of_kernel, prange
from ...compiler.typed_call import TypedCall
from .cells import TASK, Cells
from .density import OFFSET, WAY, WEIGHT
from .nearest import NearLists, area_of, at, closest_share, is_away, is_beyond
from .wall_table import MOST_WALLS, Triangles, WallTable, wall_table

# Most walls of a particle that give way, and that stand. The weight of one that lies behind others: it only stops.
MOST_ALIKE, BEHIND = 4, 0.0
# Triangles make walls within so many supports.
NEAR = 1.25
# A closest point so little above a plane that is there already belongs to it [support].
FLAT = 0.05
# Closer than this the line to a triangle has no direction [support].
NEAREST = 1e-3
# A table is made larger by one in so many than it has to be. Rows of room for a task, so that none shares a cache line.
MORE, APART = 16, 16
# A particle looks at no more triangles than the nearest of these.
MOST_NEAR = 64


class WallRoom(NamedTuple):
    """What each task of `list_walls` needs for the particle that it looks at.

    Attributes:
        plane, triangle, share, push, give: as those of a `WallTable`, APART rows a task.
        near: (tasks, MOST_NEAR) int32, triangles near the particle; closest: (tasks, MOST_NEAR, 3) float32, shares of
            their corners in the closest points; away: (tasks, MOST_NEAR) float32, square of the distance [m²].
    """

    plane: np.ndarray
    triangle: np.ndarray
    share: np.ndarray
    push: np.ndarray
    give: np.ndarray
    near: np.ndarray
    closest: np.ndarray
    away: np.ndarray


def room_for(cells: Cells) -> WallRoom:
    """Room for the tasks of `list_walls`."""
    tasks, single = len(cells.first) // TASK + 1, np.float32
    return WallRoom(
        *wall_table(0, APART * tasks)[2:], np.zeros((tasks, MOST_NEAR), np.int32),
        np.zeros((tasks, MOST_NEAR, 3), single), np.zeros((tasks, MOST_NEAR), single),
    )


class WallFinder:
    """Finds the walls of all particles in a step."""

    def __init__(self) -> None:
        """None yet."""
        self._find, self._set = TypedCall(find_walls), TypedCall(set_walls)

    def find(
        self, count: int, cells: Cells, triangles: Triangles, lists: NearLists, before: np.ndarray,
        support: np.float32, table: WallTable, room: WallRoom,
    ) -> WallTable:
        """Walls of `count` particles, in a new table where they have no room in this one.

        Args: before: (3, p) where particles were when the step began [m].
        """
        total = int(self._find(count, cells, triangles, lists, before, support, table, room))
        if total > len(table.triangle):
            table = WallTable(table.first, table.near, *wall_table(0, total + total // MORE)[2:])
            self._set(count, triangles, before, support, table)
        return table


@kernel
def find_walls(count, cells, triangles, lists, before, support, table, room):
    """List the walls of all particles, and set them where `table` has room; returns how many there are."""
    list_walls(cells, triangles, lists, before, support, table, room)
    total = number_walls(count, table.first)
    if total <= table.triangle.shape[0]:
        set_walls(count, triangles, before, support, table)
    return total


@parallel_kernel
def list_walls(cells, triangles, lists, before, support, table, room):
    """Triangles that are walls of each particle i, into `table.near`, and how many, into table.first[i + 1]."""
    for task in prange((cells.first.shape[0] + TASK - 1) // TASK):
        for a in range(TASK * task, min(TASK * (task + 1), cells.first.shape[0])):
            for i in range(cells.first[a], cells.stop[a]):
                near = find_near(i, task, lists.start[a], lists.start[a + 1], triangles, lists, before, support, room)
                list_walls_of(i, task, near, triangles, before, support, table, room)


@part_of_kernel
def find_near(i, task, first, stop, triangles, lists, before, support, room):
    """Triangles of a cell's list near particle i, into the room of a task; returns how many, of the nearest ones."""
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
            u, v, w = closest_share(triangles.start, t, x, y, z)
            px, py, pz = at(triangles.start, t, u, v, w)
            dx, dy, dz = x - px, y - py, z - pz
            away = dx * dx + dy * dy + dz * dz
            if not away < reach * reach:
                continue
            place = count
            if count == MOST_NEAR:
                for k in range(MOST_NEAR):
                    if place == MOST_NEAR or room.away[task, k] > room.away[task, place]:
                        place = k
                if room.away[task, place] <= away:
                    continue
            else:
                count += 1
            room.near[task, place], room.away[task, place] = t, away
            room.closest[task, place, 0], room.closest[task, place, 1], room.closest[task, place, 2] = u, v, w
    return count


@part_of_kernel
def list_walls_of(i, task, near, triangles, before, support, table, room):
    """Walls of particle i among `near` triangles, the nearest first; their planes into the room of the task."""
    count, standing, base = 0, 0, APART * task
    while count < MOST_WALLS:
        nearest, nearest_stands = -1, False
        for k in range(near):
            if nearest >= 0 and room.away[task, k] >= room.away[task, nearest] or room.away[task, k] == np.inf:
                continue
            t = room.near[task, k]
            stands = does_stand(triangles, t)
            # Where a moving wall comes from does not matter beside where it goes.
            if (standing if stands else count - standing) == MOST_ALIKE or is_covered(
                i, base, count, t, room.closest[task, k], stands, triangles, before, support, room
            ):
                room.away[task, k] = np.inf
            else:
                nearest, nearest_stands = k, stands
        if nearest < 0:
            break
        t = room.near[task, nearest]
        is_behind = standing < count and nearest_stands and is_covered(
            i, base, count, t, room.closest[task, nearest], False, triangles, before, support, room
        )
        table.near[i, count] = ~t if is_behind else t
        standing += nearest_stands
        if near > 1:
            # It may cover others.
            set_plane(i, base, base + count, t, triangles, before, support, room)
        room.away[task, nearest] = np.inf
        count += 1
    table.first[i + 1] = count


@kernel
def number_walls(count, first):
    """Turn the numbers of walls of `count` particles, in first[1:], into where each one's begin; returns their sum."""
    for i in range(count):
        first[i + 1] += first[i]
    return first[count]


@parallel_kernel
def set_walls(count, triangles, before, support, table):
    """All walls of the triangles in `table.near`."""
    for task in prange((count + TASK - 1) // TASK):
        for i in range(TASK * task, min(TASK * (task + 1), count)):
            for w in range(table.first[i], table.first[i + 1]):
                set_plane(
                    i, table.first[i], w, table.near[i, w - table.first[i]], triangles, before, support, table
                )


@part_of_kernel
def does_stand(triangles, t):
    """Whether a triangle keeps all of its motion."""
    return triangles.firm[t, 0] == 1.0 and triangles.firm[t, 1] == 1.0


@part_of_kernel
def is_covered(i, base, count, t, shares, stands, triangles, before, support, room):
    """Whether the closest point lies on or behind one of `count` walls, both when the step begins and ends.

    What `stands` is covered by walls that do so as well only.

    A body that is pushed may go through a wall that stands, or draw back and uncover it. A particle that is pressed to
    a wall is as near to it as the floor below is: the floor does not lie on that wall for this.
    """
    x0, y0, z0 = at(triangles.start, t, shares[0], shares[1], shares[2])
    x1, y1, z1 = at(triangles.end, t, shares[0], shares[1], shares[2])
    for row in range(base, base + count):
        if stands and not does_stand(triangles, room.triangle[row]):
            continue
        plane = room.plane[row]
        come = plane[0] * plane[WAY] + plane[1] * plane[WAY + 1] + plane[2] * plane[WAY + 2] - plane[OFFSET]
        own = plane[0] * before[0, i] + plane[1] * before[1, i] + plane[2] * before[2, i] + come
        start = plane[0] * x0 + plane[1] * y0 + plane[2] * z0 + come
        end = plane[0] * x1 + plane[1] * y1 + plane[2] * z1 - plane[OFFSET]
        if max(start, end) <= max(min(FLAT * support, 0.5 * own), NEAREST * support):
            return True
    return False


@part_of_kernel
def set_plane(i, first, row, t, triangles, before, support, table):
    """Wall `row` of particle i, of triangle t or ~t, and how much it counts beside those from row `first` on."""
    is_behind, t = t < 0, max(t, ~t)
    u, v, w = closest_share(triangles.start, t, before[0, i], before[1, i], before[2, i])
    x0, y0, z0 = at(triangles.start, t, u, v, w)
    x1, y1, z1 = at(triangles.end, t, u, v, w)
    nx, ny, nz = before[0, i] - x0, before[1, i] - y0, before[2, i] - z0
    length = math.sqrt(nx * nx + ny * ny + nz * nz)
    if min(u, v, w) > 0.0 or length < NEAREST * support:
        # Above the face itself the plane turns with it. What has got into a solid comes out by the nearest face.
        is_first = True
        for other in range(first, row):
            is_first &= not triangles.solid[table.triangle[other]]
        fx, fy, fz = normal_of(triangles.end, t)
        if fx * nx + fy * ny + fz * nz < 0.0 and not (triangles.solid[t] and is_first):
            fx, fy, fz = -fx, -fy, -fz
        nx, ny, nz = fx, fy, fz
    else:
        nx, ny, nz = nx / length, ny / length, nz / length
    plane, parallel = table.plane[row], 0.0
    for other in range(first, row):
        there = table.plane[other]
        parallel = max(parallel, nx * there[0] + ny * there[1] + nz * there[2])
    plane[0], plane[1], plane[2] = nx, ny, nz
    plane[OFFSET] = nx * x1 + ny * y1 + nz * z1
    plane[WEIGHT] = BEHIND if is_behind else 1.0 - parallel
    plane[WAY], plane[WAY + 1], plane[WAY + 2] = x1 - x0, y1 - y0, z1 - z0
    table.triangle[row], table.give[row] = t, 1.0
    table.share[row, 0], table.share[row, 1], table.share[row, 2] = u, v, w
    table.push[row, 0] = table.push[row, 1] = table.push[row, 2] = 0.0


@part_of_kernel
def normal_of(corners, t):
    """Unit normal of a triangle; of one without area, upwards."""
    nx, ny, nz = area_of(corners, t)
    length = math.sqrt(nx * nx + ny * ny + nz * nz)
    if not length > 0.0:
        return 0.0, 0.0, 1.0
    return nx / length, ny / length, nz / length
