"""Scene presets and the operators that clear a bake and add a scene."""

from __future__ import annotations

from pathlib import Path

import bpy
import pytest
from flotsam.addon.bake.job import bake_blocking
from make_scene import fresh_scene, ring, soft


def test_a_scene_preset_becomes_ordinary_objects() -> None:
    scene = fresh_scene()
    assert bpy.ops.flotsam.add_scene(preset="rubber_dinghy_rapids") == {"FINISHED"}
    kinds = [obj.flotsam.kind for obj in scene.objects]
    assert kinds.count("SPRING_GRAPH") >= 12
    assert kinds.count("WATER") == 1
    assert kinds.count("COLLIDER") >= 2
    assert scene.camera is not None
    first = next(obj for obj in scene.objects if obj.flotsam.kind == "SPRING_GRAPH")
    assert first.flotsam.spring_graph.pressure > 0.0
    assert [m.name for m in first.modifiers][0] == "Flotsam"


def test_the_harbour_floats(tmp_path: Path) -> None:
    """Crates and barrels are rigid, share their meshes, and are afloat after three seconds, none through the quay."""
    scene = fresh_scene(tmp_path)
    assert bpy.ops.flotsam.add_scene(preset="harbour") == {"FINISHED"}
    cargo = [obj for obj in scene.objects if obj.flotsam.kind == "VOXEL_BODY"]
    assert len(cargo) == 11 and len({obj.data for obj in cargo}) == 2
    # Rings are seen elsewhere; without them it is done in half the time.
    for obj in scene.objects:
        if obj.flotsam.kind == "SPRING_GRAPH":
            obj.flotsam.kind = "NONE"
    assert bake_blocking(scene, frame_end=72).warnings == []
    scene.frame_set(72)
    for obj in cargo:
        place = obj.matrix_world.translation
        assert -0.3 < place.z < 0.5 and place.y < 2.4, obj.name


def test_an_unknown_shape_is_said_in_a_sentence() -> None:
    from flotsam.addon.scenes.cargo import add_cargo, add_quay
    from flotsam.addon.scenes.plan import Cargo, Quay, SceneError

    collection = fresh_scene().collection
    ones, noughts = (1.0, 1.0, 1.0), (0.0, 0.0, 0.0)
    with pytest.raises(SceneError, match="'Box' asks for the shape 'sack'; there are crate, barrel."):
        add_cargo((Cargo("Box", "sack", noughts, noughts, 1.0, 100.0, ones),), collection)
    with pytest.raises(SceneError, match="'Mole' asks for the shape 'sand'; there are stone, pile."):
        add_quay((Quay("Mole", "sand", noughts, ones),), collection)


def test_the_same_scene_twice_does_not_collide() -> None:
    scene = fresh_scene()
    bpy.ops.flotsam.add_scene()
    once = len(scene.objects)
    bpy.ops.flotsam.add_scene()
    assert len(scene.objects) == 2 * once


def test_clear_cache_deletes_its_file_only(tmp_path: Path) -> None:
    scene = fresh_scene(tmp_path, (1, 3))
    kept, cleared = soft(ring("Kept")), soft(ring("Cleared", z=3.0))
    bake_blocking(scene)
    files = {obj.name: Path(bpy.path.abspath(obj.modifiers["Flotsam"].filepath)) for obj in (kept, cleared)}
    kept.select_set(False)
    cleared.select_set(True)
    assert bpy.ops.flotsam.clear_cache() == {"FINISHED"}
    assert files["Kept"].is_file()
    assert not files["Cleared"].exists()
    assert not cleared.modifiers["Flotsam"].show_viewport
    assert not bpy.ops.flotsam.clear_cache.poll()
