"""The Lattice panel: number, memory and time of cells, the switch of their preview, and warnings. Reads no mesh."""

from __future__ import annotations

import math

import bpy

from ...engine.spec.kinds.spring_graph import BYTES_OF_CELL, CELL_SHARE, MOST_CELLS, SOLVES_A_SECOND, cells_across
from ..names import OP_VOXEL_PREVIEW, SETTINGS
from ..overlay import voxel_view
from .tab import draw_sentence


def draw_lattice(layout: bpy.types.UILayout, context: bpy.types.Context) -> None:
    """Draw number, memory and time of cells, the switch of their preview, and warnings."""
    if getattr(context.object, SETTINGS).spring_graph.graph != "LATTICE":
        return
    for sentence in cell_sentences(context.object, context.scene):
        draw_sentence(layout, context, sentence, "MESH_GRID")
    shown = voxel_view.preview_of(context.object)
    layout.operator(
        OP_VOXEL_PREVIEW, text="Show Cells", icon="HIDE_ON" if shown is None else "HIDE_OFF", depress=shown is not None,
    )
    for sentence in cell_warnings(context.object):
        draw_sentence(layout, context, sentence)


def cell_sentences(obj: bpy.types.Object, scene: bpy.types.Scene) -> list[str]:
    """Number of cells (an upper bound, or the count while their preview is shown), memory, and time per frame."""
    extent, size = _grid(obj)
    if size == 0.0 or size > max(extent) or (count := math.prod(cells_across(extent, size))) > MOST_CELLS:
        return []
    across, shown = cells_across(extent, size), voxel_view.preview_of(obj)
    cells = f"Up to {across[0]} × {across[1]} × {across[2]} cells of {size:.3g} m"
    if shown is not None:
        count = shown.count
        cells = f"{count:,} cells of {shown.size:.3g} m"
    seconds = count * getattr(scene, SETTINGS).substeps / SOLVES_A_SECOND
    return [f"{cells}, {count * BYTES_OF_CELL / 1e6:.2g} MB of memory, about {seconds:.2g} s a frame or more"]


def cell_warnings(obj: bpy.types.Object) -> list[str]:
    """Warnings about too many or too large cells, and about springs of cells that break while the mesh stays intact."""
    (extent, size), settings = _grid(obj), getattr(obj, SETTINGS).spring_graph
    found = []
    does_not_open = not settings.pieces and not settings.tear
    if settings.material == "SPRINGS" and settings.break_strain > 0.0 and does_not_open:
        found.append(
            "Springs of cells break inside, but the mesh on them does not open; for one that opens cut the mesh up and "
            "switch Pieces on, or set Springs to Surface and Tear on."
        )
    if size > max(extent):
        found.append(f"The cells are larger than the body, {max(extent):.3g} m; make them smaller.")
    elif size > 0.0 and (count := math.prod(cells_across(extent, size))) > MOST_CELLS:
        least = 1.02 * size * (count / MOST_CELLS) ** (1.0 / 3.0)
        found.append(
            f"{count:,} cells would take {count * BYTES_OF_CELL / 1e9:,.1f} GB; make them {least:.2g} m or larger."
        )
    return found


def _grid(obj: bpy.types.Object) -> tuple[tuple[float, float, float], float]:
    """Size of the body along its own axes, and of its cells [m]."""
    x, y, z = (abs(length) for length in obj.dimensions)
    return (x, y, z), getattr(obj, SETTINGS).spring_graph.voxel_size or CELL_SHARE * max(x, y, z)
