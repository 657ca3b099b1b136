"""External events during a live session leave no traces: deletions, modes, saves, loads, undo."""

from __future__ import annotations

import errno
from pathlib import Path

import bpy
import flotsam
import numpy as np
import pytest
from flotsam.addon.live import state
from flotsam.addon.live.errors import LiveError
from flotsam.addon.live.session import LiveSession
from flotsam.engine import cache
from make_live import run, scene, shown, traces, until
from make_scene import cube, soft, world_positions

__all__ = ["scene"]


def test_a_deleted_body_goes_and_the_others_run_on(scene: bpy.types.Scene) -> None:
    soft(cube(z=3.0), mass=1.0)
    session = LiveSession(scene)
    run(session, 2)
    bpy.data.objects.remove(bpy.data.objects["Cube"])
    run(session, 8)
    assert "Cube" not in session.frame.positions and "Ring" in session.frame.positions
    bpy.data.objects.remove(bpy.data.objects["Ring"])
    until(session, lambda: "nothing to solve" in session.message)


def test_edit_mode_holds_it_and_another_mesh_starts_anew(scene: bpy.types.Scene) -> None:
    session = LiveSession(scene)
    run(session, 2)
    bpy.context.view_layer.objects.active = bpy.data.objects["Ring"]
    bpy.ops.object.mode_set(mode="EDIT")
    until(session, lambda: "Edit Mode" in session.message)
    bpy.ops.mesh.subdivide()
    bpy.ops.object.mode_set(mode="OBJECT")
    run(session, 3)
    assert len(session.frame.positions["Ring"]) == len(bpy.data.objects["Ring"].data.vertices) == 512
    assert session.message == ""


def test_a_setting_that_cannot_be_holds_it_with_its_sentence(scene: bpy.types.Scene) -> None:
    session = LiveSession(scene)
    run(session, 2)
    bpy.data.objects["Ring"].scale = (0.0, 1.0, 1.0)
    until(session, lambda: session.message != "")
    assert "Ring is scaled to zero" in session.message
    bpy.data.objects["Ring"].scale = (1.0, 1.0, 1.0)
    run(session, 2)
    assert session.message == ""


def test_a_saved_file_knows_nothing_of_it(scene: bpy.types.Scene) -> None:
    session = LiveSession(scene)
    run(session, 2)
    saved = str(Path(bpy.data.filepath).with_name("copy.blend"))
    bpy.ops.wm.save_as_mainfile(filepath=saved, copy=True)
    assert "Ring: Flotsam Live" in traces()
    with bpy.data.libraries.load(saved) as (_source, wanted):
        wanted.objects = ["Ring"]
    assert [modifier.name for modifier in wanted.objects[0].modifiers] == ["Flotsam"]
    bpy.data.objects.remove(wanted.objects[0])


def test_another_file_ends_it(scene: bpy.types.Scene) -> None:
    session = LiveSession(scene)
    run(session, 1)
    bpy.ops.wm.open_mainfile(filepath=bpy.data.filepath)
    assert state.current() is None and not any("Live" in trace for trace in traces())


def test_undo_neither_stops_it_nor_brings_it_back(scene: bpy.types.Scene) -> None:
    bpy.context.preferences.edit.use_global_undo = True
    bpy.ops.ed.undo_push(message="Before")
    session = LiveSession(scene)
    run(session, 2)
    bpy.data.objects["Ring"].location.x = 1.0
    bpy.ops.ed.undo_push(message="Moved while it runs")
    bpy.ops.ed.undo()
    run(session, 2)
    assert "Ring: Flotsam Live" in traces()
    bpy.ops.ed.redo()
    run(session, 2)
    session.end()
    bpy.ops.ed.undo_push(message="After")
    bpy.ops.ed.undo()
    # That undo step was made while Live was running.
    assert not any("Live" in trace for trace in traces())


def test_a_bake_and_live_keep_out_of_each_other_s_way(scene: bpy.types.Scene) -> None:
    session = LiveSession(scene)
    with pytest.raises(LiveError, match="running already"):
        LiveSession(scene)
    assert not bpy.ops.flotsam.bake.poll() and not bpy.ops.flotsam.bake_to_shape_keys.poll()
    session.end()
    assert bpy.ops.flotsam.bake.poll()
    assert bpy.ops.flotsam.bake() == {"FINISHED"}
    again = LiveSession(scene)
    run(again, 2)


def test_turning_the_add_on_off_ends_it(scene: bpy.types.Scene) -> None:
    LiveSession(scene)
    flotsam.unregister()
    try:
        assert state.current() is None and not any("Live" in trace for trace in traces())
    finally:
        flotsam.register()


def test_what_lies_under_the_session_is_its_own(scene: bpy.types.Scene) -> None:
    """A baked body is shown live in place of its bake, and plays its bake again afterwards."""
    bpy.ops.flotsam.bake()
    baked = world_positions(bpy.data.objects["Ring"], 6)
    scene.frame_set(6)
    session = LiveSession(scene)
    run(session, 3)
    assert np.allclose(shown("Ring"), session.frame.positions["Ring"], atol=1e-6)
    session.end()
    assert np.array_equal(world_positions(bpy.data.objects["Ring"], 6), baked)


def test_a_full_disk_is_said_in_a_sentence_and_leaves_nothing(
    scene: bpy.types.Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At the start, at a frame and at the recording: the message gives folder, reason and remedy."""
    def full(*_arguments: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(cache, "begin", full)
        with pytest.raises(LiveError, match="No space left on device.*make room"):
            LiveSession(scene)
    assert state.current() is None and not any("Live" in trace for trace in traces())
    session = LiveSession(scene)
    run(session, 2)
    with monkeypatch.context() as patched:
        patched.setattr(cache, "append_sample", full)
        with pytest.raises(LiveError, match="still remembered: make room and press Record again"):
            session.bake()
    assert session.bake()[1] > 2
    with monkeypatch.context() as patched:
        patched.setattr(cache, "overwrite_sample", full)
        with pytest.raises(LiveError, match="make room"):
            run(session, 1)
    session.end()
    assert not any("Live" in trace for trace in traces())
