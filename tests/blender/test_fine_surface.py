"""The finer surface of a fluid, by an optional package, and by one that stands in for it."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace

import bpy
import numpy as np
import pytest
from flotsam.addon.solver.leavers import Leavers
from flotsam.addon.write.fine_surface import find_package, wrapped
from flotsam.addon.write.node_groups import get_input, set_inputs
from flotsam.addon.write.point_nodes import FIRST, FOLDER, FRAME_RATE, LAST, points_group
from flotsam.addon.write.points import PointsWriter, baked_folder
from flotsam.engine import cache
from flotsam.engine.world.frame import Frame
from make_scene import fresh_scene

FRAMES = 3
FALL = 1.2


def reconstruct(points: np.ndarray, *, attributes_to_interpolate: dict[str, np.ndarray], **_settings) -> tuple:
    """A tetrahedron over the box around points, with their mean velocity."""
    low, size = points.min(axis=0), np.ptp(points, axis=0)
    corners = low + size * np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    velocity = np.repeat(attributes_to_interpolate["velocity"].mean(axis=0)[None], 4, axis=0)
    faces = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]], dtype=np.uint64)
    found = SimpleNamespace(
        mesh=SimpleNamespace(vertices=corners.astype(np.float32), triangles=faces),
        point_attributes={"velocity": velocity},
    )
    return found, None


def baked(folder: Path) -> bpy.types.Object:
    """An object that plays three frames of 64 points that fall, and of one bubble far away."""
    fresh_scene(folder, (1, FRAMES))
    bpy.ops.mesh.primitive_cube_add(size=0.4)
    water, there = bpy.context.object, folder / "Cube.points"
    water.flotsam.kind = "FLUID"
    there.mkdir()
    place = 0.1 * np.stack(np.meshgrid(*[np.arange(4.0)] * 3), axis=-1).reshape(-1, 3)
    place = np.concatenate([place, [[9.0, 9.0, 9.0]]]).astype(np.float32)
    for frame in range(1, FRAMES + 1):
        values = {"radius": np.full(65, 0.05), "kind": np.append(np.zeros(64), 3.0)}
        down = np.tile([0.0, 0.0, -FALL], (65, 1))
        content = cache.points_content(place + down * frame / 24.0, down, values)
        cache.replace_files({cache.points_file(there, frame): content})
    modifier = water.modifiers.new("Flotsam", "NODES")
    modifier.node_group = points_group()
    set_inputs(modifier, {FOLDER: f"{there}/", FIRST: 1, LAST: FRAMES, FRAME_RATE: 24.0})
    return water


def heights(water: bpy.types.Object, frame: int, subframe: float = 0.0) -> np.ndarray:
    """Of the vertices of the surface [m]."""
    bpy.context.scene.frame_set(frame, subframe=subframe)
    mesh = water.evaluated_get(bpy.context.evaluated_depsgraph_get()).to_mesh()
    place = np.zeros(3 * len(mesh.vertices), np.float32)
    mesh.vertices.foreach_get("co", place)
    water.evaluated_get(bpy.context.evaluated_depsgraph_get()).to_mesh_clear()
    return place.reshape(-1, 3)[:, 2]


def test_a_finer_surface_plays_from_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In frames of the bake and between them it is the package's mesh, moved by its velocity; beyond, that of nodes."""
    water = baked(tmp_path)
    monkeypatch.setitem(sys.modules, "pysplashsurf", SimpleNamespace(reconstruction_pipeline=reconstruct))
    assert bpy.ops.flotsam.bake_surface() == {"FINISHED"}
    for frame, subframe in ((1, 0.0), (2, 0.0), (2, 0.5)):
        found = heights(water, frame, subframe)
        assert len(found) == 4
        assert found.min() == pytest.approx(-FALL * (frame + subframe) / 24.0, abs=1e-5)
    assert len(heights(water, FRAMES + 2)) > 4
    # A bake that goes on from an earlier frame leaves no meshes of what was.
    folder, surface = baked_folder(water), water.modifiers["Flotsam Surface"]
    writer = PointsWriter(None, folder.parent, SimpleNamespace(file=folder.name), (1, 24.0))
    writer.cut(2)
    writer.connect(water)
    assert get_input(surface, "Finer Folder") == "" and not (folder / "surface").exists()
    assert len(heights(water, 2)) > 4


def test_the_package_wraps_what_is_fluid(tmp_path: Path) -> None:
    """A mesh within half a spacing of the cube of particles, which takes their velocity; a bubble is left out."""
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
