"""Points in Blender: any number a frame, all attributes, portable, and handled like other frames."""

from __future__ import annotations

import shutil
from pathlib import Path

import bpy
import numpy as np
import pytest
from flotsam.addon.bake.connect import connect_body
from flotsam.addon.bake.files import BakeFiles, kept_of
from flotsam.addon.bake.on_disk import baked_range
from flotsam.addon.capture import Captured, CapturedBody, CaptureError
from flotsam.addon.paths import cache_folder
from flotsam.addon.write import baked_file, refuse_output, writer_playing
from flotsam.engine import Frame, WorldSpec
from make_scene import cube, fresh_scene, mesh_object
from make_stress import in_bare_blender

# Number of points at frame 1, 2 and so on.
COUNTS = (4, 5, 0, 7, 8)
ATTRIBUTES = ("position", "velocity", "speed", "radius", "id", "age", "kind", "heat")

_VALUES = """
obj = bpy.data.objects["Fluid"]
result = []
for frame, part in {frames}:
    bpy.context.scene.frame_set(frame, subframe=part)
    result.append({{name: told(obj, name) for name in {names}}})
"""


def frame_of(number: int) -> Frame:
    """A frame of the engine: a row of points that rises a metre a frame and moves sideways, in world space."""
    count = COUNTS[number]
    along = np.arange(count, dtype=np.float32)
    positions = np.stack((along, 0.0 * along, 0.0 * along + number), axis=1)
    velocities = np.tile(np.array((7.0, 0.0, 24.0), dtype=np.float32), (count, 1))
    return Frame(number, {"Fluid": positions}, {"Fluid": velocities}, {}, {"Fluid": {
        "id": np.arange(count) + 10 * number, "radius": 0.1 + 0.01 * along, "age": 0.5 * along,
        "kind": np.arange(count) % 3, "heat": 2.0 * along,
    }})


def bake(scene: bpy.types.Scene, obj: bpy.types.Object, frames: range, resume: bool = False) -> BakeFiles:
    """Write synthetic frames like a bake, up to the end of a range."""
    matrix = np.array(obj.matrix_world)
    body = CapturedBody(
        "Fluid", 0, 0, len(obj.data.vertices), matrix, np.zeros((8, 3)), np.zeros(0, dtype=np.int32),
        False, False, False, output="POINTS",
    )
    captured = Captured(WorldSpec(), (body,), (), scene.flotsam.frame_start)
    files = BakeFiles(cache_folder(scene), captured, scene.flotsam.frame_start + frames.stop - 1, {})
    if resume:
        assert files.resume(files.folder)
    else:
        files.begin(kept_of(frame_of(0), captured))
        connect_body(obj, files, body)
    for number in frames:
        files.append(kept_of(frame_of(number), captured), {"Fluid": np.linalg.inv(matrix)})
        files.keep({"frame": number}, "trail", 0.0)
    files.close()
    connect_body(obj, files, body)
    return files


@pytest.fixture
def scene(tmp_path: Path) -> bpy.types.Scene:
    (tmp_path / "here").mkdir()
    return fresh_scene(tmp_path / "here", (1, 5))


@pytest.fixture
def fluid(scene: bpy.types.Scene) -> bpy.types.Object:
    """A cube, moved, rotated and scaled to half its size."""
    obj = cube("Fluid", z=2.0)
    # Any kind will do for the settings; here that of a soft body.
    obj.flotsam.kind = "SPRING_GRAPH"
    obj.rotation_euler, obj.scale = (0.3, 0.7, 1.1), (0.5, 0.5, 0.5)
    bpy.context.view_layer.update()
    return obj


def in_world(obj: bpy.types.Object, seen: dict[str, list], name: str) -> np.ndarray:
    matrix = np.array(obj.matrix_world)
    place = matrix[:3, 3] if name == "position" else 0.0
    return np.array(seen[name]).reshape(-1, 3) @ matrix[:3, :3].T + place


def test_a_blender_without_the_add_on_plays_any_number_with_all_attributes(
    tmp_path: Path, scene: bpy.types.Scene, fluid: bpy.types.Object
) -> None:
    bake(scene, fluid, range(1, 5))
    bpy.ops.wm.save_mainfile()
    shutil.move(tmp_path / "here", tmp_path / "there")
    moments = [(0, 0.0), (1, 0.0), (2, 0.0), (3, 0.0), (4, 0.5), (5, 0.0), (9, 0.5)]
    seen = in_bare_blender(
        tmp_path / "there" / "scene.blend", _VALUES.format(frames=moments, names=ATTRIBUTES), points=True
    )
    for (frame, part), found in zip(moments, seen, strict=True):
        number = min(max(frame, 1), 5) - 1
        expected, known = frame_of(number), frame_of(number).attributes["Fluid"]
        assert len(found["id"]) == COUNTS[number]
        # Between frames points are extrapolated with their velocity.
        moved = part / 24.0 if 1 <= frame < 5 else 0.0
        places = expected.positions["Fluid"] + moved * expected.velocities["Fluid"]
        assert in_world(fluid, found, "position") == pytest.approx(places, abs=1e-4)
        assert in_world(fluid, found, "velocity") == pytest.approx(expected.velocities["Fluid"], abs=1e-4)
        assert found["speed"] == pytest.approx([25.0] * COUNTS[number], rel=1e-5)
        assert found["id"] == known["id"].tolist() and found["kind"] == known["kind"].tolist()
        assert all(type(value) is int for value in found["id"] + found["kind"])
        # The object is scaled by half, so a tenth in world space is two tenths in object space.
        assert found["radius"] == pytest.approx(2.0 * known["radius"], rel=1e-5)
        assert found["age"] == pytest.approx(known["age"]) and found["heat"] == pytest.approx(known["heat"])


def test_a_file_saved_elsewhere_plays_on(tmp_path: Path, scene: bpy.types.Scene, fluid: bpy.types.Object) -> None:
    folder = bake(scene, fluid, range(1, 5)).writers["Fluid"].path
    (tmp_path / "later").mkdir()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "copy.blend"), copy=True)
    assert baked_file(fluid) == folder, "the open file is still the first one"
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "later" / "scene.blend"))
    assert baked_file(fluid) == folder
    script = _VALUES.format(frames=[(5, 0.0)], names=("id",))
    for blend in (tmp_path / "copy.blend", tmp_path / "later" / "scene.blend"):
        assert len(in_bare_blender(blend, script, points=True)[0]["id"]) == 8, blend


def test_a_bake_that_was_cut_off_goes_on(scene: bpy.types.Scene, fluid: bpy.types.Object) -> None:
    uninterrupted = bake(scene, fluid, range(1, 5))
    expected = {path.name: path.read_bytes() for path in uninterrupted.writers["Fluid"].path.iterdir()}
    stopped = bake(scene, fluid, range(1, 3))
    folder = stopped.writers["Fluid"].path
    assert baked_range(fluid) == (1, 3)
    (folder / "f4.ply.new").write_bytes(b"ply\ncut off")
    # A frame that the stopped bake left incomplete.
    (folder / "f4.ply").write_bytes(expected["f4.ply"][:50])
    resumed = bake(scene, fluid, range(3, 5), resume=True)
    assert resumed.writers["Fluid"].path == folder
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == expected
    assert baked_range(fluid) == (1, 5)


def test_every_bake_has_another_folder_and_the_one_before_goes(
    scene: bpy.types.Scene, fluid: bpy.types.Object
) -> None:
    first = bake(scene, fluid, range(1, 3)).writers["Fluid"].path
    second = bake(scene, fluid, range(1, 3)).writers["Fluid"].path
    assert first != second and not first.exists() and second.exists()
    assert len([group for group in bpy.data.node_groups if group.name.startswith("Flotsam")]) == 1


def test_a_copy_has_no_frames_and_clear_cache_deletes_those_of_the_original(
    scene: bpy.types.Scene, fluid: bpy.types.Object
) -> None:
    folder = bake(scene, fluid, range(1, 3)).writers["Fluid"].path
    bpy.ops.object.select_all(action="DESELECT")
    fluid.select_set(True)
    bpy.context.view_layer.objects.active = fluid
    bpy.ops.object.duplicate()
    twin = bpy.context.object
    bpy.context.view_layer.update()
    assert baked_file(fluid) == folder and writer_playing(fluid).output == "POINTS"
    assert folder.exists() and not twin.modifiers and not twin.flotsam.baked.path
    fluid.name = "Renamed"
    bpy.ops.object.select_all(action="DESELECT")
    fluid.select_set(True)
    assert bpy.ops.flotsam.clear_cache() == {"FINISHED"}
    assert not list(cache_folder(scene).iterdir()) and not fluid.modifiers and not bpy.data.node_groups


def test_points_have_the_material_of_their_object(scene: bpy.types.Scene, fluid: bpy.types.Object) -> None:
    blue = bpy.data.materials.new("Blue")
    fluid.data.materials.append(blue)
    bake(scene, fluid, range(1, 5))
    scene.frame_set(5)
    geometry = fluid.evaluated_get(bpy.context.evaluated_depsgraph_get()).evaluated_geometry()
    assert [material.name for material in geometry.pointcloud.materials] == ["Blue"]


def test_another_modifier_of_the_name_is_refused_and_that_of_a_soft_body_replaced(scene: bpy.types.Scene) -> None:
    obj = mesh_object("Fluid", [(0, 0, 0), (1, 0, 0), (0, 1, 0)], [(0, 1, 2)])
    obj.modifiers.new("Flotsam", "SUBSURF")
    with pytest.raises(CaptureError, match="rename that one"):
        refuse_output(obj, "POINTS")
    obj.modifiers.remove(obj.modifiers["Flotsam"])
    obj.modifiers.new("Flotsam", "MESH_CACHE").show_viewport = False
    refuse_output(obj, "POINTS")
    obj.flotsam.kind = "SPRING_GRAPH"
    bake(scene, obj, range(1, 2))
    assert [modifier.type for modifier in obj.modifiers] == ["NODES"]
