"""Water with the waves of a mesh: Ocean and Wave modifiers, keyframes, from capture to bake."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
import pytest
from flotsam.addon.bake.job import bake_blocking
from flotsam.addon.bake.owner import cache_problem
from flotsam.addon.capture import CaptureError, capture_controls, capture_world
from flotsam.addon.live.session import LiveSession
from flotsam.addon.names import OP_MATCH_LEVELS, PANEL_CACHE
from flotsam.addon.properties.kinds import is_body
from flotsam.engine.fields.water.waves import Waves, mesh_shape
from make_live import run
from make_rigid import add_box
from make_scene import cube, fresh_scene, ground, sheet, soft, world_positions
from mathutils import Vector
from mathutils.bvhtree import BVHTree
from recorded import all_text, drawn


def ocean(name: str = "Sea", resolution: int = 5, **settings: object) -> bpy.types.Object:
    """An animated ocean of 20 m, as *Add Modifier ▸ Physics ▸ Ocean* makes it from a plane, as water with waves."""
    obj = sheet(name, 2)
    waves = obj.modifiers.new("Ocean", "OCEAN")
    waves.spatial_size, waves.resolution, waves.viewport_resolution = 20, resolution, resolution
    waves.wave_scale, waves.choppiness, waves.wave_scale_min = 0.6, 1.0, 0.3
    for frame, time in ((1, 0.0), (49, 2.0)):
        waves.time = time
        waves.keyframe_insert("time", frame=frame)
    for curve in obj.animation_data.action.layers[0].strips[0].channelbags[0].fcurves:
        for point in curve.keyframe_points:
            point.interpolation = "LINEAR"
    obj.flotsam.kind = "WATER"
    obj.flotsam.water.surface = "MESH"
    for field, value in settings.items():
        setattr(obj.flotsam.water, field, value)
    return obj


def take():
    return capture_world(bpy.context.scene, bpy.context.evaluated_depsgraph_get(), None)


def shown(obj: bpy.types.Object, frame: int) -> BVHTree:
    """The mesh that Blender shows at a frame."""
    bpy.context.scene.frame_set(frame)
    return BVHTree.FromObject(obj, bpy.context.evaluated_depsgraph_get())


def test_t28_heights_are_those_of_the_ocean_that_is_shown() -> None:
    """10,000 vertical rays onto the evaluated mesh, 1 % of the wave height. Of crests that fold, the top counts."""
    scene = fresh_scene()
    soft(cube())
    obj = ocean()
    scene.frame_set(1)
    captured = take()
    waves = Waves(mesh_shape(captured.spec.systems[1]), 24.0)
    waves.move("Sea", capture_controls(captured, scene, 30).water["Sea"])
    tree, random = shown(obj, 30), np.random.default_rng(1)
    places = np.concatenate([random.uniform(-9.0, 9.0, (10_000, 2)), np.zeros((10_000, 1))], axis=1)
    waves.sample(places, 1.0)
    found, _stream = waves.over(places)
    rays = [tree.ray_cast(Vector((x, y, 50.0)), Vector((0.0, 0.0, -1.0)))[0] for x, y, _z in places]
    truth = np.array([np.nan if hit is None else hit.z for hit in rays])
    high = np.nanmax(truth) - np.nanmin(truth)
    assert high > 0.5, "there are waves"
    off = np.abs(found - truth)[np.isfinite(truth)]
    assert np.isfinite(truth).mean() > 0.99 and np.quantile(off, 0.999) < 0.01 * high


def test_a_crate_and_a_ball_ride_an_ocean_in_a_bake(tmp_path: Path) -> None:
    """At each frame the water over them is near their middle, where level water leaves them up to a wave away."""
    scene = fresh_scene(tmp_path, (1, 48))
    crate, ball = add_box("Crate", (0.0, 0.0, 0.3)), soft(cube("Ball", 0.4, 0.3), pressure=1000.0)
    ball.location.x = 1.5
    crate.flotsam.voxel_body.density = 400.0
    sea = ocean()
    scene.frame_set(1)
    bake_blocking(scene)
    off, heights = [], []
    for frame in range(12, 49, 6):
        tree = shown(sea, frame)
        for body in (crate, ball):
            middle = np.mean(world_positions(body, frame), axis=0)
            height = tree.ray_cast(Vector((middle[0], middle[1], 50.0)), Vector((0.0, 0.0, -1.0)))[0].z
            off.append(middle[2] - height)
            heights.append(height)
    assert np.ptp(heights) > 0.3 and np.abs(off).max() < 0.25
    assert cache_problem(crate, scene) is None


def test_a_bake_knows_when_its_waves_changed(tmp_path: Path) -> None:
    scene = fresh_scene(tmp_path, (1, 3))
    crate, sea = add_box("Crate", (0.0, 0.0, 0.3)), ocean()
    bake_blocking(scene)
    assert cache_problem(crate, scene) is None
    sea.modifiers["Ocean"].wave_scale = 1.0
    assert "The modifiers of Sea changed" in cache_problem(crate, scene)
    sea.modifiers["Ocean"].wave_scale = 0.6
    bpy.context.view_layer.update()
    sea.flotsam.water.surface = "LEVEL"
    assert "The settings of Sea have changed" in cache_problem(crate, scene)


def test_a_level_water_that_has_waves_and_an_ocean_that_stands_still_are_told() -> None:
    fresh_scene()
    soft(cube())
    sea = ocean(surface="LEVEL")
    bpy.context.view_layer.objects.active = sea
    sentence = "Sea has waves, but bodies float at the level of its origin; set its Surface to Mesh."
    assert sentence in take().warnings and sentence in all_text("physics")
    sea.flotsam.water.surface = "MESH"
    assert take().warnings == ()
    sea.animation_data_clear()
    assert take().warnings == ("The waves of Sea stand still; animate Time of its modifier Ocean.",)


def test_an_ocean_that_the_render_shows_finer_is_told_and_a_button_mends_it() -> None:
    fresh_scene()
    soft(cube())
    sea = ocean()
    sea.modifiers["Ocean"].resolution = 7
    bpy.context.view_layer.objects.active = sea
    (warning,) = take().warnings
    assert "Ocean differs between viewport and render" in warning and warning.about == "Sea"
    assert OP_MATCH_LEVELS in drawn("physics")[PANEL_CACHE].buttons
    assert bpy.ops.flotsam.match_levels(to="VIEWPORT") == {"FINISHED"}
    assert sea.modifiers["Ocean"].resolution == 5 and take().warnings == ()


def test_keyed_water_rises_and_a_still_mesh_is_not_visited(tmp_path: Path) -> None:
    """A flat mesh that is lifted by keyframes: a flood, which level water does not follow."""
    scene = fresh_scene(tmp_path, (1, 48))
    crate = add_box("Crate", (0.0, 0.0, 0.3))
    crate.flotsam.voxel_body.density = 400.0
    pool = sheet("Pool", 2, 10.0)
    pool.flotsam.kind, pool.flotsam.water.surface = "WATER", "MESH"
    assert not take().is_visited
    for frame, height in ((1, 0.0), (24, 1.0)):
        pool.location.z = height
        pool.keyframe_insert("location", index=2, frame=frame)
    scene.frame_set(1)
    assert [one.has_waves for one in take().colliders] == [True]
    bake_blocking(scene)
    assert np.mean(world_positions(crate, 48), axis=0)[2] == pytest.approx(1.0, abs=0.2)


def test_what_has_no_faces_or_is_no_mesh_is_refused() -> None:
    scene = fresh_scene()
    soft(cube())
    sea = ocean()
    sea.modifiers.clear()
    sea.data.clear_geometry()
    with pytest.raises(CaptureError, match="Sea has no vertices"):
        take()
    bpy.data.objects.remove(sea)
    bpy.ops.object.empty_add()
    empty = bpy.context.object
    empty.flotsam.kind, empty.flotsam.water.surface = "WATER", "MESH"
    with pytest.raises(CaptureError, match="is no mesh; convert it to a mesh, or set its Surface to Level"):
        take()
    empty.flotsam.water.surface = "LEVEL"
    assert take().spec.systems[1].surface == "LEVEL"
    bpy.data.objects.remove(empty)
    sea = ocean()
    scene.frame_set(1)
    rows = sea.modifiers.new("Rows", "ARRAY")
    for frame, count in ((1, 1), (4, 2)):
        rows.count = count
        rows.keyframe_insert("count", frame=frame)
    scene.frame_set(1)
    captured = take()
    with pytest.raises(CaptureError, match=r"Sea has \d+ vertices now and had \d+"):
        capture_controls(captured, scene, 4)
    ground()


def test_live_follows_the_waves_of_the_frame_that_is_shown() -> None:
    """Live moves no timeline: played in the Timeline, or scrubbed, the waves move on and lift what floats."""
    scene = fresh_scene(None, (1, 48))
    crate = add_box("Crate", (0.0, 0.0, 0.3))
    crate.flotsam.voxel_body.density = 400.0
    pool = sheet("Pool", 2, 10.0)
    pool.flotsam.kind, pool.flotsam.water.surface = "WATER", "MESH"
    for frame, height in ((1, 0.0), (24, 1.0)):
        pool.location.z = height
        pool.keyframe_insert("location", index=2, frame=frame)
    scene.frame_set(1)
    session = LiveSession(scene)
    run(session, 24)
    assert session.frame.positions["Crate"][:, 2].mean() == pytest.approx(0.0, abs=0.2)
    scene.frame_set(24)
    run(session, 48)
    assert session.frame.positions["Crate"][:, 2].mean() == pytest.approx(1.0, abs=0.2)
    session.end()


def test_the_swell_carries_what_floats_on_it(tmp_path: Path) -> None:
    """The sea that is seen is the one that bodies ride on: at each frame their middle is near its surface.

    Without waves they would be up to half a metre off.
    """
    fresh_scene(tmp_path)
    assert bpy.ops.flotsam.add_scene(preset="ocean_swell") == {"FINISHED"}
    scene = bpy.context.scene
    sea, waves = scene.objects["Sea"], scene.objects["Sea"].modifiers["Ocean"]
    assert sea.flotsam.water.surface == "MESH" and waves.resolution == waves.viewport_resolution
    bodies = [obj for obj in scene.objects if is_body(obj)]
    assert len(bodies) == 7
    # Nothing floats farther away, where the camera sees more of the same waves.
    waves.repeat_x, waves.repeat_y, sea.location.x = 2, 1, -12.5
    for obj in bodies:
        if "Smooth" in obj.modifiers:
            obj.modifiers["Smooth"].show_viewport = False
    assert bake_blocking(scene, frame_end=48).warnings == []
    depsgraph, heights = bpy.context.evaluated_depsgraph_get(), []
    for frame in (24, 36, 48):
        scene.frame_set(frame)
        tree = BVHTree.FromObject(sea, depsgraph)
        for obj in bodies:
            seen = obj.evaluated_get(depsgraph)
            low, high = np.array([seen.matrix_world @ Vector(corner) for corner in seen.bound_box])[[0, 6]]
            middle = 0.5 * (low + high)
            over = Vector((*middle[:2], 50.0)) - sea.location
            height = (tree.ray_cast(over, Vector((0.0, 0.0, -1.0)))[0] + sea.location).z
            heights.append(height)
            # The buoy's middle is on its post.
            assert -0.15 < middle[2] - height < (0.5 if obj.name == "Buoy" else 0.3), (obj.name, frame)
    assert np.ptp(heights) > 0.6
