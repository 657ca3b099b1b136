"""Each error around a bake gives one clear sentence, and the previous bake stays."""

from __future__ import annotations

import errno
import threading
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import bpy
import pytest
from flotsam.addon.bake import files, state, worker
from flotsam.addon.bake.errors import BakeError
from flotsam.addon.bake.job import BakeJob, bake_blocking
from flotsam.addon.bake.on_disk import baked_range
from flotsam.addon.bake.owner import cache_problem, file_names
from flotsam.addon.capture import CaptureError
from flotsam.addon.solver import thread
from flotsam.addon.write import FILE_WRITERS
from flotsam.engine import Diverged, cache
from make_scene import cube, fresh_scene, pin, ring, sheet, soft, world_positions


def file_of(obj: bpy.types.Object) -> Path:
    return Path(bpy.path.abspath(obj.modifiers["Flotsam"].filepath))


def test_a_linked_object_is_left_out_by_name(tmp_path: Path) -> None:
    fresh_scene(tmp_path)
    soft(ring("Boat"))
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "harbour.blend"))
    scene = fresh_scene(tmp_path)
    with bpy.data.libraries.load(str(tmp_path / "harbour.blend"), link=True) as (_source, here):
        here.objects = ["Boat"]
    scene.collection.objects.link(here.objects[0])
    with pytest.raises(CaptureError, match=r"nothing to solve. Boat is linked from harbour\.blend .* Make Local"):
        bake_blocking(scene)
    assert len(here.objects[0].modifiers) == 1 and state.current() is None
    ring_here = soft(ring("Ring"))
    (warning,) = bake_blocking(scene).warnings
    assert "Boat is linked from harbour.blend" in warning and "was left out" in warning
    assert baked_range(ring_here) == (1, 6) and len(here.objects[0].modifiers) == 1


def test_objects_that_are_no_mesh_or_in_edit_mode_are_refused(tmp_path: Path) -> None:
    scene = fresh_scene(tmp_path)
    bpy.ops.object.empty_add()
    empty = bpy.context.object
    empty.flotsam.kind = "SPRING_GRAPH"
    with pytest.raises(CaptureError, match="Empty is no mesh"):
        bake_blocking(scene)
    bpy.data.objects.remove(empty)
    soft(cube())
    bpy.ops.object.mode_set(mode="EDIT")
    with pytest.raises(CaptureError, match="Cube is in Edit Mode"):
        bake_blocking(scene)
    bpy.ops.object.mode_set(mode="OBJECT")
    bake_blocking(scene)


def test_no_selected_body_is_said(tmp_path: Path) -> None:
    scene = fresh_scene(tmp_path)
    obj = soft(cube())
    obj.select_set(False)
    with pytest.raises(CaptureError, match="nothing to solve"):
        bake_blocking(scene, objects=[])
    with pytest.raises(RuntimeError, match="No soft body is selected"):
        bpy.ops.flotsam.bake_to_shape_keys()


def test_missing_and_empty_pin_groups_bake(tmp_path: Path) -> None:
    scene = fresh_scene(tmp_path)
    obj = soft(sheet())
    assert not any("pins" in sentence for sentence in bake_blocking(scene).warnings)
    pin(obj, [0], weight=0.2)
    assert any('group "pins"' in sentence for sentence in bake_blocking(scene).warnings)


def test_different_levels_in_the_render_are_told(tmp_path: Path) -> None:
    scene = fresh_scene(tmp_path)
    obj = cube()
    levels = obj.modifiers.new("Round", "SUBSURF")
    levels.levels, levels.render_levels = 1, 2
    soft(obj)
    assert any("Round before Flotsam differs" in sentence for sentence in bake_blocking(scene).warnings)
    levels.render_levels = 1
    assert not bake_blocking(scene).warnings


def test_a_foreign_modifier_named_flotsam_is_left_alone(tmp_path: Path) -> None:
    scene = fresh_scene(tmp_path)
    obj = cube()
    obj.modifiers.new("Flotsam", "SOLIDIFY")
    obj.flotsam.kind = "SPRING_GRAPH"
    with pytest.raises(CaptureError, match='another modifier named "Flotsam"'):
        bake_blocking(scene)
    assert [m.type for m in obj.modifiers] == ["SOLIDIFY"]


@pytest.mark.alone
def test_esc_while_kernels_compile_keeps_the_bake_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scene = fresh_scene(tmp_path)
    obj = soft(cube())
    bake_blocking(scene)
    before = file_of(obj).read_bytes()
    compiling, done = threading.Event(), threading.Event()

    def slow_prepare(*_arguments: object) -> float:
        compiling.set()
        done.wait(20.0)
        return 0.0

    monkeypatch.setattr(thread, "prepare", slow_prepare)
    slices = BakeJob(scene).run()
    while not compiling.is_set():
        next(slices)
    started = time.perf_counter()
    next(slices)
    slices.close()
    assert time.perf_counter() - started < 0.15
    done.set()
    assert state.current() is None
    assert file_of(obj).read_bytes() == before


def test_a_full_disk_keeps_finished_frames(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scene = fresh_scene(tmp_path)
    first, second = soft(cube("A")), soft(cube("B", z=5.0))
    append = cache.append_sample

    def full_at_frame_4(path: Path, positions: object) -> int:
        if path.name == "B.pc2" and cache.read_header(path).samples == 3:
            raise OSError(errno.ENOSPC, "No space left on device")
        return append(path, positions)

    monkeypatch.setattr(files.cache, "append_sample", full_at_frame_4)
    with pytest.raises(BakeError, match="is full; frames up to 3 are kept"):
        bake_blocking(scene)
    monkeypatch.undo()
    assert [cache.read_header(file_of(obj)).samples for obj in (first, second)] == [3, 3]
    assert cache.read_index(file_of(first).parent).finished == 3
    assert state.current() is None
    assert bake_blocking(scene, resume=True).progress.done == 6


def test_resume_goes_on_with_the_same_bits(tmp_path: Path) -> None:
    scene = fresh_scene(tmp_path, (1, 12))
    obj = soft(ring(), pressure=200.0)
    bake_blocking(scene)
    uninterrupted = file_of(obj).read_bytes()
    bake_blocking(scene, frame_end=5)
    assert cache.read_header(file_of(obj)).samples == 5
    bake_blocking(scene, resume=True)
    assert file_of(obj).read_bytes() == uninterrupted


def test_resume_after_a_change_is_refused(tmp_path: Path) -> None:
    scene = fresh_scene(tmp_path)
    obj = soft(cube())
    bake_blocking(scene, frame_end=3)
    before = file_of(obj).read_bytes()
    obj.flotsam.spring_graph.stiffness *= 2.0
    with pytest.raises(BakeError, match="has changed since frame 3 was baked"):
        bake_blocking(scene, resume=True)
    assert file_of(obj).read_bytes() == before


def test_a_solver_error_reaches_the_artist_and_keeps_frames(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scene = fresh_scene(tmp_path)
    obj = soft(cube())
    step = worker.step_frame

    def break_in_frame_3(world: object, controls: object) -> object:
        frame = step(world, controls)
        if frame.number == 3:
            raise Diverged("Cube", 3, 0, 5)
        return frame

    monkeypatch.setattr(worker, "step_frame", break_in_frame_3)
    with pytest.raises(Diverged, match="Cube: vertex 5"):
        bake_blocking(scene)
    assert cache.read_header(file_of(obj)).samples == 3
    assert state.current() is None


def test_an_object_deleted_during_the_bake_is_named(tmp_path: Path) -> None:
    scene = fresh_scene(tmp_path, (1, 200))
    obj = soft(cube())
    obj.keyframe_insert("location", frame=1)
    with pytest.raises(CaptureError, match="Cube was deleted or renamed"), closing(BakeJob(scene).run()) as slices:
        for progress in slices:
            if progress.done >= 2 and "Cube" in bpy.data.objects:
                bpy.data.objects.remove(bpy.data.objects["Cube"])


def test_only_one_bake_at_a_time(tmp_path: Path) -> None:
    scene = fresh_scene(tmp_path)
    soft(cube())
    with closing(BakeJob(scene).run()) as slices:
        next(slices)
        assert not bpy.ops.flotsam.bake.poll()
        with pytest.raises(BakeError, match="Another bake is running"):
            BakeJob(scene)
    assert bpy.ops.flotsam.bake.poll()


def test_an_animated_object_keeps_its_place_in_the_world(tmp_path: Path) -> None:
    scene = fresh_scene(tmp_path)
    scene.use_gravity = False
    obj = soft(cube())
    obj.keyframe_insert("location", frame=1)
    obj.location.x, obj.rotation_euler.z = 7.0, 1.0
    obj.keyframe_insert("location", frame=6)
    obj.keyframe_insert("rotation_euler", frame=6)
    scene.frame_set(1)
    bake_blocking(scene)
    start, end = world_positions(obj, 1), world_positions(obj, 6)
    assert all(a == pytest.approx(b, abs=1e-5) for a, b in zip(start, end, strict=True))


def test_no_two_objects_share_a_file(tmp_path: Path) -> None:
    scene = fresh_scene(tmp_path)
    for name in ("Ring", "ring", "a/b", "a:b"):
        soft(cube(name))
    bake_blocking(scene)
    chosen = [file_of(obj).name for obj in scene.objects]
    assert len({name.casefold() for name in chosen}) == 4
    scene.objects["Ring"].name = "Old"
    assert file_names({"Ring": FILE_WRITERS["MESH"]}, file_of(scene.objects["Old"]).parent)["Ring"] == "Ring-3.pc2"


def test_a_cache_that_is_gone_is_told(tmp_path: Path) -> None:
    scene = fresh_scene(tmp_path)
    obj = soft(cube())
    assert cache_problem(obj) is None
    bake_blocking(scene)
    assert cache_problem(obj) is None
    file_of(obj).unlink()
    assert "is not at" in cache_problem(obj)


@pytest.mark.parametrize("event", list(state.Event))
def test_a_bake_that_has_ended_stays_as_it_ended(event: state.Event) -> None:
    for phase in (state.Phase.DONE, state.Phase.STOPPED, state.Phase.FAILED):
        assert state.next_phase(phase, event) is phase
    assert state.next_phase(state.Phase.PREPARING, event) is not state.Phase.PREPARING


def _nan(obj: bpy.types.Object) -> None:
    obj.data.vertices[3].co.x = float("nan")


def _flatten(obj: bpy.types.Object) -> None:
    obj.scale.z, obj.rotation_euler = 0.0, (0.3, 0.5, 0.7)


def _empty(obj: bpy.types.Object) -> None:
    obj.data.clear_geometry()


def _edit(_obj: bpy.types.Object) -> None:
    bpy.ops.object.mode_set(mode="EDIT")


@pytest.mark.parametrize(
    ("spoil", "sentence"),
    [(_nan, "Cube has 1 vertex without a finite position"), (_flatten, "Cube is scaled to zero"),
     (_empty, "Cube has no vertices"), (_edit, "Cube is in Edit Mode")],
)
def test_a_refused_bake_leaves_the_one_before(tmp_path: Path, spoil: Callable, sentence: str) -> None:
    scene = fresh_scene(tmp_path)
    obj = soft(cube())
    bake_blocking(scene)
    folder = file_of(obj).parent
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    spoil(obj)
    bpy.context.view_layer.update()
    scene.frame_set(5)
    with pytest.raises(CaptureError, match=sentence):
        bake_blocking(scene)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    assert file_of(obj).exists() and obj.modifiers["Flotsam"].show_viewport
    assert scene.frame_current == 5 and state.current() is None


def test_a_body_that_is_flattened_on_its_way_is_named(tmp_path: Path) -> None:
    scene = fresh_scene(tmp_path)
    obj = soft(cube())
    obj.rotation_euler = (0.3, 0.5, 0.7)
    for frame, size in ((1, 1.0), (4, 0.0)):
        obj.scale = (1.0, 1.0, size)
        obj.keyframe_insert("scale", frame=frame)
    scene.frame_set(1)
    with pytest.raises(CaptureError, match="Cube is scaled to zero at frame 4"):
        bake_blocking(scene)
    assert state.current() is None and scene.frame_current == 1
