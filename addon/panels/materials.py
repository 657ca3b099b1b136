"""Menus of material presets: to make an object a body, and to change a body's material; the artist's own come last."""

from __future__ import annotations

from collections.abc import Mapping

import bpy

from ...engine.spec import KINDS, ColliderSpec, FlockSpec, FluidSpec, WaterSpec
from ..names import (
    MENU_MADE_OF,
    MENU_MATERIALS,
    OP_ADD,
    OP_APPLY_PRESET,
    OP_SAVE_MATERIAL,
    SETTINGS,
)
from ..presets import (
    GROUPS,
    OWN_SUBFOLDER,
    RIGID,
    SOFT,
    MaterialPreset,
    material_of,
    material_presets,
    note_material,
    own_materials,
    preset_problems,
)
from .tab import kind_of

# Kinds of body that have materials.
MATERIAL_KINDS = (SOFT, RIGID)
# Icons of kinds without materials; other kinds have the general icon.
_ICONS = {
    ColliderSpec.kind: "MOD_PHYSICS", WaterSpec.kind: "MOD_OCEAN", FluidSpec.kind: "MOD_FLUIDSIM",
    FlockSpec.kind: "BOIDS",
}


class FLOTSAM_MT_materials(bpy.types.Menu):
    """Settings of a material for the selected bodies"""

    bl_idname = MENU_MATERIALS
    bl_label = "Material Preset"
    preset_subdir = OWN_SUBFOLDER
    preset_operator = "script.execute_preset"

    def draw(self, context: bpy.types.Context) -> None:
        """Draw a row for each preset for the active object's kind, and a sentence for each invalid one."""
        kind = kind_of(context)
        kind = kind if kind in MATERIAL_KINDS else SOFT
        for name, preset in material_presets(kind).items():
            self.layout.operator(OP_APPLY_PRESET, text=preset.label, icon=preset.icon).preset = name
        for label, path in (own_materials() if kind == SOFT else {}).items():
            chosen = self.layout.operator("script.execute_preset", text=label)
            chosen.filepath, chosen.menu_idname = str(path), MENU_MATERIALS
        for sentence in preset_problems():
            self.layout.label(text=sentence, icon="ERROR")

    @staticmethod
    def post_cb(context: bpy.types.Context, filepath: str) -> None:
        """Store the material's name in the body, and push an undo step, which Blender's own operator does not."""
        note_material(context.object, bpy.path.display_name(filepath, title_case=False))
        bpy.ops.ed.undo_push(message="Material Preset")


class FLOTSAM_MT_made_of(bpy.types.Menu):
    """What the selected objects are made of, or are to the others"""

    bl_idname = MENU_MADE_OF
    bl_label = "Made Of"

    def draw(self, _context: bpy.types.Context) -> None:
        """Draw soft materials, rigid ones, and kinds without material, side by side."""
        row = self.layout.row()
        soft, rigid = material_presets(SOFT), material_presets(RIGID)
        _draw_groups(row.column(), {name: one for name, one in soft.items() if one.group != "Solids"})
        _draw_groups(row.column(), {name: one for name, one in soft.items() if one.group == "Solids"})
        column = row.column()
        _draw_groups(column, rigid)
        column.label(text="Others")
        for kind, spec_class in KINDS.items():
            if kind not in (SOFT, RIGID):
                column.operator(OP_ADD, text=spec_class.label, icon=_ICONS.get(kind, "PHYSICS")).kind = kind


def _draw_groups(layout: bpy.types.UILayout, presets: Mapping[str, MaterialPreset]) -> None:
    """Draw headings with a row for each preset below."""
    for group in GROUPS:
        members = {name: preset for name, preset in presets.items() if preset.group == group}
        if members:
            layout.label(text=group)
        for name, preset in members.items():
            chosen = layout.operator(OP_ADD, text=preset.label, icon=preset.icon)
            chosen.kind, chosen.material = preset.kind, name


def draw_materials(layout: bpy.types.UILayout, context: bpy.types.Context) -> None:
    """Draw the menu with the body's material, and the buttons to save and to remove a preset."""
    row, label = layout.row(align=True), material_of(context.object)
    row.menu(MENU_MATERIALS, text=label or "Material Preset", icon="PRESET")
    if getattr(context.object, SETTINGS).kind == SOFT:
        row.operator(OP_SAVE_MATERIAL, text="", icon="ADD")
        removes = row.operator(OP_SAVE_MATERIAL, text="", icon="REMOVE")
        removes.remove_name, removes.name = True, label


CLASSES = (FLOTSAM_MT_materials, FLOTSAM_MT_made_of)
