"""Corners of deformable bodies stop at particles that springs would move them through.

Springs act after the fluid. A vertex on which no particle pressed in the substep has its own mass only, and if that is
next to nothing, springs may move it by decimetres: through particles beside it, into the fluid. So after springs each
such vertex keeps only the fraction of its displacement since the fluid's last step up to the first particle hit. The
triangles around it are swept through all particles near (`solver.collide.narrow_phase.sweep`): planes of a particle's
walls do not represent a protruding vertex, and particles hit on its path were not near it before. Then the vertex
continues with the particle that stops it, inelastically, so momentum is conserved. As it passed no particle, its next
path in the fluid starts at its actual position.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ....compiler.kernels import kernel
from ....solver.collide.narrow_phase.sweep import passage
from ....solver.neighbors.grid import cells_along
from ..cells.table import lies_at, number_at
from .contacts import DEFORMABLE

# Most sweeps of all triangles, as each corner that stops changes the paths of other triangles.
SWEEPS = 4
# Displacements shorter than this are not swept [clearance].
SHORT = 0.5


class StopScratch(NamedTuple):
    """Scratch of `stop_corners` for the path of each corner.

    Attributes:
        displacement: (p, 3) since the fluid's step [m]; fraction: (p,) of it that a corner keeps, 1 if it carries
            fluid; row: (p,) int64, sorted particle that stops it, or -1; inward: (p,) momentum of springs into the
            fluid [kg m/s].
        begin, end: (5, 3) positions of a triangle's corners, of the point ahead of the particle at which the triangle
            stops, and of the particle, at the start and end of the path [m].
    """

    displacement: np.ndarray
    fraction: np.ndarray
    row: np.ndarray
    inward: np.ndarray
    begin: np.ndarray
    end: np.ndarray


class Corners(NamedTuple):
    """Corners of bodies coupled to a fluid, after springs.

    Attributes:
        points: (p,) particles; carries, loaded: (p,) bool, those that may carry fluid, and that do in this substep.
        common_v: (p, 3) velocity before springs, of those that carry fluid [m/s]; at: (p, 3) after the fluid's steps
            [m]; seen: (p, 3) start of the next path in the fluid [m].
        presses: (p,) bool, out, whether springs press those that carry fluid onto it; scratch: for `stop_corners`.
    """

    points: np.ndarray
    carries: np.ndarray
    loaded: np.ndarray
    common_v: np.ndarray
    at: np.ndarray
    seen: np.ndarray
    presses: np.ndarray
    scratch: StopScratch


def corners_of(points: np.ndarray, carries: np.ndarray, at: np.ndarray, seen: np.ndarray) -> Corners:
    """Corners (p,) without load yet; see `Corners`."""
    count = len(points)
    swept = (np.zeros((5, 3)) for _ in range(2))
    scratch = StopScratch(np.zeros((count, 3)), np.zeros(count), np.zeros(count, np.int64), np.zeros(count), *swept)
    loaded, presses = (np.zeros(count, np.bool_) for _ in range(2))
    return Corners(points, carries, loaded, np.zeros((count, 3)), at, seen, presses, scratch)


@kernel
def stop_corners(found, sizes, origin, fluid, contacts, contact_count, table, met, corners, places, v):
    """Move corners back to their fraction of the path, and mark loaded corners that springs press onto the fluid.

    Args:
        found: number of contacts; sizes: the substep [s], clearance [m], mass at `rel_inv_mass` 1 [kg].
        origin: (3,) of rows [m]; fluid: see `FluidSolver.last_rows`.
        contact_count: see `loads.count_shared`; places: x and x_prev, (n, 3) of the world [m]; v: (f, 3) of the fluid's
            particles [m/s]; both change.
    """
    h, clearance, unit_mass = sizes
    order, rel_inv_mass = fluid[1], fluid[2]
    x, x_prev = places
    points, common_v, scratch = corners.points, corners.common_v, corners.scratch
    for p in range(points.shape[0]):
        scratch.fraction[p], scratch.row[p], scratch.inward[p] = 1.0, -1, 0.0
        for axis in range(3):
            scratch.displacement[p, axis] = x[points[p], axis] - corners.at[p, axis]
    for _ in range(SWEEPS):
        if not sweep(clearance, origin, fluid, met, corners):
            break
    for c in range(found):
        if contact_count[c] > 0:
            add_inward(c, h, contacts, table, met, corners, x, x_prev)
    for p in range(points.shape[0]):
        corners.presses[p] = corners.loaded[p] and scratch.inward[p] > 0.0
        row, i = scratch.row[p], points[p]
        own, mass = 1.0 / met.inv_mass[p] if row >= 0 else 0.0, unit_mass / rel_inv_mass[max(row, 0)]
        for axis in range(3):
            if row >= 0:
                was = (x[i, axis] - x_prev[i, axis]) / h
                common_v[p, axis] = (own * was + mass * v[order[row], axis]) / (own + mass)
                x[i, axis] -= (1.0 - scratch.fraction[p]) * scratch.displacement[p, axis]
                x_prev[i, axis] = x[i, axis] - h * common_v[p, axis]
                v[order[row], axis] = common_v[p, axis]
            if is_free(p, corners):
                corners.seen[p, axis] = x[i, axis]


@kernel
def is_free(p, corners):
    """Whether corner p may carry fluid and carries none now."""
    return corners.carries[p] and not corners.loaded[p]


@kernel
def sweep(clearance, origin, fluid, met, corners):
    """Reduce the fractions of free corners by the particles that triangles around them hit; returns whether any did."""
    rows, _order, _lightness, cells, frame, size = fluid
    reach, any_hit, begin, end = clearance + 1.0 / frame[3], False, corners.scratch.begin, corners.scratch.end
    for t in range(met.corner.shape[0]):
        if met.response[t] != DEFORMABLE or not set_swept(t, SHORT * clearance, origin, met, corners):
            continue
        # Particles have moved since they were sorted into cells, less far than a cell is wide.
        first_x, last_x = cells_between(0, begin, end, frame, reach)
        first_y, last_y = cells_between(1, begin, end, frame, reach)
        first_z, last_z = cells_between(2, begin, end, frame, reach)
        if (last_x - first_x + 1.0) * (last_y - first_y + 1.0) * (last_z - first_z + 1.0) > cells.first.shape[0]:
            for a in range(cells.first.shape[0]):
                for i in range(cells.first[a], cells.stop[a]):
                    any_hit |= stop_triangle(t, i, clearance, origin, rows, met, corners)
            continue
        for z in range(first_z, last_z + 1):
            for y in range(first_y, last_y + 1):
                for x in range(first_x, last_x + 1):
                    a = cells.slot[number_at(size, x, y, z)]
                    while a >= 0:
                        if lies_at(cells.place, a, x, y, z):
                            for i in range(cells.first[a], cells.stop[a]):
                                any_hit |= stop_triangle(t, i, clearance, origin, rows, met, corners)
                        a = cells.following[a]
    return any_hit


@kernel
def set_swept(t, short, origin, met, corners):
    """Set begin and end of the paths of triangle t's corners, about the origin; whether a free corner moves far."""
    is_far, scratch = False, corners.scratch
    for n in range(3):
        p, square = met.corner[t, n], 0.0
        for axis in range(3):
            travel = scratch.fraction[p] * scratch.displacement[p, axis]
            scratch.begin[n, axis] = corners.at[p, axis] - origin[axis]
            scratch.end[n, axis] = scratch.begin[n, axis] + travel
            square += travel * travel
        is_far |= is_free(p, corners) and square > short * short
    return is_far


@kernel
def cells_between(axis, begin, end, frame, reach):
    """First and last cell coordinate along an axis within `reach` [m] of the path of a triangle."""
    low, high = np.inf, -np.inf
    for n in range(3):
        low, high = min(low, begin[n, axis], end[n, axis]), max(high, begin[n, axis], end[n, axis])
    return (
        int(math.floor(cells_along(low - reach, frame[axis], frame[3]))),
        int(math.floor(cells_along(high + reach, frame[axis], frame[3]))),
    )


@kernel
def stop_triangle(t, i, clearance, origin, rows, met, corners):
    """Stop free corners of triangle t a clearance ahead of particle i, if it would pass that; returns whether so."""
    begin, end, farthest, size = corners.scratch.begin, corners.scratch.end, 0, 0.0
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
    fraction = fraction_until(3, begin, end)
    if fraction > 1.0:
        if fraction_until(4, begin, end) > 1.0:
            return False
        # The triangle is nearer than a clearance already.
        fraction = 0.0
    for n in range(3):
        p = met.corner[t, n]
        if is_free(p, corners):
            corners.scratch.fraction[p] *= fraction
            corners.scratch.row[p] = i
    set_swept(t, 0.0, origin, met, corners)
    return True


@kernel
def fraction_until(i, begin, end):
    """Fraction of its path before a triangle hits point i, see `StopScratch`; 2 if it does not."""
    fraction, _side, _v, _w = passage(True, False, begin, end, 0, 1, 2, i)
    return fraction


@kernel
def add_inward(c, h, contacts, table, met, corners, x, x_prev):
    """Add the momentum by which springs press the corners of contact c into the fluid."""
    wall = contacts.wall[c]
    for n in range(3):
        p = met.corner[table.triangle[wall], n]
        if corners.loaded[p]:
            along, i = 0.0, corners.points[p]
            for axis in range(3):
                along += ((x[i, axis] - x_prev[i, axis]) / h - corners.common_v[p, axis]) * contacts.arm[c, axis]
            corners.scratch.inward[p] += table.barycentric[wall, n] * contacts.mass[c] * along
