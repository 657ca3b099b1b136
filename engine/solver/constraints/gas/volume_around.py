"""Air that pushes only some rows: while all others are fixed, only a few volumes and gradients are measured again."""

from __future__ import annotations

from ....compiler.kernels import kernel
from .caps import cap_gradients, cap_volumes
from .volume import block_weights, gas_pressures, gradients_of_block, normals_of_block, sum_blocks


@kernel
def push_around(tri_blocks, id_blocks, loose, around, h, rows, surface, air, parts, rims):
    """moved += push w dV/dx for some rows, as `tables.gas` does in an inner step of h [s] without a push before it.

    Args:
        tri_blocks, id_blocks: (k,) and (l,) blocks that may have changed since the last call.
        loose: (m,) rows; around: `gas.columns.AirAround` of them.
        rows: `MovingRows`; surface, air, parts, rims: see `gas.columns`; the only island of `parts` holds these pieces.
    """
    at = rows.at
    moved = rows.moved
    for k in range(tri_blocks.shape[0]):
        b = tri_blocks[k]
        surface.tri_value[b] = normals_of_block(
            at, surface.triangles, surface.block_start[b], surface.block_start[b + 1], surface.block_origin[b],
            surface.normal,
        )
    for k in range(id_blocks.shape[0]):
        b = id_blocks[k]
        surface.id_value[b] = gradients_of_block(
            at, air.ids, surface.normal, surface.corner_start, surface.corners, air.block_start[b],
            air.block_start[b + 1], air.gradient,
        )
    for place in range(parts.part.shape[0]):
        p = parts.part[place]
        parts.volume[p] = 0.0
        parts.weight[p] = 0.0
        parts.last[p, 0] = 0.0
        parts.last[p, 1] = 0.0
    sum_blocks(around.every_tri, surface.block_part, surface.tri_value, parts.volume)
    if around.every_rim.shape[0] > 0:
        cap_volumes(at, around.every_rim, rims, parts.volume)
        cap_gradients(at, around.every_rim, rims, air.gradient)
        block_weights(at, around.every_id, air.ids, air.block_start, air.gradient, surface.id_value)
    sum_blocks(around.every_id, air.block_part, surface.id_value, parts.weight)
    gas_pressures(parts, 0, parts.volume, parts.volume, h)
    for m in range(loose.shape[0]):
        q = around.place[m]
        if q >= 0:
            r = loose[m]
            s = parts.push[around.part[m]] * moved[r, 3]
            moved[r, 0] += s * air.gradient[q, 0]
            moved[r, 1] += s * air.gradient[q, 1]
            moved[r, 2] += s * air.gradient[q, 2]
