"""`flotsam.select`: selects the object that a warning is about."""

from __future__ import annotations

import bpy
from bpy.props import StringProperty

from ..names import OP_SELECT


class FLOTSAM_OT_select(bpy.types.Operator):
    """Select this object alone and make it the active one"""

    bl_idname = OP_SELECT
    bl_label = "Select"
    bl_options = {"UNDO", "INTERNAL"}

    name: StringProperty(name="Name", description="Full name of the object", options={"SKIP_SAVE"})

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Select the object, or report why it cannot be selected."""
        layer = context.view_layer
        obj = next((found for found in layer.objects if found.name_full == self.name), None)
        if obj is None:
            self.report({"WARNING"}, f"{self.name} is not in this view layer; it was deleted, renamed or excluded.")
            return {"CANCELLED"}
        if context.mode != "OBJECT":
            self.report({"WARNING"}, "Leave Edit Mode first.")
            return {"CANCELLED"}
        for other in layer.objects:
            other.select_set(False)
        obj.select_set(True)
        layer.objects.active = obj
        if not obj.select_get():
            self.report({"WARNING"}, f"{obj.name} is hidden; it is the active object, but cannot be selected.")
        return {"FINISHED"}


CLASSES = (FLOTSAM_OT_select,)
