"""Ready-made bodies of the Add menu: each can be solved at once and behaves as intended."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from flotsam.addon.capture import capture_world
from flotsam.addon.scenes.shapes import SHAPES
from flotsam.engine import build_world
from make_scene import fresh_scene, ground, world_positions

BODIES = [name for name, shape in SHAPES.items() if shape.kind == "SPRING_GRAPH"]


def added(shape: str, **settings: object) -> bpy.types.Object:
    assert bpy.ops.flotsam.add_body(shape=shape, **settings) == {"FINISHED"}
    return bpy.context.object


@pytest.mark.parametrize("shape", BODIES)
def test_a_body_is_baked_without_a_warning(shape: str, tmp_path: object) -> None:
    """It falls on the ground, or hangs from its pins, keeps its size and stays finite; there are no warnings."""
    from flotsam.addon.bake.job import bake_blocking

    scene = fresh_scene(tmp_path, frames=(1, 36))
    scene.flotsam.substeps = 10
    body = added(shape, location=(0.0, 0.0, 0.6))
    ground()
    before = np.array(world_positions(body, 1))
    job = bake_blocking(scene)
    assert job.warnings == []
    after = np.array(world_positions(body, 36))
    assert np.isfinite(after).all() and (before[:, 2].mean() > after[:, 2].mean())
    sizes = np.ptp(after, axis=0) / np.ptp(before, axis=0)
    # Air rounds the flat mattress; no other body changes its size by a fifth.
    assert ((0.8 < sizes) & (sizes < 1.2))[:2].all() and sizes[2] > 0.7
    assert after[:, 2].min() > -0.02


def test_the_truss_hangs_between_its_ends(tmp_path: object) -> None:
    fresh_scene(tmp_path, frames=(1, 24))
    body = added("TRUSS", location=(0.0, 0.0, 3.0))
    bpy.ops.flotsam.bake()
    before, after = (np.array(world_positions(body, frame)) for frame in (1, 24))
    ends = np.abs(before[:, 0]) > 1.99
    assert ends.sum() == 8 and np.allclose(before[ends], after[ends], atol=1e-5)
    sag = (before - after)[np.abs(before[:, 0]) < 0.01, 2]
    assert (sag > 1e-4).all() and (sag < 0.1).all()


def test_a_flock_flies_together(tmp_path: object) -> None:
    """All agents of the box are there, above the ground, and most of them fly in the same direction."""
    scene = fresh_scene(tmp_path, frames=(1, 36))
    flock = added("FLOCK", location=(0.0, 0.0, 4.0))
    assert flock.flotsam.kind == "FLOCK"
    bpy.ops.flotsam.bake()
    scene.frame_set(36)
    # Evaluated data stays valid only while the geometry is referenced.
    geometry = flock.evaluated_get(bpy.context.evaluated_depsgraph_get()).evaluated_geometry()
    points = geometry.pointcloud
    velocity = np.empty((len(points.points), 3), dtype=np.float32)
    points.attributes["velocity"].data.foreach_get("vector", velocity.reshape(-1))
    assert len(velocity) == 200 and np.isfinite(velocity).all()
    directions = velocity / np.linalg.norm(velocity, axis=1, keepdims=True)
    assert np.linalg.norm(directions.mean(axis=0)) > 0.8


def test_jelly_is_as_fine_as_its_cells() -> None:
    """The mesh has a vertex for each vertex of the body: hidden corners that dent its faces would show through."""
    fresh_scene()
    bpy.ops.flotsam.add_body(shape="JELLY")
    jelly = bpy.context.object
    bpy.context.view_layer.update()
    world = build_world(capture_world(bpy.context.scene, bpy.context.evaluated_depsgraph_get()).spec)
    body = world.body(jelly.name)
    assert body.stop - body.start == len(jelly.data.vertices)


def test_water_floats_a_ring(tmp_path: object) -> None:
    fresh_scene(tmp_path, frames=(1, 60))
    water = added("WATER")
    assert water.flotsam.kind == "WATER"
    body = added("RING", location=(0.0, 0.0, 0.3))
    bpy.ops.flotsam.bake()
    assert -0.2 < np.array(world_positions(body, 60))[:, 2].mean() < 0.2


def test_a_dinghy_floats_upright_and_keeps_its_floor(tmp_path: object) -> None:
    """Two closed surfaces, each with its own gas, float as one boat."""
    fresh_scene(tmp_path, frames=(1, 96))
    added("WATER")
    body = added("DINGHY", location=(0.0, 0.0, 0.25))
    bpy.ops.flotsam.bake()
    before, after = (np.array(world_positions(body, frame)) for frame in (1, 96))
    tube = slice(0, 64 * 16)
    floor = slice(64 * 16, None)
    # 8 kg on a boat that displaces 0.7 m³: it floats high on the water.
    assert -0.05 < after[tube, 2].mean() < 0.25
    # Upright: the bow is higher than the stern, and both sides are level.
    bow, port, stern, starboard = (after[16 * i : 16 * i + 16, 2].mean() for i in (0, 16, 32, 48))
    assert 0.0 < bow - stern < 0.2 and abs(port - starboard) < 0.02, (bow, port, stern, starboard)
    sizes = np.ptp(after, axis=0) / np.ptp(before, axis=0)
    assert ((0.9 < sizes) & (sizes < 1.1))[:2].all() and sizes[2] > 0.75, sizes
    # The floor hangs below the centre of the tube, at most as far as the lacing allows.
    assert -0.25 < after[floor, 2].mean() - after[tube, 2].mean() < 0.0
    gaps = np.linalg.norm(after[64 * 16 : 64 * 16 + 64] - after[10 : 64 * 16 : 16], axis=1)
    assert gaps.max() < 0.08


@pytest.mark.parametrize("shape", list(SHAPES))
def test_meshes_are_clean(shape: str) -> None:
    """Closed meshes are closed and face outward, one undo step covers all, and each has its own tooltip."""
    fresh_scene()
    body = added(shape)
    mesh = body.data
    assert not mesh.validate()
    if mesh.polygons and shape != "WATER":
        mesh.calc_loop_triangles()
        corners = np.array([[mesh.vertices[v].co for v in tri.vertices] for tri in mesh.loop_triangles])
        volume = np.einsum("ij,ij->i", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])).sum() / 6.0
        assert volume > 0.0
        of_faces = {key for polygon in mesh.polygons for key in polygon.edge_keys}
        assert len(mesh.loops) == 2 * len(of_faces)


@pytest.mark.parametrize("shape", ["CRATE", "BARREL"])
def test_a_rigid_body_floats(shape: str, tmp_path: object) -> None:
    """It floats with the submerged fraction given by its density, 0.3 and 0.35 of water, without a warning."""
    from flotsam.addon.bake.job import bake_blocking

    scene = fresh_scene(tmp_path, frames=(1, 72))
    added("WATER")
    body = added(shape, location=(0.0, 0.0, 0.1))
    assert bake_blocking(scene).warnings == []
    height = np.array(world_positions(body, 72))
    assert height[:, 2].min() < -0.02 and height[:, 2].mean() > 0.0
    assert len(body.modifiers) == 0
