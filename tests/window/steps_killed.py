"""A Blender that is killed while it bakes, and the next one, which opens the file and resumes the bake."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import bpy
from driver import Steps, area, in_view, region, screenshot, until
from sitting import MODULE, SAVED, choose, job, new_file, shown, sidebar_texts

KILLED = SAVED.with_name("killed.blend")


def a_bake_runs_when_blender_is_killed() -> Steps:
    """The last step of the first Blender, which `driver.run` ends with SIGKILL; the file is saved before the bake."""
    scene = yield from new_file(KILLED.stem)
    scene.frame_end = 20000
    with in_view():
        bpy.ops.mesh.primitive_plane_add(size=8.0)
        bpy.ops.flotsam.add(kind="COLLIDER")
        bpy.ops.mesh.primitive_cube_add(size=0.5, location=(1.5, 0.0, 1.0))
        bpy.context.object.name = "Crate"
        bpy.ops.flotsam.add(kind="VOXEL_BODY")
        bpy.ops.flotsam.add_body(shape="RING", location=(0.0, 0.0, 1.0))
        bpy.ops.wm.save_mainfile()
        bpy.ops.flotsam.bake("INVOKE_DEFAULT")
    on_disk = import_module(f"{MODULE}.addon.bake.on_disk")
    yield from until(
        lambda: job() is not None and job().progress.done > 40 and on_disk.index_of(scene).resumable > 20,
        "forty frames and a saved state",
    )
    screenshot("hour_before_the_kill")


def a_killed_bake_is_found_and_goes_on() -> Steps:
    """A new Blender opens the file: its frames play, and Resume gives the same frames as an uninterrupted bake."""
    bpy.ops.preferences.addon_enable(module=MODULE)
    bpy.ops.wm.open_mainfile(filepath=str(KILLED))
    yield 0.5
    scene, ring, crate = bpy.context.scene, bpy.data.objects["Ring"], bpy.data.objects["Crate"]
    on_disk = import_module(f"{MODULE}.addon.bake.on_disk")
    done = on_disk.baked_range(ring)[1]
    assert done > 20 and on_disk.baked_range(crate)[1] > 20, "frames from before the kill are found"
    area().spaces.active.show_region_ui = True
    yield 0.5
    region("UI").active_panel_category = "Flotsam"
    with in_view():
        choose(ring)
    before = shown()[:, 2].mean()
    scene.frame_set(done)
    yield 0.6
    assert shown()[:, 2].mean() < before - 0.2 and crate.matrix_world.translation.z < 0.9, "the frames play"
    assert "flotsam.resume" in sidebar_texts() and "bake again" not in sidebar_texts()
    screenshot("hour_after_the_kill")
    scene.frame_end = done + 20
    with in_view():
        assert bpy.ops.flotsam.resume.poll()
        bpy.ops.flotsam.resume("INVOKE_DEFAULT")
    yield from until(lambda: job() is not None and job().progress.done > 0, "the bake to begin")
    assert job().progress.done > 20, "it resumes where it stopped"
    # The keyframes of the crate are written after the last frame.
    yield from until(lambda: job() is None and on_disk.baked_range(crate) == (1, done + 20), "the bake to end")
    assert on_disk.baked_range(ring) == (1, done + 20)
    screenshot("hour_resumed")
    resumed = _frames()
    with in_view():
        assert bpy.ops.flotsam.bake() == {"FINISHED"}
    assert _frames() == resumed, "the same bits as an uninterrupted bake"


def _frames() -> dict[str, bytes]:
    folder = Path(bpy.data.filepath).parent / "flotsam_cache" / KILLED.stem
    found = {file.name: file.read_bytes() for file in folder.rglob("*.pc2")}
    assert len(found) == 2, sorted(found)
    return found
