"""The finer surface of a fluid, made by an optional package or by a stand-in for it."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import bpy
import numpy as np
import pytest
from flotsam.addon.bake import state
from flotsam.addon.bake.surface_job import SurfaceJob
from flotsam.addon.operators.bake import BakeOperator
from flotsam.addon.operators.bake_surface import FLOTSAM_OT_bake_surface
from flotsam.addon.solver.leavers import Leavers
from flotsam.addon.write.node_groups import get_input, set_inputs
from flotsam.addon.write.point_nodes import FIRST, FOLDER, FRAME_RATE, LAST, points_group
from flotsam.addon.write.points import PointsWriter, baked_folder
from flotsam.engine import cache
from flotsam.engine.cache import mesh_maker
from flotsam.engine.cache.fine_mesh import find_package, wrapped
from flotsam.engine.world.frame import Frame
from make_scene import fresh_scene
from recorded import all_text, drawn
from window_stand_in import ESC, TIMER, Window

FRAMES = 3
FALL = 1.2


# Stand-in for the package: makes a tetrahedron in the bounding box of the points, with their mean velocity. It takes
# as many seconds as a file beside it says.
STAND_IN = """
import time
from pathlib import Path
from types import SimpleNamespace
import numpy as np

def reconstruction_pipeline(points, *, attributes_to_interpolate, **_settings):
    wait = Path(__file__).with_name("seconds")
    time.sleep(float(wait.read_text()) if wait.exists() else 0.0)
    low, size = points.min(axis=0), np.ptp(points, axis=0)
    corners = low + size * np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    velocity = np.repeat(attributes_to_interpolate["velocity"].mean(axis=0)[None], 4, axis=0)
    faces = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]], dtype=np.uint64)
    found = SimpleNamespace(
        mesh=SimpleNamespace(vertices=corners.astype(np.float32), triangles=faces),
        point_attributes={"velocity": velocity},
    )
    return found, None
"""


@pytest.fixture
def stand_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a stand-in for the package, used in this process and in others."""
    folder = tmp_path / "packages"
    folder.mkdir()
    (folder / "pysplashsurf.py").write_text(STAND_IN)
    monkeypatch.syspath_prepend(folder)
    monkeypatch.delitem(sys.modules, "pysplashsurf", raising=False)
    yield folder
    sys.modules.pop("pysplashsurf", None)
    assert state.current() is None


class Bake(BakeOperator):
    """The operator outside of Blender's event loop."""

    baked, stopped = FLOTSAM_OT_bake_surface.baked, FLOTSAM_OT_bake_surface.stopped

    def __init__(self) -> None:
        self.said: list[str] = []

    def make_job(self, context: Any) -> SurfaceJob:
        return SurfaceJob(context.scene, context.object)

    def report(self, _kind: set[str], sentence: str) -> None:
        self.said.append(sentence)


def baked(folder: Path) -> bpy.types.Object:
    """An object that plays three frames of 64 points that fall, and of one bubble far away."""
    fresh_scene(folder, (1, FRAMES))
    bpy.ops.mesh.primitive_cube_add(size=0.4)
    water, points_folder = bpy.context.object, folder / "Cube.points"
    water.flotsam.kind = "FLUID"
    points_folder.mkdir()
    positions = 0.1 * np.stack(np.meshgrid(*[np.arange(4.0)] * 3), axis=-1).reshape(-1, 3)
    positions = np.concatenate([positions, [[9.0, 9.0, 9.0]]]).astype(np.float32)
    for frame in range(1, FRAMES + 1):
        values = {"radius": np.full(65, 0.05), "kind": np.append(np.zeros(64), 3.0)}
        velocities = np.tile([0.0, 0.0, -FALL], (65, 1))
        content = cache.points_content(positions + velocities * frame / 24.0, velocities, values)
        cache.replace_files({cache.points_file(points_folder, frame): content})
    modifier = water.modifiers.new("Flotsam", "NODES")
    modifier.node_group = points_group()
    set_inputs(modifier, {FOLDER: f"{points_folder}/", FIRST: 1, LAST: FRAMES, FRAME_RATE: 24.0})
    return water


def heights(water: bpy.types.Object, frame: int, subframe: float = 0.0) -> np.ndarray:
    """Heights of the vertices of the surface [m]."""
    bpy.context.scene.frame_set(frame, subframe=subframe)
    mesh = water.evaluated_get(bpy.context.evaluated_depsgraph_get()).to_mesh()
    positions = np.zeros(3 * len(mesh.vertices), np.float32)
    mesh.vertices.foreach_get("co", positions)
    water.evaluated_get(bpy.context.evaluated_depsgraph_get()).to_mesh_clear()
    return positions.reshape(-1, 3)[:, 2]


def test_a_finer_surface_plays_from_disk(tmp_path: Path, stand_in: Path) -> None:
    """Within the baked range it is the package's mesh, moved by its velocity between frames; outside, that of nodes."""
    water = baked(tmp_path)
    assert bpy.ops.flotsam.bake_surface() == {"FINISHED"}
    for frame, subframe in ((1, 0.0), (2, 0.0), (2, 0.5)):
        found = heights(water, frame, subframe)
        assert len(found) == 4
        assert found.min() == pytest.approx(-FALL * (frame + subframe) / 24.0, abs=1e-5)
    assert len(heights(water, FRAMES + 2)) > 4
    # A bake that continues from an earlier frame removes the meshes of the previous one.
    folder, surface = baked_folder(water), water.modifiers["Flotsam Surface"]
    writer = PointsWriter(None, folder.parent, SimpleNamespace(file=folder.name), (1, 24.0))
    writer.cut(2)
    writer.connect(water)
    assert get_input(surface, "Finer Folder") == "" and not cache.mesh_folders(folder)
    assert len(heights(water, 2)) > 4


def test_esc_stops_within_a_tenth_of_a_second_and_the_next_press_goes_on(tmp_path: Path, stand_in: Path) -> None:
    """Esc during a mesh that takes a minute. The old surface shows until the new one has all its meshes."""
    water = baked(tmp_path)
    bpy.ops.flotsam.bake_surface()
    before = get_input(water.modifiers["Flotsam Surface"], "Finer Folder")
    shown = [prop for layout in drawn("physics").values() for prop in layout.props]
    assert {field for _owner, field in shown if field.startswith("surface_")} >= {"surface_cell", "surface_smoothing"}
    water.flotsam.surface_smoothing += 1
    window, bake = Window(bpy.context.scene), Bake()
    bake.bake_by_timer(window)
    while bake._job.progress.done < 1:
        assert bake.modal(window, TIMER) == {"PASS_THROUGH"}
    (stand_in / "seconds").write_text("60")
    assert not bpy.ops.flotsam.bake.poll() and not bpy.ops.flotsam.bake_surface.poll()
    assert "1 of 3 frames" in all_text(), "a bar with buttons to pause and to stop"
    done, ends = bake._job.progress.done, time.monotonic() + 0.5
    while time.monotonic() < ends:
        began = time.monotonic()
        bake.modal(window, TIMER)
        assert time.monotonic() - began < 0.1
    began = time.monotonic()
    assert bake.modal(window, ESC) == {"FINISHED"} and time.monotonic() - began < 0.1
    assert bake.said == [
        f"Stopped; {done} of 3 meshes are kept, Bake Finer Surface goes on. The surface shows what it showed before."
    ]
    assert not window.timers and window.status is None
    assert get_input(water.modifiers["Flotsam Surface"], "Finer Folder") == before
    assert len(heights(water, 2)) == 4
    folder = next(one for one in cache.mesh_folders(baked_folder(water)) if one.name.endswith("16"))
    assert len(list(folder.iterdir())) == done, "no incomplete mesh"
    first = cache.points_file(folder, 1).stat().st_mtime_ns
    (stand_in / "seconds").unlink()
    assert bpy.ops.flotsam.bake_surface() == {"FINISHED"}
    assert cache.points_file(folder, 1).stat().st_mtime_ns == first, "the mesh is made once"
    assert cache.mesh_folders(baked_folder(water)) == [folder]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_disk_is_one_sentence_and_keeps_what_is_done(tmp_path: Path, stand_in: Path) -> None:
    water = baked(tmp_path)
    folder = cache.FineMeshes(baked_folder(water), 1.0, 15).folder
    folder.mkdir()
    full = cache.points_file(folder, 3)
    full.with_name(full.name + ".new").symlink_to("/dev/full")
    with pytest.raises(RuntimeError, match="is full; 2 of 3 meshes are kept. Make room and bake the finer"):
        bpy.ops.flotsam.bake_surface()
    assert sorted(one.name for one in folder.iterdir()) == ["f1.ply", "f2.ply"]
    assert "Flotsam Surface" not in water.modifiers
    assert bpy.ops.flotsam.bake_surface() == {"FINISHED"} and len(heights(water, 3)) == 4


@pytest.mark.parametrize("apart", [True, False])
def test_a_folder_that_cannot_be_written_is_one_sentence(
    tmp_path: Path, stand_in: Path, monkeypatch: pytest.MonkeyPatch, apart: bool
) -> None:
    """Root may write anywhere, so a file takes the place of the folder; also if no process can be started."""
    water = baked(tmp_path)
    monkeypatch.setattr(mesh_maker, "can_start", lambda: apart)
    blocked = cache.FineMeshes(baked_folder(water), 1.0, 15).folder
    blocked.write_text("mine")
    with pytest.raises(RuntimeError, match="cannot be written; make it writable, or bake with another Cache Folder"):
        bpy.ops.flotsam.bake_surface()
    assert blocked.read_text() == "mine" and "Flotsam Surface" not in water.modifiers


def test_a_package_that_fails_or_ends_is_one_sentence(tmp_path: Path, stand_in: Path) -> None:
    baked(tmp_path)
    package = stand_in / "pysplashsurf.py"
    for line, message in (
        ("raise ValueError('bad particles')", "pysplashsurf failed at frame 1: bad particles; 0 of 3 meshes are kept"),
        ("__import__('os')._exit(9)", "The process that makes the surface ended at frame 1; 0 of 3 meshes are kept"),
    ):
        package.write_text(f"def reconstruction_pipeline(*_points, **_settings):\n    {line}\n")
        with pytest.raises(RuntimeError, match=message):
            bpy.ops.flotsam.bake_surface()


def test_the_package_wraps_what_is_fluid(tmp_path: Path) -> None:
    """The mesh is within half a spacing of the cube of particles and has their velocity; a bubble is left out."""
    points = cache.read_points(baked_folder(baked(tmp_path)), 1)
    vertices, triangles, velocities = wrapped(find_package(), points, 1.0, 15)
    assert len(triangles) > 100 and triangles.max() < len(vertices) == len(velocities)
    assert np.ptp(vertices, axis=0) == pytest.approx([0.4] * 3, abs=0.05)
    assert velocities[:, 2] == pytest.approx(-FALL, abs=1e-3)


def test_without_the_package_a_sentence_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    water = baked(tmp_path)
    monkeypatch.setitem(sys.modules, "pysplashsurf", None)
    with pytest.raises(RuntimeError, match="needs the Python package pysplashsurf"):
        bpy.ops.flotsam.bake_surface()
    assert "Flotsam Surface" not in water.modifiers


def test_particles_that_left_for_ever_are_said() -> None:
    leavers = Leavers()
    for far in (0.0, 2.0, 6.0):
        frame = Frame(1)
        frame.diagnostics["Water"] = {"far": (far, 100.0), "particles": (85184.0, 85184.0 - far, far)}
        leavers.note(frame)
        if far == 0.0:
            assert leavers.warnings() == []
    (sentence,) = leavers.warnings()
    assert sentence.about == "Water" and sentence == (
        "Water: 6 of 85,184 particles went farther than 100 m from where they began and are gone; close the container "
        "or put a floor below, or raise Range."
    )
