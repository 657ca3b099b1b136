"""`flotsam.remove`: selected objects no longer take part in Flotsam."""

from __future__ import annotations

import bpy

from ..names import NO_KIND, OP_REMOVE, SETTINGS
from .poll_reasons import baking, is_grey


class FLOTSAM_OT_remove(bpy.types.Operator):
    """Take the selected objects out of Flotsam. Baked files stay on disk, for Undo; Clear Cache deletes them"""

    bl_idname = OP_REMOVE
    bl_label = "Remove Flotsam"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Something selected must take part, and no bake be running."""
        if is_grey(cls, baking()):
            return False
        has_none = not any(getattr(obj, SETTINGS).kind != NO_KIND for obj in context.selected_objects)
        return not is_grey(cls, "No selected object takes part in Flotsam" if has_none else None)

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Remove all objects that can be removed; report the linked ones."""
        from ..bake.owner import forget_baked
        from ..write import FILE_WRITERS

        done = kept = 0
        for obj in context.selected_objects:
            if getattr(obj, SETTINGS).kind == NO_KIND:
                continue
            if obj.library is not None:
                self.report({"WARNING"}, f"{obj.name} is linked from another file; make it local first.")
                continue
            getattr(obj, SETTINGS).kind = NO_KIND
            done += 1
            # A soft body that was made rigid has both the modifier and keyframes.
            for writer in FILE_WRITERS.values():
                if not (writer.plays(obj) and writer.is_ours(obj)):
                    continue
                kept += writer.file(obj) is not None
                writer.remove(obj)
                forget_baked(obj)
                if writer.plays(obj):
                    self.report({"INFO"}, f"{obj.name} has its Flotsam modifier from another file; it is switched off.")
        if kept:
            self.report({"INFO"}, "Baked files stay on disk; a bake of the same object takes their place.")
        return {"FINISHED"} if done else {"CANCELLED"}


CLASSES = (FLOTSAM_OT_remove,)
