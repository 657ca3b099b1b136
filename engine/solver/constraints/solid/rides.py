"""Mesh vertices embedded in the nodes of a lattice: particles constrained to weighted means of nodes.

With weights q_k of sum 1 the constraint is C = x_v - sum q_k x_k. All vertices are corrected at once (Jacobi), with

    D = sum_k |q_k| w_k sum over all vertices u of |q_uk|

in place of the nodes' inverse mass. D is the row sum of the matrix that couples the vertices, so together they never
overshoot, and they are exact if all move alike (as in mass splitting, Tonge, Benevolenski, Voroshilov 2012). Impulses
are equal and opposite, so momentum is conserved, and angular momentum too, because q is linear in x.

A vertex that was moving through a surface is moved back without its nodes (`response.shorten`). This must not become
velocity. Of its offset at the start of the next substep, only the distance that it covers at `RETURN_SPEED` acts in
that substep. A vertex on the ground is moved back by less than that, so the ground supports it.
"""

from __future__ import annotations

import math

from ....compiler.kernels import parallel_kernel, part_of_kernel, prange

# Speed at which a vertex that was moved back returns to its place on the lattice [m/s].
RETURN_SPEED = 2.0


@parallel_kernel
def begin_rides(at, rides, was_clamped, h):
    """Start a substep of h [s]: determine the allowed offset of each vertex.

    Args: at: (r, 4) rows [m]; rides: `EmbeddingColumns`, `held` is in and out; was_clamped: (t,) bool, of the vertices.
    """
    vertex = rides.vertex
    start = rides.start
    held = rides.held
    for t in prange(vertex.shape[0]):
        size = 0.0
        for k in range(3):
            if was_clamped[t]:
                away = at[vertex[t], k]
                for m in range(start[t], start[t + 1]):
                    away -= rides.weight[m] * at[rides.node[m], k]
                held[t, k] = away
            size += held[t, k] * held[t, k]
        if size > 0.0:
            size = math.sqrt(size)
            back = min(size, RETURN_SPEED * h)
            for k in range(3):
                held[t, k] *= 1.0 - back / size


@parallel_kernel
def measure_rides(at, rides, g):
    """base: offset of each vertex of island g beyond the allowed offset `held`, for rows at (r, 4) [m]."""
    vertex = rides.vertex
    start = rides.start
    base = rides.base
    for place in prange(rides.of_vertices[g], rides.of_vertices[g + 1]):
        block = rides.vertex_block[place]
        for t in range(rides.vertex_range[block, 0], rides.vertex_range[block, 1]):
            for k in range(3):
                away = at[vertex[t], k]
                for m in range(start[t], start[t + 1]):
                    away -= rides.weight[m] * at[rides.node[m], k]
                base[t, k] = away - rides.held[t, k]


@parallel_kernel
def relax_rides(moved, rides, g):
    """Solve the constraints between vertices and nodes of island g once.

    Args: moved: (r, 4) in and out, see `columns.MovingRows`; rides: `EmbeddingColumns`, `correction` is written.
    """
    first = rides.of_vertices[g]
    stop = rides.of_vertices[g + 1]
    for place in prange(first, stop):
        block = rides.vertex_block[place]
        for t in range(rides.vertex_range[block, 0], rides.vertex_range[block, 1]):
            _compute_correction(moved, rides, t)
    for place in prange(first, stop):
        block = rides.vertex_block[place]
        for t in range(rides.vertex_range[block, 0], rides.vertex_range[block, 1]):
            v = rides.vertex[t]
            for k in range(3):
                moved[v, k] -= moved[v, 3] * rides.correction[t, k]
    for place in prange(rides.of_nodes[g], rides.of_nodes[g + 1]):
        block = rides.node_block[place]
        for p in range(rides.node_range[block, 0], rides.node_range[block, 1]):
            _move_node(moved, rides, p)


@part_of_kernel
def _compute_correction(moved, rides, t):
    """Set the correction of vertex t: the impulse that moves it to its place among the nodes."""
    v = rides.vertex[t]
    x = rides.base[t, 0] + moved[v, 0]
    y = rides.base[t, 1] + moved[v, 1]
    z = rides.base[t, 2] + moved[v, 2]
    for m in range(rides.start[t], rides.start[t + 1]):
        n = rides.node[m]
        q = rides.weight[m]
        x -= q * moved[n, 0]
        y -= q * moved[n, 1]
        z -= q * moved[n, 2]
    rides.correction[t, 0] = rides.gain[t] * x
    rides.correction[t, 1] = rides.gain[t] * y
    rides.correction[t, 2] = rides.gain[t] * z


@part_of_kernel
def _move_node(moved, rides, p):
    """Move node p against the impulses of the vertices that it carries."""
    n = rides.moved_node[p]
    x = 0.0
    y = 0.0
    z = 0.0
    for m in range(rides.node_start[p], rides.node_start[p + 1]):
        t = rides.carried[m]
        q = rides.share[m]
        x += q * rides.correction[t, 0]
        y += q * rides.correction[t, 1]
        z += q * rides.correction[t, 2]
    moved[n, 0] += moved[n, 3] * x
    moved[n, 1] += moved[n, 3] * y
    moved[n, 2] += moved[n, 3] * z
