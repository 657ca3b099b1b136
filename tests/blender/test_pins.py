"""Pins: choosing the group, and pinning selected vertices."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
import pytest
from flotsam.addon.capture.soft_pins import split_pins, ties_of
from flotsam.addon.overlay.subjects import subjects
from make_scene import fresh_scene, sheet, soft, world_positions
from recorded import drawn


def edited(chosen: list[int]) -> bpy.types.Object:
    """A soft sheet in Edit Mode with some vertices selected."""
    import bmesh

    obj = soft(sheet())
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_mode(type="VERT")
    bpy.ops.mesh.select_all(action="DESELECT")
    mesh = bmesh.from_edit_mesh(obj.data)
    mesh.verts.ensure_lookup_table()
    for index in chosen:
        mesh.verts[index].select = True
    bmesh.update_edit_mesh(obj.data)
    return obj


def weights(obj: bpy.types.Object, group: str) -> dict[int, float]:
    index = obj.vertex_groups[group].index
    found = {vertex.index: entry.weight for vertex in obj.data.vertices for entry in vertex.groups
             if entry.group == index}
    return {number: round(weight, 6) for number, weight in found.items()}


def test_selected_vertices_are_pinned_and_let_go() -> None:
    fresh_scene()
    obj = edited([0, 5])
    assert bpy.ops.flotsam.pin() == {"FINISHED"}
    bpy.ops.object.mode_set(mode="OBJECT")
    assert weights(obj, "pins") == {0: 1.0, 5: 1.0}
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_all(action="SELECT")
    assert bpy.ops.flotsam.pin(action="REMOVE") == {"FINISHED"}
    bpy.ops.object.mode_set(mode="OBJECT")
    assert weights(obj, "pins") == {}


def test_pinned_vertices_stay_and_the_others_fall(tmp_path: Path) -> None:
    scene = fresh_scene(tmp_path, (1, 12))
    obj = edited([0, 5])
    bpy.ops.flotsam.pin()
    bpy.ops.object.mode_set(mode="OBJECT")
    obj.vertex_groups["pins"].name = "Held"
    obj.flotsam.pin_group = "Held"
    bpy.ops.flotsam.bake()
    before, after = (np.array(world_positions(obj, frame)) for frame in (1, 12))
    assert np.allclose(before[[0, 5]], after[[0, 5]], atol=1e-6)
    assert after[30:, 2].max() < before[30:, 2].min() - 0.1
    (subject,) = subjects(scene, bpy.context.view_layer, bpy.context.evaluated_depsgraph_get())
    assert subject.pins.tolist() == [0, 5]
    obj.flotsam.spring_graph.release_pins = True
    (subject,) = subjects(scene, bpy.context.view_layer, bpy.context.evaluated_depsgraph_get())
    assert subject.pins.tolist() == [], "released pins are not drawn"


def test_a_group_of_another_name_pins_nothing(tmp_path: Path) -> None:
    fresh_scene(tmp_path, (1, 6))
    obj = soft(sheet())
    obj.vertex_groups.new(name="pins").add([0, 5], 1.0, "REPLACE")
    obj.flotsam.pin_group = ""
    bpy.ops.flotsam.bake()
    assert np.array(world_positions(obj, 6))[[0, 5], 2].max() < -0.05


def test_soft_pins_are_drawn_as_far_as_their_springs_give(tmp_path: Path) -> None:
    """n springs of half the stiffness k carry the sheet, which sinks by 2 m g / (n k); full weights are rigid."""
    scene = fresh_scene(tmp_path, (1, 97))
    scene.flotsam.substeps = 20
    obj = soft(sheet(), mass=0.6, stiffness=1e5, air_drag=6.0)
    group = obj.vertex_groups.new(name="pins")
    group.add(list(range(36)), 0.5, "REPLACE")
    obj.flotsam.pin_stiffness = 20.0
    assert bpy.ops.flotsam.bake() == {"FINISHED"}
    sunk = np.array(world_positions(obj, 97))[:, 2]
    assert np.allclose(sunk, -2.0 * 0.6 * 9.81 / (36 * 20.0), rtol=0.02), sunk
    group.add([0, 5], 1.0, "REPLACE")
    bpy.ops.flotsam.bake()
    sunk = np.array(world_positions(obj, 97))[:, 2]
    assert np.allclose(sunk[[0, 5]], 0.0, atol=1e-6) and sunk[18:].max() < -0.005


def test_soft_pins_follow_the_animated_object_and_touch_nothing(tmp_path: Path) -> None:
    fresh_scene(tmp_path, (1, 48))
    obj = soft(sheet(), mass=0.1)
    obj.vertex_groups.new(name="pins").add(list(range(36)), 0.5, "REPLACE")
    obj.flotsam.pin_stiffness = 100.0
    other = soft(sheet("Other"), mass=0.1)
    other.location.z = 1.0
    for frame, x in ((1, 0.0), (12, 1.0)):
        obj.location.x = x
        obj.keyframe_insert("location", index=0, frame=frame)
    bpy.ops.flotsam.bake()
    assert np.array(world_positions(obj, 48))[:, 0].mean() == pytest.approx(1.0, abs=0.02)
    assert np.array(world_positions(other, 12))[:, 2].max() < 0.1, "it falls as if nothing were in its way"


def test_without_a_stiffness_more_than_half_the_weight_holds() -> None:
    """As in files of earlier versions."""
    weights = np.array([0.0, 0.4, 0.6, 1.0])
    held, soft_pins = split_pins(weights, 0.0)
    assert held.tolist() == [2, 3] and soft_pins is None
    held, soft_pins = split_pins(weights, 7.0)
    assert held.tolist() == [3] and soft_pins.vertices.tolist() == [1, 2]
    assert [tie.stiffness for tie in ties_of("Sheet", soft_pins)] == pytest.approx([7.0 * 13 / 32, 7.0 * 19 / 32])
    assert split_pins(np.empty(0), 7.0)[1] is None


def test_nothing_selected_and_object_mode_are_said() -> None:
    fresh_scene()
    edited([])
    assert bpy.ops.flotsam.pin() == {"CANCELLED"}
    bpy.ops.object.mode_set(mode="OBJECT")
    with pytest.raises(RuntimeError, match="Select vertices of a soft body in Edit Mode"):
        bpy.ops.flotsam.pin()


def test_the_panel_has_picker_and_buttons() -> None:
    fresh_scene()
    obj = soft(sheet())
    panel = drawn("physics")["FLOTSAM_PT_pins"]
    assert {("FlotsamObject", "pin_group"), ("FlotsamObject", "pin_stiffness")} <= set(panel.props)
    assert panel.buttons == ["flotsam.pin", "flotsam.pin"]
    assert "Nothing is pinned" in " ".join(panel.labels)
    obj.vertex_groups.new(name="pins")
    assert drawn("physics")["FLOTSAM_PT_pins"].labels == []
