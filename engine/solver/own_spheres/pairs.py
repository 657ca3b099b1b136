"""Pairs of spheres of a body that are near each other, and their contacts in a substep.

A contact has the particles i, j, j, j with the weights 1, -1, 0, 0, see `contact_buffer`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...compiler.kernels import kernel, parallel_kernel, part_of_kernel, prange
from ..neighbors.grid import REACH_CELLS, SPAN
from ..neighbors.lists import wrapped
from .spheres import NEAR_SHARE, square_between

# Springs may bring spheres nearer in the substep than predicted, by this fraction of the diameter.
SLACK = 0.05
# The search is split into this many parts, for any number of threads.
PARTS = 16
# 1 + s and 1 + 1 / s of a conservative test, see `_list_run`.
ROUGH, STEEP = np.float32(1.1), np.float32(11.0)


class OwnPairs(NamedTuple):
    """Near pairs of spheres of a body, found in PARTS parts.

    Attributes:
        length: (PARTS,) int64, number of pairs of each; pair: (PARTS, capacity, 2) int32, particles.
        rest_separation: (PARTS, capacity) [m].
    """

    length: np.ndarray
    pair: np.ndarray
    rest_separation: np.ndarray


@parallel_kernel
def find_own_pairs(table, margin, spheres, pairs):
    """Find pairs of spheres that may touch; pairs beyond the capacity are only counted.

    Such a pair comes within its rest separation plus `margin` [m] along its predicted lines while `table` is valid.

    Args: spheres: `OwnSpheres`; pairs: `OwnPairs`, out.
    """
    count = table.start[table.size[0] * table.size[1] * table.size[2]]
    for part in prange(PARTS):
        _find_part(count * part // PARTS, count * (part + 1) // PARTS, part, table, margin, spheres, pairs)


@kernel
def _find_part(first, stop, part, table, margin, spheres, pairs):
    """Pairs whose first sphere in sorted order is in first : stop.

    A sphere searches half of the cells around its own: those after it in its row, and the four rows after that.
    """
    size, start = table.size, table.start
    nx, ny, nz = size[0], size[1], size[2]
    count = 0
    last = -1
    x = y = z = from_x = before_wrap = 0
    for p in range(first, stop):
        own = table.cell[table.order[p]]
        if own != last:
            last = own
            x = own % nx
            y = own // nx % ny
            z = own // nx // ny
            from_x = wrapped(x - REACH_CELLS, nx)
            before_wrap = min(SPAN, nx - from_x)
        for behind in range(5):
            dy, dz = (behind, 0) if behind < 2 else (behind - 3, 1)
            row = (wrapped(z + dz, nz) * ny + wrapped(y + dy, ny)) * nx
            if behind == 0:
                here = p + 1
                there = start[row + min(x + 2, nx)]
                wraps = 1 if x + 1 == nx else 0
            else:
                here = start[row + from_x]
                there = start[row + from_x + before_wrap]
                wraps = SPAN - before_wrap
            count = _list_run(p, here, there, part, table, margin, spheres, pairs, count)
            if wraps > 0:
                count = _list_run(p, start[row], start[row + wraps], part, table, margin, spheres, pairs, count)
    pairs.length[part] = count


@part_of_kernel
def _list_run(p, first, stop, part, table, margin, spheres, pairs, count):
    """Append the pairs of sorted place p with places first : stop; returns the new count."""
    rows = table.rows
    x = rows[p, 0]
    y = rows[p, 1]
    z = rows[p, 2]
    for q in range(first, stop):
        dx = rows[q, 0] - x
        dy = rows[q, 1] - y
        dz = rows[q, 2] - z
        ux = rows[q, 3] - rows[p, 3]
        uy = rows[q, 4] - rows[p, 4]
        uz = rows[q, 5] - rows[p, 5]
        keep = max(rows[q, 6], rows[p, 6]) + margin
        travel_square = ux * ux + uy * uy + uz * uz
        square = dx * dx + dy * dy + dz * dz
        # |d| < keep + |u| implies |d|^2 < (1 + s) keep^2 + (1 + 1 / s) |u|^2 for every s, without a root.
        if square < ROUGH * keep * keep + STEEP * travel_square:
            count = _list_pair(p, q, square, math.sqrt(travel_square), part, table.order, margin, spheres, pairs, count)
    return count


@kernel
def _list_pair(p, q, square, travel, part, order, margin, spheres, pairs, count):
    """Append a pair of places if its spheres may touch; returns the new count.

    Args: square: of their distance [m²]; travel: half of the relative displacement [m].
    """
    a = order[p]
    b = order[q]
    rest_separation = max(spheres.diameter[a], spheres.diameter[b])
    rest = square_between(spheres.rest, a, b)
    if NEAR_SHARE * NEAR_SHARE * rest < rest_separation * rest_separation:
        rest_separation = NEAR_SHARE * math.sqrt(rest)
    far = rest_separation + margin + travel
    if rest_separation <= 0.0 or square > far * far or _are_joined(a, b, spheres):
        return count
    if count < pairs.pair.shape[1]:
        pairs.pair[part, count, 0] = spheres.particle[a]
        pairs.pair[part, count, 1] = spheres.particle[b]
        pairs.rest_separation[part, count] = rest_separation
    return count + 1


@part_of_kernel
def _are_joined(a, b, spheres):
    """Whether an edge joins two spheres."""
    for k in range(spheres.joined_start[a], spheres.joined_start[a + 1]):
        if spheres.joined[k] == b:
            return True
    return False


@kernel
def touch_own_pairs(pairs, motion, friction, count, buffer):
    """Append the pairs that touch in the substep after the first `count`; returns the number including them.

    A pair touches if it comes nearer than its rest separation on its line through the substep, so no sphere passes
    through another. The normal is that of the first touch. Pairs beyond the capacity are counted and not written.

    Args:
        motion: x_prev, x and v, (n, 3) each: start and predicted positions [m], and velocities [m/s].
        friction: coefficient; buffer: out, `contact_buffer.BufferColumns`.
    """
    capacity = buffer.rest_separation.shape[0]
    for part in range(PARTS):
        for m in range(pairs.length[part]):
            i = np.int64(pairs.pair[part, m, 0])
            j = np.int64(pairs.pair[part, m, 1])
            keep = pairs.rest_separation[part, m]
            touches, nx, ny, nz = _first_touch(i, j, motion[0], motion[1], keep)
            if not touches:
                continue
            if count < capacity:
                v = motion[2]
                buffer.contact[count, 0] = i
                buffer.weight[count, 0] = 1.0
                for e in range(1, 4):
                    buffer.contact[count, e] = j
                    buffer.weight[count, e] = -1.0 if e == 1 else 0.0
                buffer.normal[count, 0] = nx
                buffer.normal[count, 1] = ny
                buffer.normal[count, 2] = nz
                buffer.rest_separation[count] = keep
                buffer.friction[count] = friction
                buffer.approach[count] = (
                    nx * (v[i, 0] - v[j, 0]) + ny * (v[i, 1] - v[j, 1]) + nz * (v[i, 2] - v[j, 2])
                )
                buffer.held[count] = buffer.beside[count] = 0.0
            count += 1
    return count


@part_of_kernel
def _first_touch(i, j, x_prev, x, keep):
    """Whether two spheres touch during their motion, and the unit normal from j to i."""
    px = x_prev[i, 0] - x_prev[j, 0]
    py = x_prev[i, 1] - x_prev[j, 1]
    pz = x_prev[i, 2] - x_prev[j, 2]
    dx = x[i, 0] - x[j, 0] - px
    dy = x[i, 1] - x[j, 1] - py
    dz = x[i, 2] - x[j, 2] - pz
    before = px * px + py * py + pz * pz
    closing = -(px * dx + py * dy + pz * dz)
    travel_square = dx * dx + dy * dy + dz * dz
    # Fraction of the motion at the closest approach.
    t = 0.0 if closing <= 0.0 else 1.0 if closing >= travel_square else closing / travel_square
    nearest = before - t * (2.0 * closing - t * travel_square)
    reach = (1.0 + SLACK) * keep
    if nearest > reach * reach:
        return False, 0.0, 0.0, 0.0
    if before <= keep * keep:
        t = 0.0
    elif nearest < keep * keep:
        # |p + t d| = keep, the first time.
        t = (closing - math.sqrt(max(closing * closing - travel_square * (before - keep * keep), 0.0))) / travel_square
    nx = px + t * dx
    ny = py + t * dy
    nz = pz + t * dz
    size = math.sqrt(nx * nx + ny * ny + nz * nz)
    if size < 1e-9 * keep:
        return True, 0.0, 0.0, 1.0
    return True, nx / size, ny / size, nz / size
