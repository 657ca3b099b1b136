"""Bakes of flocks: resumed with the same bits; Blender without the add-on interpolates and blurs the instances."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
import pytest
from flotsam.addon.bake.job import bake_blocking
from flotsam.addon.write import baked_file
from make_scene import fresh_scene, mesh_object, world_positions
from make_stress import in_bare_blender

RENDER = """
scene = bpy.context.scene
camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
camera.data.type, camera.data.ortho_scale, camera.location = "ORTHO", 6.0, ({x}, {y}, {z})
scene.collection.objects.link(camera)
scene.camera, scene.world = camera, bpy.data.worlds.new("Black")
glow = bpy.data.materials.new("Glow")
glow.use_nodes = True
nodes = glow.node_tree.nodes
light = nodes.new("ShaderNodeEmission")
glow.node_tree.links.new(light.outputs[0], nodes["Material Output"].inputs[0])
bpy.data.objects["Bird"].data.materials.append(glow)
scene.world.use_nodes = True
scene.world.node_tree.nodes["Background"].inputs[1].default_value = 0.0
scene.view_settings.view_transform = "Standard"
scene.render.resolution_x, scene.render.resolution_y, scene.render.resolution_percentage = 160, 160, 100
scene.render.engine, scene.cycles.samples, scene.cycles.device = "{engine}", 16, "CPU"
scene.render.motion_blur_shutter = 1.0
scene.frame_set(8)
result = []
for blur in (False, True):
    scene.render.use_motion_blur = blur
    scene.render.filepath = "{folder}/" + str(blur) + ".png"
    bpy.ops.render.render(write_still=True)
    image = bpy.data.images.load(scene.render.filepath)
    pixels = np.array(image.pixels[:], dtype=np.float32).reshape(160, 160, 4)[:, :, 0] ** 2.2
    # As light, not as stored; rows go along +Y of the scene.
    result.append([float(pixels.sum()), float(np.abs(np.diff(pixels, axis=0)).sum()),
                   float(np.abs(np.diff(pixels, axis=1)).sum()), int((pixels > 0.02).sum())])
"""


@pytest.fixture
def birds(tmp_path: Path) -> bpy.types.Object:
    """Nine birds that fly along +Y at 5 m/s, as flat squares."""
    scene = fresh_scene(tmp_path, (1, 10))
    places = [(x, y - 2.0, 5.0) for x in (-1.2, 0.0, 1.2) for y in (-1.0, 0.0, 1.0)]
    flock = mesh_object("Birds", places)
    flock.flotsam.kind = "FLOCK"
    settings = flock.flotsam.flock
    settings.speed, settings.wander, settings.distance = 5.0, 0.0, 0.3
    settings.velocity = (0.0, 5.0, 0.0)
    corners = [(-0.15, -0.15, 0.0), (0.15, -0.15, 0.0), (0.15, 0.15, 0.0), (-0.15, 0.15, 0.0)]
    shown = mesh_object("Bird", corners, [(0, 1, 2, 3)])
    shown.location.x = 50.0
    flock.select_set(True)
    bpy.context.view_layer.objects.active = flock
    assert bpy.ops.flotsam.add_instances(shown="Bird") == {"FINISHED"}
    scene.frame_set(1)
    return flock


def files_of(obj: bpy.types.Object) -> dict[str, bytes]:
    """All files of the bake of a body, by file name."""
    folder = Path(baked_file(obj))
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def test_a_bake_of_a_flock_that_was_stopped_goes_on_with_the_same_bits(birds: bpy.types.Object) -> None:
    scene = bpy.context.scene
    bake_blocking(scene)
    uninterrupted = files_of(birds)
    bake_blocking(scene, frame_end=5)
    assert len(files_of(birds)) < len(uninterrupted)
    bake_blocking(scene, resume=True)
    assert files_of(birds) == uninterrupted


def test_instances_move_between_frames_without_flotsam(tmp_path: Path, birds: bpy.types.Object) -> None:
    bake_blocking(bpy.context.scene)
    bpy.ops.wm.save_mainfile()
    places = in_bare_blender(Path(bpy.data.filepath), """
scene, result = bpy.context.scene, []
for part in (0.0, 0.5, 0.999):
    scene.frame_set(6, subframe=part)
    depsgraph = bpy.context.evaluated_depsgraph_get()
    found = [list(one.matrix_world.translation) for one in depsgraph.object_instances if one.is_instance]
    result.append(found)
""")
    places = np.array(places)
    assert places.shape == (3, 9, 3)
    travel = (places - places[0])[:, :, 1].mean(axis=1) * 24.0
    assert travel[1] == pytest.approx(2.5, rel=0.1) and travel[2] == pytest.approx(5.0, rel=0.1)


def test_motion_blur_draws_a_flock_out_along_its_way(tmp_path: Path, birds: bpy.types.Object) -> None:
    """5 m/s are 0.21 m in a shutter of one frame, two thirds of a bird: more area, equal light, softer along its path.

    In Cycles; Eevee gave the same on 2026-11-25, but needs twenty seconds to begin.
    """
    bake_blocking(bpy.context.scene)
    bpy.ops.wm.save_mainfile()
    scene = bpy.context.scene
    scene.frame_set(8)
    middle = [0.0, -2.0 + 5.0 * 7.0 / 24.0, 20.0]
    sharp, blurred = in_bare_blender(Path(bpy.data.filepath), RENDER.format(
        x=middle[0], y=middle[1], z=middle[2], engine="CYCLES", folder=tmp_path.as_posix(),
    ))
    assert sharp[0] > 100.0 and blurred[0] == pytest.approx(sharp[0], rel=0.15)
    assert blurred[3] > 1.3 * sharp[3]
    assert blurred[1] == pytest.approx(sharp[1], rel=0.3) and blurred[2] < 1.2 * sharp[2]


def test_agents_are_attached_by_the_operator_and_pull_a_rope(tmp_path: Path) -> None:
    """Two birds tow a rope that hangs between them; only agents that start on vertices have indices to attach."""
    fresh_scene(tmp_path, (1, 20))
    rope = mesh_object("Rope", [(0.1 * k, 0.0, 4.9) for k in range(11)], edges=[(k, k + 1) for k in range(10)])
    rope.select_set(True)
    assert bpy.ops.flotsam.add(kind="SPRING_GRAPH", material="rope") == {"FINISHED"}
    birds = mesh_object("Birds", [(0.0, 0.0, 5.0), (1.0, 0.0, 5.0)])
    birds.flotsam.kind = "FLOCK"
    birds.flotsam.flock.mass, birds.flotsam.flock.velocity = 5.0, (0.0, 5.0, 0.0)
    birds.flotsam.flock.start_on = "VOLUME"
    assert bpy.ops.flotsam.attach(distance=0.12) == {"CANCELLED"}
    birds.flotsam.flock.start_on = "VERTICES"
    assert bpy.ops.flotsam.attach(distance=0.12) == {"FINISHED"}
    (row,) = bpy.context.scene.flotsam.attachments
    assert sorted((link.a, link.b) for link in row.links) == [(0, 0), (10, 1)]
    bake_blocking(bpy.context.scene)
    places = np.array(world_positions(rope, 20))
    assert places[[0, 10], 1].min() > 2.0 and places[5, 1] > 1.0


def test_objects_of_a_collection_are_picked_by_the_id_and_stand_as_the_attributes_say(
    tmp_path: Path, birds: bpy.types.Object,
) -> None:
    """Agents cycle through three objects of a collection; +Y of each is along its agent's velocity, +Z points up."""
    birds.flotsam.flock.cohesion = 0.0
    shown = bpy.data.collections.new("Shown")
    for k in range(3):
        shown.objects.link(mesh_object(f"Kind {k}", [(0.0, 0.0, 0.0), (0.0, 0.1 + k, 0.0)]))
    bpy.context.view_layer.objects.active = birds
    birds.modifiers.remove(birds.modifiers["Flotsam Instances"])
    assert bpy.ops.flotsam.add_instances(shown="Shown") == {"FINISHED"}
    bake_blocking(bpy.context.scene, frame_end=3)
    bpy.context.scene.frame_set(3)
    seen = [(one.object.name, one.matrix_world.to_3x3().normalized())
            for one in bpy.context.evaluated_depsgraph_get().object_instances if one.is_instance]
    assert [name for name, _rotation in seen] == [f"Kind {k % 3}" for k in range(9)]
    assert all(rotation.col[1].y > 0.99 and rotation.col[2].z > 0.99 for _name, rotation in seen)


def test_agents_that_have_landed_are_shown_in_the_last_pose_and_no_others(
    tmp_path: Path, birds: bpy.types.Object,
) -> None:
    goal = bpy.data.objects.new("Goal", None)
    goal.location = (0.0, 2.0, 5.0)
    bpy.context.scene.collection.objects.link(goal)
    birds.flotsam.flock.goal_object, birds.flotsam.flock.arrival = goal, "LAND"
    shown = bpy.data.collections.new("Shown")
    for name in ("Up", "Down", "Zzz"):
        shown.objects.link(mesh_object(name, [(0.0, 0.0, 0.0), (0.0, 0.1, 0.0)]))
    bpy.context.view_layer.objects.active = birds
    birds.modifiers.remove(birds.modifiers["Flotsam Instances"])
    assert bpy.ops.flotsam.add_instances(shown="Shown", by_phase=True, last_rests=True) == {"FINISHED"}
    bake_blocking(bpy.context.scene, frame_end=60)
    poses, states = [], []
    for frame in (2, 60):
        bpy.context.scene.frame_set(frame)
        ready = bpy.context.evaluated_depsgraph_get()
        poses += [one.object.name for one in ready.object_instances if one.is_instance]
        shape = birds.evaluated_get(ready).evaluated_geometry()
        states += [one.value for one in shape.instances_pointcloud().attributes["state"].data]
    assert {"Up", "Down"} == set(poses[:9])
    assert [pose == "Zzz" for pose in poses] == [state > 1.5 for state in states]
    assert any(state > 1.5 for state in states)
