"""Air that pushes only some rows: where all others stand still, little of what it knows has to be looked at again."""

from __future__ import annotations

from ....compiler.kernels import kernel
from .caps import cap_gradients, cap_volumes
from .volume import block_weights, gas_pressures, gradients_of_block, normals_of_block, sum_blocks


@kernel
def push_around(
    tri_blocks, id_blocks, who, place, part, h, at, moved, triangles, tri_block, tri_block_origin, tri_block_part,
    normal, tri_value, ids, corner_start, corners, id_block, id_block_part, gradient, id_value, rim_start, rim_i, rim_j,
    rim_qi, rim_qj, rim_part, origin, rest_volume, amount, active, volume, weight, pressure, push, still, last,
):
    """moved += push w dV/dx of some rows, as `tables.gas` does in a step of h [s] of which it knows none before.

    Args:
        tri_blocks, id_blocks: (k,) and (l,) the blocks that anything may have moved in since the last call.
        who: (m,) rows; place: (m,) of each in `ids`, -1 for none; part: (m,) of each that has a place.
        at, moved: see `constraints.local`; triangles ... last: see `tables.gas`.
    """
    for k in range(tri_blocks.shape[0]):
        b = tri_blocks[k]
        tri_value[b] = normals_of_block(
            at, triangles, tri_block[b], tri_block[b + 1], tri_block_origin[b], normal
        )
    for k in range(id_blocks.shape[0]):
        b = id_blocks[k]
        id_value[b] = gradients_of_block(
            at, ids, normal, corner_start, corners, id_block[b], id_block[b + 1], gradient
        )
    for p in range(volume.shape[0]):
        volume[p] = 0.0
        weight[p] = 0.0
        last[p, 0] = 0.0
        last[p, 1] = 0.0
    sum_blocks(tri_block_part, tri_value, volume)
    if rim_part.shape[0] > 0:
        cap_volumes(at, rim_start, rim_i, rim_j, rim_part, origin, volume)
        cap_gradients(at, rim_start, rim_i, rim_j, rim_qi, rim_qj, gradient)
        block_weights(at, ids, id_block, gradient, id_value)
    sum_blocks(id_block_part, id_value, weight)
    gas_pressures(volume, volume, weight, amount, active, rest_volume, h, pressure, push, still, last)
    for m in range(who.shape[0]):
        q = place[m]
        if q >= 0:
            r = who[m]
            s = push[part[m]] * moved[r, 3]
            moved[r, 0] += s * gradient[q, 0]
            moved[r, 1] += s * gradient[q, 1]
            moved[r, 2] += s * gradient[q, 2]
