"""Bake to Keyframes: the keyframes become the artist's own, and Flotsam forgets the bake."""

from __future__ import annotations

import shutil
from pathlib import Path

import bpy
import numpy as np
import pytest
from flotsam.addon.bake.job import BakeJob, bake_blocking
from flotsam.addon.names import KEYS_MARK, OP_BAKE_TO_KEYFRAMES, PANEL_CACHE
from make_rigid import FRAMES, add_box, add_floor, curves_of, place_at, rigid_scene
from make_scene import cube, ring, soft
from recorded import drawn

POLL = r"poll\(\) No rigid body is selected; select those whose frames become keyframes"


@pytest.fixture
def scene(tmp_path: Path) -> bpy.types.Scene:
    return rigid_scene(tmp_path)


def crate_on_floor() -> bpy.types.Object:
    """A selected crate that falls and rotates."""
    crate = add_box("Crate", (0.0, 0.0, 1.0), (0.1, 0.2, 0.3))
    add_floor()
    crate.select_set(True)
    return crate


def world_matrices(obj: bpy.types.Object) -> np.ndarray:
    return np.array([place_at(bpy.context.scene, obj, frame) for frame in range(1, FRAMES + 1)])


def baked_state(obj: bpy.types.Object) -> tuple[bool, str, str, bpy.types.Action | None]:
    baked = obj.flotsam.baked
    return KEYS_MARK in obj.animation_data.action, baked.path, baked.fingerprint, baked.action


NOTHING = (False, "", "", None)


def test_a_bake_becomes_keys_that_clear_cache_and_remove_leave(scene: bpy.types.Scene) -> None:
    crate = crate_on_floor()
    bake_blocking(scene)
    baked = world_matrices(crate)
    action = crate.animation_data.action
    assert bpy.ops.flotsam.bake_to_keyframes() == {"FINISHED"}
    assert baked_state(crate) == NOTHING and crate.animation_data.action == action
    assert crate.flotsam.kind == "VOXEL_BODY"
    with pytest.raises(RuntimeError, match="No selected object is baked"):
        bpy.ops.flotsam.clear_cache()
    assert bpy.ops.flotsam.remove() == {"FINISHED"}
    assert np.array_equal(world_matrices(crate), baked)


def test_it_bakes_first_where_no_bake_fits(scene: bpy.types.Scene) -> None:
    other, crate = add_box("Other", (3.0, 0.0, 1.0)), crate_on_floor()
    assert bpy.ops.flotsam.bake_to_keyframes() == {"FINISHED"}
    assert all(len(curve.keyframe_points) == FRAMES for curve in curves_of(crate))
    assert baked_state(crate) == NOTHING
    assert KEYS_MARK in other.animation_data.action and other.flotsam.baked.last == FRAMES
    crate.select_set(False)
    other.select_set(True)
    other.flotsam.voxel_body.velocity = (1.0, 0.0, 0.0)
    assert bpy.ops.flotsam.bake_to_keyframes() == {"FINISHED"}
    assert place_at(scene, other, 5)[0, 3] == pytest.approx(3.0 + 4.0 / 24.0, abs=1e-3)
    assert baked_state(other) == NOTHING


def test_a_bake_of_own_keys_starts_there_and_gives_them_back(scene: bpy.types.Scene) -> None:
    crate = crate_on_floor()
    bpy.ops.flotsam.bake_to_keyframes()
    own, matrices = crate.animation_data.action, world_matrices(crate)
    bake_blocking(scene)
    assert world_matrices(crate) == pytest.approx(matrices, abs=1e-4)
    assert bpy.ops.flotsam.clear_cache() == {"FINISHED"}
    assert crate.animation_data.action == own and np.array_equal(world_matrices(crate), matrices)


def test_undo_is_one_step(scene: bpy.types.Scene) -> None:
    crate_on_floor()
    bpy.ops.ed.undo_push(message="crate")
    assert bpy.ops.flotsam.bake_to_keyframes("EXEC_DEFAULT", True) == {"FINISHED"}
    bpy.ops.ed.undo()
    crate = bpy.data.objects["Crate"]
    assert crate.animation_data is None and tuple(crate.location) == (0.0, 0.0, 1.0)
    bpy.ops.ed.redo()
    crate = bpy.data.objects["Crate"]
    assert baked_state(crate) == NOTHING and len(curves_of(crate)[0].keyframe_points) == FRAMES


def test_undo_makes_a_bake_of_it_again(scene: bpy.types.Scene) -> None:
    crate_on_floor()
    bpy.ops.ed.undo_push(message="crate")
    bpy.ops.flotsam.bake("EXEC_DEFAULT", True)
    bpy.ops.flotsam.bake_to_keyframes("EXEC_DEFAULT", True)
    bpy.ops.ed.undo()
    crate = bpy.data.objects["Crate"]
    assert baked_state(crate)[0] and crate.flotsam.baked.last == FRAMES
    assert bpy.ops.flotsam.clear_cache() == {"FINISHED"}
    assert crate.animation_data is None


def test_own_action_and_keys_are_there_after_a_reload_without_the_cache(scene: bpy.types.Scene, tmp_path: Path) -> None:
    crate = crate_on_floor()
    for frame, x in ((-9, 0.0), (11, 2.0)):
        crate.location.x = x
        crate.keyframe_insert("location", frame=frame)
    own = crate.animation_data.action
    own.name = "Carried"
    assert bpy.ops.flotsam.bake_to_keyframes() == {"FINISHED"}
    assert own.use_fake_user and own.users == 1
    matrices = world_matrices(crate)
    blend = tmp_path / "kept.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(blend))
    shutil.rmtree(tmp_path / "flotsam_cache")
    bpy.ops.wm.open_mainfile(filepath=str(blend))
    crate = bpy.data.objects["Crate"]
    assert np.array_equal(world_matrices(crate), matrices) and baked_state(crate) == NOTHING
    assert "Carried" in bpy.data.actions


def test_an_action_that_others_play_gets_no_fake_user(scene: bpy.types.Scene) -> None:
    crate, empty = crate_on_floor(), bpy.data.objects.new("Empty", None)
    crate.keyframe_insert("location", frame=1)
    own = empty.animation_data_create().action = crate.animation_data.action
    assert bpy.ops.flotsam.bake_to_keyframes() == {"FINISHED"}
    assert not own.use_fake_user and empty.animation_data.action == own


def test_an_object_that_plays_the_same_keys_stays_baked(scene: bpy.types.Scene) -> None:
    crate = crate_on_floor()
    bake_blocking(scene)
    twin = cube("Twin")
    twin.rotation_mode = crate.rotation_mode
    action, slot = crate.animation_data.action, crate.animation_data.action_slot
    twin.animation_data_create().action = action
    twin.animation_data.action_slot = slot
    twin.select_set(False)
    matrices = world_matrices(crate)
    assert bpy.ops.flotsam.bake_to_keyframes() == {"FINISHED"}
    assert baked_state(crate) == NOTHING and KEYS_MARK in twin.animation_data.action
    assert np.array_equal(world_matrices(crate), matrices) and np.array_equal(world_matrices(twin), matrices)


def test_all_or_none(scene: bpy.types.Scene) -> None:
    other, crate = add_box("Other", (3.0, 0.0, 1.0)), crate_on_floor()
    other.select_set(True)
    other.hide_viewport = True
    bpy.context.view_layer.update()
    with bpy.context.temp_override(selected_objects=[crate, other]), \
            pytest.raises(RuntimeError, match="Other is not baked; enable it in viewports and bake again"):
        bpy.ops.flotsam.bake_to_keyframes()
    assert baked_state(crate)[0] and other.animation_data is None


def test_no_rigid_body_is_said(scene: bpy.types.Scene) -> None:
    crate = crate_on_floor()
    crate.select_set(False)
    soft(cube("Jelly")).select_set(True)
    with pytest.raises(RuntimeError, match=POLL):
        bpy.ops.flotsam.bake_to_keyframes()
    crate.select_set(True)
    assert bpy.ops.flotsam.bake_to_keyframes.poll()
    assert OP_BAKE_TO_KEYFRAMES in drawn("physics")[PANEL_CACHE].buttons
    slices = BakeJob(scene).run(0.0)
    next(slices)
    assert not bpy.ops.flotsam.bake_to_keyframes.poll()
    slices.close()


def test_the_command_line(scene: bpy.types.Scene, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    from flotsam.addon.cli.main import main

    crate_on_floor()
    soft(ring()).location.z = 5.0
    blend = tmp_path / "scene.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(blend))
    assert main(["bake", str(blend), "--frames", "1-6", "--to", "keyframes"]) == 0
    assert "Crate: 6 keyframes." in capfd.readouterr().out
    bpy.ops.wm.open_mainfile(filepath=str(blend))
    crate = bpy.data.objects["Crate"]
    assert baked_state(crate) == NOTHING and len(curves_of(crate)[0].keyframe_points) == 6
    played = [obj.modifiers["Flotsam"] for obj in bpy.data.objects if "Flotsam" in obj.modifiers]
    assert [modifier.show_render for modifier in played] == [True] and played[0].filepath.endswith(".pc2")
    bpy.data.objects.remove(crate)
    bpy.ops.wm.save_mainfile()
    assert main(["bake", str(blend), "--frames", "1-3", "--to", "keyframes"]) == 0
    assert "no rigid body was baked, so nothing became keyframes" in capfd.readouterr().out
