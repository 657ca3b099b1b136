"""`flotsam.unjoin`: takes a row off the list of joints."""

from __future__ import annotations

import bpy

from ..names import OP_UNJOIN, SETTINGS
from .grey import baking, is_grey, linked_scene


class FLOTSAM_OT_unjoin(bpy.types.Operator):
    """Take the chosen joint apart, and remove its row"""

    bl_idname = OP_UNJOIN
    bl_label = "Remove Joint"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """A row must be there, and no bake be running."""
        if is_grey(cls, baking(), linked_scene(context)):
            return False
        settings = getattr(context.scene, SETTINGS)
        reason = "No joint is chosen; click a row of the list first"
        return not is_grey(cls, reason if not 0 <= settings.joint_index < len(settings.joints) else None)

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Remove the row, and choose the one that takes its place."""
        settings = getattr(context.scene, SETTINGS)
        settings.joints.remove(settings.joint_index)
        settings.joint_index = max(0, min(settings.joint_index, len(settings.joints) - 1))
        return {"FINISHED"}


CLASSES = (FLOTSAM_OT_unjoin,)
