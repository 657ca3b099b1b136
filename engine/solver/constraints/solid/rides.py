"""Mesh vertices embedded in the nodes of a lattice: particles constrained to weighted means of nodes.

With weights q_k of sum 1 the constraint is C = x_v - sum q_k x_k. All vertices are corrected at once (Jacobi), with

    D = sum_k |q_k| w_k sum over all vertices u of |q_uk|

in place of the nodes' inverse mass. D is the row sum of the matrix that couples the vertices, so together they never
overshoot, and they are exact if all move alike (as in mass splitting, Tonge, Benevolenski, Voroshilov 2012). Impulses
are equal and opposite, so momentum is conserved, and angular momentum too, because q is linear in x.

A vertex that was on its way through a surface is moved back without its nodes (`response.clamp`). That must not return
as speed. Of its offset at the start of the next substep, only what it can cover at `RETURN_SPEED` acts in that substep.
A vertex on the ground is moved back by less than that, so the ground supports it.
"""

from __future__ import annotations

import math

from ....compiler.kernels import parallel_kernel, prange

# Speed at which a vertex that was moved back returns to its place on the lattice [m/s].
RETURN_SPEED = 2.0


@parallel_kernel
def begin_rides(at, rides, was_clamped, h, held):
    """Start a substep of h [s]: determine the allowed offset of each vertex.

    Args: at: (r, 4) rows [m]; was_clamped: (t,) bool, of the vertices; held: in and out (t, 3) [m].
    """
    vertex = rides.vertex
    start = rides.start
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
def measure_rides(at, rides, held):
    """base: offset of each vertex beyond the allowed offset `held` (t, 3), for rows at (r, 4) [m]."""
    vertex = rides.vertex
    start = rides.start
    base = rides.base
    for t in prange(vertex.shape[0]):
        for k in range(3):
            away = at[vertex[t], k]
            for m in range(start[t], start[t + 1]):
                away -= rides.weight[m] * at[rides.node[m], k]
            base[t, k] = away - held[t, k]


@parallel_kernel
def relax_rides(moved, rides):
    """Solve the constraints between vertices and nodes once.

    Args: moved: (r, 4) in and out, see `columns.MovingRows`; rides: `RideColumns`, `miss` is written.
    """
    vertex = rides.vertex
    start = rides.start
    node = rides.node
    weight = rides.weight
    miss = rides.miss
    for t in prange(vertex.shape[0]):
        v = vertex[t]
        x = rides.base[t, 0] + moved[v, 0]
        y = rides.base[t, 1] + moved[v, 1]
        z = rides.base[t, 2] + moved[v, 2]
        for m in range(start[t], start[t + 1]):
            n = node[m]
            q = weight[m]
            x -= q * moved[n, 0]
            y -= q * moved[n, 1]
            z -= q * moved[n, 2]
        miss[t, 0] = rides.gain[t] * x
        miss[t, 1] = rides.gain[t] * y
        miss[t, 2] = rides.gain[t] * z
    for t in prange(vertex.shape[0]):
        v = vertex[t]
        for k in range(3):
            moved[v, k] -= moved[v, 3] * miss[t, k]
    moved_node = rides.moved_node
    node_start = rides.node_start
    for p in prange(moved_node.shape[0]):
        n = moved_node[p]
        x = 0.0
        y = 0.0
        z = 0.0
        for m in range(node_start[p], node_start[p + 1]):
            t = rides.carried[m]
            q = rides.share[m]
            x += q * miss[t, 0]
            y += q * miss[t, 1]
            z += q * miss[t, 2]
        moved[n, 0] += moved[n, 3] * x
        moved[n, 1] += moved[n, 3] * y
        moved[n, 2] += moved[n, 3] * z
