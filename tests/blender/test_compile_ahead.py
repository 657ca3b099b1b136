"""Compiling in advance: separate processes of the lowest priority that a solver stops and that end with Blender."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import bpy
import pytest
from flotsam.addon.operators import compile as compiling
from flotsam.addon.panels.live import FLOTSAM_PT_view_live
from flotsam.addon.paths import kernel_cache_folder
from flotsam.addon.solver import ahead
from flotsam.engine.spec import SpringGraphSpec, WaterSpec
from make_scene import cube, fresh_scene, ring, soft
from recorded import Recorder

pytestmark = pytest.mark.alone


@pytest.fixture
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty folder for kernels."""
    monkeypatch.setenv("FLOTSAM_KERNEL_CACHE", str(tmp_path / "kernels"))
    monkeypatch.setattr(ahead, "_done", {})
    yield tmp_path / "kernels"
    ahead.stop()


def children() -> dict[int, int]:
    """Niceness of the compile processes started by this process, by id."""
    found = {}
    for folder in Path("/proc").iterdir():
        try:
            words = (folder / "stat").read_text().rpartition(")")[2].split()
            if int(words[1]) == os.getpid() and b"precompile/child.py" in (folder / "cmdline").read_bytes():
                found[int(folder.name)] = int(words[16])
        except (OSError, ValueError, IndexError):
            continue
    return found


def until(what: object, seconds: float = 30.0) -> None:
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs Linux")
def test_it_runs_apart_at_the_lowest_priority_and_says_how_far_it_is(empty: Path) -> None:
    fresh_scene()
    assert compiling.begin(("XPBD",))
    until(lambda: 19 in children().values())
    until(lambda: "kernels" in (ahead.running() or ""))
    assert " of " in ahead.running()
    layout = Recorder()
    FLOTSAM_PT_view_live.draw(type("Panel", (), {"layout": layout})(), bpy.context)
    assert "Compiling the solver" in " ".join(layout.labels)
    assert not bpy.ops.flotsam.compile.poll()
    ahead.stop()
    assert ahead.running() is None and children() == {}


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs Linux")
def test_it_ends_with_blender(tmp_path: Path) -> None:
    """A killed process leaves no child processes."""
    root = Path(__file__).parents[2]
    script = (
        "import sys, time\n"
        "from flotsam.engine import compile_ahead\n"
        "compile_ahead(lambda sentence: print(sentence, flush=True))\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, cwd=root,
        env={**os.environ, "FLOTSAM_KERNEL_CACHE": str(tmp_path / "kernels")},
    )
    assert "Compiling" in process.stdout.readline()

    def own() -> list[Path]:
        """Processes that compile into this test's folder."""
        return [
            folder for folder in Path("/proc").iterdir() if folder.name.isdecimal()
            and b"precompile/child.py" in _read(folder / "cmdline")
            and str(tmp_path).encode() in _read(folder / "environ")
        ]

    until(own)
    process.kill()
    process.wait()
    until(lambda: not own(), seconds=10.0)


def _read(file: Path) -> bytes:
    """Contents of a file in /proc of a process; empty if the process has ended."""
    try:
        return file.read_bytes()
    except OSError:
        return b""


def test_the_button_compiles_every_set(monkeypatch: pytest.MonkeyPatch) -> None:
    """*Compile Solver* compiles all that a scene may need; formerly it left out jelly, struts, tears and clay."""
    begun: list[tuple[str, ...]] = []
    monkeypatch.setattr(ahead, "begin", lambda kernels, _folder: bool(begun.append(kernels)))
    fresh_scene()
    bpy.ops.flotsam.compile()
    rare = {*SpringGraphSpec.rare_kernels, *WaterSpec.rare_kernels}
    assert {"XPBD", "SOFT_IN_WATER", "RIGID", "FIELDS", "FLOCKS", "FLUIDS", *rare} <= set(*begun)


def test_a_body_in_the_file_begins_it_and_rigid_ones_want_more(monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[tuple[str, ...]] = []
    monkeypatch.setattr(ahead, "begin", lambda kernels, _folder: bool(begun.append(kernels)))
    scene = fresh_scene()

    def begun_by_scan() -> list[tuple[str, ...]]:
        begun.clear()
        monkeypatch.setattr(compiling, "_looked_at", 0.0)
        compiling._look()
        return list(begun)

    assert compiling.kernels_for(scene) == () and begun_by_scan() == []
    body = soft(ring())
    assert begun_by_scan() == [("SOFT_ALONE", "XPBD")]
    # Formerly kernels of a jelly, and of the struts of a Rubber Ring, compiled only before the first frame.
    body.flotsam.spring_graph.struts = 1
    assert begun_by_scan() == [("SOFT_ALONE", "STRUTS", "XPBD")]
    body.flotsam.spring_graph.struts, body.flotsam.spring_graph.graph = 0, "LATTICE"
    assert begun_by_scan() == [("LATTICES", "XPBD")]
    cube().flotsam.kind = "VOXEL_BODY"
    assert begun_by_scan() == [("APART_ALONE", "LATTICES", "BOTH_ALONE", "XPBD", "RIGID")]
    body.flotsam.spring_graph.graph = "SURFACE"
    begun.clear()
    compiling._look()
    assert begun == [], "scenes are scanned at intervals"


def test_what_is_compiled_is_not_compiled_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After a bake all kernels are compiled."""
    scene = fresh_scene(tmp_path, (1, 2))
    soft(ring())
    scene.flotsam.integrator = "XPBD"
    bpy.ops.flotsam.bake()
    monkeypatch.setattr(ahead, "_done", {})
    assert not ahead.begin(("XPBD",), kernel_cache_folder()) and ahead.running() is None


def test_whoever_solves_stops_it_first(empty: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fresh_scene(tmp_path, (1, 2))
    soft(ring())
    assert ahead.begin(("XPBD",), kernel_cache_folder())
    seen: list[str | None] = []

    def prepared(*_arguments: object) -> float:
        seen.append(ahead.running())
        return 0.0

    monkeypatch.setattr("flotsam.addon.solver.thread.prepare", prepared)
    bpy.ops.flotsam.bake()
    assert seen == [None]
