"""Passes of springs and air that displace a few rows without velocity, see `spring_graph.pre_stabilization`."""

from __future__ import annotations

from ...compiler.held import held
from ...compiler.kernels import kernel, part_of_kernel
from ..constraints.gas.volume_around import push_around
from .twins import relax, span


@kernel
def straighten(passes, h, loose, load, rows, springs, breathes, around, surface, air, parts, rims):
    """Passes of springs and air, as in a step of h [s], that move `at` of the rows `loose` (m,) without velocity.

    A load takes from the way of a row what it would move the row back, and moves nothing by itself: springs that it
    stretches are not bent by contacts, and a way against it would be energy from nowhere.

    Args:
        load: (m, 3) how far a load would move each row in the step [m], or (0, 3).
        rows: `MovingRows`; all inverse masses in `moved` but those of `loose` are 0.
        springs: `SpringColumns` at these rows, with goal = rest and nothing damped.
        breathes: whether air pushes any of the rows; around, surface, air, parts, rims: see `constraints.gas.columns`.
    """
    at = rows.at
    moved = rows.moved
    springs_held, rims_held = held(springs), held(rims)
    tri_blocks, id_blocks = around.every_tri, around.every_id
    for _iteration in range(passes):
        if breathes:
            push_around(tri_blocks, id_blocks, loose, around, h, rows, surface, air, parts, rims_held)
        tri_blocks, id_blocks = around.some_tri, around.some_id
        span(at, springs_held, 0)
        relax(moved, springs_held, 0)
        for m in range(loose.shape[0]):
            r = loose[m]
            share = _share_of_way(moved[r], load[m]) if load.shape[0] > 0 else 1.0
            for k in range(3):
                at[r, k] += share * moved[r, k]
                moved[r, k] = 0.0


@part_of_kernel
def _share_of_way(way, load):
    """What a load, (3,), leaves of a way, at least 0."""
    back = -(way[0] * load[0] + way[1] * load[1] + way[2] * load[2])
    if back <= 0.0:
        return 1.0
    return max(0.0, 1.0 - back / (way[0] * way[0] + way[1] * way[1] + way[2] * way[2]))
