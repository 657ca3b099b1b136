"""Files of earlier versions open, show their true state, play their bakes, and can be baked.

`files/version_0_1.blend` was saved by Flotsam 0.1 in Blender 5.0 after a bake of twelve frames: a ring and a rope,
three rigid bodies, a collider that moves, water, two interactions, an attachment and a joint. `files/flotsam_cache`
holds the files of that bake.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import bpy
import numpy as np
import pytest
from flotsam.addon.bake.errors import BakeError
from flotsam.addon.bake.job import bake_blocking
from flotsam.addon.bake.on_disk import baked_range
from flotsam.addon.bake.owner import cache_problem
from flotsam.addon.capture import capture_world
from flotsam.engine import ColliderSpec, SpringGraphSpec, VoxelBodySpec, WaterSpec
from make_rigid import curves_of, place_at
from make_scene import fresh_scene, world_positions
from recorded import all_text

FILES = Path(__file__).parent / "files"
BODIES = ("Ring", "Rope", "Crate", "Lid", "Chest")
LARGEST = 300_000

pytestmark = pytest.mark.skipif(bpy.app.version < (5, 0), reason="the file was saved by Blender 5.0")


@pytest.fixture
def scene(tmp_path: Path) -> bpy.types.Scene:
    """The file of version 0.1, opened in a writable folder."""
    fresh_scene()
    shutil.copytree(FILES, tmp_path, dirs_exist_ok=True)
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "version_0_1.blend"))
    return bpy.context.scene


def test_the_files_are_small() -> None:
    assert sum(file.stat().st_size for file in FILES.rglob("*") if file.is_file()) < LARGEST


def test_it_opens_and_plays_what_was_baked(scene: bpy.types.Scene) -> None:
    for name in BODIES:
        assert baked_range(scene.objects[name]) == (1, 12) and cache_problem(scene.objects[name], scene) is None
    assert world_positions(scene.objects["Ring"], 12) != world_positions(scene.objects["Ring"], 1)
    lid = [place_at(scene, scene.objects["Lid"], frame)[2, 3] for frame in (1, 12)]
    assert lid[1] != lid[0] and len(curves_of(scene.objects["Crate"])[0].keyframe_points) == 12
    bpy.context.view_layer.objects.active = scene.objects["Ring"]
    assert "Frames 1 to 12 baked" in all_text()


def test_a_change_is_told_as_that_version_could(scene: bpy.types.Scene) -> None:
    tube = scene.objects["Ring"]
    tube.flotsam.spring_graph.stiffness += 1.0
    assert cache_problem(tube, scene) == "The settings of Ring have changed since the bake; bake again."
    scene.flotsam.substeps += 1
    assert "settings of the scene" in cache_problem(scene.objects["Rope"], scene)


def test_all_of_it_is_captured_as_it_was_meant(scene: bpy.types.Scene) -> None:
    scene.frame_set(1)
    spec = capture_world(scene, bpy.context.evaluated_depsgraph_get()).spec
    kinds = {system.name: type(system) for system in spec.systems}
    assert kinds == {
        "Ring": SpringGraphSpec, "Rope": SpringGraphSpec, "Crate": VoxelBodySpec, "Lid": VoxelBodySpec,
        "Chest": VoxelBodySpec, "Floor": ColliderSpec, "Sea": WaterSpec,
    }
    found = {system.name: system for system in spec.systems}
    assert (found["Ring"].pressure, found["Ring"].stiffness, found["Rope"].graph) == (200.0, 900.0, "EDGES")
    assert list(found["Rope"].pins) == [6] and found["Ring"].weights["stiffness"].sum() == pytest.approx(12.0)
    assert found["Sea"].drag == 0.5 and found["Crate"].voxel_size == pytest.approx(0.1)
    slippery, ignored = spec.interactions
    assert (slippery.a, slippery.b, slippery.friction) == ("Ring", "Floor", pytest.approx(0.05))
    assert (ignored.a, ignored.b) == ("Ring", "Chest")
    (tie,), (hinge,) = spec.attachments, spec.joints
    assert (tie.a, tie.b) == ("Rope", "Crate") and (hinge.a, hinge.b, hinge.kind) == ("Lid", "Chest", "HINGE")
    assert spec.substeps == 4


def test_it_bakes_saves_and_is_then_as_any_other(scene: bpy.types.Scene) -> None:
    scene.flotsam.frame_end = 14
    with pytest.raises(BakeError, match="baked with another version of Flotsam; bake without resuming"):
        bake_blocking(scene, resume=True)
    before = [np.array(world_positions(scene.objects["Ring"], frame)) for frame in (1, 7)]
    job = bake_blocking(scene)
    assert job.progress.done == 14 and not any("left out" in warning for warning in job.warnings)
    for frame, place in zip((1, 7), before, strict=True):
        now = np.array(world_positions(scene.objects["Ring"], frame))
        assert np.abs(now - place).max() < 1e-3, f"the free fall of 0.1 until frame {frame}"
    bpy.ops.wm.save_mainfile()
    bpy.ops.wm.open_mainfile(filepath=bpy.data.filepath)
    scene = bpy.context.scene
    for name in BODIES:
        baked = scene.objects[name].flotsam.baked
        assert baked_range(scene.objects[name]) == (1, 14) and cache_problem(scene.objects[name], scene) is None
        assert baked.record and not baked.settings and not baked.world
    scene.objects["Floor"].location.x += 1.0
    assert cache_problem(scene.objects["Ring"], scene) == "Floor moved since the bake; bake again."
    scene.objects["Chest"].select_set(True)
    assert bpy.ops.flotsam.clear_cache() == {"FINISHED"}
    assert len(curves_of(scene.objects["Chest"])[0].keyframe_points) == 1, "the keyframe that the artist had before"
