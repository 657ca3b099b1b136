"""A stopped bake continues after *Save As*: its frames are copied to the folder of the new file."""

from __future__ import annotations

import errno
from contextlib import closing
from pathlib import Path
from typing import Any

import bpy
import pytest
from flotsam.addon.bake.errors import BakeError
from flotsam.addon.bake.job import BakeJob, bake_blocking
from flotsam.addon.bake.on_disk import why_not_resumed
from flotsam.addon.paths import cache_folder
from flotsam.addon.write import baked_file
from flotsam.engine import cache
from make_rigid import add_box
from make_scene import cube, fresh_scene, ring, soft


def contents(folder: Path, frames_only: bool = False) -> dict[str, bytes]:
    """All files below a folder, or those with frames."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {
        str(path.relative_to(folder)): path.read_bytes() for path in files
        if not frames_only or path.suffix not in (".json", ".npz")
    }


def save_as(folder: Path) -> Path:
    """Save the open file in another folder; returns the folder of its scene's cache."""
    folder.mkdir()
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "scene.blend"))
    return cache_folder(bpy.context.scene)


def tooltip() -> str:
    """The text of Resume's tooltip."""
    return bpy.types.FLOTSAM_OT_resume.description(bpy.context, None)


def test_a_bake_goes_on_after_save_as_and_the_first_file_keeps_its_own(tmp_path: Path) -> None:
    """Keyframes of a rigid body, a mesh with attributes and points of a flock equal those of an uninterrupted bake."""
    scene = fresh_scene(tmp_path, (1, 8))
    scene.flotsam.attributes = {"VELOCITY"}
    birds = cube("Birds", z=6.0)
    birds.flotsam.kind = "FLOCK"
    bodies = [soft(ring()), add_box("Crate", (2.0, 0.0, 3.0)), birds]
    bake_blocking(scene)
    folder = cache_folder(scene)
    uninterrupted = contents(folder, frames_only=True)
    bake_blocking(scene, frame_end=4)
    half = contents(folder)
    new_folder = save_as(tmp_path / "later")
    assert why_not_resumed(scene) is None and str(folder) in tooltip() and not new_folder.exists()
    assert bpy.ops.flotsam.resume() == {"FINISHED"}
    assert contents(folder) == half
    assert {baked_file(obj).resolve().parent for obj in bodies} == {new_folder} and str(folder) not in tooltip()
    assert sorted(contents(new_folder, frames_only=True).values()) == sorted(uninterrupted.values())


def test_copying_a_bake_that_is_stopped_or_fills_the_disk_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene = fresh_scene(tmp_path, (1, 8))
    soft(ring())
    bake_blocking(scene, frame_end=4)
    new_folder = save_as(tmp_path / "later")

    def full(*_anything: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(cache, "write_index", full)
        with pytest.raises(BakeError, match="is full"):
            bake_blocking(scene, resume=True)
    assert list(new_folder.iterdir()) == []
    with closing(BakeJob(scene, resume=True).run()) as slices:
        while not new_folder.exists() or not any(new_folder.iterdir()):
            next(slices)
    assert list(new_folder.iterdir()) == [] and why_not_resumed(scene) is None


def test_a_refused_resume_copies_nothing(tmp_path: Path) -> None:
    scene = fresh_scene(tmp_path, (1, 8))
    tube = soft(ring())
    bake_blocking(scene, frame_end=4)
    new_folder = save_as(tmp_path / "later")
    tube.flotsam.spring_graph.pressure = 300.0
    with pytest.raises(BakeError, match="has changed since frame 4"):
        bake_blocking(scene, resume=True)
    assert list(new_folder.iterdir()) == []
