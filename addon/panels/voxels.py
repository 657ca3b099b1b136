"""The Voxels panel: estimated number and memory of voxels, and warnings. Reads no mesh."""

from __future__ import annotations

import math

import bpy

from ...engine.spec.kinds.voxel_body import (
    BYTES_EACH,
    MOST_DIFFERENCE,
    MOST_VOXELS,
    VOXEL_SHARE,
    grid_shape,
    least_size,
)
from ..names import OP_VOXEL_PREVIEW, SETTINGS
from ..overlay import voxel_view
from .tab import draw_sentence


def draw_voxels(layout: bpy.types.UILayout, context: bpy.types.Context) -> None:
    """Draw number and memory, the preview's switch and result, and warnings."""
    obj = context.object
    for sentence in count_sentences(obj):
        draw_sentence(layout, context, sentence, "MESH_GRID")
    shown = voxel_view.preview_of(obj)
    layout.operator(OP_VOXEL_PREVIEW, icon="HIDE_ON" if shown is None else "HIDE_OFF", depress=shown is not None)
    for sentence in voxel_warnings(obj):
        draw_sentence(layout, context, sentence)


def count_sentences(obj: bpy.types.Object) -> list[str]:
    """Number of voxels in the grid, and in the body, where that is known."""
    extent, size = _grid(obj)
    if size == 0.0 or math.prod(grid_shape(extent, size)) > MOST_VOXELS:
        return []
    across = grid_shape(extent, size)
    count = math.prod(across)
    found = [
        f"{across[0]} × {across[1]} × {across[2]} voxels of {size:.3g} m, {count * BYTES_EACH / 1e6:.2g} MB of memory"
    ]
    shown = voxel_view.preview_of(obj)
    if shown is not None:
        found.append(f"{shown.count:,} of them are the body; it weighs {shown.mass:.4g} kg")
    return found


def voxel_warnings(obj: bpy.types.Object) -> list[str]:
    """Warnings about too many, too large or no voxels, and about a mesh that they represent badly."""
    settings = getattr(obj, SETTINGS).voxel_body
    extent, size = _grid(obj)
    if obj.type != "MESH" or not obj.data.polygons:
        return ["A body needs faces; add some."]
    longest = max(extent)
    found = []
    if settings.fill != "SURFACE" and min(extent) <= 1e-6 * longest:
        found.append("Flat: it encloses no volume; give it thickness, or set Fill to Surface.")
    if size > longest:
        found.append(f"The voxels are larger than the body, {longest:.3g} m; make them smaller.")
    elif size > 0.0 and (count := math.prod(grid_shape(extent, size))) > MOST_VOXELS:
        found.append(
            f"{count:,} voxels would take {count * BYTES_EACH / 1e9:,.1f} GB; "
            f"make them {least_size(extent, size):.2g} m or larger."
        )
    # In a closed surface every edge has two faces, so there are two loops per edge.
    if settings.inside == "PARITY" and not obj.modifiers and len(obj.data.loops) < 2 * len(obj.data.edges):
        found.append("The mesh is open, and parity finds no inside there; set Inside to Winding Number.")
    shown = voxel_view.preview_of(obj)
    if shown is not None and shown.difference is not None and shown.difference > MOST_DIFFERENCE:
        found.append(
            f"Voxels differ from the mesh by {shown.difference:.0%} in mass, centre or inertia; make them smaller."
        )
    return found


def _grid(obj: bpy.types.Object) -> tuple[tuple[float, float, float], float]:
    """Size of the body along its own axes, and of its voxels [m]."""
    x, y, z = (abs(length) for length in obj.dimensions)
    return (x, y, z), getattr(obj, SETTINGS).voxel_body.voxel_size or VOXEL_SHARE * max(x, y, z)
