"""The command line as a user sees it: exit status, one line on stderr, finished frames after Ctrl-C."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest

MAKE_RING = """
import sys
import bpy
import flotsam
bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
flotsam.register()
if sys.argv[2] == "ring":
    bpy.ops.mesh.primitive_torus_add(major_segments=24, minor_segments=12, location=(0, 0, 5))
    bpy.ops.flotsam.add(kind="SPRING_GRAPH")
scene = bpy.context.scene
scene.flotsam.frame_start, scene.flotsam.frame_end = 1, 6
bpy.ops.wm.save_as_mainfile(filepath=sys.argv[1])
"""
LOOK = """
import sys
import bpy
bpy.ops.wm.open_mainfile(filepath=sys.argv[1])
(obj,) = (obj for obj in bpy.context.scene.objects if obj.type == "MESH")
lows = []
for frame in (1, 6):
    bpy.context.scene.frame_set(frame)
    seen = obj.evaluated_get(bpy.context.evaluated_depsgraph_get())
    lows.append(min((seen.matrix_world @ vertex.co).z for vertex in seen.data.vertices))
keys = obj.data.shape_keys
print("LOOK", lows[0] - lows[1], 0 if keys is None else len(keys.key_blocks))
"""


def python(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, stdin=subprocess.DEVNULL)


def flotsam(*arguments: object) -> subprocess.CompletedProcess[str]:
    return python("-m", "flotsam", *map(str, arguments))


def make(path: Path, what: str = "ring") -> Path:
    done = python("-c", MAKE_RING, str(path), what)
    assert path.exists(), done.stdout + done.stderr
    return path


def look(path: Path) -> tuple[float, int]:
    """How far the mesh falls from frame 1 to 6 [m], and its shape keys, without the add-on."""
    done = python("-c", LOOK, str(path))
    (line,) = (line for line in done.stdout.splitlines() if line.startswith("LOOK"))
    fell, keys = line.split()[1:]
    return float(fell), int(keys)


@pytest.fixture(scope="module")
def ring(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make(tmp_path_factory.mktemp("cli") / "ring.blend")


def one_line(done: subprocess.CompletedProcess[str]) -> str:
    """The single line on stderr."""
    assert done.stderr.startswith("flotsam: ") and done.stderr.count("\n") == 1, done.stderr
    return done.stderr


def test_presets_lists_scenes_and_materials():
    done = flotsam("presets")
    assert done.returncode == 0, done.stderr
    words = [line.split()[0] for line in done.stdout.splitlines() if line.startswith("  ")]
    assert "rubber_dinghy_rapids" in words and "rubber_ring" in words


@pytest.mark.parametrize(
    "arguments",
    [
        [], ["swim"], ["bake"], ["bake", "a.blend", "--frames", "9-1"], ["bake", "a.blend", "--frames", "some"],
        ["bake", "a.blend", "--to", "paper"], ["demo", "--frames", "0"], ["demo", "--size", "640"],
    ],
)
def test_wrong_usage_is_2(arguments):
    done = flotsam(*arguments)
    assert done.returncode == 2
    assert "usage: flotsam" in done.stderr


def test_help_is_0():
    done = flotsam("--help")
    assert done.returncode == 0
    assert all(command in done.stdout for command in ("demo", "bake", "presets"))


def test_missing_file(tmp_path):
    done = flotsam("bake", tmp_path / "none.blend")
    assert done.returncode == 1
    assert "none.blend does not exist" in one_line(done)


def test_file_that_is_no_blend(tmp_path):
    (tmp_path / "text.blend").write_text("text")
    done = flotsam("bake", tmp_path / "text.blend")
    assert done.returncode == 1
    assert "cannot be opened" in one_line(done)


def test_file_without_bodies(tmp_path):
    done = flotsam("bake", make(tmp_path / "empty.blend", "nothing"))
    assert done.returncode == 1
    assert "has no Flotsam bodies" in one_line(done)


def test_unknown_scene_preset(tmp_path):
    done = flotsam("demo", "swimming_pool", "--out", tmp_path)
    assert done.returncode == 1
    assert "swimming_pool" in one_line(done) and "rubber_dinghy_rapids" in done.stderr


def test_blender_knows_the_command():
    """`blender --command flotsam presets`: Blender refuses a second registration of the name with a warning."""
    script = """
import bpy
import flotsam
flotsam.register()
bpy.utils.register_cli_command("flotsam", lambda argv: 0)
"""
    done = python("-c", script)
    assert 'duplicate command "flotsam"' in done.stdout + done.stderr


def test_output_leaves_the_first_file_alone(ring, tmp_path):
    before = ring.read_bytes()
    output = tmp_path / "baked.blend"
    done = flotsam("bake", ring, "--output", output)
    assert done.returncode == 0, done.stderr
    assert "6 of 6 frames" in done.stdout
    assert ring.read_bytes() == before and not (ring.parent / "flotsam_cache").exists()
    # Five frames of free fall, ½ g t², plus the size change by default settings.
    assert look(output)[0] == pytest.approx(0.213, abs=0.05)


def test_output_that_cannot_be_written(ring, tmp_path):
    done = flotsam("bake", ring, "--output", tmp_path / "no" / "folder" / "baked.blend")
    assert done.returncode == 1
    assert "cannot be saved" in one_line(done)


def test_to_shape_keys(ring, tmp_path):
    output = tmp_path / "keys.blend"
    done = flotsam("bake", ring, "--output", output, "--to", "shape-keys", "--frames", "1-6")
    assert done.returncode == 0, done.stderr
    fell, keys = look(output)
    assert keys == 6
    assert fell == pytest.approx(0.213, abs=0.05)


@pytest.mark.alone
def test_ctrl_c_stops_within_a_second_and_resume_goes_on(tmp_path):
    path = make(tmp_path / "long.blend")
    command = [sys.executable, "-m", "flotsam", "bake", str(path), "--frames", "1-100000"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        cache = tmp_path / "flotsam_cache" / "long" / "Scene"
        until = time.monotonic() + 120.0
        while not any(file.stat().st_size > 50_000 for file in cache.glob("*.pc2")):
            assert time.monotonic() < until and process.poll() is None
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        asked = time.monotonic()
        _out, err = process.communicate()
    took = time.monotonic() - asked
    assert process.returncode == 130
    assert err == "flotsam: stopped by Ctrl-C; finished frames are kept.\n"
    assert took < 1.0
    assert look(path)[0] > 0.1
    (file,) = cache.glob("*.pc2")
    # 32 bytes of header, then 288 vertices of 12 bytes.
    finished = (file.stat().st_size - 32) // (288 * 12)
    done = flotsam("bake", path, "--frames", f"1-{finished + 5}", "--resume")
    assert done.returncode == 0, done.stderr
    assert file.stat().st_size == 32 + (finished + 5) * 288 * 12


def test_a_terminal_gets_a_bar(ring, tmp_path):
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (25, 80))
    command = [sys.executable, "-m", "flotsam", "bake", str(ring), "--output", str(tmp_path / "bar.blend")]
    with subprocess.Popen(command, stdout=theirs, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL) as process:
        os.close(theirs)
        shown = b"".join(iter(lambda: _read(ours), b""))
    os.close(ours)
    assert process.returncode == 0
    assert b"6/6" in shown and b"100%" in shown


def _read(descriptor: int) -> bytes:
    """A piece of terminal output; Linux signals the end by an error instead of an empty read."""
    try:
        return os.read(descriptor, 1000)
    except OSError:
        return b""
