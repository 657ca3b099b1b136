"""`flotsam.save_material`: saves the settings of a soft body as the artist's own preset, as Blender saves presets."""

from __future__ import annotations

import bpy
from bl_operators.presets import AddPresetBase

from ..names import MENU_MATERIALS, OP_SAVE_MATERIAL, SETTINGS
from ..presets import OWN_SUBFOLDER, SAVED, material_presets, note_material, own_materials
from ..properties.kinds import traits_of
from .poll_reasons import is_grey


class FLOTSAM_OT_save_material(AddPresetBase, bpy.types.Operator):
    """Keep these settings as a material preset of your own, for all your files; or remove the one named beside it"""

    bl_idname = OP_SAVE_MATERIAL
    bl_label = "Save Material"

    preset_menu = MENU_MATERIALS
    preset_subdir = OWN_SUBFOLDER
    preset_defines = [f"settings = bpy.context.object.{SETTINGS}.spring_graph"]
    preset_values = [f"settings.{name}" for name in SAVED]

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """The active object must be a soft body; its settings are saved."""
        body = context.object
        soft = body is not None and traits_of(body).is_springy
        return not is_grey(cls, None if soft else "The active object is no soft body")

    def execute(self, context: bpy.types.Context) -> set[str]:
        """As Blender does, but built-in materials can be neither removed nor given a namesake."""
        if self.remove_active or self.remove_name:
            wanted = getattr(bpy.types, MENU_MATERIALS).bl_label if self.remove_active else self.name
            if wanted not in own_materials():
                self.report({"WARNING"}, "Choose one of your own materials first; those of Flotsam stay.")
                return {"CANCELLED"}
        elif self.name.strip().casefold() in {preset.label.casefold() for preset in material_presets().values()}:
            self.report({"WARNING"}, f'"{self.name.strip()}" is a material of Flotsam; take another name.')
            return {"CANCELLED"}
        done = super().execute(context)
        if done == {"FINISHED"} and not (self.remove_active or self.remove_name):
            note_material(context.object, self.name.strip())
        return done


CLASSES = (FLOTSAM_OT_save_material,)
