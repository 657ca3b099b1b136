"""Folders that cannot be written, vanish or fill up; exceptions during a bake; the operator that bakes by timer."""

from __future__ import annotations

import errno
import shutil
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import bpy
import pytest
from flotsam.addon.bake import files, state, worker
from flotsam.addon.bake.errors import BakeError
from flotsam.addon.bake.job import BakeJob, bake_blocking
from flotsam.addon.operators.bake import BakeOperator
from flotsam.engine import cache
from make_scene import cube, fresh_scene, ring, soft
from window_stand_in import ESC, TIMER, Window


def file_of(obj: bpy.types.Object) -> Path:
    return Path(bpy.path.abspath(obj.modifiers["Flotsam"].filepath))


@pytest.mark.parametrize("folder", ["//blocked", "//blocked/deeper", "/proc/flotsam", "//" + "n" * 300])
def test_a_folder_that_cannot_be_written_names_itself_and_keeps_the_bake_before(tmp_path: Path, folder: str) -> None:
    """Root may write anywhere, so these folders fail for reasons other than permissions."""
    if folder.startswith("/proc") and not sys.platform.startswith("linux"):
        pytest.skip("only Linux has /proc")
    scene = fresh_scene(tmp_path)
    obj = soft(ring())
    bake_blocking(scene)
    before = file_of(obj), file_of(obj).read_bytes()
    (tmp_path / "blocked").write_text("a file where a folder should be")
    scene.flotsam.cache_folder = folder
    with pytest.raises(BakeError, match="cannot be written; choose another Cache Folder"):
        bake_blocking(scene)
    assert (file_of(obj), file_of(obj).read_bytes()) == before
    assert (tmp_path / "blocked").read_text() == "a file where a folder should be"


@pytest.mark.parametrize(
    ("number", "sentence"),
    [(errno.EROFS, "cannot be written; choose another"), (errno.EACCES, "cannot be written; choose another"),
     (errno.ENOSPC, "is full; frames up to 3 are kept"),
     (errno.EIO, "failed: Input/output error; frames up to 3 are kept. Check the disk and bake again")],
)
def test_a_disk_that_fails_in_the_middle_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, sentence: str
) -> None:
    scene = fresh_scene(tmp_path)
    obj = soft(cube())
    append = cache.append_sample

    def fail_at_frame_4(path: Path, positions: object) -> int:
        if cache.read_header(path).samples == 3:
            raise OSError(number, "Input/output error")
        return append(path, positions)

    monkeypatch.setattr(files.cache, "append_sample", fail_at_frame_4)
    job = BakeJob(scene)
    with pytest.raises(BakeError, match=sentence):
        list(job.run())
    assert cache.read_header(file_of(obj)).samples == 3 and state.current() is None
    assert not any("resume" in warning for warning in job.warnings)


def test_a_folder_deleted_during_the_bake_is_told(tmp_path: Path) -> None:
    scene = fresh_scene(tmp_path, (1, 200))
    obj = soft(cube())
    with pytest.raises(BakeError, match="Files of the bake are gone from .*; bake again"):
        with closing(BakeJob(scene).run(patience=0.002)) as slices:
            for progress in slices:
                if progress.done >= 3 and file_of(obj).parent.exists():
                    shutil.rmtree(file_of(obj).parent)
    assert state.current() is None
    bake_blocking(scene, frame_end=3)


def test_too_little_memory_is_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scene = fresh_scene(tmp_path)
    obj = soft(cube())

    def greedy(*_arguments: object) -> None:
        raise MemoryError

    monkeypatch.setattr(worker, "build_world", greedy)
    with pytest.raises(BakeError, match="not enough memory"):
        bake_blocking(scene)
    assert state.current() is None and obj.modifiers["Flotsam"].filepath == ""


def test_a_file_saved_elsewhere_during_the_bake_plays_on(tmp_path: Path) -> None:
    scene = fresh_scene(tmp_path, (1, 40))
    obj = soft(cube())
    elsewhere = tmp_path / "later" / "other.blend"
    elsewhere.parent.mkdir()
    with closing(BakeJob(scene).run(patience=0.002)) as slices:
        for progress in slices:
            if progress.done >= 3 and not elsewhere.exists():
                bpy.ops.wm.save_as_mainfile(filepath=str(elsewhere))
    assert elsewhere.exists()
    assert cache.read_header(file_of(obj)).samples == 40


class Bake(BakeOperator):
    """The operator outside of Blender's event loop."""

    def __init__(self) -> None:
        self.said: list[str] = []

    def make_job(self, context: Any) -> BakeJob:
        return BakeJob(context.scene)

    def report(self, _kind: set[str], sentence: str) -> None:
        self.said.append(sentence)


@pytest.fixture
def window(tmp_path: Path) -> Iterator[Window]:
    scene = fresh_scene(tmp_path, (1, 30))
    soft(cube())
    window = Window(scene)
    yield window
    assert not window.timers and window.status is None and state.current() is None


def test_by_timer_a_bake_comes_to_its_end(window: Window) -> None:
    bake = Bake()
    assert bake.bake_by_timer(window) == {"RUNNING_MODAL"}
    assert state.current() is not None, "no second bake can begin before the first tick"
    result = {"PASS_THROUGH"}
    while result == {"PASS_THROUGH"}:
        result = bake.modal(window, TIMER)
    assert result == {"FINISHED"} and bake.said[-1] == "Baked frames 1 to 30; press Play."


def test_esc_at_any_tick_leaves_nothing_behind(window: Window) -> None:
    window.scene.flotsam.frame_end = 100000
    for ticks in (0, 1, 2, 5):
        bake = Bake()
        bake.bake_by_timer(window)
        for _ in range(ticks):
            bake.modal(window, TIMER)
        done = bake._job.progress.done
        assert bake.modal(window, ESC) == ({"FINISHED"} if done else {"CANCELLED"})
        assert bake.said[-1].startswith(f"Stopped; {done} of 100000" if done else "Stopped before the first frame")
        assert not window.timers and state.current() is None


def test_a_fault_of_ours_ends_the_operator_too(window: Window, monkeypatch: pytest.MonkeyPatch) -> None:
    def fault(*_arguments: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(worker, "build_world", fault)
    bake = Bake()
    bake.bake_by_timer(window)
    with pytest.raises(ZeroDivisionError):
        while True:
            bake.modal(window, TIMER)


def test_another_file_opened_during_the_bake_ends_it(window: Window) -> None:
    bake = Bake()
    bake.bake_by_timer(window)
    bake.modal(window, TIMER)
    bake.cancel(window)
