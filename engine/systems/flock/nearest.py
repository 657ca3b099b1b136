"""The nearest agents that each agent sees: few of them, however far they are, within sight and outside its blind angle.

Real starlings heed six or seven neighbours whatever their distance (Ballerini et al. 2008), so the search is for a
number and not for a radius. It looks through the 27 cells around an agent in a grid whose cells are about as wide as
its neighbours are far; an agent that has not found enough within one edge searches a grid with wider cells, up to the
sight radius. Lists are exact within one edge of the grid that an agent looked at last, unless more than `ROOM` others
are there. They last for several decisions, see `sight.LOOK`. An agent that saw enough looks no farther at first than a
little beyond the last of them: most that it would sort out otherwise are never looked at.
"""

from __future__ import annotations

import math

import numpy as np

from ...compiler.kernels import kernel, parallel_kernel, part_of_kernel, prange
from ...solver.neighbors.lists import LANES, Table, scan

# Agents that a thread takes at a time, and how many others an agent chooses from.
TASK, ROOM = 256, 512
# Agents look so many times as far as their last neighbour was at the search before, and farther if they see too few.
FARTHER = 1.1
# Up to so many are put in order by counting for each how many are nearer, which has no branches.
RANKED = 16


@parallel_kernel
def find_nearest(table, place, herd, rooms, ranges, cosine, enough, is_first):
    """Fill `herd.near` for all agents, or for those that have not seen enough yet.

    Args:
        table: `neighbors.lists.Table`, whose reach is how far agents look; place: (n,) int32, of each sorted place of
            the table its place in the herd.
        rooms, ranges: (tasks, ROOM + 16) int32 and float32; cosine: of half the view angle, signed and squared.
        enough: agents that have seen so many do not search again; is_first: all agents look.
    """
    for task in prange((herd.order.shape[0] + TASK - 1) // TASK):
        for i in range(TASK * task, min(TASK * (task + 1), herd.order.shape[0])):
            if is_first or herd.seen[i] < enough:
                search(i, table, place, herd, rooms[task], ranges[task], cosine)


@part_of_kernel
def search(i, table, place, herd, room, far, cosine):
    """The nearest that the agent at place i of the herd sees, first within its own reach."""
    most, reach = herd.near.shape[1], herd.reach[herd.order[i]]
    is_near = reach < table.reach
    if is_near:
        own = Table(table.frame, table.size, table.start, table.columns, reach)
        look_around(i, own, place, herd, room, far, cosine)
        herd.reach[herd.order[i]] = np.inf
    if not is_near or herd.seen[i] < most:
        look_around(i, table, place, herd, room, far, cosine)
    if herd.seen[i] == most:
        herd.reach[herd.order[i]] = FARTHER * math.sqrt(herd.square[i, most - 1])


@kernel
def look_around(i, table, place, herd, room, far, cosine):
    """The nearest that agent i sees, nearest first."""
    most, columns = herd.near.shape[1], herd.columns
    wx, wy, wz = herd.speeds[0, i], herd.speeds[1, i], herd.speeds[2, i]
    # An agent at rest has no view direction, so its view cone is the whole sphere.
    side = cosine * (wx * wx + wy * wy + wz * wz)
    px, py, pz = columns[0, i], columns[1, i], columns[2, i]
    last, count = table.reach * table.reach, 0
    for found in range(min(scan(columns, table, i, -1, room), room.shape[0] - LANES)):
        j = place[room[found]]
        dx, dy, dz = columns[0, j] - px, columns[1, j] - py, columns[2, j] - pz
        square = dx * dx + dy * dy + dz * dz
        ahead = dx * wx + dy * wy + dz * wz
        room[count] = j
        far[count] = square
        count += (ahead * abs(ahead) >= side * square) & (square < last) & (j != i)
    near, squares = herd.near[i], herd.square[i]
    for k in range(most):
        near[k] = -1
        squares[k] = last
    if count <= RANKED:
        put_ranked(near, squares, room, far, count)
    else:
        for k in range(count):
            if far[k] < squares[most - 1]:
                insert(near, squares, room[k], far[k])
    herd.seen[i] = min(count, most)


@part_of_kernel
def put_ranked(near, squares, room, far, count):
    """Put each of no more than RANKED others where the number of nearer ones says."""
    for k in range(count, RANKED):
        far[k] = np.inf
    for k in range(count):
        rank, own = 0, far[k]
        for other in range(RANKED):
            rank += far[other] < own
        # Those as far come in the order in which they were found.
        while rank < near.shape[0] and near[rank] >= 0:
            rank += 1
        if rank < near.shape[0]:
            near[rank] = room[k]
            squares[rank] = own


@part_of_kernel
def insert(near, square, j, far):
    """Put j in its place in a list, whose last one falls out."""
    k = near.shape[0] - 1
    while k > 0 and square[k - 1] > far:
        square[k] = square[k - 1]
        near[k] = near[k - 1]
        k -= 1
    square[k] = far
    near[k] = j


@parallel_kernel
def gather(first, x, v, borne, is_carried, herd):
    """Positions of agents, and velocities relative to what carries them, in the order of the herd.

    Args: first: particle of the flock; x, v: (m, 3) of the world; borne: (n, 3); is_carried: whether
        `borne` says anything; out: herd's `place`, `columns` and `speeds`.
    """
    for task in prange((herd.order.shape[0] + TASK - 1) // TASK):
        for i in range(TASK * task, min(TASK * (task + 1), herd.order.shape[0])):
            gather_one(i, first, x, v, borne, is_carried, herd)


@part_of_kernel
def gather_one(i, first, x, v, borne, is_carried, herd):
    """Position and velocity of the agent at place i of the herd."""
    a = herd.order[i]
    for k in range(3):
        herd.place[i, k] = x[first + a, k]
        herd.columns[k, i] = x[first + a, k]
        herd.speeds[k, i] = v[first + a, k] - (borne[a, k] if is_carried else 0.0)
