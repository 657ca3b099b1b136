"""Edges with values of their own, contradictory values, and lattices from the panel to a bake."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
import pytest
from flotsam.addon.bake.job import bake_blocking
from flotsam.addon.capture import CaptureError
from flotsam.addon.panels.lattice import cell_sentences, cell_warnings
from make_scene import cube, fresh_scene, mesh_object, soft


def rope(values: dict[str, list[float]]) -> bpy.types.Object:
    """Three springs that hang from a pinned vertex."""
    obj = soft(mesh_object("Rope", [(0, 0, 2), (0, 0, 1.8), (0, 0, 1.6), (0, 0, 1.4)], edges=[(0, 1), (1, 2), (2, 3)]))
    settings = obj.flotsam.spring_graph
    settings.graph, settings.stiffness, settings.mass = "EDGES", 100.0, 0.4
    obj.vertex_groups.new(name="pins").add([0], 1.0, "REPLACE")
    for name, numbers in values.items():
        obj.data.attributes.new(name, "FLOAT", "EDGE").data.foreach_set("value", numbers)
    return obj


def heights(obj: bpy.types.Object, scene: bpy.types.Scene) -> np.ndarray:
    """Heights of an object's vertices at the last frame, as Blender draws them [m]."""
    scene.frame_set(scene.flotsam.frame_end)
    mesh = obj.evaluated_get(bpy.context.evaluated_depsgraph_get()).to_mesh()
    return np.array([(obj.matrix_world @ vertex.co).z for vertex in mesh.vertices])


def test_attributes_of_edges_say_which_spring_is_soft_and_which_breaks(tmp_path: Path) -> None:
    scene = fresh_scene(tmp_path, (1, 12))
    obj = rope({"stiffness": [1e4, 5.0, 100.0], "break_strain": [0.0, 0.0, 0.001]})
    bake_blocking(scene)
    z = heights(obj, scene)
    assert 2.0 - z[1] == pytest.approx(0.2, abs=0.01)
    assert z[1] - z[2] > 0.22 and z[2] - z[3] > 0.3


def test_an_attribute_and_a_group_contradict(tmp_path: Path) -> None:
    scene = fresh_scene(tmp_path)
    obj = rope({"stiffness": [1.0, 2.0, 3.0]})
    obj.vertex_groups.new(name="stiffness").add([1], 0.5, "REPLACE")
    with pytest.raises(CaptureError, match="contradict"):
        bake_blocking(scene)


def test_an_attribute_that_is_not_on_edges_is_said(tmp_path: Path) -> None:
    """Geometry nodes store attributes on points by default."""
    scene = fresh_scene(tmp_path)
    rope({"damping": [1.0, 2.0, 3.0]}).data.attributes.new("stiffness", "FLOAT", "POINT")
    texts = bake_blocking(scene).warnings
    assert len(texts) == 1 and '"stiffness"' in texts[0] and "Float on Edge" in texts[0]


def test_a_number_below_nought_is_named(tmp_path: Path) -> None:
    scene = fresh_scene(tmp_path)
    rope({"damping": [1.0, -2.0, 3.0]})
    with pytest.raises(CaptureError, match="edge 1"):
        bake_blocking(scene)


def test_pieces_edges_without_length_lonely_vertices_and_pins_everywhere_are_said(tmp_path: Path) -> None:
    scene = fresh_scene(tmp_path)
    obj = soft(mesh_object(
        "Net", [(0, 0, 1), (0, 0, 2), (1, 0, 1), (1, 0, 1), (2, 0, 0)], edges=[(0, 1), (2, 3)],
    ))
    obj.flotsam.spring_graph.graph = "EDGES"
    obj.vertex_groups.new(name="pins").add([0, 1, 2, 3, 4], 1.0, "REPLACE")
    texts = " ".join(bake_blocking(scene).warnings)
    assert "1 of its vertices, the first is 4, have no spring" in texts and "loose" not in texts
    assert "2 pieces" in texts and "no length" in texts and "all its vertices are pinned" in texts
    obj.flotsam.spring_graph.keyframe_insert("release_pins", frame=1)
    assert "all its vertices are pinned" not in " ".join(bake_blocking(scene).warnings), "they are released later"


def test_a_jelly_falls_on_nothing_and_leaves_its_stress(tmp_path: Path) -> None:
    scene = fresh_scene(tmp_path, (1, 8))
    obj = cube(size=0.5)
    bpy.ops.flotsam.add(material="jelly")
    obj.flotsam.spring_graph.voxel_size = 0.25
    assert "2 × 2 × 2 cells" in cell_sentences(obj, scene)[0]
    bake_blocking(scene)
    assert heights(obj, scene).mean() < 1.7
    mesh = obj.evaluated_get(bpy.context.evaluated_depsgraph_get()).to_mesh()
    assert "stress" in mesh.attributes
    obj.flotsam.spring_graph.voxel_size = 0.001
    assert "GB" in cell_warnings(obj)[0]
    obj.flotsam.spring_graph.voxel_size = 0.6
    assert "larger than the body" in cell_warnings(obj)[0]


def test_vertices_out_of_reach_are_said(tmp_path: Path) -> None:
    """One vertex has none within reach; another one has neighbours that prefer nearer vertices."""
    scene = fresh_scene(tmp_path)
    near = [(x, y, 1.0) for x in (0.0, 0.1) for y in (0.0, 0.1)]
    obj = soft(mesh_object("Cloud", [*near, (0.35, 0.0, 1.0), (2.0, 0.0, 1.0)]))
    settings = obj.flotsam.spring_graph
    settings.graph, settings.reach, settings.max_links = "RADIUS", 0.4, 3
    texts = " ".join(bake_blocking(scene).warnings)
    assert "2 of its vertices, the first is 4, have no spring" in texts and "a longer Reach" in texts
    settings.max_links = 4
    assert "1 of its vertices, the first is 5, have no spring" in " ".join(bake_blocking(scene).warnings)


def test_a_vertex_that_only_keep_inside_leaves_without_a_spring_is_said(tmp_path: Path) -> None:
    """A point between two cubes, within reach of both: all its links would leave the volume."""
    scene = fresh_scene(tmp_path, (1, 2))
    corners = [(x, y, z + 1.0) for x in (0.0, 0.1, 0.3, 0.4) for y in (0.0, 0.1) for z in (0.0, 0.1)]
    sides = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    faces = [tuple(first + corner for corner in side) for first in (0, 8) for side in sides]
    obj = soft(mesh_object("Cubes", [*corners, (0.2, 0.05, 1.05)], faces=faces))
    settings = obj.flotsam.spring_graph
    settings.graph, settings.reach, settings.keep_inside = "RADIUS", 0.18, False
    assert "no spring" not in " ".join(bake_blocking(scene).warnings)
    settings.keep_inside = True
    texts = " ".join(bake_blocking(scene).warnings)
    assert "Cubes: 1 of its vertices, the first is 16, have no spring" in texts and "turn Keep Inside off" in texts
