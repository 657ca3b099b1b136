"""The preview of a lattice's cells, and what the panel reports about them before a bake."""

from __future__ import annotations

import math
from pathlib import Path

import bpy
import numpy as np
import pytest
from flotsam.addon.overlay import voxel_view
from flotsam.addon.overlay.voxels import preview
from flotsam.addon.panels.lattice import cell_sentences, cell_warnings
from make_scene import cube, fresh_scene, soft
from mathutils import Vector
from recorded import all_text


@pytest.fixture
def jelly(tmp_path: Path) -> bpy.types.Object:
    """A cube of a metre, rotated by 45°, in a lattice of cells of 0.25 m along the world axes."""
    fresh_scene(tmp_path)
    obj = soft(cube(size=1.0))
    obj.flotsam.spring_graph.graph, obj.flotsam.spring_graph.voxel_size = "LATTICE", 0.25
    obj.rotation_euler.z = math.radians(45.0)
    bpy.context.view_layer.objects.active = obj
    bpy.context.view_layer.update()
    return obj


def test_cells_cover_the_mesh_where_it_stands(jelly: bpy.types.Object) -> None:
    """A rotated square of a metre is six world-aligned cells across; they cover it, but not the corners of its box."""
    found = preview(jelly, bpy.context.evaluated_depsgraph_get())
    assert found.across == (6, 6, 4) and found.size == 0.25 and found.mass is None
    assert 4 * 16 < found.count < 4 * 36
    corners = np.array([jelly.matrix_world @ Vector(corner.tolist()) for corner in found.corners])
    vertices = np.array([jelly.matrix_world @ vertex.co for vertex in jelly.data.vertices])
    assert (corners.min(axis=0) <= vertices.min(axis=0) + 1e-5).all()
    assert (corners.max(axis=0) >= vertices.max(axis=0) - 1e-5).all()
    # Sides of cells lie along the world axes, on planes a cell apart.
    steps = (corners - corners[0]) / 0.25
    assert steps == pytest.approx(np.round(steps), abs=1e-4)


def test_the_operator_counts_and_hides(jelly: bpy.types.Object) -> None:
    scene = bpy.context.scene
    assert cell_sentences(jelly, scene)[0].startswith("Up to 4 × 4 × 4 cells of 0.25 m")
    assert bpy.ops.flotsam.voxel_preview() == {"FINISHED"}
    count = voxel_view.preview_of(jelly).count
    assert cell_sentences(jelly, scene)[0].startswith(f"{count:,} cells of 0.25 m, ")
    assert f"{count:,} cells" in all_text()
    jelly.flotsam.spring_graph.voxel_size = 0.2
    assert bpy.ops.flotsam.voxel_preview() == {"FINISHED"}
    assert voxel_view.preview_of(jelly).count > count
    assert bpy.ops.flotsam.voxel_preview() == {"FINISHED"}
    assert voxel_view.preview_of(jelly) is None
    jelly.flotsam.spring_graph.voxel_size = 2.0
    with pytest.raises(RuntimeError, match="larger than the body"):
        bpy.ops.flotsam.voxel_preview()
    jelly.flotsam.spring_graph.graph = "SURFACE"
    assert not bpy.ops.flotsam.voxel_preview.poll()


def test_the_panel_says_that_a_lattice_does_not_open(jelly: bpy.types.Object) -> None:
    """Only if springs of cells may break, and Tear does not warn of it already."""
    settings = jelly.flotsam.spring_graph
    settings.material = "SPRINGS"
    assert cell_warnings(jelly) == []
    settings.break_strain = 0.5
    (warning,) = cell_warnings(jelly)
    assert "does not open" in warning and "Springs to Surface" in warning
    settings.pieces = True
    assert cell_warnings(jelly) == []
    settings.pieces = False
    settings.material = "SOLID"
    assert cell_warnings(jelly) == []
