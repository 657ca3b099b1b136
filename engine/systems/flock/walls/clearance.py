"""How far an agent is from every wall: agents in the open need not look for walls at each decision.

The ball around an agent in which there is no wall was measured once. What is left of it is its radius, less how far the
agent is from where it was measured and how far any wall has moved since. While that is more than the agent looks ahead,
a search would find nothing.
"""

from __future__ import annotations

import math

import numpy as np

from ....compiler.kernels import kernel, parallel_kernel, part_of_kernel, prange
from ....mesh.graph.tree import fit_boxes
from ....solver.collide.narrow_phase.nearest import closest_point
from ..columns import Walls
from .near import is_beyond, square_to_box

# Balls are measured up to so many times as far as agents look ahead.
FAR = 3.0
# Particles of walls that a task looks through.
TASK = 4096


def follow_walls(walls: Walls, x: np.ndarray) -> None:
    """Put the boxes of the tree around its triangles where they are now, x (n, 3) [m], and note how far they moved."""
    if len(walls.skip) == 0:
        return
    most = np.zeros(-(-len(walls.particle) // TASK))
    note_ways(walls.particle, x, walls.before, most)
    farthest = float(most.max())
    if farthest > 0.0:
        fit_boxes(x, walls.corner, walls.order, walls.first, walls.last, walls.skip, walls.low, walls.high)
        walls.moved[0] += math.sqrt(farthest)


@parallel_kernel
def note_ways(particle, x, before, most):
    """The greatest square of a particle's way of each task, most (tasks,) [m²]; `before` becomes where they are now."""
    for task in prange(most.shape[0]):
        for m in range(TASK * task, min(TASK * (task + 1), particle.shape[0])):
            note_way(m, task, particle, x, before, most)


@part_of_kernel
def note_way(m, task, particle, x, before, most):
    """One particle's way."""
    square = 0.0
    for k in range(3):
        now = x[particle[m], k]
        square += (now - before[m, k]) ** 2
        before[m, k] = now
    most[task] = max(most[task], square)


@part_of_kernel
def is_clear(a, place, reach, walls, motion, agents):
    """Whether no wall is within reach [m] of agent a at a place (3) [m]; measures anew when it is not known."""
    clear = agents.clear
    way = math.sqrt(
        (place[0] - clear[a, 0]) ** 2 + (place[1] - clear[a, 1]) ** 2 + (place[2] - clear[a, 2]) ** 2
    )
    way += walls.moved[0] - clear[a, 4]
    if clear[a, 3] - way > reach:
        return True
    # The wall that ended the ball is still within reach.
    if clear[a, 3] + way < reach:
        return False
    return measure(a, place, reach, walls, motion, clear)


@kernel
def measure(a, place, reach, walls, motion, clear):
    """Measure the ball around agent a, clear (n, 5); whether no wall is within reach [m]."""
    radius = room_around(place, FAR * reach, walls, motion)
    clear[a, 0], clear[a, 1], clear[a, 2] = place
    clear[a, 3], clear[a, 4] = radius, walls.moved[0]
    return radius > reach


@kernel
def room_around(place, most, walls, motion):
    """Distance from a place (3) to the nearest triangle, at most `most` [m]."""
    best = most
    node, end = 0, walls.skip.shape[0]
    while node < end:
        if square_to_box(place, walls.low, walls.high, node) >= best * best:
            node = walls.skip[node]
            continue
        for k in range(walls.first[node], walls.last[node]):
            t = walls.order[k]
            a, b, c = walls.corner[t, 0], walls.corner[t, 1], walls.corner[t, 2]
            if not is_beyond(place, best, motion.x, a, b, c):
                best = min(best, distance_to(place, motion.x, a, b, c))
        node += 1
    return best


@part_of_kernel
def distance_to(place, x, a, b, c):
    """Distance from a place (3) to a triangle [m]."""
    u, v, w = closest_point(place[0], place[1], place[2], x, a, b, c)
    square = 0.0
    for k in range(3):
        square += (u * x[a, k] + v * x[b, k] + w * x[c, k] - place[k]) ** 2
    return math.sqrt(square)
