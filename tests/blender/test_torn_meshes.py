"""Meshes that tear, in Blender: baked, resumed, live; the artist's mesh stays, and Clear Cache brings it back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import bpy
import numpy as np
import pytest
from flotsam.addon.bake.job import bake_blocking
from flotsam.addon.capture import CaptureError
from flotsam.addon.live import state
from flotsam.addon.live.session import LiveSession
from make_live import run, traces
from make_scene import fresh_scene, pin

FRAMES = 14


@pytest.fixture
def banner(tmp_path: Path) -> Iterator[bpy.types.Object]:
    """A smooth banner with a UV map, pinned at two sides of which gravity of 100 m/s² tears it."""
    scene = fresh_scene(tmp_path, (1, FRAMES))
    scene.gravity = (0.0, 0.0, -100.0)
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=8, y_subdivisions=5, size=1.0)
    obj = bpy.context.object
    obj.data.polygons.foreach_set("use_smooth", [True] * len(obj.data.polygons))
    obj.flotsam.kind = "SPRING_GRAPH"
    settings = obj.flotsam.spring_graph
    settings.mass_by, settings.stiffness, settings.tear, settings.break_strain = "AREA_DENSITY", 100.0, True, 0.1
    pin(obj, [vertex.index for vertex in obj.data.vertices if abs(vertex.co.x) > 0.49])
    yield obj
    if state.current() is not None:
        state.current().end()


def evaluated(obj: bpy.types.Object) -> bpy.types.Mesh:
    return obj.evaluated_get(bpy.context.evaluated_depsgraph_get()).data


def places(obj: bpy.types.Object) -> np.ndarray:
    found = np.empty(3 * len(evaluated(obj).vertices), dtype=np.float32)
    evaluated(obj).vertices.foreach_get("co", found)
    return found


def test_a_bake_opens_the_mesh_and_clear_cache_brings_it_back(banner: bpy.types.Object) -> None:
    """Whole before the tear, more vertices after it, the same faces and UV map; resuming gives the same bits."""
    scene, count, faces = bpy.context.scene, len(banner.data.vertices), len(banner.data.polygons)
    scene.flotsam.attributes = {"STRESS"}
    bake_blocking(scene)
    scene.frame_set(1)
    assert len(evaluated(banner).vertices) == count
    scene.frame_set(FRAMES)
    mesh, last = evaluated(banner), places(banner)
    assert len(mesh.vertices) > count + 4 and len(mesh.polygons) == faces
    assert len(mesh.uv_layers) == 1 and "stress" in mesh.attributes and len(banner.data.vertices) == count
    bake_blocking(scene, frame_end=FRAMES - 3)
    bake_blocking(scene, resume=True)
    scene.frame_set(FRAMES)
    assert np.array_equal(places(banner), last)
    with pytest.raises(RuntimeError, match="tears, which shape keys cannot show"):
        bpy.ops.flotsam.bake_to_shape_keys()
    assert bpy.ops.flotsam.clear_cache() == {"FINISHED"}
    assert [modifier.name for modifier in banner.modifiers] == ["Flotsam"]
    assert len(evaluated(banner).vertices) == count


def test_live_shows_the_tear_and_leaves_no_trace(banner: bpy.types.Object) -> None:
    count = len(banner.data.vertices)
    session = LiveSession(bpy.context.scene)
    run(session, FRAMES)
    assert len(evaluated(banner).vertices) > count
    session.end()
    assert traces() == [] and len(evaluated(banner).vertices) == count


def test_loose_edges_are_refused_with_a_way_out(banner: bpy.types.Object) -> None:
    banner.data.vertices.add(1)
    with pytest.raises(CaptureError, match="Delete Loose"):
        bake_blocking(bpy.context.scene)
