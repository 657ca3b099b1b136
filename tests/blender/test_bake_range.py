"""Frame range of a bake: the scene's, unless the artist sets another one; and Flotsam's tab in the sidebar."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import bpy
import pytest
from flotsam.addon.bake.job import BakeJob
from flotsam.addon.bake.on_disk import baked_range
from flotsam.addon.panels.view import FLOTSAM_PT_view_bake, FLOTSAM_PT_view_body
from flotsam.addon.properties.scene import bake_range
from flotsam.engine.spec import KINDS, WorldSpec, params_of
from make_scene import fresh_scene, ring, soft
from recorded import Recorder, panels


def scene_without_range(folder: Path | None = None) -> bpy.types.Scene:
    """A scene whose range was not set in Flotsam."""
    scene = fresh_scene(folder)
    for field in ("frame_start", "frame_end", "range_choice"):
        scene.flotsam.property_unset(field)
    return scene


def test_the_range_follows_the_scene(tmp_path: Path) -> None:
    scene = scene_without_range(tmp_path)
    scene.frame_start, scene.frame_end = 3, 7
    assert scene.flotsam.follow_scene and bake_range(scene.flotsam) == (3, 7)
    body = soft(ring())
    assert bpy.ops.flotsam.bake() == {"FINISHED"}
    assert baked_range(body) == (3, 7)
    scene.frame_end = 9
    assert bpy.ops.flotsam.resume.poll() and bake_range(scene.flotsam) == (3, 9)


def test_what_is_told_counts() -> None:
    scene = scene_without_range()
    scene.flotsam.frame_end = 12
    assert not scene.flotsam.follow_scene and bake_range(scene.flotsam) == (1, 12)
    assert BakeJob(scene).frame_end == 12
    scene.flotsam.follow_scene = True
    assert bake_range(scene.flotsam) == (scene.frame_start, scene.frame_end)


def test_a_range_of_its_own_begins_as_the_scene_s() -> None:
    scene = scene_without_range()
    scene.frame_start, scene.frame_end = 20, 40
    scene.flotsam.follow_scene = False
    assert bake_range(scene.flotsam) == (20, 40)


@pytest.mark.parametrize(("told", "wanted"), [(True, (5, 60)), (False, (1, 250))])
def test_files_of_earlier_versions_keep_what_was_told(told: bool, wanted: tuple[int, int], tmp_path: Path) -> None:
    """They store no choice of the range, only start and end if these were set."""
    scene = scene_without_range(tmp_path)
    if told:
        scene.flotsam.frame_start, scene.flotsam.frame_end = wanted
        scene.flotsam.property_unset("range_choice")
    bpy.ops.wm.save_mainfile()
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "scene.blend"))
    scene = bpy.context.scene
    assert bake_range(scene.flotsam) == wanted and scene.flotsam.follow_scene != told


def test_live_and_bake_stand_high_in_the_physics_tab() -> None:
    names = [panel.bl_idname for panel in panels("physics")]
    assert names[:3] == ["FLOTSAM_PT_object", "FLOTSAM_PT_live", "FLOTSAM_PT_cache"]


def drawn(panel: type) -> Recorder:
    layout = Recorder()
    panel.draw(SimpleNamespace(layout=layout), bpy.context)
    return layout


def test_the_tab_beside_the_view_has_all_of_the_first_minutes() -> None:
    scene_without_range()
    assert drawn(FLOTSAM_PT_view_body).menus == ["FLOTSAM_MT_add"]
    ring()
    assert "FLOTSAM_MT_made_of" in drawn(FLOTSAM_PT_view_body).menus
    bpy.ops.flotsam.add(material="rubber_ring")
    assert "FLOTSAM_MT_materials" in drawn(FLOTSAM_PT_view_body).menus
    buttons = drawn(FLOTSAM_PT_view_bake).buttons
    assert {"flotsam.bake", "flotsam.resume", "screen.animation_play", "render.render"} <= set(buttons)


@pytest.mark.parametrize("spec_class", [*KINDS.values(), WorldSpec])
def test_labels_fit_the_usual_width(spec_class: type) -> None:
    """In a sidebar of 300 pixels a label has 110 of them, about 17 letters; a unit would not fit."""
    for field, declared in params_of(spec_class).items():
        assert len(declared.label) <= 17 and "(" not in declared.label, field
