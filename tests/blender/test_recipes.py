"""The recipes of the manual, step by step, with their results."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
from make_scene import fresh_scene, ground, pin, sheet, world_positions


def volume(obj: bpy.types.Object, frame: int) -> float:
    """Volume of the mesh at a frame [m³]."""
    points = np.array(world_positions(obj, frame))
    obj.data.calc_loop_triangles()
    corners = points[np.array([triangle.vertices for triangle in obj.data.loop_triangles])]
    return float(np.einsum("ij,ij->i", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])).sum() / 6.0)


def test_a_bouncy_castle_inflates_on_cue(tmp_path: Path) -> None:
    """Modelled inflated, pegged down, deflated by a Pressure of -80 kPa, and keyed to 2 kPa over two seconds."""
    scene = fresh_scene(tmp_path, (1, 96))
    ground()
    assert bpy.ops.flotsam.add_body(shape="BALL", location=(0.0, 0.0, 0.5)) == {"FINISHED"}
    castle = bpy.context.object
    bpy.ops.flotsam.apply_preset(preset="rubber_ring")
    pin(castle, [vertex.index for vertex in castle.data.vertices if vertex.co.z < -0.47])
    settings = castle.flotsam.spring_graph
    for frame, pressure in ((1, -80000.0), (36, -80000.0), (84, 2000.0)):
        settings.pressure = pressure
        assert settings.keyframe_insert("pressure", frame=frame)
    scene.frame_set(1)
    assert bpy.ops.flotsam.bake() == {"FINISHED"}
    full, cue, half, end = (volume(castle, frame) for frame in (1, 36, 60, 96))
    print(full, cue, half, end)
    assert cue < 0.4 * full, "limp until its cue"
    assert cue < half < end and 0.9 * full < end < 1.1 * full
    z = np.array(world_positions(castle, 96))[:, 2]
    assert z.min() > -0.02 and np.ptp(z) > 0.8, "it stands on the ground"


def test_cloth_hangs_from_the_bones_of_an_armature(tmp_path: Path) -> None:
    """Pins weighted to a bone, the Armature modifier before Flotsam, the preset Cloth: pins follow, the cloth hangs."""
    scene = fresh_scene(tmp_path, (1, 48))
    cloth = sheet("Cape", count=13)
    cloth.location.z = 2.0
    top = [vertex.index for vertex in cloth.data.vertices if vertex.co.y > 0.49]
    pin(cloth, top)
    cloth.vertex_groups.new(name="Bone").add(top, 1.0, "REPLACE")
    rig = bpy.data.objects.new("Rig", bpy.data.armatures.new("Rig"))
    scene.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    bone = rig.data.edit_bones.new("Bone")
    bone.head, bone.tail = (0.0, 0.5, 2.0), (0.0, 0.5, 2.5)
    bpy.ops.object.mode_set(mode="OBJECT")
    modifier = cloth.modifiers.new("Armature", "ARMATURE")
    modifier.object = rig
    for one in scene.objects:
        one.select_set(one == cloth)
    bpy.context.view_layer.objects.active = cloth
    assert bpy.ops.flotsam.add() == {"FINISHED"}
    assert [one.name for one in cloth.modifiers] == ["Armature", "Flotsam"]
    bpy.ops.flotsam.apply_preset(preset="cloth")
    posed = rig.pose.bones["Bone"]
    for frame, x in ((1, 0.0), (40, 1.0)):
        posed.location.x = x
        posed.keyframe_insert("location", index=0, frame=frame)
    scene.frame_set(1)
    assert bpy.ops.flotsam.bake() == {"FINISHED"}
    start, end = (np.array(world_positions(cloth, frame)) for frame in (1, 48))
    displacement = end[top] - start[top]
    assert np.allclose(np.linalg.norm(displacement, axis=1), 1.0, atol=1e-3), "pins follow their bone"
    free = np.setdiff1d(np.arange(len(start)), top)
    assert (end[free] - start[free])[:, 2].mean() < -0.3, "the free vertices hang down"
    assert np.linalg.norm((end[free] - start[free])[:, :2].mean(axis=0) - displacement[0, :2]) < 0.6, "and follow it"


def test_a_lid_falls_shut_on_a_chest(tmp_path: Path) -> None:
    """Rigid bodies, a hinge at the cursor along the rim, Contact set to Touch: the lid stops on the chest."""
    scene = fresh_scene(tmp_path, (1, 48))
    parts = []
    boxes = {"Lid": ((0.06, 0.8, 1.0), (-0.53, 0.0, 1.55)), "Chest": ((1.0, 0.8, 1.0), (0.0, 0.0, 0.5))}
    for name, (size, place) in boxes.items():
        bpy.ops.mesh.primitive_cube_add(size=1.0, location=place)
        part = bpy.context.object
        part.name, part.scale, part.flotsam.kind = name, size, "VOXEL_BODY"
        parts.append(part)
    ground()
    lid, chest = parts
    lid.flotsam.voxel_body.angular_velocity = (0.0, 1.0, 0.0)
    for one in scene.objects:
        one.select_set(one in parts)
    bpy.context.view_layer.objects.active = chest
    scene.cursor.location = (-0.5, 0.0, 1.03)
    scene.cursor.rotation_euler = (np.pi / 2.0, 0.0, 0.0)
    assert bpy.ops.flotsam.join(kind="HINGE") == {"FINISHED"}
    scene.flotsam.joints[0].collide = "YES"
    assert bpy.ops.flotsam.bake() == {"FINISHED"}
    shut = np.array(world_positions(lid, 48))
    assert 0.95 < shut[:, 2].min() and shut[:, 2].max() < 1.2, "it lies on the chest"
    assert 0.3 < shut[:, 0].max() < 0.6
