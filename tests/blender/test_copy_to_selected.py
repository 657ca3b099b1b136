"""Copies one object's settings to all selected ones."""

from __future__ import annotations

import bpy
from flotsam.addon.names import OP_COPY_TO_SELECTED, PANEL_OBJECT
from make_scene import cube, fresh_scene, mesh_object, soft
from recorded import drawn


def only_active(obj: bpy.types.Object, *others: bpy.types.Object) -> None:
    for one in bpy.context.scene.objects:
        one.select_set(one in (obj, *others))
    bpy.context.view_layer.objects.active = obj


def test_everything_goes_to_all_and_one_undo_takes_it_back() -> None:
    fresh_scene()
    source = soft(cube("Source"), stiffness=5.0, pressure=70.0, graph="EDGES")
    cube("Plain")
    soft(cube("Soft"), mass=9.0)
    others = [bpy.data.objects[name] for name in ("Plain", "Soft")]
    only_active(source, *others)
    bpy.ops.ed.undo_push(message="Before")
    assert bpy.ops.flotsam.copy_to_selected() == {"FINISHED"}
    bpy.ops.ed.undo_push(message="Copied")
    for obj in others:
        settings = obj.flotsam.spring_graph
        assert obj.flotsam.kind == "SPRING_GRAPH" and "Flotsam" in obj.modifiers
        assert (settings.stiffness, settings.pressure, settings.graph, settings.mass) == (5.0, 70.0, "EDGES", 1.0)
    bpy.ops.ed.undo()
    assert bpy.data.objects["Plain"].flotsam.kind == "NONE"
    assert bpy.data.objects["Soft"].flotsam.spring_graph.mass == 9.0


def test_one_panel_goes_to_those_of_the_same_kind() -> None:
    fresh_scene()
    source = soft(cube("Source"), stiffness=5.0, friction=0.9)
    alike, wall = soft(cube("Alike"), mass=9.0), cube("Wall")
    wall.flotsam.kind = "COLLIDER"
    only_active(source, alike, wall)
    assert bpy.ops.flotsam.copy_to_selected(group="contact") == {"FINISHED"}
    settings = alike.flotsam.spring_graph
    assert abs(settings.friction - 0.9) < 1e-6 and settings.stiffness == 1000.0 and settings.mass == 9.0
    assert wall.flotsam.kind == "COLLIDER"
    only_active(source, wall)
    assert bpy.ops.flotsam.copy_to_selected(group="contact") == {"CANCELLED"}


def test_who_cannot_take_them_is_left_as_it_was() -> None:
    fresh_scene()
    source, empty = soft(cube("Source")), mesh_object("Nothing", [])
    only_active(source, empty)
    assert bpy.ops.flotsam.copy_to_selected() == {"CANCELLED"} and empty.flotsam.kind == "NONE"


def test_the_button_is_grey_without_others_or_without_settings() -> None:
    fresh_scene()
    source, other = soft(cube("Source")), cube("Other")
    only_active(source)
    assert OP_COPY_TO_SELECTED in drawn("physics")[PANEL_OBJECT].buttons
    assert not bpy.ops.flotsam.copy_to_selected.poll()
    only_active(source, other)
    assert bpy.ops.flotsam.copy_to_selected.poll()
    only_active(other, source)
    assert not bpy.ops.flotsam.copy_to_selected.poll()
