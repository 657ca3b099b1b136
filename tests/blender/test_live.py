"""A live session: display, mouse, changed settings, and results kept on request."""

from __future__ import annotations

import time
from pathlib import Path

import bpy
import numpy as np
import pytest
from flotsam.addon.capture import CaptureError, capture_world
from flotsam.addon.live import state
from flotsam.addon.live.errors import LiveError
from flotsam.addon.live.session import LiveSession
from flotsam.addon.overlay.picture import DisplaySettings, paint
from flotsam.addon.overlay.subjects import subjects
from flotsam.engine import springs_of
from make_live import run, scene, shown, traces, until
from make_scene import pin, sheet, soft, world_positions

__all__ = ["scene"]


def test_what_is_solved_is_shown_and_nothing_of_it_stays(scene: bpy.types.Scene) -> None:
    """The viewport shows the solver's positions to single precision; the end restores every bit."""
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


@pytest.mark.alone
def test_time_is_real(scene: bpy.types.Scene) -> None:
    """A second has as many frames as the scene sets, as long as the solver keeps up; lost time is not caught up."""
    session = LiveSession(scene)
    run(session, 2)
    first, began = session.frame.number, time.monotonic()
    until(session, lambda: time.monotonic() - began > 1.5)
    # Not faster than real time; a busy machine may solve fewer frames.
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


def test_frames_from_before_a_reset_are_not_shown(scene: bpy.types.Scene) -> None:
    """If the interface hangs for a moment, frames queue up; after a reset the old ones are dropped."""
    session = LiveSession(scene)
    run(session, 3)
    time.sleep(0.3)
    session.pause()
    session.reset()
    for _ in range(20):
        session.tick()
        assert session.frame is None and session.recorded == 0
        time.sleep(0.005)


def test_frames_from_before_a_body_came_are_not_shown(scene: bpy.types.Scene) -> None:
    session = LiveSession(scene)
    run(session, 3)
    time.sleep(0.3)
    soft(sheet("Late", count=4), mass=0.2)
    session.tick()
    assert session.frame is None
    run(session, 2)
    assert "Late" in session.frame.positions


def test_the_mouse_takes_hold_of_what_it_meets_and_pulls_it_along(scene: bpy.types.Scene) -> None:
    """A ray from above hits the ring's rim at x = 0.5; pulled up by 1 m with strength 20, the ring hangs there.

    At rest it hangs 1 / 20 m below the hand. Held at its rim it also tips, so its centre is lower by its radius.
    """
    session = LiveSession(scene)
    run(session, 2)
    assert not session.take(np.array([3.0, 3.0, 5.0]), np.array([0.0, 0.0, -1.0]), False)
    assert session.take(np.array([0.5, 0.0, 5.0]), np.array([0.0, 0.0, -1.0]), True)
    hold = session.hold
    assert hold.body == "Ring" and abs(session.frame.positions["Ring"][hold.vertex][0] - 0.5) < 0.1
    session.drag(np.array([0.5, 0.0, 2.0]))
    run(session, 60)
    held = hold.weights / hold.weights.sum() @ session.frame.positions["Ring"][hold.particles]
    # It still oscillates a little.
    assert abs(held[2] - 1.95) < 0.1 and session.frame.positions["Ring"][:, 2].mean() < 1.7
    session.release()
    lowest = np.inf
    for _ in range(40):
        run(session, 1)
        lowest = min(lowest, session.frame.positions["Ring"][:, 2].min())
    assert lowest < 0.05, "it falls to the ground, from which it may bounce"


def test_settings_act_at_once_and_from_where_everything_stands(scene: bpy.types.Scene) -> None:
    session = LiveSession(scene)
    run(session, 12)
    session.pause()
    height, volume = session.frame.positions["Ring"][:, 2].mean(), _ring_volume(session)
    scene.gravity = (0.0, 0.0, 9.81)
    bpy.data.objects["Ring"].flotsam.spring_graph.pressure = 5000.0
    time.sleep(0.15)
    session.play()
    run(session, 2)
    # It has neither jumped back to its start nor fallen for long.
    assert abs(session.frame.positions["Ring"][:, 2].mean() - height) < 0.15
    volumes = []
    for _ in range(24):
        run(session, 1)
        volumes.append(_ring_volume(session))
    assert session.frame.positions["Ring"][:, 2].mean() > height + 0.5
    # Ten times the pressure inflates the tube, which oscillates by more than it grows.
    assert np.mean(volumes) > 1.02 * volume


def _ring_volume(session: LiveSession) -> float:
    """Volume of the ring's tube in the last frame [m³]."""
    (ring,) = (spec for spec in session.captured.spec.systems if spec.name == "Ring")
    a, b, c = session.frame.positions["Ring"].astype(np.float64)[ring.triangles].transpose(1, 0, 2)
    return float(np.einsum("ij,ij->", a, np.cross(b, c))) / 6.0


def test_colliders_and_pins_follow_the_artist_s_hand(scene: bpy.types.Scene) -> None:
    """The ground is moved up under the ring as by mouse, without keyframes; pins move with their object."""
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


def test_a_field_moved_by_hand_blows_at_once(scene: bpy.types.Scene) -> None:
    """A field with a range of two metres starts far away and is moved beside the ring while the session runs."""
    bpy.ops.object.effector_add(type="FORCE", location=(50.0, 0.0, 0.0))
    field = bpy.context.object
    field.field.strength, field.field.use_max_distance, field.field.distance_max = 200.0, True, 2.0
    session = LiveSession(scene)
    run(session, 3)
    ring = shown("Ring").mean(axis=0)
    field.location = ring - [1.0, 0.0, 0.0]
    bpy.context.view_layer.update()
    run(session, 4)
    assert shown("Ring").mean(axis=0)[0] > ring[0] + 0.2


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


def test_a_pose_is_kept_and_springs_stay_at_rest_where_they_were(scene: bpy.types.Scene) -> None:
    """The mesh takes the pose, a bake starts from it, and the return to the rest shape is exact."""
    ring_object = bpy.data.objects["Ring"]
    modelled = np.array([vertex.co for vertex in ring_object.data.vertices])
    session = LiveSession(scene)
    run(session, 20)
    session.pause()
    time.sleep(0.1)
    session.tick()
    pose = session.frame.positions["Ring"]
    session.keep()
    assert np.allclose(shown("Ring"), pose, atol=1e-5)
    session.play()
    run(session, 3)
    assert np.abs(session.frame.positions["Ring"] - pose).max() < 0.2
    session.end()
    assert np.allclose(shown("Ring"), pose, atol=1e-5)
    captured = capture_world(scene, bpy.context.evaluated_depsgraph_get())
    spec = captured.spec.systems[0]
    assert np.allclose(spec.start, pose, atol=1e-5)
    assert np.allclose(spec.vertices - (0.0, 0.0, 0.6), modelled, atol=1e-6)
    bpy.ops.flotsam.bake()
    assert np.allclose(world_positions(ring_object, 1), pose, atol=1e-5)
    bpy.context.view_layer.objects.active = ring_object
    assert bpy.ops.flotsam.rest_shape() == {"FINISHED"}
    assert np.array_equal(np.array([vertex.co for vertex in ring_object.data.vertices]), modelled)
    assert not bpy.ops.flotsam.rest_shape.poll()


def test_a_mesh_that_cannot_take_a_pose_says_why(scene: bpy.types.Scene) -> None:
    ring_object = bpy.data.objects["Ring"]
    subdivided = ring_object.modifiers.new("Subdivision", "SUBSURF")
    ring_object.modifiers.move(1, 0)
    session = LiveSession(scene)
    with pytest.raises(LiveError, match="Nothing has moved yet"):
        session.keep()
    run(session, 2)
    with pytest.raises(CaptureError, match="Ring cannot keep its pose: modifiers before Flotsam"):
        session.keep()
    ring_object.modifiers.remove(subdivided)
    run(session, 2)
    ring_object.shape_key_add(name="Basis")
    with pytest.raises(CaptureError, match="shape keys"):
        session.keep()


def test_live_shows_the_springs_that_its_solver_has(scene: bpy.types.Scene) -> None:
    bpy.data.objects["Ring"].flotsam.spring_graph.struts = 1
    session = LiveSession(scene)
    run(session, 1)
    assert session.springs == {}
    until(session, lambda: bool(session.springs))
    (subject,) = subjects(scene, bpy.context.view_layer, bpy.context.evaluated_depsgraph_get())
    built = springs_of(session.captured.spec.systems[0])
    assert np.array_equal(subject.edges, built.pairs) and np.array_equal(subject.stiffness, built.stiffness)
    assert subject.strut.sum() > 60 and paint([subject], DisplaySettings(springs=True)).pull > 0.0
    bpy.data.objects["Ring"].flotsam.spring_graph.struts = 0
    until(session, lambda: not session.springs["Ring"].strut.any())
