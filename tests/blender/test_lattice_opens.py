"""A lattice that opens along cuts, in Blender: baked, resumed, played without the add-on, and cleared."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import bpy
import numpy as np
import pytest
from flotsam.addon.bake.job import bake_blocking
from make_scene import fresh_scene, mesh_object, soft, world_positions
from make_stress import in_bare_blender

FRAMES, FALLEN = 10, 6
# Half the side of the cube, and the gap between its halves [m].
SIDE, GAP = 0.5, 0.004
_LOOK = f"""
bpy.context.scene.frame_set({FRAMES})
obj = bpy.data.objects["Jelly"]
mesh = obj.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
result = [tuple(obj.matrix_world @ vertex.co) for vertex in mesh.vertices]
"""


@pytest.fixture
def halves(tmp_path: Path) -> Iterator[bpy.types.Object]:
    """A cube cut in two above the edge of a wedge, onto which it falls with 4 m/s² and more."""
    scene = fresh_scene(tmp_path, (1, FRAMES))
    scene.gravity = (0.0, 0.0, -30.0)
    vertices, faces = [], []
    for low, high in ((-SIDE, -0.5 * GAP), (0.5 * GAP, SIDE)):
        first = len(vertices)
        vertices += [(x, y, z) for z in (0.0, 2 * SIDE) for y in (-SIDE, SIDE) for x in (low, high)]
        faces += [
            tuple(first + corner for corner in face)
            for face in ((0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5))
        ]
    wedge = mesh_object("Wedge", [(-1, -2, -2), (-1, 2, -2), (1, -2, -2), (1, 2, -2), (0, -2, 0), (0, 2, 0)],
                        [(0, 4, 5, 1), (2, 3, 5, 4), (0, 1, 3, 2), (0, 2, 4), (1, 5, 3)])
    wedge.flotsam.kind = "COLLIDER"
    obj = soft(mesh_object("Jelly", vertices, faces))
    obj.location.z = 0.2
    values = {
        "graph": "LATTICE", "young": 5e4, "poisson": 0.4, "voxel_size": 0.25, "mass": 100.0, "pieces": True,
        "break_strain": 0.2, "cut_strength": 0.2, "self_collision": True, "friction": 0.0,
    }
    for name, value in values.items():
        setattr(obj.flotsam.spring_graph, name, value)
    bpy.context.view_layer.update()
    yield obj


def cut_width(places: list[tuple[float, ...]]) -> float:
    """Distance between the lower edges of both halves at the cut [m]."""
    x = np.array(places)
    return float(x[[8, 10], 0].mean() - x[[1, 3], 0].mean())


def test_a_cut_cube_opens_plays_in_a_bare_blender_and_comes_back(halves: bpy.types.Object, tmp_path: Path) -> None:
    """The wedge separates its halves; a resumed bake has the same bits, and without the add-on it looks the same."""
    scene, before = bpy.context.scene, [tuple(vertex.co) for vertex in halves.data.vertices]
    assert bake_blocking(scene).warnings == []
    assert cut_width(world_positions(halves, 1)) == pytest.approx(GAP, abs=1e-6)
    last = world_positions(halves, FRAMES)
    assert cut_width(last) > 0.2
    bake_blocking(scene, frame_end=FALLEN)
    assert cut_width(world_positions(halves, FALLEN)) > 2.0 * GAP
    bake_blocking(scene, resume=True)
    assert world_positions(halves, FRAMES) == last
    bpy.ops.wm.save_mainfile()
    assert np.array_equal(np.array(in_bare_blender(tmp_path / "scene.blend", _LOOK)), np.array(last))
    assert bpy.ops.flotsam.clear_cache() == {"FINISHED"}
    assert [tuple(vertex.co) for vertex in halves.data.vertices] == before
    assert world_positions(halves, FRAMES) == world_positions(halves, 1)


def test_halves_without_a_gap_fall_apart(halves: bpy.types.Object) -> None:
    """Their vertices start at equal positions; with Self Collision they separate as with a gap, without a warning."""
    for vertex in halves.data.vertices:
        if abs(vertex.co.x) < GAP:
            vertex.co.x = 0.0
    bpy.context.view_layer.update()
    assert bake_blocking(bpy.context.scene).warnings == []
    assert cut_width(world_positions(halves, 1)) == pytest.approx(0.0, abs=1e-6)
    assert cut_width(world_positions(halves, FRAMES)) > 0.2
