"""A live session: what it shows, what it does with the mouse and changed settings, and that it leaves no trace."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import bpy
import flotsam
import numpy as np
import pytest
from flotsam.addon.live import state
from flotsam.addon.live.errors import LiveError
from flotsam.addon.live.session import LiveSession
from make_scene import cube, fresh_scene, ground, pin, ring, sheet, soft, world_positions

PATIENCE_SECONDS = 90.0


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[bpy.types.Scene]:
    """A ring half a metre over the ground, in a saved file."""
    scene = fresh_scene(tmp_path)
    soft(ring(z=0.6), mass=1.0, stiffness=2000.0, pressure=500.0)
    ground()
    yield scene
    if state.current() is not None:
        state.current().end()


def until(session: LiveSession, what: Callable[[], bool]) -> None:
    """Tick as the window's timer does until something holds."""
    end = time.monotonic() + PATIENCE_SECONDS
    while not what():
        assert time.monotonic() < end, f"waited in vain: {session.message}"
        session.tick()
        time.sleep(0.002)


def run(session: LiveSession, frames: int) -> None:
    """Let it solve so many frames more."""
    goal = frames + (0 if session.frame is None else session.frame.number)
    until(session, lambda: session.frame is not None and session.frame.number >= goal)


def shown(name: str) -> np.ndarray:
    """Vertices in world space as the viewport shows them."""
    evaluated = bpy.data.objects[name].evaluated_get(bpy.context.evaluated_depsgraph_get())
    matrix = np.array(evaluated.matrix_world)
    local = np.empty(len(evaluated.data.vertices) * 3, dtype=np.float32)
    evaluated.data.attributes["position"].data.foreach_get("vector", local)
    return local.reshape(-1, 3) @ matrix[:3, :3].T + matrix[:3, 3]


def traces() -> list[str]:
    return [f"{obj.name}: {modifier.name}" for obj in bpy.data.objects for modifier in obj.modifiers]


def test_what_is_solved_is_shown_and_nothing_of_it_stays(scene: bpy.types.Scene) -> None:
    """The viewport shows the solver's positions to single precision; the end gives back every bit."""
    before, traces_before = shown("Ring"), traces()
    session = LiveSession(scene)
    run(session, 3)
    assert np.allclose(shown("Ring"), session.frame.positions["Ring"], atol=1e-6)
    assert shown("Ring")[:, 2].mean() < before[:, 2].mean() - 0.01
    folder = Path(bpy.data.objects["Ring"].modifiers["Flotsam Live"].filepath).parent
    session.end()
    session.end()
    assert np.array_equal(shown("Ring"), before) and traces() == traces_before
    assert not folder.exists() and state.current() is None


def test_time_is_real(scene: bpy.types.Scene) -> None:
    """A second has as many frames as the scene says, as long as the solver keeps up; nobody catches up afterwards."""
    session = LiveSession(scene)
    run(session, 2)
    first, began = session.frame.number, time.monotonic()
    until(session, lambda: time.monotonic() - began > 1.5)
    # Not more than real time, however fast it could; a busy machine may bring fewer.
    assert 5 <= session.frame.number - first <= 1.5 * 24 + 2
    assert 0.1 < session.speed < 1.1


def test_pause_step_and_reset(scene: bpy.types.Scene) -> None:
    session = LiveSession(scene)
    start = shown("Ring")
    run(session, 3)
    session.pause()
    time.sleep(0.2)
    session.tick()
    stopped = session.frame.number
    time.sleep(0.2)
    session.tick()
    assert session.frame.number == stopped and session.speed == 0.0
    session.step()
    until(session, lambda: session.frame.number == stopped + 1)
    session.reset()
    assert np.allclose(shown("Ring"), start, atol=1e-6)
    session.step()
    until(session, lambda: session.frame is not None)
    assert session.frame.number == 1 and session.recorded == 1


def test_the_mouse_takes_hold_of_what_it_meets_and_pulls_it_along(scene: bpy.types.Scene) -> None:
    """A ray from above meets the ring's rim at x = 0.5; pulled up by 1 m with 20 weights a metre, it hangs there.

    At rest it hangs 1 / 20 m below the hand; taken at its rim it also tips, so its middle lies lower by its radius.
    """
    session = LiveSession(scene)
    run(session, 2)
    assert not session.take(np.array([3.0, 3.0, 5.0]), np.array([0.0, 0.0, -1.0]), False)
    assert session.take(np.array([0.5, 0.0, 5.0]), np.array([0.0, 0.0, -1.0]), True)
    hold = session.hold
    assert hold.body == "Ring" and abs(session.frame.positions["Ring"][hold.vertex][0] - 0.5) < 0.1
    session.drag(np.array([0.5, 0.0, 2.0]))
    run(session, 60)
    held = hold.shares / hold.shares.sum() @ session.frame.positions["Ring"][hold.particles]
    # It still swings a little.
    assert abs(held[2] - 1.95) < 0.1 and session.frame.positions["Ring"][:, 2].mean() < 1.7
    session.release()
    run(session, 40)
    assert session.frame.positions["Ring"][:, 2].mean() < 0.5


def test_settings_act_at_once_and_from_where_everything_stands(scene: bpy.types.Scene) -> None:
    session = LiveSession(scene)
    run(session, 12)
    session.pause()
    height, size = session.frame.positions["Ring"][:, 2].mean(), np.ptp(session.frame.positions["Ring"][:, 0])
    scene.gravity = (0.0, 0.0, 9.81)
    bpy.data.objects["Ring"].flotsam.spring_graph.pressure = 5000.0
    time.sleep(0.15)
    session.play()
    run(session, 2)
    # It has neither jumped back to its start nor gone on falling for long.
    assert abs(session.frame.positions["Ring"][:, 2].mean() - height) < 0.15
    run(session, 24)
    assert session.frame.positions["Ring"][:, 2].mean() > height + 0.5
    # Ten times the pressure widens it; at the start it is 1.3 m across.
    assert np.ptp(session.frame.positions["Ring"][:, 0]) > size


def test_colliders_and_pins_follow_the_artist_s_hand(scene: bpy.types.Scene) -> None:
    """The ground is lifted under the ring as by a mouse, with no key and no frame change; pins go with their object."""
    cloth = soft(sheet(count=4), mass=0.2)
    cloth.location = (5.0, 0.0, 1.0)
    pin(cloth, range(16))
    session = LiveSession(scene)
    run(session, 2)
    frame = scene.frame_current
    bpy.data.objects["Ground"].location.z = 0.5
    cloth.location.x = 6.0
    run(session, 36)
    assert session.frame.positions["Ring"][:, 2].min() > 0.45 and scene.frame_current == frame
    assert session.frame.positions["Sheet"][:, 0].mean() == pytest.approx(6.0, abs=1e-5)


def test_the_session_becomes_the_bake_grabs_included(scene: bpy.types.Scene) -> None:
    session = LiveSession(scene)
    run(session, 2)
    session.take(np.array([0.5, 0.0, 5.0]), np.array([0.0, 0.0, -1.0]), False)
    session.drag(np.array([1.5, 0.0, 1.0]))
    run(session, 10)
    session.pause()
    time.sleep(0.1)
    session.tick()
    last = session.frame.positions["Ring"]
    first_frame, last_frame = session.bake()
    count = session.recorded
    session.end()
    assert (first_frame, last_frame) == (1, 1 + count) and count >= 12
    assert np.allclose(world_positions(bpy.data.objects["Ring"], last_frame), last, atol=1e-5)
    assert np.allclose(np.mean(world_positions(bpy.data.objects["Ring"], 1), axis=0)[2], 0.6, atol=1e-3)
    bpy.ops.wm.save_mainfile()
    bpy.ops.wm.open_mainfile(filepath=bpy.data.filepath)
    assert np.allclose(world_positions(bpy.data.objects["Ring"], last_frame), last, atol=1e-5)


def test_a_record_of_nothing_is_refused(scene: bpy.types.Scene) -> None:
    with pytest.raises(LiveError, match="Nothing has moved yet"):
        LiveSession(scene).bake()


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
    with bpy.data.libraries.load(saved) as (_there, wanted):
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
    # That step was made while Live ran.
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
