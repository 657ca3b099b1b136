"""During a bake: finished frames of all kinds can be viewed, and objects that they move do not change the bake."""

from __future__ import annotations

import time
from contextlib import closing
from pathlib import Path

import bpy
import numpy as np
import pytest
from flotsam.addon.bake.job import BakeJob, bake_blocking
from flotsam.addon.bake.owner import cache_problem
from flotsam.addon.bake.pace import Pace
from flotsam.addon.bake.worker import Worker
from flotsam.addon.capture import CaptureError
from flotsam.addon.write import baked_file
from flotsam.engine import WorldSpec, cache
from make_rigid import add_box, add_floor, place_at, rigid_scene
from make_scene import cube, fresh_scene, ring, soft, world_positions


def frames_of(scene: bpy.types.Scene) -> dict[str, bytes]:
    return {obj.name: baked_file(obj).read_bytes() for obj in scene.objects if baked_file(obj) is not None}


@pytest.mark.parametrize("animated", [False, True])
def test_finished_frames_of_a_crate_are_seen_while_the_bake_runs(tmp_path: Path, animated: bool) -> None:
    scene = rigid_scene(tmp_path)
    scene.flotsam.frame_end = 200
    crate, floor = add_box("Crate", (0.0, 0.0, 1.5), (0.3, 0.2, 0.1)), add_floor()
    tube = soft(ring(z=3.0))
    if animated:
        for frame, height in ((1, 0.0), (200, 0.5)):
            floor.location.z = height
            floor.keyframe_insert("location", index=2, frame=frame)
    scene.frame_set(7)
    views = 0
    with closing(BakeJob(scene).run(patience=0.01)) as slices:
        for progress in slices:
            assert scene.frame_current == 7, "the current frame stays the one that the artist chose"
            keyed = crate.flotsam.baked.last
            if keyed > 8 and views < 5 and progress.done < 200:
                views += 1
                shown = place_at(scene, crate, keyed)
                assert shown[2, 3] < 1.499, "it falls"
                row = cache.read_sample(baked_file(crate), keyed - 1)
                assert shown[:3, 3] == pytest.approx(row[0], abs=1e-5)
                assert np.min(np.array(world_positions(tube, keyed))[:, 2]) < 2.84
                scene.frame_set(7)
    assert views, "keyframes were added before the end"
    assert cache_problem(crate, scene) is None and crate.flotsam.baked.last == 200
    seen = frames_of(scene)
    matrices = [place_at(scene, crate, frame) for frame in (50, 120, 200)]
    bake_blocking(scene)
    assert frames_of(scene) == seen, "a second bake ignores the keyframes of the first"
    for frame, matrix in zip((50, 120, 200), matrices, strict=True):
        assert np.array_equal(place_at(scene, crate, frame), matrix), "keyframes added in parts equal a single write"


def test_what_hangs_on_a_baked_crate_does_not_change_the_next_bake_nor_a_resume(tmp_path: Path) -> None:
    """A collider that is a child of a crate, and a crate that is a child of an animated empty."""
    scene = rigid_scene(tmp_path)
    add_floor()
    crate, cart = add_box("Crate", (0.0, 0.0, 1.0)), bpy.data.objects.new("Cart", None)
    post = cube("Post", z=0.4)
    post.parent = crate
    post.location = (2.0, 0.3, 0.0)
    post.flotsam.kind = "COLLIDER"
    scene.collection.objects.link(cart)
    rider = add_box("Rider", (4.0, 0.0, 1.0))
    rider.parent = cart
    for frame, angle in ((1, 0.1), (24, 0.7)):
        cart.rotation_euler.z = angle
        cart.keyframe_insert("rotation_euler", frame=frame)
    scene.frame_set(1)
    bake_blocking(scene)
    first = frames_of(scene)
    bake_blocking(scene)
    assert frames_of(scene) == first
    bake_blocking(scene, frame_end=9)
    bake_blocking(scene, resume=True)
    assert frames_of(scene) == first


def test_a_vertex_count_that_changes_is_refused_for_soft_bodies_too(tmp_path: Path) -> None:
    scene = fresh_scene(tmp_path, (1, 12))
    obj = soft(ring())
    build = obj.modifiers.new("Build", "BUILD")
    obj.modifiers.move(len(obj.modifiers) - 1, 0)
    build.frame_start, build.frame_duration = -200.0, 100.0
    bake_blocking(scene)
    build.frame_start, build.frame_duration = -6.0, 12.0
    with pytest.raises(CaptureError, match="Ring has .* vertices now and had .* at the start; keep its modifiers"):
        bake_blocking(scene)
    obj.modifiers.remove(build)
    wave = obj.modifiers.new("Wave", "WAVE")
    obj.modifiers.move(len(obj.modifiers) - 1, 0)
    assert wave.name == obj.modifiers[0].name
    assert bake_blocking(scene).progress.done == 12


def test_time_left_follows_the_last_seconds() -> None:
    """A scene that slows down: a hundred frames a second for ten seconds, then one."""
    pace, done, now = Pace(1, 0.0), 1, 0.0
    for _ in range(1000):
        done, now = done + 1, now + 0.01
        rate = pace.rate(done, now)
    assert rate == pytest.approx(100.0, rel=0.01)
    for _ in range(25):
        done, now = done + 1, now + 1.0
        rate = pace.rate(done, now)
    assert rate == pytest.approx(1.0, rel=0.1) and pace.mean_rate(done, now) == pytest.approx(1025 / 35.0, rel=0.01)


def test_a_state_is_saved_every_two_seconds_also_on_a_slow_disk() -> None:
    """This includes the time of the save; a state that takes longer than a second to write is saved continuously."""
    worker = Worker(WorldSpec(systems=()), "", None)
    intervals = []
    for seconds in (0.0, 0.1, 0.3, 0.6, 1.0, 3.0):
        worker.adapt_interval(seconds)
        intervals.append(worker._snapshot_seconds)
    assert intervals == pytest.approx([0.5, 0.5, 1.2, 1.4, 1.0, 0.5])


@pytest.mark.alone
def test_keys_are_added_in_no_more_than_a_share_of_the_time(tmp_path: Path) -> None:
    scene = rigid_scene(tmp_path)
    scene.flotsam.frame_end = 240
    add_floor()
    for number in range(30):
        add_box(f"Crate {number}", (0.9 * (number % 6), 0.9 * (number // 6), 1.0))
    job = BakeJob(scene)
    spent, begun = 0.0, time.perf_counter()
    with closing(job.run()) as slices:
        for _progress in slices:
            if job._playback is not None and spent == 0.0:
                refresh = job._playback.refresh

                def timed(refresh: object = refresh) -> None:
                    nonlocal spent
                    at = time.perf_counter()
                    refresh()
                    spent += time.perf_counter() - at
                job._playback.refresh = timed
                spent = 1e-9
    total = time.perf_counter() - begun
    print(f"keys {spent:.2f} s of {total:.2f} s")
    assert spent < 0.25 * total
