"""Shape keys reproduce the cache, and are refused for meshes that they would damage."""

from __future__ import annotations

from pathlib import Path

import bpy
import pytest
from flotsam.addon.bake.owner import cache_problem
from flotsam.addon.names import KEYS_MARK
from make_scene import cube, fresh_scene, ring, soft, world_positions


def test_keys_show_the_same_as_the_cache(tmp_path: Path) -> None:
    fresh_scene(tmp_path, (10, 14))
    obj = soft(ring(), pressure=100.0)
    assert bpy.ops.flotsam.bake() == {"FINISHED"}
    cached = {frame: world_positions(obj, frame) for frame in range(10, 15)}
    assert bpy.ops.flotsam.bake_to_shape_keys() == {"FINISHED"}
    modifier = obj.modifiers["Flotsam"]
    assert not modifier.show_viewport and not modifier.show_render
    for frame, places in cached.items():
        shown = world_positions(obj, frame)
        assert all(a == pytest.approx(b, abs=1e-5) for a, b in zip(shown, places, strict=True))
        assert cache_problem(obj) is None, "these keys are frames of the bake, and do not change the next one"
    obj.data.shape_keys.key_blocks[0].data[0].co.z += 0.1
    del obj.data.shape_keys[KEYS_MARK]
    bpy.context.view_layer.update()
    assert cache_problem(obj) is not None, "shape keys of the artist change the next bake"


def test_one_straight_curve_moves_eval_time(tmp_path: Path) -> None:
    fresh_scene(tmp_path, (10, 14))
    obj = soft(cube())
    assert bpy.ops.flotsam.bake_to_shape_keys() == {"FINISHED"}
    animation = obj.data.shape_keys.animation_data
    strip = animation.action.layers[0].strips[0]
    (curve,) = strip.channelbag(animation.action_slot).fcurves
    assert curve.data_path == "eval_time"
    assert [tuple(point.co) for point in curve.keyframe_points] == [(10.0, 0.0), (14.0, 40.0)]
    assert {point.interpolation for point in curve.keyframe_points} == {"LINEAR"}


def test_modifiers_before_flotsam_are_refused_before_baking(tmp_path: Path) -> None:
    fresh_scene(tmp_path)
    obj = cube()
    obj.modifiers.new("Round", "SUBSURF")
    soft(obj)
    with pytest.raises(RuntimeError, match="Cube has Round before Flotsam"):
        bpy.ops.flotsam.bake_to_shape_keys()
    assert obj.data.shape_keys is None and obj.modifiers["Flotsam"].filepath == ""


def test_shape_keys_of_the_artist_stay(tmp_path: Path) -> None:
    fresh_scene(tmp_path)
    obj = soft(cube())
    obj.shape_key_add(name="Basis")
    obj.shape_key_add(name="Smile")
    with pytest.raises(RuntimeError, match="Cube already has shape keys"):
        bpy.ops.flotsam.bake_to_shape_keys()
    assert [block.name for block in obj.data.shape_keys.key_blocks] == ["Basis", "Smile"]


def test_all_or_none(tmp_path: Path) -> None:
    fresh_scene(tmp_path)
    good, bad = soft(cube("Good")), soft(cube("Shared"))
    bpy.context.scene.collection.objects.link(bpy.data.objects.new("Twin", bad.data))
    with pytest.raises(RuntimeError, match="Shared shares its mesh"):
        bpy.ops.flotsam.bake_to_shape_keys()
    assert good.data.shape_keys is None and bad.data.shape_keys is None
