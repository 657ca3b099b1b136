"""Corners of what bends stop at the particles that springs would take them through.

Springs act after the fluid. A vertex on which no particle pressed in the substep has its own mass only, and if that is
next to nothing, springs may take it by decimetres: through particles beside it, into the fluid. So after springs each
such vertex p goes only the share s_p of its way d_p since the fluid's last step that no particle forbids:

    sum over corners p of b_wp s_p d_p . n_w <= gap_w        b_wp: share of the corner p in the wall's closest point

Then it goes on with the particle that stops it, inelastically, so momentum is kept.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....compiler.kernels import kernel
from .contacts import BENDS


class StopRoom(NamedTuple):
    """What `stop_corners` finds of each corner on its way.

    Attributes:
        way: (p, 3) since the fluid's step [m]; share: (p,) of it that they go; wall: (p,) int64, close wall of the
            particle that stops them, or -1; inward: (p,) momentum of springs into the fluid [kg m/s].
    """

    way: np.ndarray
    share: np.ndarray
    wall: np.ndarray
    inward: np.ndarray


class Corners(NamedTuple):
    """Corners of what a fluid meets, after springs.

    Attributes:
        points: (p,) particles; carries, loaded: (p,) bool, those that may carry fluid, and that do in this substep.
        joint: (p, 3) their velocity before springs, of those that carry fluid [m/s]; at: (p, 3) after the fluid [m].
        presses: (p,) bool, out, whether springs press those that carry fluid onto it; room: for `stop_corners`.
    """

    points: np.ndarray
    carries: np.ndarray
    loaded: np.ndarray
    joint: np.ndarray
    at: np.ndarray
    presses: np.ndarray
    room: StopRoom


def corners_of(points: np.ndarray, carries: np.ndarray, at: np.ndarray) -> Corners:
    """Corners (p,) that carry nothing yet; see `Corners`."""
    count = len(points)
    room = StopRoom(np.zeros((count, 3)), np.zeros(count), np.zeros(count, np.int64), np.zeros(count))
    loaded, presses = (np.zeros(count, np.bool_) for _ in range(2))
    return Corners(points, carries, loaded, np.zeros((count, 3)), at, presses, room)


@kernel
def stop_corners(counts, sizes, origin, fluid, contacts, several, table, met, corners, places, v):
    """Set corners back to their share of the way, and note which of those that carry fluid are pressed onto it.

    Args:
        counts: of contacts, and of close walls; sizes: the substep [s], clearance [m], mass at lightness 1 [kg].
        origin: (3,) of rows [m]; fluid: rows (r, 4) after the step, the particle of each row, lightness (r,).
        several: see `carried.count_shared`; places: x and x_prev, (n, 3) of the world [m]; v: (f, 3) of the fluid's
            particles [m/s]; both change.
    """
    found, close = counts
    h, clearance, unit = sizes
    rows, order, lightness = fluid
    x, x_prev = places
    points, joint, way = corners.points, corners.joint, corners.room.way
    for p in range(points.shape[0]):
        corners.room.share[p], corners.room.wall[p], corners.room.inward[p] = 1.0, -1, 0.0
        for axis in range(3):
            way[p, axis] = x[points[p], axis] - corners.at[p, axis]
    for c in range(close):
        if met.answers[table.triangle[contacts.close_wall[c]]] == BENDS:
            find_share(c, clearance, origin, rows, contacts, table, met, corners)
    for c in range(found):
        if several[c] > 0:
            add_inward(c, h, contacts, table, met, corners, x, x_prev)
    for p in range(points.shape[0]):
        corners.presses[p] = corners.loaded[p] and corners.room.inward[p] > 0.0
        if corners.room.wall[p] < 0:
            continue
        row, i = contacts.close_row[corners.room.wall[p]], points[p]
        own, mass = 1.0 / met.light[p], unit / lightness[row]
        for axis in range(3):
            was = (x[i, axis] - x_prev[i, axis]) / h
            joint[p, axis] = (own * was + mass * v[order[row], axis]) / (own + mass)
            x[i, axis] -= (1.0 - corners.room.share[p]) * way[p, axis]
            x_prev[i, axis] = x[i, axis] - h * joint[p, axis]
            v[order[row], axis] = joint[p, axis]


@kernel
def find_share(c, clearance, origin, rows, contacts, table, met, corners):
    """Lessen the shares of corners that carry nothing by close wall c."""
    wall, gap, free, rest = contacts.close_wall[c], -clearance, 0.0, 0.0
    corner = met.corner[table.triangle[wall]]
    for axis in range(3):
        gap += table.plane[wall, axis] * (rows[contacts.close_row[c], axis] + origin[axis])
    for n in range(3):
        p, along = corner[n], 0.0
        for axis in range(3):
            gap -= table.share[wall, n] * corners.at[p, axis] * table.plane[wall, axis]
            along += table.share[wall, n] * corners.room.way[p, axis] * table.plane[wall, axis]
        if corners.carries[p] and not corners.loaded[p]:
            free += along
        else:
            rest += along
    room = max(max(gap, 0.0) - rest, 0.0)
    if free > room:
        for n in range(3):
            p = corner[n]
            is_free = corners.carries[p] and not corners.loaded[p] and table.share[wall, n] > 0.0
            if is_free and room / free < corners.room.share[p]:
                corners.room.share[p], corners.room.wall[p] = room / free, c


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
