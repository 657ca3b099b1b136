"""Volumes of enclosed air and their gradients, of the pieces of an island."""

from __future__ import annotations

from ...compiler.kernels import kernel
from ..constraints.gas.caps import cap_gradients, cap_volumes
from ..constraints.gas.volume import block_weights, sum_blocks
from .twins import triangle_normals, vertex_gradients


@kernel
def measure_air(at, g, air, surface, parts, rims):
    """Measure the volumes of the pieces of island g for rows at (r, 4) [m], their gradients, and `weight`.

    Args: air, surface, parts, rims: see `gas.columns`; `volume`, `weight`, `gradient` are written.
    """
    triangles = surface.block[surface.of_blocks[g] : surface.of_blocks[g + 1]]
    vertices = air.block[air.of_blocks[g] : air.of_blocks[g + 1]]
    open_rims = surface.rim[surface.of_rims[g] : surface.of_rims[g + 1]]
    for place in range(parts.of_parts[g], parts.of_parts[g + 1]):
        parts.volume[parts.part[place]] = 0.0
        parts.weight[parts.part[place]] = 0.0
    triangle_normals(
        at, triangles, surface.triangles, surface.block_start, surface.block_origin, surface.normal, surface.tri_value
    )
    sum_blocks(triangles, surface.block_part, surface.tri_value, parts.volume)
    vertex_gradients(
        at, vertices, air.ids, surface.normal, surface.corner_start, surface.corners, air.block_start, air.gradient,
        surface.id_value,
    )
    if open_rims.shape[0] > 0:
        cap_volumes(at, open_rims, rims, parts.volume)
        cap_gradients(at, open_rims, rims, air.gradient)
        block_weights(at, vertices, air.ids, air.block_start, air.gradient, surface.id_value)
    sum_blocks(vertices, air.block_part, surface.id_value, parts.weight)
