"""Passes of springs and air that displace a few rows without velocity, see `spring_graph.pre_stabilization`."""

from __future__ import annotations

from ...compiler.held import held
from ...compiler.kernels import kernel, part_of_kernel
from ..constraints.gas.volume_around import push_around
from .twins import relax, span


@kernel
def straighten(passes, h, loose, load, rows, springs, breathes, around, surface, air, parts, rims):
    """Passes of springs and air, as in a step of h [s], that move `at` of the rows `loose` (m,) without velocity.

    A load reduces a displacement against it by its own displacement in that direction, and moves nothing by itself:
    springs that it stretches were not deformed by contacts, and a displacement against it would create energy.

    Args:
        load: (m, 3) displacement of each row by a load in the step [m], or (0, 3).
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
            fraction = _kept_fraction(moved[r], load[m]) if load.shape[0] > 0 else 1.0
            for k in range(3):
                at[r, k] += fraction * moved[r, k]
                moved[r, k] = 0.0


@part_of_kernel
def _kept_fraction(moved, load):
    """Fraction of a displacement, (3,), that a load, (3,), leaves, at least 0."""
    opposed = -(moved[0] * load[0] + moved[1] * load[1] + moved[2] * load[2])
    if opposed <= 0.0:
        return 1.0
    return max(0.0, 1.0 - opposed / (moved[0] * moved[0] + moved[1] * moved[1] + moved[2] * moved[2]))
