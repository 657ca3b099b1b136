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


def test_the_ball_pit_holds_its_balls_and_its_towel(tmp_path: Path) -> None:
    """Balls, ring and towel touch each other; after two seconds none is through another or through the deck."""
    import numpy as np

    scene = fresh_scene(tmp_path)
    assert bpy.ops.flotsam.add_scene(preset="ball_pit") == {"FINISHED"}
    bodies = [obj for obj in scene.objects if obj.flotsam.kind == "SPRING_GRAPH"]
    assert [obj.flotsam.spring_graph.self_collision for obj in bodies if "Towel" in obj.name] == [True]
    balls = [obj for obj in bodies if "Ball" in obj.name]
    # A dozen of them is seen through faster.
    for ball in balls[12:]:
        bodies.remove(ball)
        bpy.data.objects.remove(ball)
    assert bake_blocking(scene, frame_end=48).warnings == []
    scene.frame_set(48)
    depsgraph = bpy.context.evaluated_depsgraph_get()
    places = {}
    for obj in bodies:
        obj.modifiers["Smooth"].show_viewport = False
        if "Thick" in obj.modifiers:
            obj.modifiers["Thick"].show_viewport = False
    depsgraph.update()
    for obj in bodies:
        seen = obj.evaluated_get(depsgraph)
        places[obj.name] = np.array([seen.matrix_world @ corner.co for corner in seen.data.vertices])
    assert min(place[:, 2].min() for place in places.values()) > 0.35
    middles = {ball.name: places[ball.name].mean(axis=0) for ball in balls[:12]}
    for name, middle in middles.items():
        radius = np.linalg.norm(places[name] - middle, axis=1).min()
        for other, place in places.items():
            assert other == name or np.linalg.norm(place - middle, axis=1).min() > 0.85 * radius, (name, other)


def test_an_unknown_shape_is_said_in_a_sentence() -> None:
    from flotsam.addon.scenes.beach import add_balls
    from flotsam.addon.scenes.cargo import add_cargo, add_quay
    from flotsam.addon.scenes.plan import Ball, Cargo, Quay, SceneError

    collection = fresh_scene().collection
    ones, noughts = (1.0, 1.0, 1.0), (0.0, 0.0, 0.0)
    with pytest.raises(SceneError, match="'Box' asks for the shape 'sack'; there are crate, barrel."):
        add_cargo((Cargo("Box", "sack", noughts, noughts, 1.0, 100.0, ones),), collection)
    with pytest.raises(SceneError, match="'Globe' asks for the pattern 'map'; there are sectors, "):
        add_balls((Ball("Globe", noughts, noughts, 0.2, "map", 3, ("#ffffff", "#000000")),), collection)
    with pytest.raises(SceneError, match="'Globe' needs 2 colours for 'dots'."):
        add_balls((Ball("Globe", noughts, noughts, 0.2, "dots", 3, ("#ffffff",)),), collection)
    with pytest.raises(SceneError, match="'Mole' asks for the shape 'sand'; there are stone, deck, pile."):
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
