"""Clearance between an agent and all walls: agents in the open need not search for walls at each decision.

Each agent stores a ball that contained no wall when it was measured. The remaining clearance is the ball's radius,
minus the agent's distance from the ball's centre, minus the largest displacement of any wall since. While it exceeds
the agent's search distance, a search would find nothing. Balls are stored in single precision and rounded down, so
that they change no result. The search itself yields them, see `walls.binding`; they are measured separately only where
too many walls are near.
"""

from __future__ import annotations

import math

import numpy as np

from ....compiler.kernels import kernel, parallel_kernel, part_of_kernel, prange
from ....mesh.graph.tree import fit_boxes
from ....solver.collide.narrow_phase.nearest import closest_point
from ..columns import Walls
from ..nature import BEGIN
from .near import is_beyond, square_to_box

# Largest radius of a ball as a multiple of the search distance for walls.
FAR = 3.0
# Wall particles or triangles per task.
TASK = 4096
# Columns of `Agents.mind`: centre of the ball [m], its radius [m], and `Walls.moved` when it was measured [m].
BALL, RADIUS, MOVED = BEGIN + 3, BEGIN + 6, BEGIN + 7
# Rounding error of a position and a radius, as a fraction of their size.
ROUNDING = 1e-6


def follow_walls(walls: Walls, x: np.ndarray) -> None:
    """Refit the boxes of the tree to the triangles at x (n, 3) [m], and add their largest displacement to `moved`."""
    if len(walls.skip) == 0:
        return
    most = np.zeros(-(-len(walls.particle) // TASK))
    note_displacements(walls.particle, x, walls.before, most)
    farthest = float(most.max())
    if farthest > 0.0:
        fit_boxes(x, walls.corner, walls.order, walls.first, walls.last, walls.skip, walls.low, walls.high)
        note_corners(x, walls.corner, walls.order, walls.points)
        walls.moved[0] += math.sqrt(farthest)


@parallel_kernel
def note_displacements(particle, x, before, most):
    """Largest squared displacement of particles in each task, most (tasks,) [m²]; updates `before` to x."""
    for task in prange(most.shape[0]):
        for m in range(TASK * task, min(TASK * (task + 1), particle.shape[0])):
            note_displacement(m, task, particle, x, before, most)


@part_of_kernel
def note_displacement(m, task, particle, x, before, most):
    """Displacement of one particle."""
    square = 0.0
    for k in range(3):
        now = x[particle[m], k]
        square += (now - before[m, k]) ** 2
        before[m, k] = now
    most[task] = max(most[task], square)


@parallel_kernel
def note_corners(x, corner, order, points):
    """Positions of the corners of triangles, points (3 t, 3) in the order of the tree [m]."""
    for task in prange((order.shape[0] + TASK - 1) // TASK):
        for k in range(TASK * task, min(TASK * (task + 1), order.shape[0])):
            for end in range(3):
                for axis in range(3):
                    points[3 * k + end, axis] = x[corner[order[k], end], axis]


@part_of_kernel
def is_clear(a, place, reach, walls, mind):
    """Whether the stored ball shows that no wall is within reach [m] of agent a at a place (3) [m]."""
    square = 0.0
    for k in range(3):
        square += (place[k] - mind[a, BALL + k]) ** 2
    return mind[a, RADIUS] - math.sqrt(square) - (walls.moved[0] - mind[a, MOVED]) > reach


@part_of_kernel
def remember(a, place, radius, walls, mind):
    """Store a ball without walls around agent a at a place (3) [m]."""
    size = radius + walls.moved[0]
    for k in range(3):
        mind[a, BALL + k] = place[k]
        size += abs(place[k])
    mind[a, RADIUS], mind[a, MOVED] = radius - ROUNDING * size, walls.moved[0]


@kernel
def measure(a, place, reach, walls, mind):
    """Measure and store the ball around agent a; returns whether no wall is within reach [m]."""
    radius = distance_to_walls(place, FAR * reach, walls)
    remember(a, place, radius, walls, mind)
    return radius > reach


@kernel
def distance_to_walls(place, most, walls):
    """Distance from a place (3) to the nearest triangle, at most `most` [m]."""
    best = most
    node, end = 0, walls.skip.shape[0]
    while node < end:
        if square_to_box(place, walls.low, walls.high, node) >= best * best:
            node = walls.skip[node]
            continue
        for k in range(walls.first[node], walls.last[node]):
            if not is_beyond(place, best, walls.points, 3 * k):
                best = min(best, distance_to(place, walls.points, 3 * k))
        node += 1
    return best


@part_of_kernel
def distance_to(place, points, a):
    """Distance from a place (3) to the triangle whose corners begin at row a [m]."""
    u, v, w = closest_point(place[0], place[1], place[2], points, a, a + 1, a + 2)
    square = 0.0
    for k in range(3):
        square += (u * points[a, k] + v * points[a + 1, k] + w * points[a + 2, k] - place[k]) ** 2
    return math.sqrt(square)
