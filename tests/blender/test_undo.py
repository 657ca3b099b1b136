"""Undo restores what an operator changed."""

from __future__ import annotations

from pathlib import Path

import bpy
import pytest
from make_scene import cube, fresh_scene, ring


def found() -> tuple[str, list[str], float]:
    obj = bpy.context.scene.objects[0]
    return obj.flotsam.kind, [modifier.name for modifier in obj.modifiers], obj.flotsam.spring_graph.pressure


def undo_and_redo(before: object, after: object) -> None:
    assert found() == after
    bpy.ops.ed.undo()
    assert found() == before
    bpy.ops.ed.redo()
    assert found() == after


@pytest.fixture
def body() -> None:
    fresh_scene()
    cube()
    bpy.context.preferences.edit.use_global_undo = True
    bpy.ops.ed.undo_push(message="A cube")


def test_undo_after_add_remove_and_a_material(body: None) -> None:
    """The argument True requests an undo step, as a button does."""
    nothing = found()
    bpy.ops.flotsam.add("EXEC_DEFAULT", True)
    added = found()
    assert added[:2] == ("SPRING_GRAPH", ["Flotsam"]), "with a material that suits the mesh"
    undo_and_redo(nothing, added)
    bpy.ops.flotsam.apply_preset("EXEC_DEFAULT", True, preset="rubber_ring")
    ringed = ("SPRING_GRAPH", ["Flotsam"], 400.0)
    undo_and_redo(added, ringed)
    bpy.ops.flotsam.remove("EXEC_DEFAULT", True)
    undo_and_redo(ringed, ("NONE", [], 400.0))


def test_undo_after_a_bake(tmp_path: Path) -> None:
    fresh_scene(tmp_path, (1, 3))
    ring()
    bpy.ops.flotsam.add()
    bpy.ops.ed.undo_push(message="A ring")
    bpy.ops.flotsam.bake("EXEC_DEFAULT", True)
    modifier = bpy.context.object.modifiers["Flotsam"]
    assert modifier.show_viewport and modifier.filepath.endswith(".pc2")
    bpy.ops.ed.undo()
    modifier = bpy.context.scene.objects[0].modifiers["Flotsam"]
    assert not modifier.show_viewport and not modifier.filepath
    bpy.ops.ed.redo()
    modifier = bpy.context.scene.objects[0].modifiers["Flotsam"]
    assert modifier.show_viewport and Path(bpy.path.abspath(modifier.filepath)).is_file()
