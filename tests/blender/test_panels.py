"""Panels: every setting appears once, in its place, and fast; errors are shown; nothing is left behind."""

from __future__ import annotations

import statistics
import time
from collections import Counter
from pathlib import Path

import bpy
import flotsam
import pytest
from flotsam.addon.bake.job import BakeJob, bake_blocking
from flotsam.addon.names import OP_BAKE, OP_RESUME, PANEL_CACHE, PANEL_OBJECT, panel_of_group
from flotsam.addon.properties.kinds import SETTINGS_OF
from flotsam.engine.spec import GROUPS, KINDS, AirSpec, WorldSpec, params_of
from make_scene import cube, fresh_scene, mesh_object, ring, sheet, soft
from pace import paced
from recorded import Recorder, all_text, drawn


def shown_of(kind: str) -> dict[str, Recorder]:
    bpy.context.object.flotsam.kind = kind
    return drawn("physics")


@pytest.mark.parametrize("kind", KINDS)
def test_every_setting_of_a_kind_is_shown_once(kind: str) -> None:
    fresh_scene()
    cube()
    count = Counter(prop for layout in shown_of(kind).values() for prop in layout.props)
    owner = SETTINGS_OF[kind].bl_rna.identifier
    wanted = {(owner, field) for field in params_of(KINDS[kind])}
    # Settings that only Blender has, such as the object that is the goal of a flock.
    pointers = {(owner, field) for field, prop in SETTINGS_OF[kind].bl_rna.properties.items() if prop.type == "POINTER"}
    assert {prop for prop in count if prop[0] == owner} - pointers == wanted
    assert set(count.values()) == {1}


@pytest.mark.parametrize("kind", KINDS)
def test_a_sub_panel_is_shown_where_it_has_something_to_show(kind: str) -> None:
    fresh_scene()
    cube()
    shown = shown_of(kind)
    groups = {declared.group for declared in params_of(KINDS[kind]).values()}
    assert groups == {group for group in GROUPS if panel_of_group(group) in shown} - {"quality", "field_weights"}
    assert (panel_of_group("field_weights") in shown) == KINDS[kind].traits.moves
    assert PANEL_CACHE in shown


def test_weights_are_named_and_those_that_are_there_are_said() -> None:
    fresh_scene()
    obj = cube()
    obj.flotsam.kind = "SPRING_GRAPH"
    assert '"stiffness", "damping", "bending" or "break_strain"' in all_text()
    obj.vertex_groups.new(name="damping")
    text = all_text()
    assert 'Damping is multiplied' in text and '"stiffness", "bending" or "break_strain"' in text


def test_an_object_without_a_part_has_no_panel() -> None:
    fresh_scene()
    cube()
    assert shown_of("NONE") == {}
    bpy.ops.object.delete()
    assert drawn("physics") == {}


def test_the_scene_tab_shows_quality_and_cache() -> None:
    fresh_scene()
    count = Counter(field for layout in drawn("scene").values() for _owner, field in layout.props)
    assert set(count) == {
        *params_of(WorldSpec), *params_of(AirSpec), "frame_start", "frame_end", "follow_scene", "cache_folder",
        "attributes",
    }
    assert set(count.values()) == {1}


@pytest.mark.parametrize("kind", KINDS)
def test_every_group_has_a_heading(kind: str) -> None:
    assert {declared.group for declared in params_of(KINDS[kind]).values()} <= set(GROUPS)


def test_settings_of_surfaces_are_dimmed_where_they_do_nothing() -> None:
    fresh_scene()
    obj = cube()
    of_radius = ["reach", "max_links", "keep_inside"]
    assert shown_of("SPRING_GRAPH")[panel_of_group("springs")].dimmed == of_radius
    obj.flotsam.spring_graph.graph = "EDGES"
    assert shown_of("SPRING_GRAPH")[panel_of_group("springs")].dimmed == [*of_radius, "rings", "struts", "bending"]


@pytest.mark.parametrize("spec_class", [*KINDS.values(), WorldSpec])
def test_what_a_setting_depends_on_is_there(spec_class: type) -> None:
    declared = params_of(spec_class)
    for needed, *values in (one.only_with for one in declared.values() if one.only_with):
        choices = {choice[0] for choice in declared[needed].choices} or {False, True}
        assert values and set(values) <= choices


@pytest.mark.alone
def test_drawing_takes_under_a_millisecond(tmp_path: Path) -> None:
    """All panels of the tab together for a baked ring of 2,048 vertices, median of 50."""
    scene = fresh_scene(tmp_path, (1, 3))
    soft(ring(major=64, minor=32), pressure=100.0)
    bake_blocking(scene)

    def draw() -> float:
        times = []
        for _redraw in range(50):
            started = time.perf_counter()
            drawn("physics")
            times.append(time.perf_counter() - started)
        return statistics.median(times)

    seconds = paced(draw)
    print(f"Physics tab: {1000 * seconds:.3f} ms")
    assert seconds < 1e-3


def test_what_is_wrong_is_said_in_place(tmp_path: Path) -> None:
    fresh_scene()
    obj = soft(sheet(), pressure=100.0)
    assert "mesh is open" in all_text() and "not saved" in all_text()
    obj.scale.z = 0.0
    assert "Scaled to zero" in " ".join(drawn("physics")[PANEL_OBJECT].labels)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "scene.blend"))
    assert "not saved" not in all_text()
    fresh_scene(tmp_path)
    soft(mesh_object("Wire", [(0, 0, 1), (1, 0, 1)], edges=[(0, 1)]), pressure=100.0)
    assert "holds no air" in all_text()
    bpy.context.object.flotsam.spring_graph.pressure = 0.0
    assert "air" not in all_text()


def test_a_stream_that_crushes_hulls_is_told(tmp_path: Path) -> None:
    """The pressure is density * drag * speed² / 2, reported as long as the drag is more than that of a hull."""
    fresh_scene(tmp_path)
    sea = mesh_object("Sea", [(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)], [(0, 1, 2, 3)])
    bpy.context.view_layer.objects.active = sea
    sea.flotsam.kind = "WATER"
    water = sea.flotsam.water
    assert "stream" not in all_text()
    water.flow = (1.2, 0.9, 0.0)
    assert "A stream of 1.5 m/s with a Drag of 1 pushes what is held in it with 1,125 Pa" in all_text()
    assert "set Drag to 0.1 to 0.3" in all_text()
    for field, value in (("drag", 0.3), ("density", 0.1), ("law", "LINEAR"), ("flow", (0.5, 0.0, 0.0))):
        before = tuple(water.flow) if field == "flow" else getattr(water, field)
        setattr(water, field, value)
        assert "stream" not in all_text(), field
        setattr(water, field, before)
    assert "1,125 Pa" in all_text()


def test_saving_elsewhere_does_not_make_a_body_look_baked(tmp_path: Path) -> None:
    """Blender's Save As converts an empty path into one to a folder."""
    fresh_scene()
    cube()
    bpy.ops.flotsam.add()
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / folder / "scene.blend"))
    assert not bpy.ops.flotsam.clear_cache.poll()
    assert "baked" not in all_text()


def test_the_cache_panel_follows_a_bake(tmp_path: Path) -> None:
    scene = fresh_scene(tmp_path, (1, 200))
    soft(ring())
    assert not bpy.ops.flotsam.resume.poll()
    slices = BakeJob(scene).run(patience=0.001)
    while (done := next(slices).done) < 5:
        continue
    shown = drawn("physics")[PANEL_CACHE]
    assert shown.bars == [f"{done} of 200 frames"]
    assert OP_BAKE not in shown.buttons and not bpy.ops.flotsam.bake.poll()
    slices.close()
    assert OP_RESUME in drawn("physics")[PANEL_CACHE].buttons
    assert f"Frames 1 to {done} baked" in all_text()
    scene.flotsam.frame_end = done
    bake_blocking(scene)
    assert not bpy.ops.flotsam.resume.poll(), "all requested frames are baked"
    scene.flotsam.frame_end = done + 2
    assert bpy.ops.flotsam.resume() == {"FINISHED"}
    assert f"Frames 1 to {done + 2} baked" in all_text()


def test_an_undo_during_a_bake_does_not_lose_its_frames(tmp_path: Path) -> None:
    """The undo restores the modifier from before the bake; stopping connects the frames again."""
    scene = fresh_scene(tmp_path, (1, 200))
    ring()
    bpy.ops.flotsam.add()
    bpy.ops.ed.undo_push(message="A ring")
    bpy.ops.ed.undo_push(message="Another step")
    slices = BakeJob(scene).run(patience=0.001)
    while (done := next(slices).done) < 3:
        continue
    bpy.ops.ed.undo()
    slices.close()
    assert f"Frames 1 to {done} baked" in all_text()


def test_a_new_kind_takes_the_idle_modifier_along(tmp_path: Path) -> None:
    scene = fresh_scene(tmp_path, (1, 2))
    obj = cube()
    bpy.ops.flotsam.add()
    obj.flotsam.kind = "WATER"
    assert not obj.modifiers
    bpy.ops.flotsam.add()
    bake_blocking(scene)
    obj.flotsam.kind = "COLLIDER"
    assert "Flotsam" in obj.modifiers, "a baked one is the artist's to keep or remove"


def test_coming_and_going_twice_leaves_no_trace() -> None:
    fresh_scene()
    flotsam.unregister()
    try:
        before = {name for name in dir(bpy.types) if "flotsam" in name.casefold()}
        buttons = len(bpy.types.PHYSICS_PT_add.draw._draw_funcs)
        for _round in range(2):
            flotsam.register()
            assert hasattr(bpy.types, PANEL_OBJECT) and hasattr(bpy.types.Object, "flotsam")
            flotsam.unregister()
        assert {name for name in dir(bpy.types) if "flotsam" in name.casefold()} == before == set()
        assert len(bpy.types.PHYSICS_PT_add.draw._draw_funcs) == buttons
        assert not hasattr(bpy.types.Object, "flotsam") and not hasattr(bpy.types.Scene, "flotsam")
        assert "flotsam" not in dir(bpy.ops) or not dir(bpy.ops.flotsam)
    finally:
        flotsam.register()
