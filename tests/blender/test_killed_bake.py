"""A killed bake resumes from the state on disk, and gives the same result as an undisturbed one.

`python -m pytest tests/blender/test_killed_bake.py --kills 200` is the long run.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import bpy
import pytest
from flotsam.addon.bake.job import bake_blocking
from flotsam.addon.write import baked_file
from flotsam.engine import cache
from make_rigid import add_box, curves_of
from make_scene import fresh_scene, ground, ring, soft

FRAMES = 400
# Solve time that a kill may lose, and allowance for a busy machine [s].
MOST_LOST, MARGIN = 2.0, 2.0

BAKE_IN_BLENDER = """
import sys
import bpy
import flotsam
flotsam.register()
bpy.ops.wm.open_mainfile(filepath=sys.argv[1])
if bpy.ops.flotsam.resume.poll():
    bpy.ops.flotsam.resume()
else:
    bpy.ops.flotsam.bake()
bpy.ops.wm.save_mainfile()
"""


def commands(blend: Path) -> dict[str, list[str]]:
    """Commands that bake a file, or resume, and save it: Blender, and the command line."""
    return {
        "Blender": [sys.executable, "-c", BAKE_IN_BLENDER, str(blend)],
        "command line": [sys.executable, "-m", "flotsam", "bake", str(blend), "--resume"],
    }


def raft(folder: Path) -> bpy.types.Scene:
    """A ring and a crate above a moving floor, so that every frame must be visited."""
    folder.mkdir()
    scene = fresh_scene(folder, (1, FRAMES))
    soft(ring(major=24, minor=10), pressure=300.0)
    add_box("Crate", (0.1, 0.0, 2.0), (0.2, 0.1, 0.0))
    floor = ground()
    for frame, height in ((1, 0.0), (FRAMES, 0.5)):
        floor.location.z = height
        floor.keyframe_insert("location", index=2, frame=frame)
    bpy.ops.wm.save_mainfile()
    return scene


def frames_in(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.glob("*.pc2")}


def cache_of(blend: Path) -> Path:
    return blend.parent / "flotsam_cache" / "scene" / "Scene"


def lost_seconds(folder: Path) -> float:
    """Solve time of the frames that no saved state covers [s]; 0 before the first frame."""
    index = cache.read_index(folder)
    files = list(folder.glob("*.pc2"))
    if index is None or not files:
        return 0.0
    done = min(cache.read_header(file).samples for file in files)
    if not index.running:
        # The bake had ended, and the process was saving the file.
        assert done == index.resumable == FRAMES
        return 0.0
    assert done >= index.resumable
    return (done - max(index.resumable, 1)) * index.seconds


def kill_after(command: list[str], seconds: float, folder: Path) -> bool:
    """Run until some time after the first frame, then send SIGKILL; returns whether it was killed before it ended."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    before = frames_size(folder)
    while process.poll() is None and frames_size(folder) == before:
        time.sleep(0.01)
    end = time.monotonic() + seconds
    while process.poll() is None and time.monotonic() < end:
        time.sleep(0.005)
    if process.poll() is not None:
        assert process.returncode == 0
        return False
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    return True


def frames_size(folder: Path) -> int:
    """Total bytes of all frames: they change with the first new frame, even one that is solved again."""
    return sum(file.stat().st_size for file in folder.glob("*.pc2"))


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Windows knows no SIGKILL")
def test_a_bake_killed_at_random_loses_two_seconds_at_most_and_ends_with_the_same_bits(
    tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    bake_blocking(raft(tmp_path / "whole"))
    wanted = frames_in(cache_of(tmp_path / "whole" / "scene.blend"))
    losses, rng, rounds = list[float](), random.Random(31), 0
    while len(losses) < request.config.getoption("--kills"):
        rounds += 1
        folder = tmp_path / f"round{rounds}"
        shutil.copytree(tmp_path / "whole", folder, ignore=shutil.ignore_patterns("flotsam_cache"))
        blend = folder / "scene.blend"
        for attempt in range(4):
            name = rng.choice(list(commands(blend)))
            if not kill_after(commands(blend)[name], rng.uniform(0.0, 2.5), cache_of(blend)):
                break
            losses.append(lost_seconds(cache_of(blend)))
            message = f"kill {len(losses)}, {name}, attempt {attempt}: {losses[-1]:.2f} s"
            assert losses[-1] <= MOST_LOST + MARGIN, message
        done = subprocess.run(commands(blend)["command line"], capture_output=True, text=True)
        assert done.returncode == 0 or "are baked" in done.stderr, done.stdout + done.stderr
        assert frames_in(cache_of(blend)) == wanted, f"round {rounds}"
        shutil.rmtree(folder)
    late = sum(lost > MOST_LOST for lost in losses)
    print(f"{len(losses)} kills in {rounds} bakes; {max(losses):.2f} s lost at most, {late} times more than two")


def killed(blend: Path) -> None:
    """Leave the result of a process killed during a bake: nothing saved, and the index marked as running."""
    command = commands(blend)["Blender"]
    while cache.read_index(cache_of(blend)) is None or cache.read_index(cache_of(blend)).resumable == 0:
        assert kill_after(command, 2.0, cache_of(blend))


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Windows knows no SIGKILL")
def test_a_killed_bake_is_found_again_on_opening_and_resumes(tmp_path: Path) -> None:
    raft(tmp_path / "raft")
    blend = tmp_path / "raft" / "scene.blend"
    killed(blend)
    bpy.ops.wm.open_mainfile(filepath=str(blend))
    scene = bpy.context.scene
    tube, crate = scene.objects["Ring"], scene.objects["Crate"]
    done = cache.read_header(baked_file(tube)).samples
    assert done > 1 and len(curves_of(crate)[0].keyframe_points) >= done - 1
    assert crate.flotsam.baked.last >= done - 1
    assert bpy.ops.flotsam.resume.poll() and bpy.ops.flotsam.resume() == {"FINISHED"}
    found = frames_in(cache_of(blend))
    bake_blocking(scene)
    assert frames_in(cache_of(blend)) == found
