"""`flotsam.detach`: takes a row off the list of who is tied to whom."""

from __future__ import annotations

import bpy

from ..names import OP_DETACH, SETTINGS
from .grey import baking, is_grey, linked_scene


class FLOTSAM_OT_detach(bpy.types.Operator):
    """Untie what the chosen row ties, and remove the row"""

    bl_idname = OP_DETACH
    bl_label = "Detach"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """A row must be there, and no bake be running."""
        if is_grey(cls, baking(), linked_scene(context)):
            return False
        settings = getattr(context.scene, SETTINGS)
        reason = "No attachment is chosen; click a row of the list first"
        return not is_grey(cls, reason if not 0 <= settings.attachment_index < len(settings.attachments) else None)

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Remove the row, and choose the one that takes its place."""
        settings = getattr(context.scene, SETTINGS)
        settings.attachments.remove(settings.attachment_index)
        settings.attachment_index = max(0, min(settings.attachment_index, len(settings.attachments) - 1))
        return {"FINISHED"}


CLASSES = (FLOTSAM_OT_detach,)
