"""The panel says Baked only while it is true: each change of captured input is reported with its name."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import bpy
import pytest
from flotsam.addon.bake.job import bake_blocking
from flotsam.addon.bake.owner import cache_problem
from make_rigid import add_box
from make_scene import cube, fresh_scene, ground, pin, ring, soft
from recorded import all_text


def raft(folder: Path) -> bpy.types.Scene:
    """A ring, a cube with Subdivision and pins, two joined crates, a floor, water; all baked."""
    scene = fresh_scene(folder, (1, 3))
    soft(ring())
    tied = cube("Tied", z=4.0)
    tied.modifiers.new("Subdivision", "SUBSURF").levels = 1
    tied.modifiers["Subdivision"].render_levels = 1
    soft(tied)
    pin(tied, [0])
    crate, lid = add_box("Crate", (1.5, 0.0, 1.0)), add_box("Lid", (1.5, 0.0, 2.0))
    ground()
    lift = cube("Lift", z=-3.0)
    lift.flotsam.kind = "COLLIDER"
    for frame, height in ((1, -3.0), (3, -2.5)):
        lift.location.z = height
        lift.keyframe_insert("location", index=2, frame=frame)
    bpy.ops.mesh.primitive_plane_add(size=9.0, location=(0.0, 0.0, -0.5))
    bpy.context.object.name = "Sea"
    bpy.context.object.flotsam.kind = "WATER"
    settings = scene.flotsam
    row = settings.interactions.add()
    row.name, row.a_who, row.a_object = "Slippery", "OBJECT", scene.objects["Ground"]
    row = settings.attachments.add()
    row.name, row.a_object, row.b_object = "Rope", scene.objects["Ring"], crate
    row.a_count, row.b_count = len(scene.objects["Ring"].data.vertices), 8
    row.links.add()
    row = settings.joints.add()
    row.name, row.a_object, row.b_object = "Hinge", lid, crate
    bake_blocking(scene)
    return scene


def move(name: str) -> Callable[[bpy.types.Scene], None]:
    def do(scene: bpy.types.Scene) -> None:
        scene.objects[name].location.x += 0.5
    return do


def move_a_vertex(scene: bpy.types.Scene) -> None:
    scene.objects["Ground"].data.vertices[0].co.x -= 0.1
    bpy.context.view_layer.update()


def move_a_key(scene: bpy.types.Scene) -> None:
    lift = scene.objects["Lift"]
    lift.location.z = -4.0
    lift.keyframe_insert("location", index=2, frame=3)


def paint_a_pin(scene: bpy.types.Scene) -> None:
    pin(scene.objects["Tied"], [3])
    bpy.context.view_layer.update()


def key_the_floor(scene: bpy.types.Scene) -> None:
    scene.objects["Ground"].keyframe_insert("location", frame=1)


def add_a_collider(scene: bpy.types.Scene) -> None:
    cube("Post").flotsam.kind = "COLLIDER"


def put(path: str, value: object) -> Callable[[bpy.types.Scene], None]:
    """Set the value at a path from the scene."""
    def do(scene: bpy.types.Scene) -> None:
        owner, _, name = path.rpartition(".")
        setattr(scene.path_resolve(owner) if owner else scene, name, value)
        bpy.context.view_layer.update()
    return do


CHANGES = {
    "moved body": (move("Ring"), "Ring moved since the bake"),
    "moved rigid body": (move("Crate"), "Crate moved since the bake"),
    "moved collider": (move("Ground"), "Ground moved since the bake"),
    "moved water": (move("Sea"), "Sea moved since the bake"),
    "turned collider": (put('objects["Ground"].rotation_euler', (0.1, 0.0, 0.0)), "Ground moved since the bake"),
    "friction of a collider": (
        put('objects["Ground"].flotsam.collider.friction', 0.9), "The settings of Ground have changed since the bake"
    ),
    "own setting": (
        put('objects["Ring"].flotsam.spring_graph.stiffness', 5.0), "The settings of Ring have changed since the bake"
    ),
    "softness of pins": (
        put('objects["Tied"].flotsam.pin_stiffness', 9.0), "The settings of Tied have changed since the bake"
    ),
    "flow of water": (put('objects["Sea"].flotsam.water.drag', 7.0), "The settings of Sea have changed since the bake"),
    "a vertex": (move_a_vertex, "The mesh of Ground changed since the bake"),
    "a pin": (paint_a_pin, "The mesh of Tied changed since the bake"),
    "a modifier": (
        put('objects["Tied"].modifiers["Subdivision"].subdivision_type', "SIMPLE"),
        "The modifiers of Tied changed since the bake",
    ),
    "what is not keyed of an animated collider": (
        put('objects["Lift"].location', (9.0, 0.0, 0.0)), "Lift moved since the bake"
    ),
    "a key": (move_a_key, "The animation of Lift changed since the bake"),
    "keys": (key_the_floor, "Ground"),
    "an added collider": (add_a_collider, "Post was added since the bake"),
    "a deleted collider": (
        lambda scene: bpy.data.objects.remove(scene.objects["Ground"]), "Ground was deleted or renamed since the bake"
    ),
    "a collider out of it": (
        put('objects["Ground"].hide_viewport', True), "Ground takes part no longer, as it did in the bake"
    ),
    "gravity": (put("gravity", (0.0, 0.0, -3.0)), "Gravity changed since the bake"),
    "frame rate": (put("render.fps", 30), "The frame rate changed since the bake"),
    "substeps": (put("flotsam.substeps", 9), "The settings of the scene have changed since the bake"),
    "start": (put("flotsam.frame_start", 2), "The bake begins at another frame than it did"),
    "interaction": (put("flotsam.interactions[0].rule", "IGNORE"), "The interaction Slippery changed since the bake"),
    "a value of an interaction": (
        put("flotsam.interactions[0].contact.friction", 0.01), "The interaction Slippery changed since the bake"
    ),
    "muted joint": (put("flotsam.joints[0].mute", True), "The joint Hinge was removed or muted since the bake"),
    "attachment": (put("flotsam.attachments[0].links[0].a", 3), "The attachment Rope changed since the bake"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_every_change_is_told_by_its_name(tmp_path: Path, change: str) -> None:
    scene = raft(tmp_path)
    bodies = [scene.objects[name] for name in ("Ring", "Tied", "Crate", "Lid")]
    for frame in (1, 3):
        scene.frame_set(frame)
        assert [cache_problem(obj, scene) for obj in bodies] == [None] * 4
    do, sentence = CHANGES[change]
    do(scene)
    problems = [cache_problem(obj, scene) for obj in bodies]
    assert any(problem is not None and problem.startswith(sentence) for problem in problems), problems
    if change != "moved rigid body":
        assert None not in problems, "all bodies were solved together with it"
    bpy.context.view_layer.objects.active = bodies[0]
    if problems[0] is not None:
        assert sentence in all_text(), "the panel says which thing changed"


def test_what_does_not_change_a_bake_is_not_told(tmp_path: Path) -> None:
    """Names, a material, another current frame, more frames, render levels; also after saving and loading."""
    scene = raft(tmp_path)
    scene.frame_set(2)
    scene.objects["Ground"].name = "Floor"
    scene.objects["Ring"].name = "Boat"
    scene.objects["Crate"].name = "Box"
    scene.objects["Floor"].data.materials.append(bpy.data.materials.new("Wood"))
    scene.objects["Tied"].modifiers["Subdivision"].render_levels = 3
    scene.flotsam.frame_end = 20
    cube("Not Flotsam")
    bpy.context.view_layer.update()
    for name in ("Boat", "Tied", "Box", "Lid"):
        assert cache_problem(scene.objects[name], scene) is None
    bpy.ops.wm.save_mainfile()
    bpy.ops.wm.open_mainfile(filepath=bpy.data.filepath)
    scene = bpy.context.scene
    for name in ("Boat", "Tied", "Box", "Lid"):
        assert cache_problem(scene.objects[name], scene) is None
    scene.objects["Floor"].location.z = -1.0
    assert cache_problem(scene.objects["Boat"], scene) == "Ground was deleted or renamed since the bake; bake again."


def test_some_bodies_baked_alone_do_not_depend_on_the_others(tmp_path: Path) -> None:
    scene = raft(tmp_path)
    bake_blocking(scene, [scene.objects["Ring"]])
    scene.objects["Lid"].flotsam.voxel_body.density = 7.0
    assert cache_problem(scene.objects["Ring"], scene) is None
    assert "settings of Lid have changed" in cache_problem(scene.objects["Crate"], scene)
    scene.objects["Ground"].location.z -= 1.0
    assert cache_problem(scene.objects["Ring"], scene) == "Ground moved since the bake; bake again."


def test_records_that_nobody_needs_go(tmp_path: Path) -> None:
    scene = raft(tmp_path)
    for substeps in (6, 7, 8):
        scene.flotsam.substeps = substeps
        bake_blocking(scene)
    assert len(scene.flotsam.bakes) == 1
    bake_blocking(scene, [scene.objects["Ring"]])
    assert len(scene.flotsam.bakes) == 2


def test_a_scene_of_hundreds_is_compared_in_no_more_than_a_share_of_the_time(tmp_path: Path) -> None:
    scene = fresh_scene(tmp_path, (1, 1))
    first = soft(ring("Ring"))
    for number in range(200):
        twin = first.copy()
        twin.location.x = 2.0 * number
        scene.collection.objects.link(twin)
    bake_blocking(scene)
    begun, comparisons = time.perf_counter(), 0
    while time.perf_counter() - begun < 1.0:
        assert cache_problem(first, scene) is None
        comparisons += 1
    assert comparisons > 200, "a panel asks at every redraw"
