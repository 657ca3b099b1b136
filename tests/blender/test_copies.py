"""A copy of a baked body is unbaked at its present place; it never plays or overwrites another body's bake."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
import pytest
from flotsam.addon.bake import gone
from flotsam.addon.bake.job import bake_blocking
from flotsam.addon.bake.on_disk import baked_range
from flotsam.addon.capture.keys import remove_unused, unkeyed
from flotsam.addon.names import KEYS_MARK
from flotsam.addon.write import baked_file
from flotsam.addon.write.keyframes import remove_keys
from make_rigid import add_box, add_floor, place_at, rigid_scene
from make_scene import fresh_scene, pin, ring, soft, world_positions

FRAME = 12


def copy_of(obj: bpy.types.Object, linked: bool) -> bpy.types.Object:
    """Duplicate: Shift-D, or linked Alt-D."""
    bpy.ops.object.select_all(action="DESELECT")
    obj.select_set(True)
    bpy.context.view_layer.objects.active = obj
    assert bpy.ops.object.duplicate(linked=linked) == {"FINISHED"}
    bpy.context.view_layer.update()
    return bpy.context.object


def is_unbaked(obj: bpy.types.Object) -> bool:
    baked = obj.flotsam.baked
    return baked_file(obj) is None and baked_range(obj) is None and (baked.path, baked.record, baked.name) == ("",) * 3


@pytest.mark.parametrize("linked", [False, True])
@pytest.mark.parametrize("own_keys", [False, True])
def test_a_copied_crate_stands_where_it_stands_and_bakes_from_there(
    tmp_path: Path, linked: bool, own_keys: bool
) -> None:
    scene = rigid_scene(tmp_path)
    crate = add_box("Crate", (0.0, 0.0, 1.5), (0.3, 0.2, 0.1))
    if own_keys:
        for frame, x in ((-8, -1.0), (0, 0.0)):
            crate.location.x = x
            crate.keyframe_insert("location", frame=frame)
    add_floor()
    bake_blocking(scene)
    baked = [place_at(scene, crate, frame) for frame in range(1, 25)]
    file = baked_file(crate)
    frames = file.read_bytes()
    here = place_at(scene, crate, FRAME)
    twin = copy_of(crate, linked)
    assert is_unbaked(twin) and not is_unbaked(crate)
    assert twin.animation_data is None or twin.animation_data.action is None
    assert twin.rotation_mode == "XYZ" and crate.animation_data.action[KEYS_MARK]
    for frame in (FRAME, 1, 24):
        assert place_at(scene, twin, frame) == pytest.approx(here, abs=1e-5)
        assert np.array_equal(place_at(scene, crate, frame), baked[frame - 1]), "the original still plays its bake"
    scene.frame_set(FRAME)
    twin.location.x += 3.0
    bake_blocking(scene, [twin])
    assert baked_file(twin) != file and file.read_bytes() == frames
    start = here.copy()
    start[0, 3] += 3.0
    assert place_at(scene, twin, 1) == pytest.approx(start, abs=1e-5)


@pytest.mark.parametrize("linked", [False, True])
def test_a_copied_soft_body_lies_where_its_bake_showed_it_at_rest_in_shape(tmp_path: Path, linked: bool) -> None:
    scene = fresh_scene(tmp_path, (1, 24))
    obj = soft(ring(z=3.0), pressure=300.0, velocity=(1.0, 0.0, 0.0))
    obj.rotation_euler = (0.4, 0.0, 0.0)
    bake_blocking(scene)
    file = baked_file(obj)
    frames = file.read_bytes()
    rest = np.array(world_positions(obj, 1))
    shown = np.array(world_positions(obj, FRAME))
    twin = copy_of(obj, linked)
    assert is_unbaked(twin) and not twin.modifiers["Flotsam"].show_viewport
    found = np.array(world_positions(twin, FRAME))
    assert found.mean(axis=0) == pytest.approx(shown.mean(axis=0), abs=1e-4)
    assert np.ptp(found, axis=0) == pytest.approx(np.ptp(rest, axis=0), abs=0.05), "it is not deformed"
    assert np.array_equal(found, world_positions(twin, 1)), "it plays no bake"
    assert np.array_equal(shown, world_positions(obj, FRAME))
    bake_blocking(scene, [twin])
    assert baked_file(twin) != file and file.read_bytes() == frames


def test_a_pinned_copy_stays_at_its_pins(tmp_path: Path) -> None:
    scene = fresh_scene(tmp_path, (1, 24))
    obj = soft(ring(z=3.0))
    pin(obj, [0, 1])
    bake_blocking(scene)
    scene.frame_set(FRAME)
    twin = copy_of(obj, linked=False)
    assert is_unbaked(twin) and twin.matrix_world == obj.matrix_world


def test_undo_and_redo_of_a_copy_leave_it_unbaked_and_the_original_baked(tmp_path: Path) -> None:
    scene = fresh_scene(tmp_path, (1, 4))
    obj = soft(ring())
    bpy.context.preferences.edit.use_global_undo = True
    bpy.ops.ed.undo_push(message="A ring")
    bpy.ops.flotsam.bake("EXEC_DEFAULT", True)
    obj = bpy.context.scene.objects["Ring"]
    obj.select_set(True)
    bpy.context.view_layer.objects.active = obj
    bpy.ops.object.duplicate("EXEC_DEFAULT", True)
    bpy.context.view_layer.update()
    assert is_unbaked(bpy.context.scene.objects["Ring.001"])
    bpy.ops.ed.undo()
    assert list(bpy.context.scene.objects.keys()) == ["Ring"]
    assert not is_unbaked(bpy.context.scene.objects["Ring"])
    bpy.ops.ed.redo()
    assert is_unbaked(bpy.context.scene.objects["Ring.001"]) and not is_unbaked(bpy.context.scene.objects["Ring"])
    bpy.ops.wm.save_mainfile()
    bpy.ops.wm.open_mainfile(filepath=bpy.data.filepath)
    scene = bpy.context.scene
    assert is_unbaked(scene.objects["Ring.001"]) and not is_unbaked(scene.objects["Ring"])
    twin = copy_of(scene.objects["Ring"], linked=True)
    assert is_unbaked(twin) and not is_unbaked(scene.objects["Ring"])


def test_deleting_the_original_does_not_give_its_bake_to_the_copy(tmp_path: Path) -> None:
    scene = fresh_scene(tmp_path, (1, 4))
    obj = soft(ring())
    bake_blocking(scene)
    twin = obj.copy()
    scene.collection.objects.link(twin)
    bpy.data.objects.remove(obj)
    bpy.ops.wm.save_mainfile()
    assert is_unbaked(twin)


def test_an_appended_body_keeps_the_bake_of_its_own_file(tmp_path: Path) -> None:
    (tmp_path / "harbour").mkdir()
    scene = fresh_scene(tmp_path / "harbour", (1, 4))
    obj = soft(ring("Boat"))
    bake_blocking(scene)
    theirs = baked_file(obj)
    bpy.ops.wm.save_mainfile()
    scene = fresh_scene(tmp_path)
    with bpy.data.libraries.load(str(tmp_path / "harbour" / "scene.blend")) as (_source, here):
        here.objects = ["Boat"]
    boat = here.objects[0]
    scene.collection.objects.link(boat)
    bpy.context.view_layer.update()
    assert baked_file(boat) == theirs
    twin = copy_of(boat, linked=False)
    assert is_unbaked(twin) and baked_file(boat) == theirs


def test_several_bodies_lose_their_files_and_attributes_at_once(tmp_path: Path) -> None:
    """Each clearing removes the object that carries the attributes, which is the next one in the list of objects."""
    scene = fresh_scene(tmp_path, (1, 2))
    rings = [soft(ring(name)) for name in ("A", "B", "C")]
    scene.flotsam.attributes = {"STRESS"}
    bake_blocking(scene)
    assert "A Attributes" in bpy.data.objects
    for body in rings:
        gone.delete_baked(baked_file(body), [])
    gone.unbake_missing_files()
    assert all(map(is_unbaked, rings)) and len(bpy.data.objects) == 3


def test_several_copies_with_attributes_are_unbaked_at_once(tmp_path: Path) -> None:
    scene = fresh_scene(tmp_path, (1, 2))
    for name in ("A", "B", "C"):
        soft(ring(name))
    scene.flotsam.attributes = {"STRESS"}
    bake_blocking(scene)
    bpy.ops.object.select_all(action="DESELECT")
    for name in ("A", "B", "C"):
        scene.objects[name].select_set(True)
    assert bpy.ops.object.duplicate() == {"FINISHED"}
    bpy.context.view_layer.update()
    copies = [obj for obj in bpy.context.selected_objects if obj.flotsam.kind != "NONE"]
    assert len(copies) == 3 and all(map(is_unbaked, copies))
    assert not any(is_unbaked(scene.objects[name]) for name in ("A", "B", "C"))


def test_keys_that_are_set_aside_are_not_removed_with_a_copy(tmp_path: Path) -> None:
    """A copy that shares the action is found while a capture has temporarily removed the original's keyframes."""
    scene = rigid_scene(tmp_path)
    crate = add_box("Crate", (0.0, 0.0, 1.5), (0.3, 0.2, 0.1))
    add_floor()
    bake_blocking(scene)
    action = crate.animation_data.action
    with unkeyed([crate]):
        assert action.users == 0
        remove_unused(action)
    assert crate.animation_data.action == action
    remove_keys(crate)
    assert not [one for one in bpy.data.actions if KEYS_MARK in one], "no object uses the action any more"
