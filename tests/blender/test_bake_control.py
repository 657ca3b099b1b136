"""A running bake: pause, continue, stop, scrubbing; partial bakes; messages and display."""

from __future__ import annotations

import time
from pathlib import Path

import bpy
import numpy as np
import pytest
from flotsam.addon.bake import expense, state
from flotsam.addon.bake.job import BakeJob, bake_blocking
from flotsam.addon.bake.on_disk import baked_range, why_not_resumed
from flotsam.addon.bake.pace import Pace
from flotsam.addon.names import OP_BAKE, OP_BAKE_CONTROL, OP_BAKE_SELECTED, PANEL_CACHE
from flotsam.addon.overlay.timeline import FRESH, RANGE, STALE, bars
from flotsam.addon.paths import cache_folder
from flotsam.addon.write import baked_file
from flotsam.engine import cache
from make_scene import fresh_scene, ground, ring, soft
from recorded import all_text, drawn


def until_done(slices: object, count: int) -> int:
    while (done := next(slices).done) < count:
        continue
    return done


@pytest.mark.alone
def test_a_paused_bake_stands_still_and_goes_on(tmp_path: Path) -> None:
    scene = fresh_scene(tmp_path, (1, 120))
    body = soft(ring())
    assert not bpy.ops.flotsam.bake_control.poll()
    slices = BakeJob(scene).run(patience=0.001)
    until_done(slices, 5)
    shown = drawn("physics")[PANEL_CACHE]
    assert shown.buttons[:2] == [OP_BAKE_CONTROL] * 2 and OP_BAKE not in shown.buttons
    assert bpy.ops.flotsam.bake_control(action="PAUSE") == {"FINISHED"}
    # The frame being solved and those in the queue still arrive.
    end = time.monotonic() + 0.5
    while time.monotonic() < end:
        done = next(slices).done
    end = time.monotonic() + 0.3
    while time.monotonic() < end:
        assert next(slices).done == done
    assert state.current().paused and f"Paused after frame {done} of 120." in all_text() and done < 120
    assert bpy.ops.flotsam.bake_control(action="GO_ON") == {"FINISHED"}
    *_, last = slices
    assert last.done == 120 and state.current() is None and not state.pause_asked()
    files = {name: cache.read_sample(tmp_path / "flotsam_cache/scene/Scene/Ring.pc2", name) for name in (60, 119)}
    bake_blocking(scene)
    for number, sample in files.items():
        assert np.array_equal(sample, cache.read_sample(tmp_path / "flotsam_cache/scene/Scene/Ring.pc2", number))
    assert baked_range(body) == (1, 120)


def test_what_is_baked_is_said_as_it_lies_on_disk_now(tmp_path: Path) -> None:
    scene = fresh_scene(tmp_path, (1, 4))
    body = soft(ring())
    for last in (4, 6, 5):
        scene.flotsam.frame_end = last
        bake_blocking(scene)
        assert baked_range(body) == (1, last)
        assert why_not_resumed(scene) == f"Frames up to {last} are baked; set a later End to go on"
    baked_file(body).unlink()
    assert baked_range(body) is None
    (cache_folder(scene) / cache.INDEX_NAME).unlink()
    assert why_not_resumed(scene) == "No bake was stopped on its way; press Bake"


def test_a_pause_does_not_outlive_its_bake(tmp_path: Path) -> None:
    scene = fresh_scene(tmp_path, (1, 50))
    soft(ring())
    slices = BakeJob(scene).run(patience=0.001)
    until_done(slices, 3)
    bpy.ops.flotsam.bake_control(action="PAUSE")
    next(slices)
    slices.close()
    assert not state.pause_asked()
    bake_blocking(scene)
    slices = BakeJob(scene).run(patience=0.001)
    until_done(slices, 3)
    bpy.ops.flotsam.bake_control(action="STOP")
    assert state.stop_asked()
    slices.close()
    assert not state.stop_asked()


@pytest.mark.parametrize("animated", [False, True])
def test_scrubbing_does_not_change_a_bake_and_the_artist_stays_where_they_went(tmp_path: Path, animated: bool) -> None:
    scene = fresh_scene(tmp_path, (1, 40))
    soft(ring())
    floor = ground()
    if animated:
        for frame, height in ((1, 0.0), (40, 0.6)):
            floor.location.z = height
            floor.keyframe_insert("location", index=2, frame=frame)
    file = tmp_path / "flotsam_cache/scene/Scene/Ring.pc2"
    bake_blocking(scene)
    wanted = file.read_bytes()
    scene.frame_set(7)
    slices = BakeJob(scene).run(patience=0.001)
    for number, _progress in enumerate(slices):
        if number % 3 == 0:
            scene.frame_set(1 + (17 * number) % 40)
        scrubbed = scene.frame_current
    assert file.read_bytes() == wanted
    if not animated:
        assert scene.frame_current == scrubbed
    scene.frame_set(9)
    bake_blocking(scene)
    assert scene.frame_current == 9


def test_selected_bodies_are_baked_alone_and_resume_goes_on_with_them(tmp_path: Path) -> None:
    scene = fresh_scene(tmp_path, (1, 4))
    one, two = soft(ring("One")), soft(ring("Two", z=3.0))
    ground()
    bake_blocking(scene)
    scene.flotsam.frame_end = 9
    two.select_set(False)
    one.select_set(True)
    assert bpy.ops.flotsam.bake_selected() == {"FINISHED"}
    assert baked_range(one) == (1, 9) and baked_range(two) == (1, 4)
    assert OP_BAKE_SELECTED in drawn("physics")[PANEL_CACHE].buttons
    scene.flotsam.frame_end = 12
    assert bpy.ops.flotsam.resume() == {"FINISHED"}
    assert baked_range(one) == (1, 12) and baked_range(two) == (1, 4)
    for obj in scene.objects:
        obj.select_set(obj.name == "Ground")
    assert not bpy.ops.flotsam.bake_selected.poll()


def test_time_left_is_that_of_the_frames_and_not_of_a_pause() -> None:
    pace = Pace(1, 10.0)
    assert pace.rate(11, 12.0) == pytest.approx(5.0)
    pace.pause(12.0)
    assert pace.rate(11, 500.0) == pytest.approx(5.0)
    pace.resume(112.0)
    assert pace.rate(21, 114.0) == pytest.approx(5.0)
    progress = state.Progress(21, 21, 96, "Frame 21 of 96.", 5.0)
    assert progress.seconds_left == pytest.approx(15.0)
    text = state.words(state.JobView(state.Phase.BAKING, progress))
    assert text == "Frame 21 of 96. 5 frames a second, 15 s left."
    assert [state.duration(seconds) for seconds in (7.6, 125.0, 4810.0)] == ["8 s", "2 min 5 s", "1 h 20 min"]


def test_the_bar_in_the_timeline_tells_what_is_baked_and_whether_it_fits(tmp_path: Path) -> None:
    scene = fresh_scene(tmp_path, (3, 10))
    body = soft(ring())
    assert bars(body, scene) == [] and bars(ground(), scene) == []
    bake_blocking(scene)
    assert bars(body, scene) == [(3, 10, RANGE), (3, 10, FRESH)]
    scene.flotsam.frame_end = 20
    assert bars(body, scene) == [(3, 20, RANGE), (3, 10, FRESH)]
    body.flotsam.spring_graph.stiffness = 77.0
    assert bars(body, scene)[1] == (3, 10, STALE)


def test_the_bake_panel_asks_the_files_again_only_after_a_while_or_a_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from flotsam.addon.panels import cache as panel

    scene = fresh_scene(tmp_path, (1, 2))
    body = soft(ring())
    bake_blocking(scene)
    calls: list[str] = []
    original = panel.cache_warnings
    monkeypatch.setattr(panel, "cache_warnings", lambda *about: calls.append(about[0].name) or original(*about))
    monkeypatch.setattr(panel, "_FILES_SECONDS", 100.0)
    all_text()
    assert "bake again" not in all_text() and len(calls) <= 1
    calls.clear()
    body.flotsam.spring_graph.stiffness = 5.0
    assert "bake again" in all_text() and len(calls) == 1
    body.name = "Boat"
    all_text()
    assert calls == ["Ring", "Boat"]
    monkeypatch.setattr(panel, "_FILES_SECONDS", -1.0)
    scene.frame_set(2)
    all_text()
    all_text()
    assert len(calls) == 4


def test_the_scene_tab_names_those_that_do_not_fit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from flotsam.addon.panels import warnings

    scene = fresh_scene(tmp_path, (1, 2))
    bodies = [soft(ring(f"Ring {letter}", z=1.0 + number)) for number, letter in enumerate("ABCDEF")]
    bake_blocking(scene)
    monkeypatch.setattr(warnings, "_looked", ("", 0.0, []))
    assert "bake again" not in all_text("scene")
    for body in bodies:
        body.flotsam.spring_graph.stiffness = 5.0
    assert "bake again" not in all_text("scene"), "it compares once a second"
    monkeypatch.setattr(warnings, "_looked", ("", 0.0, []))
    text = all_text("scene")
    assert text.count("have changed since the bake") == 4 and "Ring A" in text and "And 2 more" in text


def test_what_a_bake_takes_is_said_before_it_begins_and_learnt_from_it(tmp_path: Path) -> None:
    """Disk: 28 bytes a vertex and frame; time: extrapolated from the last bake by vertices and substeps."""
    scene = fresh_scene(tmp_path, (1, 200))
    assert expense.expense(scene) is None
    body = soft(ring())
    unknown = expense.expense(scene)
    assert unknown.disk == 28 * len(body.data.vertices) * 200 and unknown.seconds is None
    assert unknown.sentence() in all_text() and "how long it takes shows after a few frames" in unknown.sentence()
    job = BakeJob(scene)
    for _slice in job.run():
        pass
    found = expense.expense(scene)
    # The bake takes less than ten seconds, so its rate averages all frames.
    assert found.seconds == pytest.approx(200 / job.progress.rate, rel=0.02)
    scene.flotsam.frame_end = 400
    scene.flotsam.substeps *= 2
    assert expense.expense(scene).seconds == pytest.approx(4.0 * found.seconds, rel=1e-6)
    expense.forget_all()
    on_disk = expense.expense(scene).seconds
    assert on_disk == pytest.approx(2.0 * found.seconds, rel=0.2), "the index keeps the time for later sessions"
    assert expense.Expense(75.0, 25_000_000, 1_200_000_000).sentence() == (
        "About 1 min 15 s, 25 MB on disk and 1.2 GB of memory"
    )


def test_bodies_that_were_caught_in_each_other_or_jammed_are_said() -> None:
    from flotsam.addon.solver.tangles import Tangles
    from flotsam.engine.world.frame import Frame

    tangles = Tangles()
    for number, stopped, left in ((7, 0.0, 0.0), (8, 2.0, 0.0), (9, 0.0, 0.0), (10, 3.0, 5.0)):
        frame = Frame(number)
        frame.diagnostics["world"] = {"stopped": (stopped,), "left": (left,)}
        tangles.note(frame, number)
        if number == 7:
            assert tangles.warnings() == []
    assert tangles.warnings() == [
        "In a frame, first in frame 10, bodies were caught in each other and could not be parted; let them start "
        "apart, or give the scene more Substeps.",
        "In a frame, first in frame 8, bodies jammed, and moved as one for a moment so that none went through another; "
        "give the scene more Substeps, or less weight to what presses.",
    ]
    frame = Frame(11)
    diagnostics = {"world": {"dense": (40.0,)}, "ring": {"stretch": (0.2, 2.5)}, "ball": {"stretch": (0.1, 1.5)}}
    frame.diagnostics.update(diagnostics)
    tangles.note(frame, 11)
    assert tangles.warnings()[2:] == [
        "In a frame, first in frame 11, soft bodies were pressed so close together that only a part of their contacts "
        "was solved; make them stiffer, or what presses them lighter.",
        "Meanwhile edges of ring were up to 3.5 times as long as at rest.",
    ]
