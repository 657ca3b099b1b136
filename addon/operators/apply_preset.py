"""`flotsam.apply_preset`: the settings of a material for the selected soft bodies."""

from __future__ import annotations

import bpy
from bpy.props import StringProperty

from ..names import MENU_MATERIALS, OP_APPLY_PRESET, SETTINGS
from .poll_reasons import is_grey


class FLOTSAM_OT_apply_preset(bpy.types.Operator):
    """Give the selected soft bodies the settings of a material"""

    bl_idname = OP_APPLY_PRESET
    bl_label = "Apply Material"
    bl_options = {"REGISTER", "UNDO"}

    preset: StringProperty(name="Material", description="Name of the material preset", default="rubber_ring")

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """A soft body must be selected."""
        return not is_grey(cls, "No soft body is selected that can be changed" if not _bodies(context) else None)

    def execute(self, context: bpy.types.Context) -> set[str]:
        """All selected bodies, or none when there is no such preset or its file is broken."""
        from ..presets import PresetError, apply_material, material_presets

        try:
            for obj in _bodies(context):
                apply_material(getattr(obj, SETTINGS).spring_graph, self.preset)
        except PresetError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        # The menu bears the name of what was chosen last, as all of Blender's presets do.
        getattr(bpy.types, MENU_MATERIALS).bl_label = material_presets()[self.preset].label
        return {"FINISHED"}


def _bodies(context: bpy.types.Context) -> list[bpy.types.Object]:
    return [
        obj for obj in context.selected_objects
        if obj.library is None and getattr(obj, SETTINGS).kind == "SPRING_GRAPH"
    ]


CLASSES = (FLOTSAM_OT_apply_preset,)
