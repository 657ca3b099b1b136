"""Operators that add objects to Flotsam and remove them."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import bpy
import pytest
from flotsam.addon.bake.job import BakeJob, bake_blocking
from flotsam.addon.bake.owner import cache_problem
from make_scene import cube, fresh_scene, mesh_object, ring, soft, world_positions


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


def sentence_of(kind: str, obj: bpy.types.Object) -> str:
    """The refusal of `flotsam.add` for an object, "" when it accepts it."""
    from flotsam.addon.operators.add import why_not_kind

    return why_not_kind(obj, kind) or ""


def test_each_kind_takes_the_objects_it_can_use():
    fresh_scene()
    empty = bpy.data.objects.new("Level", None)
    curve = bpy.data.objects.new("Rope", bpy.data.curves.new("Rope", "CURVE"))
    nothing, point = mesh_object("Nothing", []), mesh_object("Point", [(0, 0, 0)])
    assert sentence_of("WATER", empty) == sentence_of("WATER", nothing) == sentence_of("SPRING_GRAPH", point) == ""
    assert "Level is no mesh and cannot become one; select a mesh." == sentence_of("SPRING_GRAPH", empty)
    for kind in ("COLLIDER", "SPRING_GRAPH"):
        assert "Rope is no mesh; convert it" in sentence_of(kind, curve)
        assert "Nothing has no vertices" in sentence_of(kind, nothing)
    assert "Point has no faces to bump into" in sentence_of("COLLIDER", point)


def test_only_what_cannot_be_added_is_left_out():
    fresh_scene()
    good, bad = cube(), mesh_object("Bad", [])
    bpy.context.view_layer.objects.active = good
    assert bpy.ops.flotsam.add(kind="COLLIDER") == {"FINISHED"}
    assert (good.flotsam.kind, bad.flotsam.kind) == ("COLLIDER", "NONE")
    bpy.ops.object.select_all(action="DESELECT")
    with pytest.raises(RuntimeError, match="Nothing is selected; select a mesh"):
        bpy.ops.flotsam.add(kind="COLLIDER")


def test_edit_mode_and_shape_keys_and_shared_meshes_can_be_added():
    fresh_scene()
    obj = cube()
    obj.shape_key_add(name="Basis")
    twin = bpy.data.objects.new("Twin", obj.data)
    bpy.context.scene.collection.objects.link(twin)
    twin.select_set(True)
    bpy.ops.object.mode_set(mode="EDIT")
    assert bpy.ops.flotsam.add(kind="SPRING_GRAPH") == {"FINISHED"}
    bpy.ops.object.mode_set(mode="OBJECT")
    assert {obj.modifiers[0].name, twin.modifiers[0].name} == {"Flotsam"}
    assert len(obj.data.shape_keys.key_blocks) == 1


def test_a_mesh_cache_of_the_artist_named_flotsam_is_never_touched(tmp_path: Path):
    scene = fresh_scene(tmp_path)
    obj = cube()
    theirs = tmp_path / "theirs.pc2"
    theirs.write_bytes(b"precious")
    own = obj.modifiers.new("Flotsam", "MESH_CACHE")
    own.cache_format, own.filepath = "PC2", str(theirs)
    assert 'another modifier named "Flotsam"; rename' in sentence_of("SPRING_GRAPH", obj)
    obj.flotsam.kind = "SPRING_GRAPH"
    with pytest.raises(RuntimeError, match='Cube has another modifier named "Flotsam"'):
        bpy.ops.flotsam.bake()
    assert bpy.ops.flotsam.clear_cache() == {"CANCELLED"}
    assert bpy.ops.flotsam.remove() == {"FINISHED"}
    assert obj.modifiers["Flotsam"].filepath == str(theirs) and theirs.read_bytes() == b"precious"
    assert scene.objects["Cube"].flotsam.kind == "NONE"


def test_undo_after_remove_brings_a_playable_body_back(tmp_path: Path):
    scene = fresh_scene(tmp_path)
    obj = soft(ring())
    bake_blocking(scene)
    places = world_positions(obj, 6)
    bpy.ops.ed.undo_push(message="Bake")
    assert bpy.ops.flotsam.remove() == {"FINISHED"}
    assert obj.flotsam.baked.path == "" and obj.flotsam.baked.vertex_count == 0 and not obj.modifiers
    bpy.ops.ed.undo_push(message="Remove")
    bpy.ops.ed.undo()
    obj = bpy.data.objects["Ring"]
    assert cache_problem(obj, bpy.context.scene) is None
    assert world_positions(obj, 6) == places


def test_a_body_added_again_takes_up_its_old_file(tmp_path: Path):
    scene = fresh_scene(tmp_path)
    obj = soft(ring())
    bake_blocking(scene)
    file = obj.modifiers["Flotsam"].filepath
    bpy.ops.flotsam.remove()
    bpy.ops.flotsam.add(kind="SPRING_GRAPH")
    bake_blocking(scene)
    assert obj.modifiers["Flotsam"].filepath == file


def linked_ring(folder: Path) -> bpy.types.Object:
    """A soft body linked from another file, selected in a scene of its own."""
    fresh_scene(folder)
    soft(ring("Boat"))
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "harbour.blend"))
    scene = fresh_scene(folder)
    with bpy.data.libraries.load(str(folder / "harbour.blend"), link=True) as (_source, here):
        here.objects = ["Boat"]
    scene.collection.objects.link(here.objects[0])
    here.objects[0].select_set(True)
    return here.objects[0]


def test_linked_objects_are_left_alone(tmp_path: Path):
    boat = linked_ring(tmp_path)
    assert "Boat is linked from another file" in sentence_of("COLLIDER", boat)
    for operator in (bpy.ops.flotsam.add, bpy.ops.flotsam.remove):
        assert operator() == {"CANCELLED"}
    with pytest.raises(RuntimeError, match="No soft or rigid body is selected that can be changed"):
        bpy.ops.flotsam.apply_preset(preset="jelly")
    assert boat.flotsam.kind == "SPRING_GRAPH" and len(boat.modifiers) == 1


def test_nothing_is_added_removed_or_cleared_during_a_bake(tmp_path: Path):
    scene = fresh_scene(tmp_path)
    soft(cube())
    with closing(BakeJob(scene).run()) as slices:
        next(slices)
        for operator in (bpy.ops.flotsam.add, bpy.ops.flotsam.remove, bpy.ops.flotsam.clear_cache):
            with pytest.raises(RuntimeError, match="A bake is running"):
                operator()
