"""Messages are true and stay visible: warnings, render levels, excluded objects, missing paths, slow Live."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import bpy
import numpy as np
import pytest
from flotsam.addon.bake import said
from flotsam.addon.bake.job import bake_blocking
from flotsam.addon.bake.on_disk import baked_range
from flotsam.addon.bake.owner import cache_problem
from flotsam.addon.capture import CaptureError, capture_world
from flotsam.addon.live.clock import Clock
from flotsam.addon.names import OP_MATCH_LEVELS, OP_SELECT, PANEL_CACHE
from flotsam.addon.operators.live import status
from flotsam.addon.paths import cache_folder
from flotsam.addon.write import baked_file
from flotsam.engine import WorldSpec
from make_scene import cube, fresh_scene, ground, ring, soft
from recorded import all_text, drawn

TRACES: list[np.ndarray] = []


class Witness(bpy.types.RenderEngine):
    """A render engine that renders nothing and records the vertices that a render gets."""

    bl_idname = "FLOTSAM_WITNESS"
    bl_label = "Witness"

    def render(self, depsgraph: bpy.types.Depsgraph) -> None:
        for instance in depsgraph.object_instances:
            if instance.object.name == "Cube":
                mesh = instance.object.to_mesh()
                flat = np.empty(3 * len(mesh.vertices), dtype=np.float32)
                mesh.vertices.foreach_get("co", flat)
                TRACES.append(flat.reshape(-1, 3))
                instance.object.to_mesh_clear()


def rendered(scene: bpy.types.Scene, frame: int) -> np.ndarray:
    """Vertices of Cube as a render gets them at a frame, in object space."""
    bpy.utils.register_class(Witness)
    try:
        TRACES.clear()
        scene.render.engine, scene.render.resolution_x, scene.render.resolution_y = "FLOTSAM_WITNESS", 8, 8
        if scene.camera is None:
            scene.camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
            scene.collection.objects.link(scene.camera)
        scene.frame_set(frame)
        bpy.ops.render.render()
        return TRACES[-1]
    finally:
        bpy.utils.unregister_class(Witness)


@pytest.mark.parametrize("levels", ["RENDER", "VIEWPORT"])
def test_a_render_plays_the_bake_once_viewport_and_render_have_the_same_levels(tmp_path: Path, levels: str) -> None:
    scene = fresh_scene(tmp_path, (1, 12))
    obj = cube()
    subdivision = obj.modifiers.new("Subdivision", "SUBSURF")
    assert (subdivision.levels, subdivision.render_levels) == (1, 2), "Blender's default"
    soft(obj)
    job = bake_blocking(scene)
    assert any("the render does not play this bake" in warning for warning in job.warnings)
    still = rendered(scene, 1)
    assert np.array_equal(rendered(scene, 12), still), "the bake is of other levels"
    bpy.context.view_layer.objects.active = obj
    layout = drawn("physics")[PANEL_CACHE]
    assert layout.buttons.count(OP_MATCH_LEVELS) == 2 and "Subdivision before Flotsam differs" in all_text()
    assert bpy.ops.flotsam.match_levels(to=levels) == {"FINISHED"}
    assert subdivision.levels == subdivision.render_levels == (2 if levels == "RENDER" else 1)
    assert OP_MATCH_LEVELS not in drawn("physics")[PANEL_CACHE].buttons and not bpy.ops.flotsam.match_levels.poll()
    if levels == "RENDER":
        assert cache_problem(obj, scene) == "The modifiers of Cube changed since the bake; bake again."
    assert not any("does not play" in warning for warning in bake_blocking(scene).warnings)
    scene.frame_set(12)
    seen = obj.evaluated_get(bpy.context.evaluated_depsgraph_get()).to_mesh()
    shown = np.array([vertex.co for vertex in seen.vertices])
    found = rendered(scene, 12)
    assert found.shape == shown.shape and found == pytest.approx(shown, abs=1e-6)
    assert found[:, 2].mean() < still[:, 2].mean() - 0.5, "it falls in the render"


def test_simplify_that_gives_viewport_and_render_other_levels_is_told(tmp_path: Path) -> None:
    scene = fresh_scene(tmp_path, (1, 12))
    obj = cube()
    subdivision = obj.modifiers.new("Subdivision", "SUBSURF")
    subdivision.levels = subdivision.render_levels = 2
    soft(obj)
    scene.render.use_simplify, scene.render.simplify_subdivision = True, 1
    assert any("the render does not play this bake" in warning for warning in bake_blocking(scene).warnings)
    bpy.context.view_layer.objects.active = obj
    assert bpy.ops.flotsam.match_levels(to="RENDER") == {"FINISHED"}
    assert subdivision.levels == subdivision.render_levels == 1, "as fine as Simplify lets both be"
    assert not bpy.ops.flotsam.match_levels.poll()
    assert not any("does not play" in warning for warning in bake_blocking(scene).warnings)
    assert rendered(scene, 12)[:, 2].mean() < rendered(scene, 1)[:, 2].mean() - 0.5, "it falls in the render"
    scene.render.simplify_subdivision = 6
    assert cache_problem(obj, scene) is None, "the limit is above the levels"
    scene.render.simplify_subdivision = 0
    assert cache_problem(obj, scene) == "Simplify gives other levels of subdivision than at the bake; bake again."


def test_warnings_stay_in_the_panel_until_the_next_bake_and_select_their_object(tmp_path: Path) -> None:
    scene = fresh_scene(tmp_path, (1, 3))
    obj, other = soft(cube()), soft(ring(z=4.0))
    other.modifiers.new("Subdivision", "SUBSURF")
    other.modifiers.move(1, 0)
    hidden = soft(cube("Hidden", z=9.0))
    hidden.hide_viewport = True
    bpy.context.view_layer.objects.active = obj
    assert bpy.ops.flotsam.bake() == {"FINISHED"}
    for tab in ("physics", "scene"):
        text = all_text(tab)
        assert "Ring: Subdivision before Flotsam differs" in text and "Hidden is disabled in viewports" in text
        assert sum(layout.buttons.count(OP_SELECT) for layout in drawn(tab).values()) == 2
    scene.frame_set(3)
    assert "Ring: Subdivision" in all_text("scene")
    assert bpy.ops.flotsam.select(name="Ring") == {"FINISHED"}
    assert bpy.context.object == other and [found.name for found in bpy.context.selected_objects] == ["Ring"]
    assert bpy.ops.flotsam.select(name="Nobody") == {"CANCELLED"}
    bpy.ops.flotsam.match_levels(to="VIEWPORT")
    hidden.flotsam.kind = "NONE"
    assert bpy.ops.flotsam.bake() == {"FINISHED"}
    assert said.warnings_of(scene.name) == [] and "The last bake warned" not in all_text("scene")
    hidden.flotsam.kind = "SPRING_GRAPH"
    bpy.ops.flotsam.bake()
    assert said.warnings_of("Scene")
    bpy.ops.wm.open_mainfile(filepath=bpy.data.filepath)
    assert not said.warnings_of("Scene"), "another file is open"


@pytest.mark.parametrize(("how", "reason"), [
    ("object", "disabled in viewports"),
    ("collection", "in the collection Scenery, which is disabled in viewports"),
    ("excluded", "in the collection Scenery, which is excluded from the view layer"),
    ("excluded, in a row", "in the collection Scenery, which is excluded from the view layer"),
])
def test_what_is_left_out_is_called_what_it_is(tmp_path: Path, how: str, reason: str) -> None:
    scene = fresh_scene(tmp_path, (1, 2))
    soft(ring())
    post = cube("Post")
    post.flotsam.kind = "COLLIDER"
    scenery = bpy.data.collections.new("Scenery")
    scene.collection.children.link(scenery)
    scene.collection.objects.unlink(post)
    scenery.objects.link(post)
    if how == "object":
        post.hide_viewport = True
    elif how == "collection":
        scenery.hide_viewport = True
    else:
        bpy.context.view_layer.layer_collection.children["Scenery"].exclude = True
    if how.endswith("row"):
        row = scene.flotsam.interactions.add()
        row.name, row.a_who, row.a_object = "Row", "OBJECT", post
    warnings = bake_blocking(scene).warnings
    assert f"Post is {reason} and was left out." in warnings
    assert not any("Post" in system.name for system in capture_world(
        scene, bpy.context.evaluated_depsgraph_get()
    ).spec.systems)


def test_in_edit_mode_live_does_not_say_bake_again(tmp_path: Path) -> None:
    scene = fresh_scene(tmp_path)
    soft(ring())
    bpy.ops.object.mode_set(mode="EDIT")
    depsgraph = bpy.context.evaluated_depsgraph_get()
    with pytest.raises(CaptureError, match="Ring is in Edit Mode; Live goes on when you leave it"):
        capture_world(scene, depsgraph, by_hand=True)
    with pytest.raises(CaptureError, match="Ring is in Edit Mode; leave Edit Mode and bake again"):
        capture_world(scene, depsgraph)
    bpy.ops.object.mode_set(mode="OBJECT")


def test_undo_of_clear_cache_brings_back_no_path_without_a_file(tmp_path: Path) -> None:
    fresh_scene(tmp_path, (1, 3))
    soft(ring())
    bpy.context.preferences.edit.use_global_undo = True
    bpy.ops.ed.undo_push(message="A ring")
    bpy.ops.flotsam.bake("EXEC_DEFAULT", True)
    bpy.ops.flotsam.clear_cache("EXEC_DEFAULT", True)
    bpy.ops.ed.undo()
    obj = bpy.context.scene.objects["Ring"]
    assert baked_file(obj) is None and cache_problem(obj) is None and baked_range(obj) is None
    assert not obj.modifiers["Flotsam"].show_viewport
    bpy.ops.ed.undo()
    bpy.ops.ed.redo()
    assert baked_file(bpy.context.scene.objects["Ring"]) is None
    assert bpy.ops.flotsam.bake() == {"FINISHED"}
    assert baked_range(bpy.context.scene.objects["Ring"]) == (1, 3)


def test_undo_over_two_bakes_says_whose_frames_are_on_disk(tmp_path: Path) -> None:
    fresh_scene(tmp_path, (1, 3))
    soft(ring())
    bpy.context.preferences.edit.use_global_undo = True
    bpy.ops.ed.undo_push(message="A ring")
    bpy.ops.flotsam.bake("EXEC_DEFAULT", True)
    bpy.context.scene.objects["Ring"].flotsam.spring_graph.stiffness = 5.0
    bpy.ops.ed.undo_push(message="Stiffness")
    bpy.ops.flotsam.bake("EXEC_DEFAULT", True)
    assert cache_problem(bpy.context.scene.objects["Ring"]) is None
    bpy.ops.ed.undo()
    bpy.ops.ed.undo()
    obj = bpy.context.scene.objects["Ring"]
    assert obj.flotsam.spring_graph.stiffness != 5.0
    assert "on disk are those of another bake" in cache_problem(obj)
    bpy.ops.ed.redo()
    bpy.ops.ed.redo()
    assert cache_problem(bpy.context.scene.objects["Ring"]) is None


def test_a_renamed_body_takes_its_file_along(tmp_path: Path) -> None:
    scene = fresh_scene(tmp_path, (1, 3))
    obj, other = soft(ring("Ring")), soft(cube("Other", z=4.0))
    bake_blocking(scene)
    obj.name = "Boat"
    assert baked_range(obj) == (1, 3) and cache_problem(obj, scene) is None
    bake_blocking(scene)
    assert sorted(file.name for file in cache_folder(scene).glob("*.pc2")) == ["Boat.pc2", "Other.pc2"]
    obj.name, other.name = "Other", "Boat"
    obj.name = "Other"
    bake_blocking(scene)
    names = {baked_file(found).name for found in (obj, other)}
    assert {file.name for file in cache_folder(scene).glob("*.pc2")} == names and len(names) == 2


def test_live_at_a_crawl_does_not_say_real_time() -> None:
    """A frame takes three seconds: the speed is known after two frames, and does not rise while the third is solved."""
    clock = Clock(1.0 / 24.0)
    assert clock.speed(0.0) == 0.0
    clock.end(3.0)
    assert clock.speed(5.0) == 0.0
    clock.end(6.0)
    assert clock.speed(6.0) == pytest.approx(1.0 / 72.0)
    assert clock.speed(60.0) < 1.0 / 1000.0
    captured = SimpleNamespace(spec=WorldSpec())
    for speed, expected in ((0.0, "solving the first frames"), (0.014, "1% of real time"), (1.0, "Live: real time")):
        text = status(SimpleNamespace(message="", playing=True, speed=speed, captured=captured))
        assert expected in text and ("Live: real time" in text) == (speed == 1.0)


def test_the_estimate_counts_vertices_after_modifiers(tmp_path: Path) -> None:
    from flotsam.addon.bake import expense

    scene = fresh_scene(tmp_path, (1, 3))
    obj = ring()
    obj.modifiers.new("Subdivision", "SUBSURF").levels = 2
    obj.modifiers["Subdivision"].render_levels = 2
    soft(obj)
    ground()
    count = len(obj.evaluated_get(bpy.context.evaluated_depsgraph_get()).data.vertices)
    assert count > 15 * len(obj.data.vertices)
    # Position, velocity and stress.
    assert expense.expense(scene).disk == 28 * count * 3
    after = obj.modifiers.new("Finer", "SUBSURF")
    after.levels = after.render_levels = 1
    job = bake_blocking(scene)
    assert job.files.index.bodies["Ring"].points == count
    assert expense.expense(scene).disk == 28 * count * 3, "modifiers after Flotsam add no solved vertices"
