"""Vertices of a mesh that ride on the nodes of a lattice: particles that are tied fast to weighted means of nodes.

With weights q_k of sum 1 the constraint is C = x_v - sum q_k x_k. All vertices are corrected at once, each with

    D = sum_k |q_k| w_k sum over all vertices u of |q_uk|

as its share of the nodes' inverse masses: D is the sum of a row of the matrix that couples the vertices, so that they
never overshoot together, and are exact where all move alike (as in mass splitting, Tonge, Benevolenski, Voroshilov
2012). What one takes the other gets, so momentum and, by q x being linear, angular momentum are kept.

Who was on the way through a surface is set back without its nodes (`response.clamp`). That must not come back as speed:
of how far such a vertex is off when the next substep begins, only what it can go at `RETURN_SPEED` pulls at it in that
substep; what lies on the ground is set back by less and so is borne by it.
"""

from __future__ import annotations

import math

from ....compiler.kernels import parallel_kernel, prange

# How fast a vertex that was set back goes to its place on the lattice [m/s].
RETURN_SPEED = 2.0


@parallel_kernel
def begin_rides(at, rides, was_clamped, h, held):
    """At the begin of a substep of h [s]: how far each vertex is to be off.

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
    """base: how much farther than `held` (t, 3) each vertex is off, rows at (r, 4) [m]."""
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
    """Bring vertices and nodes together once.

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
