"""Ownership of frames: copies, renamed objects, several scenes, several files, unusual names."""

from __future__ import annotations

import time
from contextlib import closing
from pathlib import Path

import bpy
import pytest
from flotsam.addon.bake.job import BakeJob, bake_blocking
from flotsam.addon.bake.on_disk import why_not_resumed
from flotsam.addon.bake.owner import cache_problem
from flotsam.addon.paths import cache_folder
from flotsam.engine import cache
from make_scene import cube, fresh_scene, ring, soft, world_positions
from pace import paced


def file_of(obj: bpy.types.Object) -> Path:
    return Path(bpy.path.abspath(obj.modifiers["Flotsam"].filepath))


def only_this(obj: bpy.types.Object) -> None:
    bpy.ops.object.select_all(action="DESELECT")
    obj.select_set(True)
    bpy.context.view_layer.objects.active = obj


def test_a_copy_never_writes_over_the_frames_of_its_original(tmp_path: Path) -> None:
    scene = fresh_scene(tmp_path)
    obj = soft(ring())
    bake_blocking(scene)
    before = file_of(obj).read_bytes()
    only_this(obj)
    bpy.ops.object.duplicate()
    twin = bpy.context.object
    bpy.context.view_layer.update()
    assert not twin.modifiers["Flotsam"].filepath
    twin.location.x = 5.0
    twin.flotsam.spring_graph.pressure = 300.0
    bake_blocking(scene, objects=[twin])
    assert file_of(twin) != file_of(obj) and file_of(obj).read_bytes() == before
    bake_blocking(scene)
    assert len({file_of(obj), file_of(twin)}) == 2


def test_clearing_a_copy_keeps_the_file_of_its_original(tmp_path: Path) -> None:
    scene = fresh_scene(tmp_path)
    obj = soft(ring())
    bake_blocking(scene)
    only_this(obj)
    bpy.ops.object.duplicate()
    copy = bpy.context.object
    bpy.context.view_layer.update()
    with pytest.raises(RuntimeError, match="No selected object is baked"):
        bpy.ops.flotsam.clear_cache()
    assert file_of(obj).exists() and not bpy.context.object.modifiers["Flotsam"].filepath
    only_this(obj)
    assert bpy.ops.flotsam.clear_cache() == {"FINISHED"}
    assert not list(cache_folder(scene).iterdir())
    assert (obj.flotsam.baked.path, obj.flotsam.baked.vertex_count) == ("", 0)
    # Two bodies in one place give a warning.
    copy.location.x += 3.0
    assert not bake_blocking(scene, resume=True).warnings


def test_a_renamed_object_plays_on_and_bakes_under_its_new_name(tmp_path: Path) -> None:
    scene = fresh_scene(tmp_path)
    obj = soft(ring())
    bake_blocking(scene)
    old = file_of(obj)
    obj.name = "Boat"
    assert cache_problem(obj, scene) is None
    other = soft(cube("Ring", z=4.0))
    bake_blocking(scene, objects=[other])
    assert file_of(other) != old, "Boat still plays Ring.pc2"
    bake_blocking(scene)
    assert file_of(obj).name == "Boat.pc2" and old.exists()


def test_a_file_saved_under_another_name_leaves_the_frames_of_the_first(tmp_path: Path) -> None:
    scene = fresh_scene(tmp_path)
    obj = soft(ring())
    bake_blocking(scene)
    first, before = file_of(obj), file_of(obj).read_bytes()
    (tmp_path / "later").mkdir()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "later" / "scene.blend"))
    assert file_of(obj).resolve() == first and cache_problem(obj, scene) is None
    assert why_not_resumed(scene).endswith("set a later End to go on")
    only_this(obj)
    assert bpy.ops.flotsam.clear_cache() == {"FINISHED"}
    assert first.read_bytes() == before, "they belong to the first file"
    bake_blocking(scene)
    assert file_of(obj).is_relative_to(tmp_path / "later") and first.read_bytes() == before
    assert why_not_resumed(scene).endswith("set a later End to go on")


def test_two_files_of_one_name_may_share_a_cache_folder(tmp_path: Path) -> None:
    folders = []
    for project in ("one", "two"):
        (tmp_path / project).mkdir()
        scene = fresh_scene(tmp_path / project)
        scene.flotsam.cache_folder = str(tmp_path / "cache")
        soft(ring())
        bake_blocking(scene)
        folders.append(cache_folder(scene))
    assert folders[0] != folders[1] and all(folder.is_relative_to(tmp_path / "cache") for folder in folders)


def test_a_folder_without_slashes_lies_beside_the_file(tmp_path: Path) -> None:
    scene = fresh_scene(tmp_path)
    scene.flotsam.cache_folder = "frames"
    assert cache_folder(scene) == tmp_path / "frames" / "scene" / "Scene"
    scene.flotsam.cache_folder = "//../frames"
    assert ".." not in str(cache_folder(scene))


def test_scenes_do_not_touch_each_others_bakes(tmp_path: Path) -> None:
    scene = fresh_scene(tmp_path)
    obj, shared = soft(ring()), soft(cube("Shared", z=4.0))
    second = bpy.data.scenes.new("scene")
    second.collection.objects.link(shared)
    second.flotsam.frame_start, second.flotsam.frame_end, second.flotsam.substeps = 10, 14, 5
    bake_blocking(scene, frame_end=4)
    first_file = file_of(shared)
    bake_blocking(second)
    assert shared.modifiers["Flotsam"].frame_start == 10 and file_of(shared) != first_file
    assert cache.read_header(file_of(shared)).samples == 5
    assert bake_blocking(scene, resume=True).progress.done == 6
    assert file_of(shared) == first_file and cache.read_header(first_file).samples == 6
    assert file_of(obj).parent == first_file.parent
    assert first_file.parent.name.casefold() != cache_folder(second).name.casefold(), "names that differ only in case"


def test_a_body_of_two_scenes_says_whose_bake_it_plays(tmp_path: Path) -> None:
    """Only if both scenes were baked: a scene that only shows the bodies of another one gives no message."""
    scene = fresh_scene(tmp_path)
    scene.name = "Sim"
    obj, shared = soft(ring()), soft(cube("Shared", z=4.0))
    second = bpy.data.scenes.new("Render")
    second.collection.objects.link(shared)
    bake_blocking(scene, frame_end=4)
    assert cache_problem(shared, second) is None
    bake_blocking(second, frame_end=2)
    assert cache_problem(shared, scene) == (
        "Shared plays the bake of the scene Render here too; bake again, or give each scene a copy of its own."
    )
    assert cache_problem(shared, second) is None and cache_problem(obj, scene) is None
    bake_blocking(scene, frame_end=4)
    assert cache_problem(shared, scene) is None
    assert "plays the bake of the scene Sim here too" in cache_problem(shared, second)


@pytest.mark.parametrize("left", [b"", b"garbage" * 9])
def test_a_file_without_a_frame_is_told(tmp_path: Path, left: bytes) -> None:
    scene = fresh_scene(tmp_path)
    obj = soft(ring())
    bake_blocking(scene)
    file_of(obj).write_bytes(left)
    assert cache_problem(obj, scene) == f"{file_of(obj)} has no frame of Ring that can be read; bake again."


@pytest.mark.parametrize("name", ["Schlauchboot Größe 2/3", "救生圈", "..", "x" * 63, "ö" * 31])
def test_any_name_is_a_file(tmp_path: Path, name: str) -> None:
    scene = fresh_scene(tmp_path)
    scene.name = name
    obj = soft(cube(name))
    bake_blocking(scene)
    assert file_of(obj).parent.parent == tmp_path / "flotsam_cache" / "scene"
    assert world_positions(obj, 6) != world_positions(obj, 1)


@pytest.mark.skipif(bpy.app.version < (5, 0), reason="names of more than 63 bytes came with Blender 5.0")
def test_names_longer_than_a_file_name_stay_apart(tmp_path: Path) -> None:
    scene = fresh_scene(tmp_path)
    bodies = [soft(cube("ö" * 120 + end)) for end in "ab"]
    bake_blocking(scene)
    assert len({file_of(obj) for obj in bodies}) == 2
    assert all(len(file_of(obj).name.encode()) < 250 for obj in bodies)


def test_a_linked_bake_is_found_beside_its_own_file(tmp_path: Path) -> None:
    (tmp_path / "harbour").mkdir()
    scene = fresh_scene(tmp_path / "harbour")
    soft(ring("Boat"))
    bake_blocking(scene)
    bpy.ops.wm.save_mainfile()
    fresh_scene(tmp_path)
    with bpy.data.libraries.load(str(tmp_path / "harbour" / "scene.blend"), link=True) as (_source, here):
        here.objects = ["Boat"]
    assert cache_problem(here.objects[0]) is None


def test_an_override_bakes_and_remembers_it(tmp_path: Path) -> None:
    (tmp_path / "harbour").mkdir()
    scene = fresh_scene(tmp_path / "harbour")
    soft(ring("Boat"))
    bake_blocking(scene)
    bpy.ops.wm.save_mainfile()
    theirs = file_of(bpy.data.objects["Boat"])
    before = theirs.read_bytes()
    scene = fresh_scene(tmp_path)
    with bpy.data.libraries.load(str(tmp_path / "harbour" / "scene.blend"), link=True) as (_source, here):
        here.objects = ["Boat"]
    scene.collection.objects.link(here.objects[0])
    boat = here.objects[0].override_create(remap_local_usages=True)
    boat.flotsam.spring_graph.stiffness = 77.0
    bake_blocking(scene)
    bpy.ops.wm.save_mainfile()
    bpy.ops.wm.open_mainfile(filepath=bpy.data.filepath)
    boat = next(obj for obj in bpy.context.scene.objects if obj.name == "Boat")
    assert boat.library is None and file_of(boat).parent == cache_folder(bpy.context.scene)
    assert cache_problem(boat, bpy.context.scene) is None
    assert theirs.read_bytes() == before
    only_this(boat)
    assert bpy.ops.flotsam.remove() == {"FINISHED"}
    assert boat.flotsam.kind == "NONE" and not boat.modifiers["Flotsam"].show_viewport


def test_an_undo_during_the_bake_does_not_take_the_frames_away(tmp_path: Path) -> None:
    scene = fresh_scene(tmp_path, (1, 30))
    obj = soft(cube())
    undone = False
    with closing(BakeJob(scene).run(patience=0.002)) as slices:
        for progress in slices:
            if progress.done >= 5 and not undone:
                # The state after an undo to before the bake.
                undone = True
                obj.modifiers["Flotsam"].filepath = ""
                obj.flotsam.baked.property_unset("path")
    assert undone and file_of(obj).exists() and cache_problem(obj, scene) is None
    assert world_positions(obj, 30) != world_positions(obj, 1)


@pytest.mark.alone
def test_a_bake_that_no_longer_fits_is_told_at_once(tmp_path: Path) -> None:
    scene = fresh_scene(tmp_path)
    obj = soft(ring())
    obj.keyframe_insert("location", frame=1)
    bake_blocking(scene)
    assert cache_problem(obj, scene) is None
    scene.frame_set(4)
    assert cache_problem(obj, scene) is None
    before = obj.flotsam.spring_graph.stiffness
    obj.flotsam.spring_graph.stiffness = 55.0
    assert "settings of Ring have changed" in cache_problem(obj)
    obj.flotsam.spring_graph.stiffness = before
    scene.flotsam.substeps += 1
    assert "settings of the scene have changed" in cache_problem(obj, scene)
    scene.flotsam.substeps -= 1

    def compare() -> float:
        started = time.perf_counter()
        for _ in range(100):
            assert cache_problem(obj, scene) is None
        return (time.perf_counter() - started) / 100

    assert paced(compare) < 2e-4, "all that was captured is compared at every redraw"
