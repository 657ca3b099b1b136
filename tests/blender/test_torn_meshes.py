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
from flotsam.addon.panels.warnings import tear_warnings
from make_live import run, traces
from make_scene import cube, fresh_scene, ground, pin, soft
from make_stress import in_bare_blender

FRAMES = 14
# Values of the evaluated mesh at some frames; runs here and in a Blender without the add-on.
_LOOK = """
def flat(items, field, wide=1, number=np.float32):
    found = np.empty(len(items) * wide, number)
    items.foreach_get(field, found)
    return found.tolist()

result = []
for frame in FRAMES:
    bpy.context.scene.frame_set(frame)
    mesh = bpy.data.objects["Grid"].evaluated_get(bpy.context.evaluated_depsgraph_get()).data
    result.append({
        "places": flat(mesh.vertices, "co", 3), "vertex": flat(mesh.loops, "vertex_index", 1, np.int32),
        "material": flat(mesh.polygons, "material_index", 1, np.int32), "uv": flat(mesh.uv_layers[0].data, "uv", 2),
        "weight": [sum(entry.weight for entry in vertex.groups) for vertex in mesh.vertices],
        "normal": flat(mesh.corner_normals, "vector", 3),
    })
"""


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


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("graph", "LATTICE", "Springs to Surface"), ("struts", 1, "Struts to 0"), ("contact", "PROXIES", "Touched"),
        ("pressure_law", "SEGMENT", "Pressure Law"), ("animated", True, "Animated off"),
    ],
)
def test_what_cannot_tear_says_so_in_the_panel_and_at_a_bake(
    banner: bpy.types.Object, field: str, value: object, said: str
) -> None:
    assert tear_warnings(banner) == []
    setattr(banner.flotsam.spring_graph, field, value)
    banner.data.attributes.new("segment", "INT", "POINT")
    assert said in tear_warnings(banner)[0] and "switch Tear off" in tear_warnings(banner)[0]
    with pytest.raises(CaptureError, match=said):
        bake_blocking(bpy.context.scene)
    banner.flotsam.spring_graph.tear = False
    assert tear_warnings(banner) == []


def mesh_values() -> list[dict[str, list[float]]]:
    """Values of the banner's evaluated mesh at the first and at the last frame."""
    names = {"bpy": bpy, "np": np, "FRAMES": (1, FRAMES)}
    exec(_LOOK, names)
    return names["result"]


def test_a_bare_blender_plays_the_tear_with_uvs_materials_groups_and_smooth_normals(
    banner: bpy.types.Object, tmp_path: Path
) -> None:
    """Equal values with and without the add-on; those of corners and faces equal the artist's mesh at any frame."""
    mesh = banner.data
    for name in ("Red", "Blue"):
        mesh.materials.append(bpy.data.materials.new(name))
    mesh.polygons.foreach_set("material_index", [polygon.index % 2 for polygon in mesh.polygons])
    painted = banner.vertex_groups.new(name="paint")
    for vertex in mesh.vertices:
        painted.add([vertex.index], vertex.index / 64.0, "REPLACE")
    (untorn,) = mesh_values()[:1]
    bake_blocking(bpy.context.scene)
    bpy.ops.wm.save_mainfile()
    first, last = seen = mesh_values()
    assert in_bare_blender(tmp_path / "scene.blend", f"FRAMES = (1, {FRAMES})\n{_LOOK}") == seen
    for name in ("uv", "material"):
        assert first[name] == last[name] == untorn[name]
    weights = [np.array(values["weight"])[values["vertex"]] for values in (untorn, first, last)]
    assert np.allclose(weights[0], weights[1], atol=1e-6) and np.allclose(weights[0], weights[2], atol=1e-6)
    # Before the tear shading is that of the artist's mesh; after it corners that still share a vertex share a normal.
    assert np.allclose(first["normal"], untorn["normal"], atol=1e-5)
    normal, vertex = np.array(last["normal"]).reshape(-1, 3), np.array(last["vertex"])
    assert len(np.unique(vertex)) > len(np.unique(untorn["vertex"])) + 4
    order = np.argsort(vertex, kind="stable")
    same = vertex[order][1:] == vertex[order][:-1]
    assert same.sum() > 40 and np.allclose(normal[order][1:][same], normal[order][:-1][same], atol=1e-5)


def test_something_sharp_says_that_nothing_tears(tmp_path: Path) -> None:
    """A balloon over nails stays whole without Tear; the bake says why."""
    scene = fresh_scene(tmp_path, (1, 2))
    balloon, nails = soft(cube(z=1.0)), ground()
    nails.flotsam.collider.sharp = True
    warnings = " ".join(bake_blocking(scene).warnings)
    assert "Ground is Sharp, but no body has Tear" in warnings
    balloon.flotsam.spring_graph.tear = True
    assert not any("Sharp" in sentence for sentence in bake_blocking(scene).warnings)


def test_a_painted_seam_opens_when_unstitch_is_keyed(banner: bpy.types.Object) -> None:
    """Weak gravity tears nothing; at the key the edges with the attribute open, and both halves hang down."""
    scene, mesh = bpy.context.scene, banner.data
    scene.gravity = (0.0, 0.0, -5.0)
    middle = [all(abs(mesh.vertices[v].co.x) < 0.01 for v in edge.vertices) for edge in mesh.edges]
    mesh.attributes.new("tear_seam", "FLOAT", "EDGE").data.foreach_set("value", np.array(middle, dtype=np.float32))
    settings = banner.flotsam.spring_graph
    settings.break_strain = 1.0
    for frame, value in ((1, 0.0), (4, 0.0), (5, 1.0)):
        settings.unstitch = value
        banner.keyframe_insert("flotsam.spring_graph.unstitch", frame=frame)
    bake_blocking(scene, frame_end=8)
    counts = []
    for frame in (4, 8):
        scene.frame_set(frame)
        counts.append(len(evaluated(banner).vertices))
    assert sum(middle) > 3 and counts == [len(mesh.vertices), len(mesh.vertices) + sum(middle) + 1]
