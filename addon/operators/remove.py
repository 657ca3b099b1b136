"""`flotsam.remove`: selected objects take no part in Flotsam any more."""

from __future__ import annotations

import bpy

from ..names import MODIFIER, NO_KIND, OP_REMOVE, SETTINGS


class FLOTSAM_OT_remove(bpy.types.Operator):
    """Take the selected objects out of Flotsam; baked files stay on disk"""

    bl_idname = OP_REMOVE
    bl_label = "Remove Flotsam"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Something selected must take part."""
        if not any(getattr(obj, SETTINGS).kind != NO_KIND for obj in context.selected_objects):
            cls.poll_message_set("No selected object takes part in Flotsam")
            return False
        return True

    def execute(self, context: bpy.types.Context) -> set[str]:
        """All that can; a linked one is named with its reason."""
        done = 0
        for obj in context.selected_objects:
            if getattr(obj, SETTINGS).kind == NO_KIND:
                continue
            if obj.library is not None:
                self.report({"WARNING"}, f"{obj.name} is linked from another file; make it local first.")
                continue
            getattr(obj, SETTINGS).kind = NO_KIND
            modifier = obj.modifiers.get(MODIFIER)
            if modifier is not None and modifier.type == "MESH_CACHE":
                obj.modifiers.remove(modifier)
            done += 1
        return {"FINISHED"} if done else {"CANCELLED"}


CLASSES = (FLOTSAM_OT_remove,)
