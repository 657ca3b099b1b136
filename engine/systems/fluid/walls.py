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
from .bounds import RESTS, NearLists, is_away, is_beyond
from .cells import TASK, Cells
from .density import OFFSET, WAY, WEIGHT
from .triangle import at, closest_share
from .wall_table import MOST_WALLS, Triangles, WallTable

# Most walls of a particle that give way, and that stand. The weight of one that lies behind others: it only stops.
MOST_ALIKE, BEHIND = 4, 0.0
# Triangles make walls within so many supports.
NEAR = 1.25
# A closest point so little above a plane that is there already belongs to it [support].
FLAT = 0.05
# Closer than this the line to a triangle has no direction [support].
NEAREST = 1e-3
# Tasks have room for one in so many walls more than they had last, a new table for one in so many more than needed.
MORE, LARGER = 4, 16
# Number of walls of a task that are to be listed.
UNKNOWN = -1
# A particle looks at no more triangles than the nearest of these.
MOST_NEAR = 64


class WallRoom(NamedTuple):
    """What each task of `list_walls` needs for the particle that it looks at.

    Attributes:
        near: (tasks, MOST_NEAR) int32, triangles near the particle; closest: (tasks, MOST_NEAR, 3) shares of their
            corners in the closest points; away: (tasks, MOST_NEAR) float32, square of the distance [m²].
    """

    near: np.ndarray
    closest: np.ndarray
    away: np.ndarray


def room_for(cells: Cells) -> WallRoom:
    """Room for the tasks of `list_walls`."""
    shape = tasks_of(cells), MOST_NEAR
    return WallRoom(np.zeros(shape, np.int32), np.zeros((*shape, 3)), np.zeros(shape, np.float32))


def tasks_of(cells: Cells) -> int:
    """In how many tasks walls are listed."""
    return (len(cells.first) + TASK - 1) // TASK


class WallFinder:
    """Finds the walls of all particles in a step."""

    def __init__(self) -> None:
        """None yet."""
        self._find = TypedCall(find_walls)

    def find(
        self, cells: Cells, triangles: Triangles, lists: NearLists, before: np.ndarray, support: np.float32,
        table: WallTable, room: WallRoom,
    ) -> WallTable:
        """Walls of all particles, in a new table where they have no room in this one.

        Args: before: (3, p) where particles were when the step began [m].
        """
        table = table.of_tasks(tasks_of(cells))
        while (needed := int(self._find(cells, triangles, lists, before, support, table, room))) > len(table.triangle):
            table = table.of_walls(needed + needed // LARGER)
        return table


@kernel
def find_walls(cells, triangles, lists, before, support, table, room):
    """The walls of all particles, if `table` has room for as many as are returned; if not, it must have that first.

    Each task has room for as many as it had last, and some more; what is short of room is listed again behind all.
    """
    needed = deal_room(table)
    if needed <= table.triangle.shape[0]:
        forget_from(0, table)
        list_walls(cells, triangles, lists, before, support, table, room)
        first, needed = needed, deal_more_room(needed, table)
        if first < needed <= table.triangle.shape[0]:
            forget_from(first, table)
            list_walls(cells, triangles, lists, before, support, table, room)
    return needed


@kernel
def deal_room(table):
    """Give each task room for the walls that it or those beside it had last; returns what all need."""
    tasks, needed = table.found.shape[0], 0
    for task in range(tasks):
        most = 0
        for beside in range(max(task - 1, 0), min(task + 2, tasks)):
            most = max(most, table.found[beside])
        table.begin[task], table.end[task] = needed, needed + most + most // MORE
        needed = table.end[task] + MOST_WALLS
    return needed


@kernel
def deal_more_room(needed, table):
    """Give tasks that found more walls than they had room for room behind all; returns what all need then."""
    for task in range(table.found.shape[0]):
        if table.found[task] > table.end[task] - table.begin[task]:
            table.begin[task], table.end[task] = needed, needed + table.found[task]
            needed = table.end[task] + MOST_WALLS
    return needed


@kernel
def forget_from(first, table):
    """The walls of tasks whose parts begin at row `first` or behind it are to be listed."""
    for task in range(table.found.shape[0]):
        if table.begin[task] >= first:
            table.found[task] = UNKNOWN


@parallel_kernel
def list_walls(cells, triangles, lists, before, support, table, room):
    """The walls of each particle of the tasks whose number is UNKNOWN, one after another, as particles are sorted.

    What has no room is counted only: it is written to the rows behind the room of the task.
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
                near = find_near(i, task, lists.start[a], lists.start[a + 1], triangles, lists, before, support, room)
                base = min(at, table.end[task])
                count = list_walls_of(i, task, near, base, triangles, lists.face, before, support, table, room)
                first[i], stop[i] = base, base + count
                at += count
        found[task] = at - table.begin[task]


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
def list_walls_of(i, task, near, base, triangles, face, before, support, table, room):
    """Walls of particle i among `near` triangles, the nearest first, into `table` from `base` on; returns how many."""
    count, standing = 0, 0
    while count < MOST_WALLS:
        nearest, nearest_stands = -1, False
        for k in range(near):
            if nearest >= 0 and room.away[task, k] >= room.away[task, nearest] or room.away[task, k] == np.inf:
                continue
            t = room.near[task, k]
            stands = does_stand(triangles, t)
            # Where a moving wall comes from does not matter beside where it goes.
            if (standing if stands else count - standing) == MOST_ALIKE or is_covered(
                i, base, count, t, room.closest[task, k], stands, triangles, before, support, table
            ):
                room.away[task, k] = np.inf
            else:
                nearest, nearest_stands = k, stands
        if nearest < 0:
            break
        t = room.near[task, nearest]
        is_behind = standing < count and nearest_stands and is_covered(
            i, base, count, t, room.closest[task, nearest], False, triangles, before, support, table
        )
        shares = room.closest[task, nearest]
        set_plane(i, base, base + count, t, shares, is_behind, triangles, face, before, support, table)
        standing += nearest_stands
        room.away[task, nearest] = np.inf
        count += 1
    return count


@part_of_kernel
def does_stand(triangles, t):
    """Whether a triangle keeps all of its motion."""
    return triangles.firm[t, 0] == 1.0 and triangles.firm[t, 1] == 1.0


@part_of_kernel
def is_covered(i, base, count, t, shares, stands, triangles, before, support, table):
    """Whether the closest point lies on or behind one of `count` walls, both when the step begins and ends.

    What `stands` is covered by walls that do so as well only.

    A body that is pushed may go through a wall that stands, or draw back and uncover it. A particle that is pressed to
    a wall is as near to it as the floor below is: the floor does not lie on that wall for this.
    """
    u, v, w = np.float32(shares[0]), np.float32(shares[1]), np.float32(shares[2])
    x0, y0, z0 = at(triangles.start, t, u, v, w)
    x1, y1, z1 = at(triangles.end, t, u, v, w)
    for row in range(base, base + count):
        if stands and not does_stand(triangles, table.triangle[row]):
            continue
        plane = table.plane[row]
        come = plane[0] * plane[WAY] + plane[1] * plane[WAY + 1] + plane[2] * plane[WAY + 2] - plane[OFFSET]
        own = plane[0] * before[0, i] + plane[1] * before[1, i] + plane[2] * before[2, i] + come
        start = plane[0] * x0 + plane[1] * y0 + plane[2] * z0 + come
        end = plane[0] * x1 + plane[1] * y1 + plane[2] * z1 - plane[OFFSET]
        if max(start, end) <= max(min(FLAT * support, 0.5 * own), NEAREST * support):
            return True
    return False


@part_of_kernel
def set_plane(i, first, row, t, shares, is_behind, triangles, face, before, support, table):
    """Wall `row` of particle i, of triangle t, and how much it counts beside those from row `first` on."""
    u, v, w = shares[0], shares[1], shares[2]
    x0, y0, z0 = at(triangles.start, t, u, v, w)
    x1, y1, z1 = (x0, y0, z0) if face[t, RESTS] == 1.0 else at(triangles.end, t, u, v, w)
    nx, ny, nz = before[0, i] - x0, before[1, i] - y0, before[2, i] - z0
    length = math.sqrt(nx * nx + ny * ny + nz * nz)
    if min(u, v, w) > 0.0 or length < NEAREST * support:
        # Above the face itself the plane turns with it. What has got into a solid comes out by the nearest face.
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
    plane[WAY], plane[WAY + 1], plane[WAY + 2] = x1 - x0, y1 - y0, z1 - z0
    table.triangle[row], table.give[row] = t, 1.0
    table.share[row, 0], table.share[row, 1], table.share[row, 2] = u, v, w
    table.push[row, 0] = table.push[row, 1] = table.push[row, 2] = 0.0
