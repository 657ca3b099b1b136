"""The preview of a rigid body's voxels, and what its panel reports before a bake."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
import pytest
from flotsam.addon.overlay import voxel_view
from flotsam.addon.overlay.voxels import boundary_faces, preview
from flotsam.addon.panels.voxels import count_sentences, voxel_warnings
from flotsam.engine.spec.kinds.voxel_body import MOST_DIFFERENCE
from make_rigid import add_box, rigid_scene
from recorded import all_text


@pytest.fixture
def crate(tmp_path: Path) -> bpy.types.Object:
    rigid_scene(tmp_path)
    crate = add_box("Crate", (0.0, 0.0, 1.0))
    bpy.context.view_layer.objects.active = crate
    return crate


def test_a_voxel_alone_has_six_sides() -> None:
    full = np.zeros((3, 3, 3), dtype=bool)
    full[1, 1, 1] = True
    corners, axes = boundary_faces(full)
    assert len(corners) == 6 * 6 and np.bincount(axes).tolist() == [12, 12, 12]
    assert corners.min() == 1 and corners.max() == 2
    full[1, 1, 1:] = True
    assert len(boundary_faces(np.pad(full, 1))[0]) == 10 * 6


def test_the_preview_lies_on_the_body_and_weighs_it(crate: bpy.types.Object) -> None:
    crate.flotsam.voxel_body.voxel_size = 0.05
    crate.scale = (2.0, 1.0, 1.0)
    bpy.context.view_layer.update()
    found = preview(crate, bpy.context.evaluated_depsgraph_get())
    assert found.count == 20 * 10 * 10
    assert found.mass == pytest.approx(0.25 * 500.0, rel=1e-6)
    assert found.difference == pytest.approx(0.0, abs=1e-6)
    assert np.ptp(found.corners, axis=0) == pytest.approx([0.5, 0.5, 0.5], abs=1e-5)
    assert len(found.corners) == 6 * 2 * (20 * 10 * 2 + 10 * 10)


def test_the_operator_shows_updates_and_hides(crate: bpy.types.Object) -> None:
    assert bpy.ops.flotsam.voxel_preview() == {"FINISHED"}
    coarse = voxel_view.preview_of(crate)
    assert f"{coarse.count:,} of them are the body" in all_text()
    crate.flotsam.voxel_body.voxel_size = 0.03
    assert bpy.ops.flotsam.voxel_preview() == {"FINISHED"}
    assert voxel_view.preview_of(crate).count > coarse.count
    assert bpy.ops.flotsam.voxel_preview() == {"FINISHED"}
    assert voxel_view.preview_of(crate) is None
    crate.flotsam.kind = "COLLIDER"
    assert not bpy.ops.flotsam.voxel_preview.poll()


def test_the_panel_counts_before_a_bake(crate: bpy.types.Object) -> None:
    crate.flotsam.voxel_body.voxel_size = 0.05
    assert count_sentences(crate) == ["12 × 12 × 12 voxels of 0.05 m, 0.035 MB of memory"]
    assert voxel_warnings(crate) == []
    assert "12 × 12 × 12" in all_text()


def test_the_panel_says_what_is_wrong(crate: bpy.types.Object) -> None:
    own = crate.flotsam.voxel_body
    own.voxel_size = 0.7
    assert "larger than the body, 0.5 m" in voxel_warnings(crate)[0]
    own.voxel_size = 0.0005
    assert "would take 20.1 GB; make them 0.0019 m or larger." in voxel_warnings(crate)[0]
    assert count_sentences(crate) == []
    own.voxel_size = float(voxel_warnings(crate)[0].split("make them ")[1].split(" m ")[0])
    assert voxel_warnings(crate) == []
    crate.scale.z = 0.0
    bpy.context.view_layer.update()
    assert voxel_warnings(crate)[0].startswith("Flat")


def test_an_open_mesh_under_parity_is_told(crate: bpy.types.Object) -> None:
    from flotsam.addon.bake.job import bake_blocking

    faces = [tuple(polygon.vertices) for polygon in crate.data.polygons][1:]
    places = [tuple(vertex.co) for vertex in crate.data.vertices]
    crate.data.clear_geometry()
    crate.data.from_pydata(places, [], faces)
    assert voxel_warnings(crate) == []
    crate.flotsam.voxel_body.inside = "PARITY"
    assert "The mesh is open" in voxel_warnings(crate)[0]
    assert any("is open" in sentence for sentence in bake_blocking(bpy.context.scene).warnings)


def test_voxels_that_weigh_something_else_are_told(crate: bpy.types.Object) -> None:
    """A slab a tenth as thick as a voxel differs in mass from its two voxels."""
    from flotsam.addon.bake.job import bake_blocking

    crate.scale.z = 0.03
    crate.flotsam.voxel_body.voxel_size = 0.1
    bpy.context.view_layer.update()
    found = preview(crate, bpy.context.evaluated_depsgraph_get())
    warnings = [text for text in bake_blocking(bpy.context.scene).warnings if "a smaller Voxel Size helps" in text]
    assert bool(warnings) == (found.difference > MOST_DIFFERENCE) and found.difference > MOST_DIFFERENCE


def test_a_grid_too_fine_is_refused_with_its_memory(crate: bpy.types.Object) -> None:
    crate.flotsam.voxel_body.voxel_size = 0.0005
    with pytest.raises(RuntimeError, match="takes 20.1 GB"):
        bpy.ops.flotsam.voxel_preview()
    with pytest.raises(RuntimeError, match="takes 20.1 GB"):
        bpy.ops.flotsam.bake()
