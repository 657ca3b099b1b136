"""Scene presets and the operators that clear a bake and add a scene."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
import pytest
from flotsam.addon.bake.job import bake_blocking
from flotsam.addon.properties.kinds import is_body
from flotsam.addon.scenes import scene_presets
from make_scene import fresh_scene, ring, soft


def test_a_scene_preset_becomes_ordinary_objects() -> None:
    fresh_scene()
    assert bpy.ops.flotsam.add_scene(preset="rubber_dinghy_rapids") == {"FINISHED"}
    scene = bpy.context.scene
    kinds = [obj.flotsam.kind for obj in scene.objects]
    assert kinds.count("SPRING_GRAPH") >= 12
    assert kinds.count("WATER") == 1
    assert kinds.count("COLLIDER") >= 2
    assert scene.camera is not None
    first = next(obj for obj in scene.objects if obj.flotsam.kind == "SPRING_GRAPH")
    assert first.flotsam.spring_graph.pressure > 0.0
    assert [m.name for m in first.modifiers][0] == "Flotsam"


def test_the_harbour_floats(tmp_path: Path) -> None:
    """Crates and barrels are rigid, share meshes, and float after three seconds, none through the quay."""
    fresh_scene(tmp_path)
    assert bpy.ops.flotsam.add_scene(preset="harbour") == {"FINISHED"}
    scene = bpy.context.scene
    cargo = [obj for obj in scene.objects if obj.flotsam.kind == "VOXEL_BODY"]
    assert len(cargo) == 11 and len({obj.data for obj in cargo}) == 2
    # Other tests cover the rings; without them this takes half the time.
    for obj in scene.objects:
        if obj.flotsam.kind == "SPRING_GRAPH":
            obj.flotsam.kind = "NONE"
    assert bake_blocking(scene, frame_end=72).warnings == []
    scene.frame_set(72)
    for obj in cargo:
        place = obj.matrix_world.translation
        assert -0.3 < place.z < 0.5 and place.y < 2.4, obj.name


def test_the_ball_pit_holds_its_balls_and_its_towel(tmp_path: Path) -> None:
    """Balls, ring and towel touch each other; after a second and a third none has passed through another or the deck.

    No ball is ever higher than where it began: springs that took more inner steps once threw one up to 6 m.
    """
    fresh_scene(tmp_path)
    assert bpy.ops.flotsam.add_scene(preset="ball_pit") == {"FINISHED"}
    scene = bpy.context.scene
    bodies = [obj for obj in scene.objects if obj.flotsam.kind == "SPRING_GRAPH"]
    assert [obj.flotsam.spring_graph.self_collision for obj in bodies if "Towel" in obj.name] == [True]
    balls = [obj for obj in bodies if "Ball" in obj.name]
    # A dozen of them is faster.
    for ball in balls[12:]:
        bodies.remove(ball)
        bpy.data.objects.remove(ball)
    assert bake_blocking(scene, frame_end=32).warnings == []
    depsgraph = bpy.context.evaluated_depsgraph_get()
    highest = []
    for frame in range(1, 33):
        scene.frame_set(frame)
        seen = [ball.evaluated_get(depsgraph) for ball in balls[:12]]
        highest.append(max((one.matrix_world @ one.data.vertices[0].co).z for one in seen))
    assert max(highest) < 1.6
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


def test_the_trampoline_bears_what_is_tipped_onto_it(tmp_path: Path) -> None:
    """Boxes, mattress, cushion and balls depress the mat after two seconds, and none has passed through it."""
    fresh_scene(tmp_path)
    assert bpy.ops.flotsam.add_scene(preset="trampoline") == {"FINISHED"}
    scene = bpy.context.scene
    assert bake_blocking(scene, frame_end=48).warnings == []
    scene.frame_set(48)
    for obj in scene.objects:
        if "Smooth" in obj.modifiers:
            obj.modifiers["Smooth"].show_viewport = False
    depsgraph = bpy.context.evaluated_depsgraph_get()
    places = {}
    for obj in scene.objects:
        if obj.flotsam.kind in ("SPRING_GRAPH", "VOXEL_BODY"):
            seen = obj.evaluated_get(depsgraph)
            places[obj.name] = np.array([seen.matrix_world @ corner.co for corner in seen.data.vertices])
    mat = places.pop("Trampoline Mat")
    assert len(places) == 14 and mat[:, 2].min() < 1.1 - 0.2
    on_it = 0
    for name, place in places.items():
        inside = place[np.hypot(place[:, 0], place[:, 1]) < 1.3]
        away = np.hypot(*(inside[:, None, k] - mat[None, :, k] for k in range(2)))
        under = mat[away.argmin(axis=1), 2]
        # Where the mat is steep, its nearest vertex may be slightly above.
        assert (inside[:, 2] > under - 0.05).all(), name
        on_it += len(inside) > 0
    assert on_it >= 8


def points_of(obj: bpy.types.Object) -> np.ndarray:
    """Where the particles of a fluid are [m], world space."""
    obj.modifiers["Flotsam Surface"].show_viewport = False
    # Evaluated data stays valid only while it is referenced.
    geometry = obj.evaluated_get(bpy.context.evaluated_depsgraph_get()).evaluated_geometry()
    place = np.zeros(3 * len(geometry.pointcloud.points), np.float32)
    geometry.pointcloud.attributes["position"].data.foreach_get("vector", place)
    world = np.array(obj.matrix_world)
    return place.reshape(-1, 3) @ world[:3, :3].T + world[:3, 3]


FLUIDS = {
    "dam_break": ("Water", 0.08, 16), "bath_tub": ("Water", 0.08, 16), "honey_pancakes": ("Honey", 0.05, 24),
    "water_balloon": ("Balloon Water", 0.03, 22), "aquarium": ("Water", 0.12, 12),
}


@pytest.mark.parametrize("preset", FLUIDS)
def test_a_fluid_scene_plays_at_a_coarse_setting(preset: str, tmp_path: Path) -> None:
    """No particle passes the floor or a vessel; what is hit moves."""
    fresh_scene(tmp_path)
    assert bpy.ops.flotsam.add_scene(preset=preset) == {"FINISHED"}
    scene, (name, spacing, frames) = bpy.context.scene, FLUIDS[preset]
    fluid = scene.objects[name]
    fluid.flotsam.fluid.spacing = spacing
    assert bake_blocking(scene, frame_end=frames).warnings == []
    scene.frame_set(frames)
    place = points_of(fluid)
    assert len(place) > 20 and place[:, 2].min() > 0.0
    if preset == "dam_break":
        assert place[:, 0].max() > 1.0 and np.mean(place[:, 2] < 0.9) > 0.95
        assert scene.objects["Crate Left"].matrix_world.translation.x > 0.65
    if preset == "aquarium":
        assert scene.objects["Crate"].matrix_world.translation.z < 1.1
        fish = [tuple(one.matrix_world.translation) for one in bpy.context.evaluated_depsgraph_get().object_instances
                if one.is_instance and one.parent.name == "Fish"]
        assert len(fish) == 90 and (np.abs(np.array(fish) - [0.0, 0.0, 0.4]) < [1.2, 0.5, 0.45]).all()
    if preset == "water_balloon":
        # It slides off the cushion whole, and has burst five frames after it fell on the floor beside it: the water
        # reaches farther than the balloon, whose faces were joined.
        assert np.ptp(place[:, 0]) > 2.0 * 0.26 and place[:, 2].max() < 1.5
    if preset == "bath_tub":
        # Some may splash over the rim, whose half axes these are.
        assert np.mean(np.hypot(place[:, 0] / 0.95, place[:, 1] / 0.5) < 1.0) > 0.95
    if preset == "honey_pancakes":
        # It lies on the uppermost cake.
        low = place[place[:, 2] < 0.6]
        assert len(low) > 10 and 0.25 < np.median(low[:, 2]) < 0.45


def test_an_unknown_shape_is_said_in_a_sentence() -> None:
    from flotsam.addon.scenes.beach import add_balls
    from flotsam.addon.scenes.cargo import add_cargo, add_quay
    from flotsam.addon.scenes.plan import Ball, Cargo, Quay, SceneError

    collection = fresh_scene().collection
    ones, noughts = (1.0, 1.0, 1.0), (0.0, 0.0, 0.0)
    with pytest.raises(SceneError, match="'Box' asks for the shape 'sack'; there are crate, barrel, carton, buoy."):
        add_cargo((Cargo("Box", "sack", noughts, noughts, 1.0, 100.0, ones),), collection)
    with pytest.raises(SceneError, match="'Globe' asks for the pattern 'map'; there are sectors, "):
        add_balls((Ball("Globe", noughts, noughts, 0.2, "map", 3, ("#ffffff", "#000000")),), collection)
    with pytest.raises(SceneError, match="'Globe' needs 2 colours for 'dots'."):
        add_balls((Ball("Globe", noughts, noughts, 0.2, "dots", 3, ("#ffffff",)),), collection)
    with pytest.raises(SceneError, match="'Mole' asks for the shape 'sand'; there are stone, deck, pile."):
        add_quay((Quay("Mole", "sand", noughts, ones),), collection)


def settings_of(block: bpy.types.bpy_struct, depth: int = 3) -> dict[str, object]:
    """All values in a struct and its nested structs, except collections."""
    found: dict[str, object] = {}
    for prop in block.bl_rna.properties:
        name = prop.identifier
        if name in ("rna_type", "bl_rna", "objects", "collection", "view_layers", "name", "name_full", "original",
                    "use_nodes"):
            continue
        value = getattr(block, name)
        if prop.type == "POINTER" and value is not None and depth and not isinstance(value, bpy.types.ID):
            found |= {f"{name}.{inner}": one for inner, one in settings_of(value, depth - 1).items()}
        elif prop.type == "COLLECTION":
            found[name] = len(value)
        elif getattr(prop, "is_array", False):
            found[name] = tuple(tuple(one) if hasattr(one, "__len__") else one for one in value)
        else:
            found[name] = value
    return found


def artists_scene(tmp_path: Path) -> bpy.types.Scene:
    """A scene with settings that differ from all presets."""
    scene = fresh_scene(tmp_path, frames=(7, 99))
    scene.render.fps, scene.frame_start, scene.frame_end = 30, 7, 99
    scene.frame_set(11)
    scene.world = bpy.data.worlds.new("Own World")
    scene.view_settings.view_transform = "Standard"
    scene.flotsam.substeps = 17
    scene.camera = bpy.data.objects.new("Own Camera", bpy.data.cameras.new("Own Camera"))
    scene.collection.objects.link(scene.camera)
    return scene


PRESETS = scene_presets()


@pytest.mark.parametrize("preset", PRESETS)
def test_a_preset_opens_in_a_new_scene_and_leaves_the_other_alone(preset: str, tmp_path: Path) -> None:
    scene = artists_scene(tmp_path)
    before, objects = settings_of(scene), list(scene.objects)
    assert len(before) > 200
    assert bpy.ops.flotsam.add_scene(preset=preset) == {"FINISHED"}
    added = bpy.context.scene
    assert added != scene and added.name == PRESETS[preset].label
    assert settings_of(scene) == before and list(scene.objects) == objects
    assert added.camera is not None and added.world.name in ("Late Sky", "Deep Water") and added.render.fps == 24
    assert any(obj.type == "LIGHT" for obj in added.objects)


@pytest.mark.parametrize("preset", PRESETS)
def test_objects_alone_come_into_the_open_scene(preset: str, tmp_path: Path) -> None:
    scene = artists_scene(tmp_path)
    before, scenes = settings_of(scene), len(bpy.data.scenes)
    assert bpy.ops.flotsam.add_scene(preset=preset, into="CURRENT") == {"FINISHED"}
    assert bpy.context.scene == scene and len(bpy.data.scenes) == scenes
    after = settings_of(scene)
    # The lists with ties of the new bodies belong to the scene, and are added as well.
    for rows in ("flotsam.attachments", "flotsam.joints", "flotsam.interactions"):
        assert after.pop(rows) >= before.pop(rows)
    assert after == before
    assert any(is_body(obj) for obj in scene.objects)
    assert not any(obj.type == "LIGHT" for obj in scene.objects)
    assert [obj for obj in scene.objects if obj.type == "CAMERA"] == [scene.camera]


def test_an_unknown_scene_leaves_nothing_behind() -> None:
    fresh_scene()
    with pytest.raises(RuntimeError, match="no scene preset 'moon'"):
        bpy.ops.flotsam.add_scene(preset="moon")
    assert len(bpy.data.scenes) == 1


def test_scenes_stand_in_the_menu_with_the_rest() -> None:
    """And nowhere else in the Add menu."""
    from flotsam.addon.operators.add_body import FLOTSAM_MT_add, draw_entry
    from recorded import Recorder

    fresh_scene()
    rows = Recorder()
    FLOTSAM_MT_add.draw(type("Menu", (), {"layout": rows})(), bpy.context)
    assert rows.buttons.count("flotsam.add_scene") == len(PRESETS) >= 3
    entries = [draw for draw in bpy.types.VIEW3D_MT_add.draw._draw_funcs if "flotsam" in draw.__module__]
    assert entries == [draw_entry]


def test_the_same_scene_twice_does_not_collide() -> None:
    scene = fresh_scene()
    bpy.ops.flotsam.add_scene(into="CURRENT")
    once = len(scene.objects)
    bpy.ops.flotsam.add_scene(into="CURRENT")
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
