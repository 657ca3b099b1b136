"""Imperfect colliders: which are accepted without a message, and which give a warning."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path

import bpy
import numpy as np
import pytest
from flotsam.addon.bake import state
from flotsam.addon.bake.job import BakeJob, bake_blocking
from flotsam.addon.capture import CaptureError
from flotsam.addon.live.session import LiveSession
from flotsam.addon.panels.warnings import object_warnings
from make_live import until
from make_scene import cube, fresh_scene, ground, mesh_object, ring, soft, world_positions
from pace import paced

FRAMES = (1, 24)


def collider(name: str, vertices: Sequence[Sequence[float]], faces: Sequence[Sequence[int]]) -> bpy.types.Object:
    obj = mesh_object(name, vertices, faces)
    obj.flotsam.kind = "COLLIDER"
    return obj


def block(faces_left_out: int = 0, turned: Sequence[int] = (), doubled: bool = False) -> bpy.types.Object:
    """A collider 2 m wide with its top at 0, of 5 x 5 quads a side: some omitted, flipped, or doubled."""
    bpy.ops.mesh.primitive_cube_add(size=2.0, location=(0.0, 0.0, -1.0))
    obj = bpy.context.object
    obj.name = obj.data.name = "Block"
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.subdivide(number_cuts=4)
    bpy.ops.object.mode_set(mode="OBJECT")
    vertices = [tuple(vertex.co) for vertex in obj.data.vertices]
    faces = [tuple(face.vertices) for face in obj.data.polygons]
    # The lowest faces come first, so that omitted ones are at the bottom.
    faces.sort(key=lambda face: sum(vertices[k][2] for k in face))
    faces = [face[::-1] if k in turned else face for k, face in enumerate(faces)][faces_left_out:]
    if doubled:
        faces += [tuple(k + len(vertices) for k in face) for face in faces]
        vertices += vertices
    obj.data.clear_geometry()
    obj.data.from_pydata(vertices, [], faces)
    obj.flotsam.kind = "COLLIDER"
    bpy.context.view_layer.update()
    return obj


def lowest(obj: bpy.types.Object) -> float:
    return min(place[2] for place in world_positions(obj, FRAMES[1]))


def baked(folder: Path, make: Callable[[], bpy.types.Object], **settings: object) -> tuple[float, list[str]]:
    """Lowest vertex of an inflated ring that falls on the result of `make`, and the warnings of the bake."""
    scene = fresh_scene(folder, FRAMES)
    obj = soft(ring(z=0.3), pressure=500.0)
    made = make()
    for name, value in settings.items():
        setattr(made.flotsam.collider, name, value)
    job = bake_blocking(scene)
    return lowest(obj), job.warnings


@pytest.mark.parametrize("turned", [range(150), range(0, 150, 2)], ids=["flipped", "every other"])
@pytest.mark.parametrize("sides", ["BOTH", "FRONT"])
def test_normals_of_a_closed_collider_do_not_matter_and_nothing_is_said(
    tmp_path: Path, turned: range, sides: str
) -> None:
    low, warnings = baked(tmp_path, lambda: block(turned=turned), sides=sides)
    assert low > -1e-3 and warnings == []


def test_faces_that_look_different_ways_on_one_side_are_told(tmp_path: Path) -> None:
    """One of two adjacent quads is flipped: both traverse their common edge in the same direction."""
    corners = [(-2, -2, 0), (0, -2, 0), (2, -2, 0), (-2, 2, 0), (0, 2, 0), (2, 2, 0)]
    make = lambda: collider("Jetty", corners, [(0, 1, 4, 3), (1, 4, 5, 2)])  # noqa: E731
    _low, warnings = baked(tmp_path, make, sides="FRONT")
    assert warnings == [
        "Jetty: faces look different ways at 1 edge, and its Sides are Front: some let through from where others "
        "hold; use Mesh > Normals > Recalculate Outside, or set Sides to Both."
    ]
    low, warnings = baked(tmp_path, make, sides="BOTH")
    assert low > -1e-3 and warnings == []


def test_a_hole_in_what_looks_solid_is_told(tmp_path: Path) -> None:
    low, warnings = baked(tmp_path, lambda: block(faces_left_out=1))
    assert low > -1e-3
    assert warnings == [
        "Block: 4 open edges around a hole, so it is a thin shell and not solid: what starts inside stays inside; "
        "fill the hole if it is meant to be solid."
    ]


def test_live_tells_as_a_bake_does(tmp_path: Path) -> None:
    scene = fresh_scene(tmp_path, FRAMES)
    soft(ring(z=0.3))
    block(faces_left_out=1)
    session = LiveSession(scene)
    try:
        until(session, lambda: session.ready)
        assert [warning for warning in session.warnings if warning.startswith("Block: 4 open edges around a hole")]
    finally:
        session.end()


def test_what_is_open_on_purpose_is_not_told(tmp_path: Path) -> None:
    """A ground plane, and a tub without a top."""
    assert baked(tmp_path, ground)[1] == []
    assert baked(tmp_path, lambda: block(faces_left_out=25))[1] == []


def test_one_triangle_and_doubles_carry(tmp_path: Path) -> None:
    low, warnings = baked(tmp_path, lambda: collider("Leaf", [(-3, -3, 0), (3, -3, 0), (0, 4, 0)], [(0, 1, 2)]))
    assert low > -1e-3 and warnings == []
    low, warnings = baked(tmp_path, lambda: block(doubled=True))
    assert low > -1e-3 and warnings == []


def test_a_wall_keyed_a_hundred_metres_in_a_frame_takes_along_what_it_meets(tmp_path: Path) -> None:
    scene = fresh_scene(tmp_path)
    scene.use_gravity = False
    obj = soft(cube(z=0.0), stiffness=2000.0, struts=2)
    wall = collider("Wall", [(-2, -2, -2), (-2, 2, -2), (-2, 2, 2), (-2, -2, 2)], [(0, 1, 2, 3)])
    for frame, x in ((3, 0.0), (4, 100.0)):
        wall.location.x = x
        wall.keyframe_insert("location", frame=frame)
    scene.frame_set(1)
    assert bake_blocking(scene).warnings == []
    assert min(place[0] for place in world_positions(obj, 6)) > 98.0 - 1e-3


def land(count: int) -> bpy.types.Object:
    """A level collider of count x count quads."""
    grid = np.linspace(-10.0, 10.0, count + 1)
    x, y = np.meshgrid(grid, grid)
    number = np.arange((count + 1) ** 2).reshape(count + 1, -1)
    quads = np.stack([number[:-1, :-1], number[:-1, 1:], number[1:, 1:], number[1:, :-1]], axis=-1).reshape(-1, 4)
    mesh = bpy.data.meshes.new("Land")
    mesh.vertices.add(x.size)
    mesh.vertices.foreach_set("co", np.stack([x, y, 0.0 * x], axis=-1).reshape(-1))
    mesh.loops.add(quads.size)
    mesh.loops.foreach_set("vertex_index", quads.reshape(-1))
    mesh.polygons.add(len(quads))
    mesh.polygons.foreach_set("loop_start", np.arange(len(quads)) * 4)
    mesh.update(calc_edges=True)
    obj = bpy.data.objects.new("Land", mesh)
    bpy.context.scene.collection.objects.link(obj)
    obj.flotsam.kind = "COLLIDER"
    return obj


@pytest.mark.alone
def test_a_million_triangles_are_told_and_prepared_beside_blender(tmp_path: Path) -> None:
    """The panel warns at no cost; the bake builds the scene in its thread, with a message, and Esc stops it at once."""
    scene = fresh_scene(tmp_path)
    soft(cube())
    bake_blocking(scene)
    huge = land(708)
    warnings: list[str] = []

    def warning_seconds() -> float:
        started = time.perf_counter()
        warnings[:] = object_warnings(huge)
        return time.perf_counter() - started

    assert paced(warning_seconds) < 1e-3
    assert warnings == [
        "Land has 1,002,528 triangles, which take about 0.7 GB and a while before the first frame; "
        "Decimate it, or make a coarser mesh the collider in its place."
    ]
    slices = BakeJob(scene).run()
    while next(slices).message != "Building the scene.":
        pass
    started = time.perf_counter()
    slices.close()
    assert time.perf_counter() - started < 0.1
    assert state.current() is None


def test_a_collider_alone_is_named(tmp_path: Path) -> None:
    scene = fresh_scene(tmp_path)
    ground()
    with pytest.raises(CaptureError, match="Ground does not move by itself; make another mesh a body"):
        bake_blocking(scene)
