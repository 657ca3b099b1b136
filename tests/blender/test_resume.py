"""A bake resumes only from its own simulation; two simulations are never mixed."""

from __future__ import annotations

import dataclasses
import errno
from contextlib import closing
from pathlib import Path

import bpy
import pytest
from flotsam.addon.bake import files
from flotsam.addon.bake.errors import BakeError
from flotsam.addon.bake.job import BakeJob, bake_blocking
from flotsam.engine import cache
from make_scene import cube, fresh_scene, pin, ring, sheet, soft


def file_of(obj: bpy.types.Object) -> Path:
    return Path(bpy.path.abspath(obj.modifiers["Flotsam"].filepath))


def key_pressure(obj: bpy.types.Object, **keys: float) -> None:
    """Keyframes such as f3=200.0 on the pressure of a soft body."""
    settings = obj.flotsam.spring_graph
    for name, value in keys.items():
        settings.pressure = value
        settings.keyframe_insert("pressure", frame=int(name[1:]))
    bpy.context.scene.frame_set(bpy.context.scene.frame_current)


def refused_untouched(obj: bpy.types.Object, sentence: str) -> None:
    """Resuming is refused, and neither file nor index changes."""
    folder = file_of(obj).parent
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    with pytest.raises(BakeError, match=sentence):
        bake_blocking(bpy.context.scene, resume=True)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_a_key_before_the_resume_point_is_refused_and_one_after_it_is_used(tmp_path: Path) -> None:
    scene = fresh_scene(tmp_path, (1, 12))
    obj = soft(ring())
    key_pressure(obj, f1=100.0, f3=100.0, f6=100.0, f8=100.0, f12=100.0)
    bake_blocking(scene, frame_end=6)
    half = file_of(obj).read_bytes()[32:]
    key_pressure(obj, f3=300.0)
    refused_untouched(obj, r"animated otherwise up to frame 6 .* bake without resuming")
    key_pressure(obj, f3=100.0, f10=300.0)
    bake_blocking(scene, resume=True)
    resumed = file_of(obj).read_bytes()
    assert resumed[32:].startswith(half)
    bake_blocking(scene)
    assert file_of(obj).read_bytes() == resumed


def test_pins_that_were_moved_before_the_resume_point_are_refused(tmp_path: Path) -> None:
    scene = fresh_scene(tmp_path, (1, 8))
    obj = soft(sheet())
    pin(obj, [0, 5])
    for frame, place in ((1, 0.0), (4, 1.0), (8, 1.0)):
        obj.location.x = place
        obj.keyframe_insert("location", frame=frame)
    scene.frame_set(1)
    bake_blocking(scene, frame_end=5)
    obj.location.x = 1.5
    obj.keyframe_insert("location", frame=4)
    scene.frame_set(1)
    refused_untouched(obj, "animated otherwise")


def test_animation_that_was_taken_away_is_refused(tmp_path: Path) -> None:
    scene = fresh_scene(tmp_path, (1, 8))
    obj = soft(ring())
    key_pressure(obj, f1=100.0, f8=300.0)
    scene.frame_set(1)
    bake_blocking(scene, frame_end=5)
    obj.animation_data_clear()
    refused_untouched(obj, "scene has changed since frame 5 was baked; bake without resuming")


def test_another_version_of_the_solver_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scene = fresh_scene(tmp_path)
    obj = soft(cube())
    bake_blocking(scene, frame_end=4)
    monkeypatch.setattr(files, "source_hash", lambda: "another")
    refused_untouched(obj, "another version of Flotsam; bake without resuming")


@pytest.mark.parametrize("missing", ["*.pc2", "state-*.npz"])
def test_missing_files_are_named(tmp_path: Path, missing: str) -> None:
    scene = fresh_scene(tmp_path)
    obj = soft(cube())
    bake_blocking(scene, frame_end=4)
    (lost,) = file_of(obj).parent.glob(missing)
    lost.unlink()
    refused_untouched(obj, f"missing.*{lost.name}|{lost.name} is missing")
    bake_blocking(scene)


def test_a_damaged_state_loses_no_frame(tmp_path: Path) -> None:
    scene = fresh_scene(tmp_path)
    obj = soft(cube())
    bake_blocking(scene, frame_end=4)
    (saved,) = file_of(obj).parent.glob("state-*.npz")
    saved.write_bytes(b"PK cut off")
    with pytest.raises(OSError, match=r"state-4\.npz cannot be read .* bake again from the start"):
        bake_blocking(scene, resume=True)
    assert cache.read_header(file_of(obj)).samples == 4


def test_esc_right_after_resuming_keeps_frames_beyond_the_saved_state(tmp_path: Path) -> None:
    scene = fresh_scene(tmp_path)
    obj = soft(cube())
    bake_blocking(scene, frame_end=3)
    index = cache.read_index(file_of(obj).parent)
    cache.append_sample(file_of(obj), cache.read_sample(file_of(obj), 2))
    cache.write_index(file_of(obj).parent, dataclasses.replace(index, finished=4))
    with closing(BakeJob(scene, resume=True).run(patience=0.0)) as slices:
        next(slices)
        next(slices)
    assert cache.read_header(file_of(obj)).samples == 4
    assert cache.read_index(file_of(obj).parent).finished == 4


def test_a_full_disk_while_the_index_is_written_leaves_a_bake_that_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """State and index are two files: if either write fails, they must still belong to the same frame."""
    scene = fresh_scene(tmp_path, (1, 9))
    obj = soft(ring(), pressure=200.0)
    bake_blocking(scene)
    uninterrupted = file_of(obj).read_bytes()
    bake_blocking(scene, frame_end=4)

    def full(*_arguments: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(files.cache, "write_index", full)
    warnings = bake_blocking(scene, frame_end=7, resume=True).warnings
    monkeypatch.undo()
    (sentence,) = warnings
    assert "is full; frames up to 7 are kept. Make room and resume, which goes on after frame 4." in sentence
    assert cache.read_header(file_of(obj)).samples == 7
    bake_blocking(scene, resume=True)
    assert file_of(obj).read_bytes() == uninterrupted


def test_a_full_disk_at_the_first_frame_keeps_the_bake_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scene = fresh_scene(tmp_path)
    first, second = soft(cube("A")), soft(cube("B", z=5.0))
    bake_blocking(scene)
    before = [file_of(obj).read_bytes() for obj in (first, second)]
    write = Path.write_bytes

    def full_at_b(path: Path, raw: bytes) -> int:
        if path.name.startswith("B.pc2"):
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(path, raw)

    monkeypatch.setattr(Path, "write_bytes", full_at_b)
    with pytest.raises(BakeError, match="is full"):
        bake_blocking(scene)
    monkeypatch.undo()
    assert [file_of(obj).read_bytes() for obj in (first, second)] == before
    assert not list(file_of(first).parent.glob("*.new"))
    assert bake_blocking(scene, resume=True).progress.done == 6
