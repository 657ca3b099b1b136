"""Baking in Blender: its result, stopping, refusals, and playback without the add-on."""

from __future__ import annotations

import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import bpy
import numpy as np
import pytest
from flotsam.addon.bake import state
from flotsam.addon.bake.errors import BakeError
from flotsam.addon.bake.job import BakeJob, bake_blocking
from flotsam.addon.capture.errors import CaptureError
from flotsam.addon.panels.warnings import cache_warnings
from make_scene import cube, fresh_scene, ground, mesh_object, pin, ring, sheet, soft, world_positions


def test_a_bake_plays_from_a_plain_mesh_cache(tmp_path: Path) -> None:
    scene = fresh_scene(tmp_path, (1, 8))
    obj = soft(ring(z=1.0), stiffness=500.0)
    bake_blocking(scene)
    modifier = obj.modifiers["Flotsam"]
    assert (modifier.type, modifier.cache_format) == ("MESH_CACHE", "PC2")
    assert modifier.show_viewport and modifier.show_render
    assert modifier.filepath.startswith("//")
    start, end = (np.mean([p[2] for p in world_positions(obj, frame)]) for frame in (1, 8))
    t, h = 7.0 / 24.0, 1.0 / 120.0
    assert start == pytest.approx(1.0, abs=1e-5)
    assert end == pytest.approx(1.0 - 9.81 * t * (t + h) / 2.0, abs=1e-4)


def test_modifiers_after_flotsam_keep_working(tmp_path: Path) -> None:
    scene = fresh_scene(tmp_path, (1, 4))
    obj = soft(ring())
    obj.modifiers.new("Smooth", "SUBSURF").levels = 1
    obj.modifiers.new("Shell", "SOLIDIFY").thickness = 0.01
    plain = len(obj.data.vertices)
    bake_blocking(scene)
    assert len(world_positions(obj, 4)) == 8 * plain
    assert min(p[2] for p in world_positions(obj, 4)) < min(p[2] for p in world_positions(obj, 1))


def test_pins_follow_a_moving_object(tmp_path: Path) -> None:
    scene = fresh_scene(tmp_path, (1, 6))
    obj = soft(sheet())
    pin(obj, [0, 5])
    obj.keyframe_insert("location", frame=1)
    obj.location.x = 1.0
    obj.keyframe_insert("location", frame=6)
    bake_blocking(scene)
    places = world_positions(obj, 6)
    for vertex in (0, 5):
        expected = obj.data.vertices[vertex].co.x + 1.0
        assert places[vertex][0] == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize("frames", [(1, 1), (1000, 1003)])
def test_one_frame_and_a_start_at_1000(tmp_path: Path, frames: tuple[int, int]) -> None:
    scene = fresh_scene(tmp_path, frames)
    obj = soft(ring(z=1.0))
    assert bake_blocking(scene).total == frames[1] - frames[0] + 1
    assert obj.modifiers["Flotsam"].frame_start == frames[0]
    assert np.mean([p[2] for p in world_positions(obj, frames[0])]) == pytest.approx(1.0, abs=1e-5)


@pytest.mark.alone
def test_esc_in_the_first_frame_loses_nothing(tmp_path: Path) -> None:
    scene = fresh_scene(tmp_path, (1, 50))
    obj = soft(ring())
    before = [tuple(v.co) for v in obj.data.vertices]
    scene.frame_set(7)
    slices = BakeJob(scene).run()
    next(slices)
    started = time.perf_counter()
    slices.close()
    assert time.perf_counter() - started < 0.1
    assert state.current() is None
    assert scene.frame_current == 7
    assert [tuple(v.co) for v in obj.data.vertices] == before


def test_a_stopped_bake_keeps_its_frames_and_resumes_to_the_same(tmp_path: Path) -> None:
    scene = fresh_scene(tmp_path, (1, 10))
    obj = soft(ring(z=0.6), stiffness=500.0)
    ground()
    bake_blocking(scene)
    uninterrupted = world_positions(obj, 10)
    with closing(BakeJob(scene).run()) as slices:
        for progress in slices:
            if progress.done >= 4:
                break
    kept = world_positions(obj, 3)
    bake_blocking(scene, resume=True)
    assert world_positions(obj, 3) == kept
    assert np.allclose(world_positions(obj, 10), uninterrupted, atol=1e-6)


def test_shape_keys_are_absolute_with_one_curve(tmp_path: Path) -> None:
    scene = fresh_scene(tmp_path, (1, 5))
    obj = soft(ring(z=1.0))
    assert bpy.ops.flotsam.bake_to_shape_keys() == {"FINISHED"}
    keys = obj.data.shape_keys
    assert not keys.use_relative
    assert len(keys.key_blocks) == 5
    end = np.mean([p[2] for p in world_positions(obj, 5)])
    assert end == pytest.approx(1.0 - 9.81 * (4 / 24) * (4 / 24 + 1 / 120) / 2.0, abs=1e-4)
    assert scene.name in bpy.data.scenes


def refused(sentence: str, **frames: int) -> None:
    with pytest.raises((CaptureError, BakeError), match=sentence) as caught:
        bake_blocking(bpy.context.scene, **frames)
    assert str(caught.value).rstrip().endswith(".")
    assert state.current() is None


def test_nothing_to_bake_is_said(tmp_path: Path) -> None:
    fresh_scene(tmp_path)
    refused("Flotsam|soft|body|bodies")


def test_no_faces_is_refused_for_surfaces_and_fine_for_edges(tmp_path: Path) -> None:
    scene = fresh_scene(tmp_path)
    obj = soft(mesh_object("Wire", [(0, 0, 1), (1, 0, 1)], edges=[(0, 1)]))
    refused("Wire has no faces")
    obj.flotsam.spring_graph.graph = "EDGES"
    bake_blocking(scene)


def test_one_vertex_and_zero_scale_and_nan_are_refused(tmp_path: Path) -> None:
    fresh_scene(tmp_path)
    lonely = soft(mesh_object("Lonely", [(0, 0, 0)]))
    refused("Lonely has no")
    bpy.data.objects.remove(lonely)
    flat = soft(cube("Flat"))
    flat.scale.z = 0.0
    bpy.context.view_layer.update()
    refused("Flat is scaled to zero")
    bpy.data.objects.remove(flat)
    broken = soft(cube("Broken"))
    broken.data.vertices[3].co.x = float("nan")
    bpy.context.view_layer.update()
    refused("Broken has 1 vertex without a finite position")


def test_odd_meshes_bake(tmp_path: Path) -> None:
    """Loose and duplicate vertices, a degenerate face, an edge with three faces, negative scale."""
    scene = fresh_scene(tmp_path)
    obj = soft(mesh_object(
        "Odd",
        [(0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1), (0, 0, 1), (0.5, 0.5, 2), (0.5, 0, 1), (5, 5, 5), (0.5, 0.5, 0)],
        [(0, 1, 2), (0, 2, 3), (0, 2, 5), (0, 2, 8), (0, 6, 1)],
    ))
    obj.scale = (-1.0, 1.0, 2.0)
    bpy.context.view_layer.update()
    job = bake_blocking(scene)
    warnings = " ".join(job.warnings)
    for sentence in (
        "2 of its vertices, the first is 4, have no spring", "1 vertex lies on another", "1 triangle has no area",
        "more than two faces",
    ):
        assert sentence in warnings
    assert len(obj.data.vertices) == 9 and len(obj.data.polygons) == 5
    assert np.isfinite(world_positions(obj, 6)).all()


def test_shared_mesh_bakes_and_refuses_shape_keys(tmp_path: Path) -> None:
    scene = fresh_scene(tmp_path)
    first = soft(ring("First"))
    second = bpy.data.objects.new("Second", first.data)
    scene.collection.objects.link(second)
    second.location = (3.0, 0.0, 4.0)
    soft(second)
    bpy.context.view_layer.update()
    bake_blocking(scene)
    assert np.mean([p[0] for p in world_positions(second, 6)]) == pytest.approx(3.0, abs=1e-3)
    with pytest.raises(RuntimeError, match="First"):
        bpy.ops.flotsam.bake_to_shape_keys()
    assert first.data.shape_keys is None
    assert "Flotsam" in first.modifiers


def test_a_mesh_changed_after_baking_bakes_anew(tmp_path: Path) -> None:
    scene = fresh_scene(tmp_path)
    obj = soft(ring("Ring"))
    bake_blocking(scene)
    obj.data.vertices.add(1)
    obj.data.update()
    bake_blocking(scene)
    assert len(world_positions(obj, 6)) == 16 * 8 + 1


def test_the_panel_says_that_a_bake_does_not_fit(tmp_path: Path) -> None:
    scene = fresh_scene(tmp_path)
    obj = soft(ring("Ring"))
    bake_blocking(scene)
    assert cache_warnings(obj, scene) == []
    obj.data.vertices.add(1)
    assert "bake again" in " ".join(cache_warnings(obj, scene))


def test_an_unsaved_file_bakes_into_the_user_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    scene = fresh_scene(None)
    obj = soft(ring())
    (warning,) = bake_blocking(scene).warnings
    file = Path(bpy.path.abspath(obj.modifiers["Flotsam"].filepath))
    assert file.is_file() and file.is_relative_to(tmp_path)
    assert f"not saved when it was baked, so the bake lies in {file.parent}; save the file" in warning
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "saved.blend"))
    assert Path(bpy.path.abspath(obj.modifiers["Flotsam"].filepath)).resolve() == file.resolve()
    assert world_positions(obj, 6) != world_positions(obj, 1)


def test_a_cache_folder_that_cannot_be_written(tmp_path: Path) -> None:
    scene = fresh_scene(tmp_path)
    soft(ring())
    (tmp_path / "blocked").write_text("a file where a folder should be")
    scene.flotsam.cache_folder = "//blocked"
    refused("cannot be written")


def test_the_range_must_end_after_its_start(tmp_path: Path) -> None:
    fresh_scene(tmp_path)
    soft(ring())
    refused("ends at frame 3", frame_start=5, frame_end=3)


PLAY = """
import bpy, sys
bpy.ops.wm.open_mainfile(filepath=sys.argv[1])
if sys.argv[2] == "with":
    import flotsam
    flotsam.register()
assert ("flotsam" in sys.modules) == (sys.argv[2] == "with")
scene = bpy.context.scene
scene.render.engine = "CYCLES"
scene.cycles.samples, scene.cycles.seed = 4, 1
scene.render.resolution_x = scene.render.resolution_y = 48
scene.render.resolution_percentage = 100
scene.frame_set(6)
scene.render.filepath = sys.argv[3]
bpy.ops.render.render(write_still=True)
if sys.argv[2] == "with":
    # Blender does so by itself when it ends; as a module, 4.5 crashes without it.
    flotsam.unregister()
"""


@pytest.mark.slow
def test_the_file_renders_the_same_without_the_add_on(tmp_path: Path) -> None:
    scene = fresh_scene(tmp_path, (1, 6))
    soft(ring(z=1.0))
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    camera.location = (0.0, 0.0, 5.0)
    scene.collection.objects.link(camera)
    scene.camera = camera
    sun = bpy.data.objects.new("Sun", bpy.data.lights.new("Sun", "SUN"))
    scene.collection.objects.link(sun)
    bake_blocking(scene)
    bpy.ops.wm.save_mainfile()
    script = tmp_path / "play.py"
    script.write_text(PLAY)
    pictures = []
    for mode in ("with", "without"):
        target = tmp_path / f"{mode}.png"
        command = [sys.executable, str(script), str(tmp_path / "scene.blend"), mode, str(target)]
        subprocess.run(command, check=True, capture_output=True, timeout=120)
        image = bpy.data.images.load(str(target))
        pictures.append(np.array(image.pixels[:]))
    assert pictures[0].std() > 0.01, "the ring is in the picture"
    assert np.array_equal(*pictures)
