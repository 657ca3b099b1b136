"""The artist's own material presets, saved and removed with the buttons beside the menu."""

from __future__ import annotations

from pathlib import Path

import bpy
import pytest
from flotsam.addon.names import MENU_MATERIALS, OP_SAVE_MATERIAL, PANEL_OBJECT
from flotsam.addon.presets import SAVED, material_of, own_materials
from make_scene import cube, fresh_scene, soft
from recorded import drawn


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Blender's folder for user scripts."""
    monkeypatch.setenv("BLENDER_USER_SCRIPTS", str(tmp_path))
    fresh_scene()
    return tmp_path / "presets" / "flotsam" / "materials"


def choose(name: str) -> None:
    found = own_materials()[name]
    assert bpy.ops.script.execute_preset(filepath=str(found), menu_idname=MENU_MATERIALS) == {"FINISHED"}


def test_what_is_saved_comes_back(own_folder: Path) -> None:
    changed = {
        "stiffness": 1234.5, "rings": 3, "graph": "SURFACE", "pressure": 321.0, "self_collision": True,
        "contact": "PROXIES", "mass_by": "AREA", "friction": 0.75,
    }
    body = soft(cube(), velocity=(1.0, 2.0, 3.0), **changed)
    assert bpy.ops.flotsam.save_material(name="Old tyre") == {"FINISHED"}
    assert [path.name for path in own_folder.glob("*.py")] == ["Old_tyre.py"] and list(own_materials()) == ["Old tyre"]
    other = soft(cube("Other"), mass=7.0)
    choose("Old tyre")
    settings = other.flotsam.spring_graph
    for name in SAVED:
        assert getattr(settings, name) == getattr(body.flotsam.spring_graph, name), name
    assert tuple(settings.velocity) == (0.0, 0.0, 0.0) and settings.stiffness == 1234.5 and settings.rings == 3
    # The menu shows its name, and the minus button removes that preset.
    assert drawn("physics")[PANEL_OBJECT].names[MENU_MATERIALS] == "Old tyre" == material_of(body)
    assert getattr(bpy.types, MENU_MATERIALS).bl_label == "Old tyre"
    assert bpy.ops.flotsam.save_material(remove_name=True, name="Old tyre") == {"FINISHED"}
    assert own_materials() == {} and not list(own_folder.glob("*.py"))


def test_materials_of_flotsam_are_neither_removed_nor_shadowed() -> None:
    soft(cube())
    assert bpy.ops.flotsam.save_material(name="Mine") == {"FINISHED"}
    choose("Mine")
    bpy.ops.flotsam.apply_preset(preset="jelly")
    assert getattr(bpy.types, MENU_MATERIALS).bl_label == "Jelly"
    assert bpy.ops.flotsam.save_material(remove_active=True) == {"CANCELLED"}
    assert bpy.ops.flotsam.save_material(remove_name=True, name="") == {"CANCELLED"}
    assert bpy.ops.flotsam.save_material(name="jelly ") == {"CANCELLED"}
    assert list(own_materials()) == ["Mine"]


def test_the_menu_names_the_material_of_this_body_and_no_other() -> None:
    one = soft(cube("One"))
    assert bpy.ops.flotsam.apply_preset(preset="jelly") == {"FINISHED"}
    one.select_set(False)
    other = soft(cube("Other"))
    assert drawn("physics")[PANEL_OBJECT].names[MENU_MATERIALS] == "Material Preset"
    assert bpy.ops.flotsam.apply_preset(preset="foam") == {"FINISHED"}
    copy = one.copy()
    bpy.context.scene.collection.objects.link(copy)
    assert [material_of(body) for body in (one, other, copy)] == ["Jelly", "Foam", "Jelly"]
    one.flotsam.spring_graph.velocity = (1.0, 0.0, 0.0)
    other.flotsam.spring_graph.friction += 0.1
    assert [material_of(body) for body in (one, other)] == ["Jelly", ""]
    one.flotsam.kind = "VOXEL_BODY"
    assert material_of(one) == ""


def test_a_name_is_taken_once_and_a_preset_is_of_a_soft_body() -> None:
    body = soft(cube())
    assert bpy.ops.flotsam.save_material(name="Mine") == {"FINISHED"}
    assert bpy.ops.flotsam.save_material(name="Mine") == {"CANCELLED"}
    assert drawn("physics")[PANEL_OBJECT].buttons.count(OP_SAVE_MATERIAL) == 2
    body.flotsam.kind = "WATER"
    assert not bpy.ops.flotsam.save_material.poll()
