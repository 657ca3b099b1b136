"""The nearest agents that each agent sees: few of them, however far they are, within sight and outside its blind angle.

Real starlings heed six or seven neighbours whatever their distance (Ballerini et al. 2008), so the search is for a
number and not for a radius. It looks through the 27 cells around an agent in a grid whose cells are about as wide as
its neighbours are far; an agent that has not found enough within one edge searches a grid with wider cells, up to the
sight radius. Lists are exact within one edge of the grid that an agent looked at last, unless more than `ROOM` others
are there. They last for several decisions, see `sight.LOOK`.
"""

from __future__ import annotations

from ...compiler.kernels import parallel_kernel, part_of_kernel, prange
from ...solver.neighbors.lists import LANES, scan

# Agents that a thread takes at a time, and how many others an agent chooses from.
TASK, ROOM = 64, 512


@parallel_kernel
def find_nearest(table, place, herd, rooms, cosine, enough, is_first):
    """Fill `herd.near` for all agents, or for those that have not seen enough yet.

    Args:
        table: `neighbors.lists.Table`, whose reach is how far agents look; place: (n,) int32, of each sorted place of
            the table its place in the herd.
        rooms: (tasks, ROOM + 16) int32; cosine: of half the view angle, signed and squared.
        enough: agents that have seen so many do not search again; is_first: all agents look.
    """
    for task in prange((herd.order.shape[0] + TASK - 1) // TASK):
        for i in range(TASK * task, min(TASK * (task + 1), herd.order.shape[0])):
            if is_first or herd.seen[i] < enough:
                look_around(i, table, place, herd, rooms[task], cosine)


@part_of_kernel
def look_around(i, table, place, herd, room, cosine):
    """The nearest that agent i sees, nearest first."""
    most = herd.near.shape[1]
    near, square = herd.near[i], herd.square[i]
    columns = herd.columns
    last = table.reach * table.reach
    for k in range(most):
        near[k] = -1
        square[k] = last
    wx, wy, wz = herd.speeds[0, i], herd.speeds[1, i], herd.speeds[2, i]
    # An agent at rest has no view direction, so its view cone is the whole sphere.
    side = cosine * (wx * wx + wy * wy + wz * wz)
    px, py, pz = columns[0, i], columns[1, i], columns[2, i]
    for found in range(min(scan(columns, table, i, -1, room), room.shape[0] - LANES)):
        j = place[room[found]]
        dx, dy, dz = columns[0, j] - px, columns[1, j] - py, columns[2, j] - pz
        far = dx * dx + dy * dy + dz * dz
        ahead = dx * wx + dy * wy + dz * wz
        if far < last and ahead * abs(ahead) >= side * far and j != i:
            insert(near, square, j, far)
            last = square[most - 1]
    count = 0
    while count < most and near[count] >= 0:
        count += 1
    herd.seen[i] = count


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
def gather(first, x, v, flow, is_carried, herd):
    """Positions of agents, and velocities relative to what carries them, in the order of the herd.

    Args: first: particle of the flock; x, v: (m, 3) of the world; flow: (n, 3); is_carried: whether
        `flow` says anything; out: herd's `columns` and `speeds`.
    """
    for task in prange((herd.order.shape[0] + TASK - 1) // TASK):
        for i in range(TASK * task, min(TASK * (task + 1), herd.order.shape[0])):
            gather_one(i, first, x, v, flow, is_carried, herd)


@part_of_kernel
def gather_one(i, first, x, v, flow, is_carried, herd):
    """Position and velocity of the agent at place i of the herd."""
    a = herd.order[i]
    for k in range(3):
        herd.columns[k, i] = x[first + a, k]
        herd.speeds[k, i] = v[first + a, k] - (flow[a, k] if is_carried else 0.0)
