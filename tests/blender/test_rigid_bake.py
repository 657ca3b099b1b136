"""Rigid bodies become keyframes: a crate falls on a plane and rests; parents, deltas, instances, existing keyframes."""

from __future__ import annotations

import math
import time
from pathlib import Path

import bpy
import numpy as np
import pytest
from flotsam.addon.bake.job import BakeJob, bake_blocking
from flotsam.addon.capture import CaptureError
from make_rigid import FRAMES, add_box, add_floor, curves_of, place_at, rigid_scene


@pytest.fixture
def scene(tmp_path) -> bpy.types.Scene:
    return rigid_scene(tmp_path)


def test_a_crate_falls_on_a_plane(scene):
    crate = add_box("Crate", (0.0, 0.0, 1.0))
    add_floor()
    bake_blocking(scene)
    curves = curves_of(crate)
    assert sorted({curve.data_path for curve in curves}) == ["location", "rotation_quaternion"]
    assert all(len(curve.keyframe_points) == FRAMES for curve in curves)
    assert {point.interpolation for curve in curves for point in curve.keyframe_points} == {"LINEAR"}
    assert place_at(scene, crate, 1)[2, 3] == pytest.approx(1.0, abs=1e-6)
    assert place_at(scene, crate, 5)[2, 3] == pytest.approx(1.0 - 0.5 * 9.81 * (4.0 / 24.0) ** 2, rel=0.02)
    assert place_at(scene, crate, FRAMES)[2, 3] == pytest.approx(0.25, abs=0.005)
    assert len(crate.modifiers) == 0


def test_a_parent_and_deltas_do_not_move_the_place_in_the_world(scene):
    free = add_box("Free", (2.0, 0.0, 1.0), (0.4, 0.5, 0.6))
    crate = add_box("Crate", (0.0, 0.0, 0.0))
    parent = bpy.data.objects.new("Parent", None)
    scene.collection.objects.link(parent)
    parent.location, parent.rotation_euler, parent.scale = (5.0, 1.0, 2.0), (0.3, 0.2, 1.0), (2.0, 2.0, 2.0)
    parent.keyframe_insert("location", frame=1)
    parent.location.x += 3.0
    parent.keyframe_insert("location", frame=FRAMES)
    crate.parent = parent
    crate.delta_location, crate.delta_rotation_quaternion = (0.1, 0.2, 0.3), (0.9, 0.1, 0.3, 0.2)
    crate.delta_scale = (0.5, 0.5, 0.5)
    scene.frame_set(1)
    crate.matrix_world = free.matrix_world.copy()
    bpy.context.view_layer.update()
    start = np.array(crate.matrix_world)
    add_floor()
    scene.flotsam.interactions.add().rule = "IGNORE"
    row = scene.flotsam.interactions[0]
    row.a_who = row.b_who = "OBJECT"
    row.a_object, row.b_object = crate, free
    bake_blocking(scene)
    assert place_at(scene, crate, 1) == pytest.approx(start, abs=1e-5)
    for frame in (5, 12, FRAMES):
        assert place_at(scene, crate, frame) == pytest.approx(place_at(scene, free, frame), abs=2e-3)


def test_quaternions_have_no_sign_flips(scene):
    crate = add_box("Crate", (0.0, 0.0, 0.0))
    scene.use_gravity = False
    crate.flotsam.voxel_body.angular_velocity = (0.0, 0.0, 20.0)
    bake_blocking(scene)
    rows = np.array([[p.co.y for p in c.keyframe_points] for c in curves_of(crate) if "rotation" in c.data_path]).T
    assert (np.einsum("ij,ij->i", rows[1:], rows[:-1]) > 0.0).all()
    angle = 20.0 / 24.0
    world = place_at(scene, crate, 2)
    assert math.atan2(world[1, 0], world[0, 0]) == pytest.approx(angle, abs=0.01)


def test_scale_and_mirror_stay(scene):
    crate = add_box("Crate", (0.0, 0.0, 0.0), (0.3, 0.2, 0.1))
    crate.scale = (-1.0, 2.0, 0.5)
    crate.flotsam.voxel_body.velocity = (1.0, 0.0, 0.0)
    scene.use_gravity = False
    bpy.context.view_layer.update()
    start = np.array(crate.matrix_world)
    bake_blocking(scene)
    assert tuple(crate.scale) == (-1.0, 2.0, 0.5)
    moved = place_at(scene, crate, 13)
    assert moved[:3, :3] == pytest.approx(start[:3, :3], abs=1e-5)
    assert moved[0, 3] == pytest.approx(0.5, abs=1e-3)


def test_own_animation_goes_on_until_the_start_and_comes_back(scene):
    crate = add_box("Crate", (0.0, 0.0, 0.0))
    scene.use_gravity = False
    for frame, x in ((-9, 0.0), (11, 2.0)):
        crate.location.x = x
        crate.keyframe_insert("location", frame=frame)
        crate.keyframe_insert("rotation_euler", frame=frame)
    crate.keyframe_insert("hide_render", frame=3)
    own = crate.animation_data.action
    before = [place_at(scene, crate, frame)[0, 3] for frame in range(-9, 12)]
    bake_blocking(scene)
    assert crate.rotation_mode == "XYZ"
    assert [place_at(scene, crate, frame)[0, 3] for frame in range(-9, 2)] == pytest.approx(before[:11], abs=1e-6)
    assert place_at(scene, crate, 20)[0, 3] == pytest.approx(before[10], abs=1e-5)
    assert any(curve.data_path == "hide_render" for curve in curves_of(crate))
    crate.select_set(True)
    assert bpy.ops.flotsam.clear_cache() == {"FINISHED"}
    assert crate.animation_data.action == own
    assert [place_at(scene, crate, frame)[0, 3] for frame in range(-9, 12)] == before
    assert [action.name for action in bpy.data.actions] == [own.name]


def test_clear_cache_gives_everything_back(scene):
    crate = add_box("Crate", (0.0, 0.0, 1.0), (0.1, 0.2, 0.3))
    place, rotation = tuple(crate.location), tuple(crate.rotation_euler)
    bake_blocking(scene)
    scene.frame_set(FRAMES)
    crate.select_set(True)
    assert bpy.ops.flotsam.clear_cache() == {"FINISHED"}
    assert crate.animation_data is None and not bpy.data.actions
    assert (tuple(crate.location), tuple(crate.rotation_euler), crate.rotation_mode) == (place, rotation, "XYZ")
    assert crate.flotsam.baked.path == "" and crate.flotsam.baked.action is None


def test_remove_gives_everything_back(scene):
    crate = add_box("Crate", (0.0, 0.0, 1.0))
    bake_blocking(scene)
    crate.select_set(True)
    assert bpy.ops.flotsam.remove() == {"FINISHED"}
    assert crate.animation_data is None and crate.flotsam.kind == "NONE"


def test_a_second_bake_is_the_first(scene):
    crate = add_box("Crate", (0.0, 0.0, 1.0), (0.1, 0.2, 0.3))
    add_floor()
    one = bake_blocking(scene)
    first = [place_at(scene, crate, frame) for frame in range(1, FRAMES + 1)]
    two = bake_blocking(scene)
    assert two.files.index.fingerprint == one.files.index.fingerprint
    assert np.array_equal([place_at(scene, crate, frame) for frame in range(1, FRAMES + 1)], first)
    assert len(bpy.data.actions) == 1


def test_a_stopped_bake_keeps_its_frames_and_goes_on(scene):
    crate = add_box("Crate", (0.0, 0.0, 1.0), (0.1, 0.2, 0.3))
    add_floor()
    bake_blocking(scene)
    uninterrupted = [place_at(scene, crate, frame) for frame in range(1, FRAMES + 1)]
    bake_blocking(scene, frame_end=9)
    assert crate.flotsam.baked.last == 9
    bake_blocking(scene, resume=True)
    assert np.array_equal([place_at(scene, crate, frame) for frame in range(1, FRAMES + 1)], uninterrupted)


def test_cancel_keeps_finished_frames_as_keys(scene):
    crate = add_box("Crate", (0.0, 0.0, 1.0))
    job = BakeJob(scene)
    slices = job.run(0.0)
    for progress in slices:
        if progress.done > 3:
            slices.close()
            break
    assert crate.flotsam.baked.last == job.progress.done
    assert len(curves_of(crate)[0].keyframe_points) == job.progress.done


def test_a_bake_plays_after_the_file_is_opened_again(scene, tmp_path):
    crate = add_box("Crate", (0.0, 0.0, 1.0))
    add_floor()
    bake_blocking(scene)
    there = place_at(scene, crate, 20)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "crate.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "crate.blend"))
    crate = bpy.data.objects["Crate"]
    assert place_at(bpy.context.scene, crate, 20) == pytest.approx(there, abs=0.0)
    crate.select_set(True)
    assert bpy.ops.flotsam.clear_cache() == {"FINISHED"}
    assert tuple(crate.location) == (0.0, 0.0, 1.0)


def test_a_duplicate_does_not_lose_the_keys_of_the_original(scene):
    crate = add_box("Crate", (0.0, 0.0, 1.0))
    bake_blocking(scene)
    bpy.ops.object.select_all(action="DESELECT")
    crate.select_set(True)
    bpy.context.view_layer.objects.active = crate
    bpy.ops.object.duplicate()
    copy = bpy.context.object
    bpy.context.view_layer.update()
    with pytest.raises(RuntimeError, match="No selected object is baked"):
        bpy.ops.flotsam.clear_cache()
    assert copy.animation_data is None
    assert len(curves_of(crate)[0].keyframe_points) == FRAMES


def test_instances_share_their_mesh_and_voxels(scene):
    from flotsam.addon.capture import capture_world
    from flotsam.addon.capture.controls import depsgraph_of

    one = add_box("One", (0.0, 0.0, 1.0))
    two = bpy.data.objects.new("Two", one.data)
    scene.collection.objects.link(two)
    two.location, two.rotation_euler, two.flotsam.kind = (3.0, 0.0, 1.0), (0.7, 0.3, 2.0), "VOXEL_BODY"
    a, b = capture_world(scene, depsgraph_of(scene)).spec.systems
    assert np.array_equal(a.vertices, b.vertices) and np.array_equal(a.triangles, b.triangles)
    assert not np.array_equal(a.pose, b.pose)


@pytest.mark.parametrize(("what", "sentence"), [
    ("constraint", "has the constraint"), ("flat", "is flat and encloses no volume"), ("uneven", "uneven scale"),
    ("child", "is a child of Other"), ("driver", "has a driver on its location"), ("axis", "turns by Axis Angle"),
    ("faces", "has no faces"), ("bullet", "Rigid Body World"),
])
def test_what_cannot_be_baked_is_said_in_a_sentence(scene, what, sentence):
    crate, other = add_box("Crate", (0.0, 0.0, 1.0)), add_box("Other", (5.0, 0.0, 1.0))
    if what == "constraint":
        crate.constraints.new("COPY_LOCATION").target = other
    elif what == "flat":
        crate.data.clear_geometry()
        crate.data.from_pydata([(0, 0, 0), (1, 0, 0), (1, 1, 0)], [], [(0, 1, 2)])
    elif what == "uneven":
        other.flotsam.kind, other.scale, crate.parent = "NONE", (1.0, 2.0, 1.0), other
    elif what == "child":
        crate.parent = other
    elif what == "driver":
        crate.driver_add("location", 0)
    elif what == "axis":
        crate.rotation_mode = "AXIS_ANGLE"
        crate.keyframe_insert("location", frame=1)
    elif what == "faces":
        crate.data.clear_geometry()
        crate.data.from_pydata([(0, 0, 0), (1, 0, 0)], [(0, 1)], [])
    else:
        bpy.ops.rigidbody.world_add()
        bpy.context.view_layer.objects.active = crate
        bpy.ops.rigidbody.object_add()
    bpy.context.view_layer.update()
    with pytest.raises(CaptureError, match=sentence):
        bake_blocking(scene)
    assert not crate.flotsam.baked.path


def test_a_change_of_settings_is_noticed(scene):
    from flotsam.addon.bake.owner import cache_problem

    crate = add_box("Crate", (0.0, 0.0, 1.0))
    bake_blocking(scene)
    assert cache_problem(crate, scene) is None
    crate.flotsam.voxel_body.friction = 0.9
    assert "have changed since the bake" in cache_problem(crate, scene)


def test_undo_takes_the_keys_and_redo_brings_them(scene: bpy.types.Scene) -> None:
    add_box("Crate", (0.0, 0.0, 1.0), (0.1, 0.2, 0.3))
    bpy.ops.ed.undo_push(message="crate")
    assert bpy.ops.flotsam.bake() == {"FINISHED"}
    bpy.ops.ed.undo_push(message="bake")
    bpy.ops.ed.undo()
    crate = bpy.data.objects["Crate"]
    assert crate.animation_data is None and tuple(crate.location) == (0.0, 0.0, 1.0)
    bpy.ops.ed.redo()
    assert len(curves_of(bpy.data.objects["Crate"])[0].keyframe_points) == FRAMES


def test_the_command_line_bakes_keys(scene: bpy.types.Scene, tmp_path: Path) -> None:
    from flotsam.addon.cli.bake import run

    add_box("Crate", (0.0, 0.0, 1.0))
    add_floor()
    blend = tmp_path / "scene.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(blend))
    run(blend, None, (1, 6), resume=False, to="shape-keys")
    bpy.ops.wm.open_mainfile(filepath=str(blend))
    crate = bpy.data.objects["Crate"]
    assert len(curves_of(crate)[0].keyframe_points) == 6 and crate.data.shape_keys is None


@pytest.mark.alone
def test_a_bake_of_a_thousand_frames_is_keyed_at_once(scene: bpy.types.Scene, tmp_path: Path) -> None:
    """Written in bulk: Blender's `keyframe_insert` takes at least four times as long for as many; measured 28 times."""
    from flotsam.addon.write.keyframes import write_keys
    from flotsam.engine import cache

    crate = add_box("Crate", (0.0, 0.0, 1.0))
    rows = np.vstack((np.zeros(3), np.eye(3)))
    cache.begin({tmp_path / "crate.pc2": rows}, 1.0)
    for _frame in range(999):
        cache.append_sample(tmp_path / "crate.pc2", rows)
    at_once = math.inf
    for _round in range(3):
        began = time.perf_counter()
        write_keys(crate, tmp_path / "crate.pc2", 1)
        at_once = min(at_once, time.perf_counter() - began)
    other = add_box("Other", (5.0, 0.0, 1.0))
    began = time.perf_counter()
    for frame in range(1000):
        other.keyframe_insert("location", frame=frame)
        other.keyframe_insert("rotation_euler", frame=frame)
    one_by_one = time.perf_counter() - began
    print(f"{at_once * 1e3:.1f} ms at once, {one_by_one * 1e3:.0f} ms one by one")
    assert 4.0 * at_once < one_by_one
    assert len(curves_of(crate)[0].keyframe_points) == 1000
