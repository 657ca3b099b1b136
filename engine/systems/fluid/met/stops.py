"""Corners of what bends stop at the particles that springs would take them through.

Springs act after the fluid. A vertex on which no particle pressed in the substep has its own mass only, and if that is
next to nothing, springs may take it by decimetres: through particles beside it, into the fluid. So after springs each
such vertex goes only the share of its way since the fluid's last step that no particle forbids. The triangles around it
are swept through all particles near (`solver.collide.narrow_phase.sweep`): planes of a particle's walls say nothing of
a vertex that stands out, and what such a vertex meets on its way was not near it before. Then it goes on with the
particle that stops it, inelastically, so momentum is kept. As nobody was passed, the fluid meets it next where it is.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ....compiler.kernels import kernel
from ....solver.collide.narrow_phase.sweep import passage
from ....solver.neighbors.grid import cells_along
from ..cells.table import lies_at, number_at
from .contacts import BENDS

# Most sweeps of all triangles, as each corner that stops changes the ways of others.
SWEEPS = 4
# Ways shorter than this are not looked at [clearance].
SHORT = 0.5


class StopRoom(NamedTuple):
    """What `stop_corners` finds of each corner on its way.

    Attributes:
        way: (p, 3) since the fluid's step [m]; share: (p,) of it that they go, all of what carries fluid; row: (p,)
            int64, sorted particle that stops them, or -1; inward: (p,) momentum of springs into the fluid [kg m/s].
        begin, end: (5, 3) a triangle on its way, the particle ahead of which it stops, and the particle [m].
    """

    way: np.ndarray
    share: np.ndarray
    row: np.ndarray
    inward: np.ndarray
    begin: np.ndarray
    end: np.ndarray


class Corners(NamedTuple):
    """Corners of what a fluid meets, after springs.

    Attributes:
        points: (p,) particles; carries, loaded: (p,) bool, those that may carry fluid, and that do in this substep.
        joint: (p, 3) their velocity before springs, of those that carry fluid [m/s]; at: (p, 3) after the fluid [m];
            seen: (p, 3) where the fluid meets them next [m].
        presses: (p,) bool, out, whether springs press those that carry fluid onto it; room: for `stop_corners`.
    """

    points: np.ndarray
    carries: np.ndarray
    loaded: np.ndarray
    joint: np.ndarray
    at: np.ndarray
    seen: np.ndarray
    presses: np.ndarray
    room: StopRoom


def corners_of(points: np.ndarray, carries: np.ndarray, at: np.ndarray, seen: np.ndarray) -> Corners:
    """Corners (p,) that carry nothing yet; see `Corners`."""
    count = len(points)
    swept = (np.zeros((5, 3)) for _ in range(2))
    room = StopRoom(np.zeros((count, 3)), np.zeros(count), np.zeros(count, np.int64), np.zeros(count), *swept)
    loaded, presses = (np.zeros(count, np.bool_) for _ in range(2))
    return Corners(points, carries, loaded, np.zeros((count, 3)), at, seen, presses, room)


@kernel
def stop_corners(found, sizes, origin, fluid, contacts, several, table, met, corners, places, v):
    """Set corners back to their share of the way, and note which of those that carry fluid are pressed onto it.

    Args:
        found: number of contacts; sizes: the substep [s], clearance [m], mass at lightness 1 [kg].
        origin: (3,) of rows [m]; fluid: see `FluidSolver.last_rows`.
        several: see `carried.count_shared`; places: x and x_prev, (n, 3) of the world [m]; v: (f, 3) of the fluid's
            particles [m/s]; both change.
    """
    h, clearance, unit = sizes
    order, lightness = fluid[1], fluid[2]
    x, x_prev = places
    points, joint, room = corners.points, corners.joint, corners.room
    for p in range(points.shape[0]):
        room.share[p], room.row[p], room.inward[p] = 1.0, -1, 0.0
        for axis in range(3):
            room.way[p, axis] = x[points[p], axis] - corners.at[p, axis]
    for _ in range(SWEEPS):
        if not sweep(clearance, origin, fluid, met, corners):
            break
    for c in range(found):
        if several[c] > 0:
            add_inward(c, h, contacts, table, met, corners, x, x_prev)
    for p in range(points.shape[0]):
        corners.presses[p] = corners.loaded[p] and room.inward[p] > 0.0
        row, i = room.row[p], points[p]
        own, mass = 1.0 / met.light[p] if row >= 0 else 0.0, unit / lightness[max(row, 0)]
        for axis in range(3):
            if row >= 0:
                was = (x[i, axis] - x_prev[i, axis]) / h
                joint[p, axis] = (own * was + mass * v[order[row], axis]) / (own + mass)
                x[i, axis] -= (1.0 - room.share[p]) * room.way[p, axis]
                x_prev[i, axis] = x[i, axis] - h * joint[p, axis]
                v[order[row], axis] = joint[p, axis]
            if is_free(p, corners):
                corners.seen[p, axis] = x[i, axis]


@kernel
def is_free(p, corners):
    """Whether corner p carries nothing now and may carry fluid."""
    return corners.carries[p] and not corners.loaded[p]


@kernel
def sweep(clearance, origin, fluid, met, corners):
    """Lessen the shares of free corners by the particles that triangles around them meet; whether there are any."""
    rows, _order, _lightness, cells, frame, size = fluid
    reach, any_met, begin, end = clearance + 1.0 / frame[3], False, corners.room.begin, corners.room.end
    for t in range(met.corner.shape[0]):
        if met.answers[t] != BENDS or not set_swept(t, SHORT * clearance, origin, met, corners):
            continue
        # Particles have moved since they were sorted into cells, less far than a cell is wide.
        first_x, last_x = cells_between(0, begin, end, frame, reach)
        first_y, last_y = cells_between(1, begin, end, frame, reach)
        first_z, last_z = cells_between(2, begin, end, frame, reach)
        if (last_x - first_x + 1.0) * (last_y - first_y + 1.0) * (last_z - first_z + 1.0) > cells.first.shape[0]:
            for a in range(cells.first.shape[0]):
                for i in range(cells.first[a], cells.stop[a]):
                    any_met |= stop_triangle(t, i, clearance, origin, rows, met, corners)
            continue
        for z in range(first_z, last_z + 1):
            for y in range(first_y, last_y + 1):
                for x in range(first_x, last_x + 1):
                    a = cells.slot[number_at(size, x, y, z)]
                    while a >= 0:
                        if lies_at(cells.place, a, x, y, z):
                            for i in range(cells.first[a], cells.stop[a]):
                                any_met |= stop_triangle(t, i, clearance, origin, rows, met, corners)
                        a = cells.following[a]
    return any_met


@kernel
def set_swept(t, short, origin, met, corners):
    """Set the corners of triangle t at begin and end of their ways, about the origin; whether a free one goes far."""
    is_far, room = False, corners.room
    for n in range(3):
        p, square = met.corner[t, n], 0.0
        for axis in range(3):
            way = room.share[p] * room.way[p, axis]
            room.begin[n, axis] = corners.at[p, axis] - origin[axis]
            room.end[n, axis] = room.begin[n, axis] + way
            square += way * way
        is_far |= is_free(p, corners) and square > short * short
    return is_far


@kernel
def cells_between(axis, begin, end, frame, reach):
    """First and last coordinate of the cells within `reach` of a triangle on its way along an axis [m]."""
    low, high = np.inf, -np.inf
    for n in range(3):
        low, high = min(low, begin[n, axis], end[n, axis]), max(high, begin[n, axis], end[n, axis])
    return (
        int(math.floor(cells_along(low - reach, frame[axis], frame[3]))),
        int(math.floor(cells_along(high + reach, frame[axis], frame[3]))),
    )


@kernel
def stop_triangle(t, i, clearance, origin, rows, met, corners):
    """Free corners of triangle t stop a clearance ahead of particle i, if it would pass that; whether it would."""
    begin, end, farthest, size = corners.room.begin, corners.room.end, 0, 0.0
    for n in range(3):
        square = 0.0
        for axis in range(3):
            square += (end[n, axis] - begin[n, axis]) ** 2
        if square > size:
            farthest, size = n, square
    if not size > 0.0:
        return False
    for axis in range(3):
        low = min(begin[0, axis], begin[1, axis], begin[2, axis], end[0, axis], end[1, axis], end[2, axis])
        high = max(begin[0, axis], begin[1, axis], begin[2, axis], end[0, axis], end[1, axis], end[2, axis])
        if rows[i, axis] < low - clearance or rows[i, axis] > high + clearance:
            return False
    for axis in range(3):
        ahead = clearance * (end[farthest, axis] - begin[farthest, axis]) / math.sqrt(size)
        begin[3, axis] = end[3, axis] = rows[i, axis] - ahead
        begin[4, axis] = end[4, axis] = rows[i, axis]
    part = part_until(3, begin, end)
    if part > 1.0:
        if part_until(4, begin, end) > 1.0:
            return False
        # It is nearer than a clearance now.
        part = 0.0
    for n in range(3):
        p = met.corner[t, n]
        if is_free(p, corners):
            corners.room.share[p] *= part
            corners.room.row[p] = i
    set_swept(t, 0.0, origin, met, corners)
    return True


@kernel
def part_until(i, begin, end):
    """Part of its way that a triangle goes before it meets point i, see `StopRoom`; 2 if it does not."""
    part, _side, _v, _w = passage(True, False, begin, end, 0, 1, 2, i)
    return part


@kernel
def add_inward(c, h, contacts, table, met, corners, x, x_prev):
    """Add what springs press the corners of contact c with into the fluid."""
    wall = contacts.wall[c]
    for n in range(3):
        p = met.corner[table.triangle[wall], n]
        if corners.loaded[p]:
            along, i = 0.0, corners.points[p]
            for axis in range(3):
                along += ((x[i, axis] - x_prev[i, axis]) / h - corners.joint[p, axis]) * contacts.arm[c, axis]
            corners.room.inward[p] += table.share[wall, n] * contacts.mass[c] * along
