"""Operators that put objects into Flotsam and take them out."""

from __future__ import annotations

import bpy
import pytest
from make_scene import cube, fresh_scene


def test_add_then_remove_leaves_no_trace():
    fresh_scene()
    obj = cube()
    assert bpy.ops.flotsam.add(kind="SPRING_GRAPH") == {"FINISHED"}
    assert (obj.flotsam.kind, obj.modifiers["Flotsam"].show_viewport) == ("SPRING_GRAPH", False)
    assert bpy.ops.flotsam.remove() == {"FINISHED"}
    assert obj.flotsam.kind == "NONE"
    assert not obj.modifiers


def test_a_material_sets_the_body():
    fresh_scene()
    obj = cube()
    bpy.ops.flotsam.add(kind="SPRING_GRAPH")
    assert bpy.ops.flotsam.apply_preset(preset="rubber_ring") == {"FINISHED"}
    assert obj.flotsam.spring_graph.pressure == 400.0


def test_an_unknown_material_is_refused():
    fresh_scene()
    cube()
    bpy.ops.flotsam.add(kind="SPRING_GRAPH")
    with pytest.raises(RuntimeError, match="There is no material preset 'lead'"):
        bpy.ops.flotsam.apply_preset(preset="lead")


def test_remove_wants_something_that_takes_part():
    fresh_scene()
    cube()
    with pytest.raises(RuntimeError, match="No selected object takes part"):
        bpy.ops.flotsam.remove()
