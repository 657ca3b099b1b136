"""The menu of material presets."""

from __future__ import annotations

import bpy

from ..names import MENU_MATERIALS, OP_APPLY_PRESET
from ..presets import material_presets, preset_problems


class FLOTSAM_MT_materials(bpy.types.Menu):
    """Settings of a material for the selected soft bodies"""

    bl_idname = MENU_MATERIALS
    bl_label = "Material Preset"

    def draw(self, context: bpy.types.Context) -> None:
        """A row for each preset, a sentence for each that is broken."""
        for name, preset in material_presets().items():
            self.layout.operator(OP_APPLY_PRESET, text=preset.label).preset = name
        for sentence in preset_problems():
            self.layout.label(text=sentence, icon="ERROR")


CLASSES = (FLOTSAM_MT_materials,)
