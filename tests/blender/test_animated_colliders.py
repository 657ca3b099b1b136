"""Colliders that follow keyframes, parents, armatures and shape keys, from capture to bake."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
import pytest
from flotsam.addon.bake.errors import BakeError
from flotsam.addon.bake.job import bake_blocking
from flotsam.addon.capture import CaptureError, capture_controls, capture_world
from make_scene import cube, fresh_scene, ground, ring, soft, world_positions


@pytest.fixture
def scene():
    return fresh_scene()


def take():
    return capture_world(bpy.context.scene, bpy.context.evaluated_depsgraph_get(), None)


def keyed(obj: bpy.types.Object, path: str, values: dict[int, object]) -> None:
    for frame, value in values.items():
        setattr(obj, path, value)
        obj.keyframe_insert(path, frame=frame)


def test_a_keyed_collider_is_a_pose(scene):
    soft(cube())
    lift = ground()
    lift.location = (1, 0, 0)
    keyed(lift, "rotation_euler", {1: (0, 0, 0.5), 4: (0, 0, 1.0)})
    keyed(lift, "scale", {1: (1, 1, 1), 4: (2, 1, 1)})
    scene.frame_set(1)
    captured = take()
    assert captured.warnings == ()
    pose = capture_controls(captured, scene, 4).colliders["Ground"]
    started = captured.spec.systems[1].vertices
    scene.frame_set(4)
    expected = [lift.matrix_world @ v.co for v in lift.data.vertices]
    assert pose.shape == (4, 4)
    assert np.allclose(started @ pose[:3, :3].T + pose[:3, 3], expected, atol=1e-5)


def test_a_parent_moves_a_collider_and_a_still_one_is_not_asked(scene):
    soft(cube())
    still, lift = ground(), ground()
    bpy.ops.object.empty_add()
    lift.parent = bpy.context.object
    keyed(lift.parent, "location", {1: (0, 0, 0), 4: (0, 0, 3)})
    scene.frame_set(1)
    captured = take()
    poses = capture_controls(captured, scene, 4).colliders
    assert still.name not in poses
    assert poses[lift.name][:3, 3] == pytest.approx((0, 0, 3), abs=1e-5)


def test_shape_keys_and_armatures_deform_a_collider(scene):
    soft(cube())
    keyed_ground, rigged = ground(), ground()
    keyed_ground.shape_key_add(name="Basis")
    key = keyed_ground.shape_key_add(name="Up")
    key.data[2].co.z += 1.0
    keyed(key, "value", {1: 0.0, 4: 1.0})
    bpy.ops.object.armature_add()
    rig = bpy.context.object
    rigged.vertex_groups.new(name="Bone").add([0, 1], 1.0, "REPLACE")
    rigged.modifiers.new("Rig", "ARMATURE").object = rig
    keyed(rig.pose.bones[0], "location", {1: (0, 0, 0), 4: (0, 2, 0)})
    scene.frame_set(1)
    places = capture_controls(take(), scene, 4).colliders
    assert places[keyed_ground.name][:, 2] == pytest.approx([0, 0, 1, 0], abs=1e-5)
    assert places[rigged.name][:, 2] == pytest.approx([2, 2, 0, 0], abs=1e-5)


def test_a_collider_that_changes_its_mesh_is_refused(scene):
    soft(cube())
    fence = ground()
    array = fence.modifiers.new("Grow", "ARRAY")
    keyed(array, "count", {1: 1, 4: 2})
    scene.frame_set(1)
    captured = take()
    with pytest.raises(CaptureError, match="Ground has 8 vertices now and had 4 .* keep its modifiers from changing"):
        capture_controls(captured, scene, 4)


@pytest.mark.parametrize(
    ("scale", "sentence"),
    [((0, 1, 1), "Ground is scaled to zero at frame 4; keep its scale away from 0"),
     ((-1, 1, 1), "Ground is turned inside out by a scale below 0 at frame 4; keep the signs")],
)
def test_a_collider_scaled_to_nothing_or_below_is_refused(scene, scale, sentence):
    soft(cube())
    keyed(ground(), "scale", {1: (1, 1, 1), 4: scale})
    scene.frame_set(1)
    captured = take()
    with pytest.raises(CaptureError, match=sentence):
        capture_controls(captured, scene, 4)


def test_a_collider_that_starts_mirrored_may_move(scene):
    soft(cube())
    wall = ground()
    wall.scale = (-1, 1, 1)
    keyed(wall, "location", {1: (0, 0, 0), 4: (0, 0, 3)})
    scene.frame_set(1)
    assert capture_controls(take(), scene, 4).colliders["Ground"][:3, 3] == pytest.approx((0, 0, 3), abs=1e-5)


def test_a_modifier_that_gives_the_same_at_every_frame_is_not_followed(scene):
    soft(cube())
    still, waving = ground(), ground()
    still.modifiers.new("Smooth", "SUBSURF")
    waving.modifiers.new("Swell", "WAVE")
    assert [collider.name for collider in take().colliders] == [waving.name]
    keyed(still.modifiers["Smooth"], "levels", {1: 1, 4: 1})
    assert [collider.name for collider in take().colliders] == [still.name, waving.name]


def test_a_linked_collider_moves(scene, tmp_path):
    keyed(ground(), "location", {1: (0, 0, 0), 4: (0, 0, 3)})
    library = tmp_path / "library.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(library))
    scene = fresh_scene()
    soft(cube())
    with bpy.data.libraries.load(str(library), link=True) as (_source, wanted):
        wanted.objects = ["Ground"]
    scene.collection.objects.link(wanted.objects[0])
    scene.frame_set(1)
    (pose,) = capture_controls(take(), scene, 4).colliders.values()
    assert pose[:3, 3] == pytest.approx((0, 0, 3), abs=1e-5)


def test_a_deleted_collider_is_named(scene):
    soft(cube())
    lift = ground()
    keyed(lift, "location", {1: (0, 0, 0), 4: (0, 0, 3)})
    scene.frame_set(1)
    captured = take()
    bpy.data.objects.remove(lift)
    with pytest.raises(CaptureError, match="Ground was deleted or renamed meanwhile"):
        capture_controls(captured, scene, 4)


def test_a_collider_moved_before_the_resume_point_is_refused_and_one_after_it_is_used(tmp_path: Path) -> None:
    scene = fresh_scene(tmp_path, (1, 8))
    obj = soft(ring(z=0.16), stiffness=500.0)
    lift = ground()
    # Constant around frame 5, so that a later keyframe does not change the curve before it.
    keyed(lift, "location", {1: (0, 0, 0), 3: (0, 0, 0.1), 5: (0, 0, 0.1), 6: (0, 0, 0.1), 8: (0, 0, 0.5)})
    scene.frame_set(1)
    bake_blocking(scene, frame_end=5)
    keyed(lift, "location", {3: (0, 0, 0.15)})
    scene.frame_set(1)
    with pytest.raises(BakeError, match="animated otherwise up to frame 5"):
        bake_blocking(scene, resume=True)
    keyed(lift, "location", {3: (0, 0, 0.1), 8: (0, 0, 0.8)})
    scene.frame_set(1)
    bake_blocking(scene, resume=True)
    resumed = world_positions(obj, 8)
    bake_blocking(scene)
    assert world_positions(obj, 8) == resumed


def test_a_baked_ring_rides_on_a_lift(tmp_path: Path) -> None:
    scene = fresh_scene(tmp_path, (1, 25))
    obj = soft(ring(z=0.16), stiffness=500.0, pressure=500.0, struts=1)
    lift = ground()
    keyed(lift, "location", {1: (0, 0, 0), 25: (0, 0, 2)})
    scene.frame_set(1)
    bake_blocking(scene)
    lowest = min(place[2] for place in world_positions(obj, 25))
    assert 1.95 < lowest < 2.2


def test_a_bake_begins_where_keys_say_and_not_where_an_object_was_left(tmp_path: Path) -> None:
    """A floor keyed at height 0 was moved above a cube without a keyframe: it does not sweep the cube down."""
    scene = fresh_scene(tmp_path, (1, 4))
    body, floor = soft(cube(z=0.8)), ground()
    for frame in (1, 4):
        floor.keyframe_insert("location", frame=frame)
    floor.location.z = 1.5
    bpy.context.view_layer.update()
    bake_blocking(scene)
    lowest = min(place[2] for place in world_positions(body, 4))
    assert lowest == pytest.approx(0.8 - 0.25 - 0.5 * 9.81 * (3.0 / 24.0) ** 2, abs=0.02)
