"""A fluid in Blender: added, baked as points, given a surface; its cost is estimated before."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
import pytest
from flotsam.addon.bake.expense import expense, particles_of
from flotsam.addon.live.session import LiveSession
from flotsam.addon.overlay.picture import paint
from flotsam.addon.overlay.subjects import display_settings, subjects
from flotsam.addon.write.node_groups import get_input, set_inputs
from flotsam.addon.write.points import baked_folder
from flotsam.addon.write.surface_nodes import add_surface
from flotsam.engine.cache import read_points
from make_live import run, traces
from make_scene import fresh_scene

FRAMES = 4


def pool(folder: Path) -> bpy.types.Object:
    """A cube of fluid of 64 particles above a floor."""
    fresh_scene(folder, (1, FRAMES))
    bpy.ops.mesh.primitive_plane_add(size=4.0)
    bpy.context.object.flotsam.kind = "COLLIDER"
    bpy.ops.mesh.primitive_cube_add(size=0.4, location=(0.0, 0.0, 0.6))
    water = bpy.context.object
    water.flotsam.kind = "FLUID"
    water.flotsam.fluid.spacing = 0.1
    return water


# Evaluated data stays valid only while it is referenced.
_HELD: list[bpy.types.GeometrySet] = []


def shown(water: bpy.types.Object) -> bpy.types.GeometrySet:
    """The object's geometry after its modifiers."""
    _HELD.append(water.evaluated_get(bpy.context.evaluated_depsgraph_get()).evaluated_geometry())
    return _HELD[-1]


def cloud_at(water: bpy.types.Object, frame: int) -> bpy.types.PointCloud:
    bpy.context.scene.frame_set(frame)
    return shown(water).pointcloud


@pytest.mark.slow
def test_a_fluid_is_baked_as_points_with_attributes_and_wrapped(tmp_path: Path) -> None:
    water = pool(tmp_path)
    assert not bpy.ops.flotsam.add_surface.poll()
    assert bpy.ops.flotsam.bake() == {"FINISHED"}
    start, end = (cloud_at(water, frame) for frame in (1, FRAMES))
    assert len(start.points) == len(cloud_at(water, FRAMES).points) == 64
    end = cloud_at(water, FRAMES)
    place, speed = np.zeros(192, np.float32), np.zeros(64, np.float32)
    end.attributes["position"].data.foreach_get("vector", place)
    end.attributes["speed"].data.foreach_get("value", speed)
    assert {"id", "radius", "velocity", "speed", "age", "kind"} <= set(end.attributes.keys())
    # Three frames of free fall: v = g t.
    velocity = np.zeros(192, np.float32)
    end.attributes["velocity"].data.foreach_get("vector", velocity)
    # Internal forces cancel, so the mean velocity is that of free fall.
    assert velocity.reshape(-1, 3).mean(axis=0) == pytest.approx([0.0, 0.0, -9.81 * 3.0 / 24.0], abs=0.02)
    assert np.allclose(speed, np.linalg.norm(velocity.reshape(-1, 3), axis=1), rtol=1e-3)
    bpy.context.view_layer.objects.active = water
    assert bpy.ops.flotsam.add_surface() == {"FINISHED"}
    bpy.context.scene.frame_set(FRAMES)
    mesh = shown(water).mesh
    assert len(mesh.vertices) > 100 and "velocity" in mesh.attributes
    corners = np.zeros(3 * len(mesh.vertices), np.float32)
    mesh.attributes["position"].data.foreach_get("vector", corners)
    # The surface lies within a tenth of a spacing of that of the cube.
    assert np.ptp(corners.reshape(-1, 3), axis=0) == pytest.approx([0.4] * 3, abs=0.02)
    # Thickness from the middle of the top down to the bottom.
    thickness = np.zeros(len(mesh.vertices), np.float32)
    mesh.attributes["thickness"].data.foreach_get("value", thickness)
    corners = corners.reshape(-1, 3)
    top = np.abs(corners[:, :2]).max(axis=1) < 0.08
    assert thickness[top & (corners[:, 2] > 0.0)] == pytest.approx(np.ptp(corners[:, 2]), abs=0.05)
    for look, name in (("honey", "Honey"), ("clear", "Clear Water")):
        assert bpy.ops.flotsam.add_surface(look=look) == {"FINISHED"}
        assert water.material_slots[0].material.name == name
        bpy.context.scene.frame_set(FRAMES)
        assert name in [material.name for material in shown(water).mesh.materials if material is not None]


@pytest.mark.slow
def test_live_shows_a_fluid_and_the_hand_stirs_it(tmp_path: Path) -> None:
    """Live shows the solver's points; pulled upwards, some rise while the others fall. Nothing remains afterwards."""
    water, before, groups = pool(tmp_path), traces(), len(bpy.data.node_groups)
    session = LiveSession(bpy.context.scene)
    try:
        run(session, 2)
        place = np.zeros(192, np.float32)
        shown(water).pointcloud.attributes["position"].data.foreach_get("vector", place)
        world = np.array(water.matrix_world)
        found = place.reshape(-1, 3) @ world[:3, :3].T + world[:3, 3]
        assert np.allclose(found, session.frame.positions["Cube"], atol=1e-5)
        down = np.array([0.0, 0.0, -1.0])
        assert not session.take(np.array([1.5, 0.0, 5.0]), down, True)
        assert session.take(np.array([0.05, 0.05, 5.0]), down, True)
        session.drag(session.hold.target + [0.0, 0.0, 0.5])
        run(session, 8)
        heights = session.frame.positions["Cube"][:, 2]
        assert session.hold.middle(session.frame)[2] > heights.mean() + 0.1
        session.release()
        session.reset()
        assert "Flotsam Live" not in water.modifiers
        run(session, 2)
        assert session.bake()[1] > 1
    finally:
        session.end()
    assert [trace for trace in traces() if "Live" in trace] == before == []
    assert len(bpy.data.node_groups) == groups + 1
    assert len(cloud_at(water, 2).points) == 64


def test_what_a_fluid_will_take_is_known_before(tmp_path: Path) -> None:
    water = pool(tmp_path)
    assert particles_of(water) == 64
    assert expense(bpy.context.scene).disk == 48 * 64 * FRAMES
    water.flotsam.fluid.emission, water.flotsam.fluid.limit = "INFLOW", 5000
    assert particles_of(water) == 5000


@pytest.mark.slow
def test_foam_is_baked_with_the_fluid_and_shown_beside_its_surface(tmp_path: Path) -> None:
    """Points of kinds above 0 stay points with a material of their own; the mouse and the overlay ignore them."""
    water = pool(tmp_path)
    fluid = water.flotsam.fluid
    fluid.velocity, fluid.foam, fluid.foam_rate, fluid.foam_limit = (0.0, 0.0, -6.0), True, 2000.0, 300
    assert bpy.ops.flotsam.bake() == {"FINISHED"}
    played = read_points(baked_folder(water), FRAMES)
    is_foam = played["kind"] > 0.5
    assert 20 < np.count_nonzero(is_foam) <= 300 and np.count_nonzero(~is_foam) == 64
    assert len(cloud_at(water, FRAMES).points) == len(is_foam)
    bpy.context.view_layer.objects.active = water
    assert bpy.ops.flotsam.add_surface(look="clear") == {"FINISHED"}
    cloud = cloud_at(water, FRAMES)
    assert len(cloud.points) == np.count_nonzero(is_foam)
    assert [material.name for material in cloud.materials] == ["Foam"]
    assert {material.name for material in shown(water).mesh.materials if material} == {"Clear Water"}
    radius = np.zeros(len(cloud.points), np.float32)
    cloud.attributes["radius"].data.foreach_get("value", radius)
    assert 0.0 < radius.max() < 0.5 * 0.05
    bpy.context.scene.flotsam.overlay.velocities = bpy.context.scene.flotsam.overlay.compression = True
    bpy.context.scene.frame_set(FRAMES)
    drawn = subjects(bpy.context.scene, bpy.context.view_layer, bpy.context.evaluated_depsgraph_get())
    (particles,) = [subject for subject in drawn if subject.name == water.name]
    assert len(particles.positions) == len(particles.compression) == 64
    layers = paint(drawn, display_settings(bpy.context.scene)).layers
    assert len(layers["compression"].points) == 6 * 64 and len(layers["velocities"].points) == 6 * 64


def test_an_earlier_surface_is_built_anew_with_its_settings(tmp_path: Path) -> None:
    """A surface with the node group of an earlier version gets the new group and keeps the artist's settings."""
    water = pool(tmp_path)
    modifier = add_surface(water)
    old = modifier.node_group
    old["flotsam_group"] = 3
    set_inputs(modifier, {"Smoothing": 9})
    assert add_surface(water) == modifier and modifier.node_group != old
    assert get_input(modifier, "Smoothing") == 9
