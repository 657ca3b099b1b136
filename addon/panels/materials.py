"""The menu of material presets: ours, and the artist's own below."""

from __future__ import annotations

import bpy

from ..names import MENU_MATERIALS, OP_APPLY_PRESET, OP_SAVE_MATERIAL
from ..presets import OWN_SUBFOLDER, material_presets, own_materials, preset_problems


class FLOTSAM_MT_materials(bpy.types.Menu):
    """Settings of a material for the selected soft bodies"""

    bl_idname = MENU_MATERIALS
    bl_label = "Material Preset"
    preset_subdir = OWN_SUBFOLDER
    preset_operator = "script.execute_preset"

    def draw(self, context: bpy.types.Context) -> None:
        """A row for each preset, a sentence for each that is broken."""
        for name, preset in material_presets().items():
            self.layout.operator(OP_APPLY_PRESET, text=preset.label).preset = name
        for label, path in own_materials().items():
            chosen = self.layout.operator("script.execute_preset", text=label)
            chosen.filepath, chosen.menu_idname = str(path), MENU_MATERIALS
        for sentence in preset_problems():
            self.layout.label(text=sentence, icon="ERROR")

    @staticmethod
    def post_cb(_context: bpy.types.Context, _filepath: str) -> None:
        """Blender's own operator leaves no step of undo."""
        bpy.ops.ed.undo_push(message="Material Preset")


def draw_materials(layout: bpy.types.UILayout) -> None:
    """The menu with the buttons to save and to remove beside it."""
    row = layout.row(align=True)
    row.menu(MENU_MATERIALS, text=getattr(bpy.types, MENU_MATERIALS).bl_label, icon="PRESET")
    row.operator(OP_SAVE_MATERIAL, text="", icon="ADD")
    row.operator(OP_SAVE_MATERIAL, text="", icon="REMOVE").remove_active = True


CLASSES = (FLOTSAM_MT_materials,)
