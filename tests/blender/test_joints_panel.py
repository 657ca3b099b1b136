"""Joints in Blender: from a selection to a row, from a row to a bake and to Live, and invalid rows."""

from __future__ import annotations

import math
from pathlib import Path

import bpy
import numpy as np
import pytest
from flotsam.addon.bake.job import bake_blocking
from flotsam.addon.capture import capture_world
from flotsam.addon.live.session import LiveSession
from flotsam.addon.names import PANEL_JOINTS
from flotsam.engine.spec import Joint, params_of
from make_live import run
from make_rigid import add_box, add_floor, place_at, rigid_scene
from recorded import all_text, drawn


@pytest.fixture
def scene(tmp_path: Path) -> bpy.types.Scene:
    return rigid_scene(tmp_path)


def select(*objects: bpy.types.Object) -> None:
    """Select only these; the last one is active."""
    bpy.ops.object.select_all(action="DESELECT")
    for obj in objects:
        obj.select_set(True)
        bpy.context.view_layer.objects.active = obj


def captured_joints() -> tuple[Joint, ...]:
    return capture_world(bpy.context.scene, bpy.context.evaluated_depsgraph_get()).spec.joints


def lid_on_a_chest(scene: bpy.types.Scene) -> tuple[bpy.types.Object, bpy.types.Object]:
    """Two adjacent boxes, scaled and rotated, with a hinge at the cursor, whose Z axis is along Y."""
    lid, chest = add_box("Lid", (0.6, 0.0, 1.0), (0.0, 0.0, 0.3)), add_box("Chest", (0.0, 0.0, 1.0))
    lid.scale = (1.0, 0.5, 0.5)
    bpy.context.view_layer.update()
    scene.cursor.location = (0.3, 0.0, 1.1)
    scene.cursor.rotation_euler = (-0.5 * math.pi, 0.0, 0.0)
    select(lid, chest)
    assert bpy.ops.flotsam.join(kind="HINGE") == {"FINISHED"}
    return lid, chest


def test_selected_bodies_are_joined_to_the_active_one_at_the_cursor(scene: bpy.types.Scene) -> None:
    lid, _chest = lid_on_a_chest(scene)
    (joint,) = captured_joints()
    assert (joint.a, joint.b, joint.kind, joint.collide) == ("Lid", "Chest", "HINGE", "NO")
    assert joint.point == pytest.approx((0.3, 0.0, 1.1), abs=1e-6)
    assert np.cross(joint.axis, (0.0, 1.0, 0.0)) == pytest.approx(0.0, abs=1e-6)
    # A joint moves with its object.
    lid.location.z += 0.5
    assert captured_joints()[0].point == pytest.approx((0.3, 0.0, 1.6), abs=1e-6)


def test_a_single_body_is_joined_to_the_world_and_a_collider_takes_along(scene: bpy.types.Scene) -> None:
    box, floor = add_box("Box", (0.0, 0.0, 1.0)), add_floor()
    select(box)
    assert bpy.ops.flotsam.join(at="ORIGIN") == {"FINISHED"}
    select(floor, box)
    assert bpy.ops.flotsam.join(at="ORIGIN", kind="FIXED") == {"FINISHED"}
    found = captured_joints()
    assert [(joint.a, joint.b, joint.kind) for joint in found] == [("Box", "", "BALL"), ("Box", "Plane", "FIXED")]
    assert found[0].point == pytest.approx((0.0, 0.0, 1.0), abs=1e-6)


def test_a_chain_of_boxes_hangs_in_the_bake(scene: bpy.types.Scene) -> None:
    """Three boxes with ball joints between their edges: at every frame the joint points of both sides coincide."""
    boxes = [add_box(f"Box {k}", (0.6 * k, 0.0, 2.0)) for k in range(3)]
    for k in range(3):
        scene.cursor.location = (0.6 * k - 0.3, 0.0, 2.0)
        select(*boxes[max(k - 1, 0) : k + 1][::-1])
        assert bpy.ops.flotsam.join() == {"FINISHED"}
    bake_blocking(scene)
    lowest = 2.0
    for frame in range(1, 25):
        places = [place_at(scene, box, frame) for box in boxes]
        for k in range(3):
            own = places[k] @ (-0.3, 0.0, 0.0, 1.0)
            other = places[k - 1] @ (0.3, 0.0, 0.0, 1.0) if k else np.array([-0.3, 0.0, 2.0, 1.0])
            assert own == pytest.approx(other, abs=1e-5), frame
        lowest = min(lowest, places[2][2, 3])
    assert lowest < 1.0


def test_live_goes_on_with_a_joint_that_is_made_or_muted_meanwhile(scene: bpy.types.Scene) -> None:
    box = add_box("Box", (0.5, 0.0, 1.0))
    select(box)
    scene.cursor.location = (0.0, 0.0, 1.0)
    bpy.ops.flotsam.join()
    session = LiveSession(scene)
    try:
        run(session, 12)
        pose = session.frame.transforms["Box"]
        assert pose[:3, :3] @ (-0.5, 0.0, 0.0) + pose[:3, 3] == pytest.approx((0.0, 0.0, 1.0), abs=1e-6)
        scene.flotsam.joints[0].mute = True
        run(session, 40)
        assert session.frame.transforms["Box"][2, 3] < -1.0
    finally:
        session.end()


def spoil_by_deleting(lid: bpy.types.Object, chest: bpy.types.Object) -> None:
    bpy.data.objects.remove(chest)


def spoil_by_kind(lid: bpy.types.Object, chest: bpy.types.Object) -> None:
    chest.flotsam.kind = "NONE"


def spoil_by_unlinking(lid: bpy.types.Object, chest: bpy.types.Object) -> None:
    bpy.context.scene.collection.objects.unlink(chest)


def spoil_by_hiding(lid: bpy.types.Object, chest: bpy.types.Object) -> None:
    chest.hide_viewport = True


def spoil_by_axis(lid: bpy.types.Object, chest: bpy.types.Object) -> None:
    bpy.context.scene.flotsam.joints[0].axis = (0.0, 0.0, 0.0)


@pytest.mark.parametrize(("spoil", "sentence", "shown"), [
    (spoil_by_deleting, "has lost its object B; remove the row.", True),
    (spoil_by_kind, "Chest is neither a rigid body nor a collider", True),
    (spoil_by_unlinking, "means Chest, which is not in this scene; remove the row.", True),
    (spoil_by_hiding, "is left out, because Chest takes no part in this bake.", False),
    (spoil_by_axis, "has no axis", False),
])
def test_a_row_that_no_longer_fits_is_said_and_passed_over(
    scene: bpy.types.Scene, spoil, sentence: str, shown: bool
) -> None:
    spoil(*lid_on_a_chest(scene))
    captured = capture_world(scene, bpy.context.evaluated_depsgraph_get())
    assert captured.spec.joints == () and sentence in " ".join(captured.warnings)
    assert not shown or sentence in all_text("scene")


def test_the_list_shows_every_value_once_and_rows_can_go(scene: bpy.types.Scene) -> None:
    with pytest.raises(RuntimeError, match="Select rigid bodies"):
        bpy.ops.flotsam.join()
    with pytest.raises(RuntimeError, match="No joint is chosen"):
        bpy.ops.flotsam.unjoin()
    lid_on_a_chest(scene)
    shown = drawn("scene")[PANEL_JOINTS]
    names = [name for owner, name in shown.props if owner == "FlotsamJoint"]
    wanted = {*params_of(Joint), "place", "axis"}
    assert wanted <= set(names) and all(names.count(name) == 1 for name in wanted)
    assert "Lid to Chest" in shown.labels
    assert bpy.ops.flotsam.unjoin() == {"FINISHED"} and len(scene.flotsam.joints) == 0


def test_a_crate_is_attached_to_a_crate_and_to_a_dock(scene: bpy.types.Scene) -> None:
    """Rigid links between facing corners keep their length in the bake, to single precision."""
    crate, lower = add_box("Crate", (0.0, 0.0, 1.0)), add_box("Lower", (0.0, 0.0, 0.3))
    bpy.ops.mesh.primitive_cube_add(size=0.5, location=(0.0, 0.0, 1.7))
    dock = bpy.context.object
    dock.name, dock.flotsam.kind = "Dock", "COLLIDER"
    for one, other in ((crate, dock), (lower, crate)):
        select(one, other)
        assert bpy.ops.flotsam.attach(distance=0.25) == {"FINISHED"}
    assert [len(row.links) for row in scene.flotsam.attachments] == [4, 4]
    bake_blocking(scene)
    for frame in (6, 24):
        heights = [place_at(scene, obj, frame)[2, 3] for obj in (crate, lower)]
        assert heights == pytest.approx([1.0, 0.3], abs=1e-5)
