"""Meshes without extent, and with vertices too far away: one sentence that names the object and the remedy."""

from __future__ import annotations

from pathlib import Path

import bpy
import pytest
from flotsam.addon.bake.job import bake_blocking
from flotsam.addon.capture import CaptureError
from make_scene import cube, fresh_scene


def body(folder: Path, kind: str) -> bpy.types.Scene:
    """A cube of that kind and a crate, in a saved file."""
    scene = fresh_scene(folder)
    for name, what in (("Crate", "VOXEL_BODY"), ("Bad", kind)):
        thing = cube()
        thing.name, thing.flotsam.kind = name, what
    return scene


@pytest.mark.parametrize("kind", ["SPRING_GRAPH", "VOXEL_BODY", "COLLIDER", "FLUID", "FLOCK"])
@pytest.mark.parametrize("far", [1e10, float("inf")])
def test_a_vertex_that_is_too_far_away_is_named(tmp_path: Path, kind: str, far: float) -> None:
    """Blender clamps an infinite coordinate to the largest number that it can store."""
    scene = body(tmp_path, kind)
    bpy.data.objects["Bad"].data.vertices[3].co.y = far
    with pytest.raises(CaptureError) as caught:
        bake_blocking(scene)
    assert str(caught.value) == (
        "Bad has 1 vertex further away than 1,000,000 km, the first is number 3; delete or move it."
    )


@pytest.mark.parametrize("fill", ["SOLID", "SURFACE"])
def test_a_rigid_body_in_one_place_is_refused(tmp_path: Path, fill: str) -> None:
    scene = body(tmp_path, "VOXEL_BODY")
    bad = bpy.data.objects["Bad"]
    bad.flotsam.voxel_body.fill = fill
    for vertex in bad.data.vertices:
        vertex.co = (0.0, 0.0, 0.0)
    with pytest.raises(CaptureError) as caught:
        bake_blocking(scene)
    assert str(caught.value) == "Bad has all its faces in one place; spread its vertices out."


@pytest.mark.parametrize(("edges", "way_out"), [([], "add faces"), ([(0, 1)], "add faces, or set Springs to Edges")])
def test_springs_of_edges_are_no_way_out_without_edges(
    tmp_path: Path, edges: list[tuple[int, int]], way_out: str,
) -> None:
    scene = body(tmp_path, "SPRING_GRAPH")
    mesh = bpy.data.objects["Bad"].data
    mesh.clear_geometry()
    mesh.from_pydata([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0)], edges, [])
    with pytest.raises(CaptureError) as caught:
        bake_blocking(scene)
    assert str(caught.value) == f"Bad has no faces; {way_out}."
