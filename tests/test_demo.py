"""The demo in a process of its own: its results, its length, and folders that it cannot write."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

PRESET = "rubber_dinghy_rapids"
# Prints the frame range of the .blend, the number of baked bodies, and brightness and contrast of the picture.
LOOK = """
import sys
import bpy
import numpy as np
bpy.ops.wm.open_mainfile(filepath=sys.argv[1])
scene = bpy.context.scene
baked = sum("Flotsam" in obj.modifiers and obj.modifiers["Flotsam"].show_render for obj in scene.objects)
image = bpy.data.images.load(sys.argv[2])
seen = np.array(image.pixels[:]).reshape(-1, 4)[:, :3]
print("LOOK", scene.frame_start, scene.frame_end, baked, *image.size, seen.mean(), seen.std())
"""


def python(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *map(str, arguments)], capture_output=True, text=True, stdin=subprocess.DEVNULL
    )


def look(out: Path) -> list[float]:
    """Output of LOOK for a demo's folder."""
    done = python("-c", LOOK, out / f"{PRESET}.blend", out / f"{PRESET}.png")
    (line,) = (line for line in done.stdout.splitlines() if line.startswith("LOOK"))
    return [float(word) for word in line.split()[1:]]


@pytest.mark.slow
def test_still_of_a_few_frames(tmp_path: Path) -> None:
    out = tmp_path / "new" / "folder"
    done = python("-m", "flotsam", "demo", "--frames", 6, "--still", "--size", "96x54", "--out", out)
    assert done.returncode == 0, done.stderr
    assert not list(out.glob("*.mp4"))
    start, end, baked, width, height, brightness, contrast = look(out)
    assert (start, end) == (1, 6)
    assert baked >= 12
    assert (width, height) == (96, 54)
    assert 0.15 < brightness < 0.85
    assert contrast > 0.1


@pytest.mark.slow
def test_film_of_a_few_frames(tmp_path: Path) -> None:
    # The preset's film starts at frame 10 and shows every second frame.
    done = python("-m", "flotsam", "demo", "--frames", 12, "--size", "96x54", "--out", tmp_path)
    assert done.returncode == 0, done.stderr
    assert "Film, 2 frames" in done.stdout
    film = (tmp_path / f"{PRESET}.mp4").read_bytes()
    assert film[4:8] == b"ftyp"
    assert b"moov" in film and b"avc1" in film


def test_out_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("in the way")
    done = python("-m", "flotsam", "demo", "--out", tmp_path / "out")
    assert done.returncode == 1
    assert done.stderr.startswith("flotsam: ") and done.stderr.count("\n") == 1
    assert str(tmp_path / "out") in done.stderr
