"""The nearest visible agents of each agent: a fixed number, within the sight radius and outside the blind angle.

Real starlings heed six or seven neighbours whatever their distance (Ballerini et al. 2008), so the search is for a
number of neighbours and not for a radius. It tests the 27 cells around an agent in a grid whose cells are about as wide
as the distance to its neighbours. An agent that has not found enough within one edge searches a grid with wider cells,
up to the sight radius. Lists are exact within one edge of the grid searched last, unless it contains more than
`CAPACITY` others. They are kept for several decisions, see `sight.LOOK`. An agent that found enough starts its next
search with a reach slightly beyond the farthest of them, so that most others are never tested.
"""

from __future__ import annotations

import math

from ...compiler.kernels import kernel, parallel_kernel, part_of_kernel, prange
from ...solver.neighbors.grid import REACH_CELLS, cells_along
from ...solver.neighbors.lists import LANES, ROUNDING, Table, distance_to_row, wrapped
from ...solver.vector.seen import SIDE, keep_nearest, see_sixteen

# Agents that a thread processes at a time, and the number of candidates from which an agent chooses.
TASK, CAPACITY = 256, 512
# Initial reach of a search as a multiple of the last neighbour's distance in the previous one; larger if too few are
# found.
REACH_FACTOR = 1.1
# The herd is sorted by bars of cells along x that are this many cells wide and high: agents of one block then lie in a
# box about as long as it is wide, and few walls are near it. Rows of single cells would be long and thin.
BAR = 2


@parallel_kernel
def sort_herd(start, size, sorted_order, places, order):
    """Order agents in the herd by the cells of a grid.

    Args: start, size, sorted_order: `Grid`'s; out: places: see `find_nearest`; order: the herd's.
    """
    wide = (size[1] + BAR - 1) // BAR
    for bar in prange(wide * ((size[2] + BAR - 1) // BAR)):
        sort_bar(bar // wide * BAR, bar % wide * BAR, start, size, sorted_order, places, order)
    # Agents with non-finite positions stay at the end.
    for k in range(start[start.shape[0] - 2], places.shape[1]):
        places[0, k] = places[1, k] = k
        order[k] = sorted_order[k]


@kernel
def sort_bar(z, y, start, size, sorted_order, places, order):
    """Order the agents in the bar that begins at row (z, y) of the grid."""
    nx, top, side = size[0], min(z + BAR, size[2]), min(y + BAR, size[1])
    # Count the agents of all previous bars: those below, and those beside it.
    here = start[z * size[1] * nx]
    for row in range(z, top):
        here += start[(row * size[1] + y) * nx] - start[row * size[1] * nx]
    for x in range(nx):
        for row_z in range(z, top):
            for row_y in range(y, side):
                cell = (row_z * size[1] + row_y) * nx + x
                for k in range(start[cell], start[cell + 1]):
                    places[0, k], places[1, here], order[here] = here, k, sorted_order[k]
                    here += 1


@parallel_kernel
def find_nearest(table, places, herd, candidates, squares, enough, is_first):
    """Fill `herd.near` for all agents, or for those that have not found enough yet.

    Args:
        table: `neighbors.lists.Table`, whose reach is the search radius; places: (2, n) int32, for each sorted place
            of the table its place in the herd, and the inverse.
        candidates, squares: scratch, (tasks, CAPACITY + 16) int32 and float32.
        enough: agents that found this many do not search again; is_first: all agents search.
    """
    for task in prange((herd.order.shape[0] + TASK - 1) // TASK):
        for i in range(TASK * task, min(TASK * (task + 1), herd.order.shape[0])):
            if is_first or herd.seen[i] < enough:
                search(i, table, places, herd, candidates[task], squares[task])


@part_of_kernel
def search(i, table, places, herd, candidates, squares):
    """Find the nearest visible neighbours of the agent at place i of the herd, first within its own reach."""
    most, reach = herd.near.shape[1], herd.reach[herd.order[i]]
    is_near = reach < table.reach
    if is_near:
        own = Table(table.frame, table.size, table.start, table.columns, reach)
        look_around(i, own, places, herd, candidates, squares)
        herd.reach[herd.order[i]] = math.inf
    if not is_near or herd.seen[i] < most:
        look_around(i, table, places, herd, candidates, squares)
    if herd.seen[i] == most:
        herd.reach[herd.order[i]] = REACH_FACTOR * math.sqrt(herd.last[i])


@kernel
def look_around(i, table, places, herd, candidates, squares):
    """Find the nearest visible neighbours of agent i, in any order."""
    most, near = herd.near.shape[1], herd.near[i]
    count = min(see(i, table, places[1, i], herd.rows, candidates, squares), candidates.shape[0] - LANES)
    if count > LANES:
        put_first(candidates, squares, count, most)
    elif count > most:
        keep_nearest(candidates, squares, count, most)
    herd.seen[i] = min(count, most)
    last = 0.0
    for k in range(most):
        is_there = k < herd.seen[i]
        near[k] = places[0, candidates[k]] if is_there else -1
        last = max(last, squares[k] if is_there else 0.0)
    herd.last[i] = last


@part_of_kernel
def put_first(candidates, squares, count, most):
    """Sort the nearest `most` of the points to the front."""
    for k in range(1, count):
        number, square = candidates[k], squares[k]
        place = min(k, most)
        while place > 0 and squares[place - 1] > square:
            if place < most:
                squares[place], candidates[place] = squares[place - 1], candidates[place - 1]
            place -= 1
        if place < most:
            squares[place], candidates[place] = square, number


@kernel
def see(i, table, skip, rows, candidates, squares):
    """List points within reach that agent i sees, except `skip`, until the list is full; returns their count.

    Args: out: candidates, squares: sorted places of the points, and squared distances [m²].
    """
    most, row, square = candidates.shape[0] - LANES, rows[i], table.reach * table.reach
    at_x = cells_along(row[0], table.frame[0], table.frame[3])
    at_y = cells_along(row[1], table.frame[1], table.frame[3])
    at_z = cells_along(row[2], table.frame[2], table.frame[3])
    x, y, z = math.floor(at_x), math.floor(at_y), math.floor(at_z)
    nx, ny, nz = table.size[0], table.size[1], table.size[2]
    widest = min(table.reach * table.frame[3], float(REACH_CELLS)) * (1.0 + ROUNDING)
    low = max(math.floor(at_x - widest), x - REACH_CELLS)
    span = int(min(math.floor(at_x + widest), x + REACH_CELLS) - low) + 1
    first_x = int(low) % nx
    before_wrap = min(span, nx - first_x)
    count = 0
    for dz in range(-REACH_CELLS, REACH_CELLS + 1):
        gap_z = distance_to_row(at_z - z, dz)
        row_z = wrapped(int(z) % nz + dz, nz) * ny
        for dy in range(-REACH_CELLS, REACH_CELLS + 1):
            gap_y = distance_to_row(at_y - y, dy)
            if gap_y * gap_y + gap_z * gap_z > widest * widest:
                continue
            cells = (row_z + wrapped(int(y) % ny + dy, ny)) * nx
            first, stop = cells + first_x, cells + first_x + before_wrap
            for part in range(1 if before_wrap == span else 2):
                if part == 1:
                    first, stop = cells, cells + span - before_wrap
                for begin in range(table.start[first], table.start[stop], LANES):
                    if count <= most:
                        count = see_sixteen(
                            table.columns, rows, i, square, begin, table.start[stop], skip, candidates, squares, count
                        )
            if count > most:
                return count
    return count


@parallel_kernel
def to_single(first, x, points):
    """Positions in single precision, points (n, 3), of the particles from `first` on of x (m, 3) [m]."""
    for task in prange((points.shape[0] + TASK - 1) // TASK):
        for i in range(TASK * task, min(TASK * (task + 1), points.shape[0])):
            for k in range(3):
                points[i, k] = x[first + i, k]


@parallel_kernel
def gather(first, x, v, borne, is_carried, cosine, herd):
    """Gather positions of agents, and velocities relative to the flow, in the order of the herd.

    Args: first: particle of the flock; x, v: (m, 3) of the world; borne: (n, 3), used if `is_carried`; cosine: of half
        the view angle, squared with its sign kept; out: herd's `place` and `rows`.
    """
    for task in prange((herd.order.shape[0] + TASK - 1) // TASK):
        for i in range(TASK * task, min(TASK * (task + 1), herd.order.shape[0])):
            gather_one(i, first, x, v, borne, is_carried, cosine, herd)


@part_of_kernel
def gather_one(i, first, x, v, borne, is_carried, cosine, herd):
    """Position and velocity of the agent at place i of the herd."""
    a, row, square = herd.order[i], herd.rows[i], 0.0
    for k in range(3):
        place, speed = x[first + a, k], v[first + a, k] - (borne[a, k] if is_carried else 0.0)
        herd.place[i, k] = row[k] = place
        row[3 + k] = speed
        square += speed * speed
    # An agent at rest has no view direction, so its view cone is the whole sphere.
    row[SIDE] = cosine * square
