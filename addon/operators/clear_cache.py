"""`flotsam.clear_cache`: deletes the baked frames of the selected bodies."""

from __future__ import annotations

from pathlib import Path

import bpy

from ..names import OP_CLEAR_CACHE
from .poll_reasons import baking, is_grey


class FLOTSAM_OT_clear_cache(bpy.types.Operator):
    """Delete the baked frames of the selected bodies; the bodies go back to their start"""

    bl_idname = OP_CLEAR_CACHE
    bl_label = "Clear Cache"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Something selected must be baked, and no bake be running."""
        from ..write import baked_file

        if is_grey(cls, baking()):
            return False
        reason = "No selected object is baked"
        return not is_grey(cls, reason if not any(baked_file(obj) for obj in context.selected_objects) else None)

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Delete files first, so that an object stays unchanged if its file cannot be deleted."""
        from ..bake.owner import forget_baked
        from ..write import baked_file, writer_playing

        done = 0
        for obj in context.selected_objects:
            file = baked_file(obj)
            if file is None:
                continue
            writer = writer_playing(obj)
            if not writer.is_ours(obj):
                self.report({"WARNING"}, f'{obj.name} has a "Flotsam" modifier that Flotsam did not bake; it stays.')
                continue
            if obj.library is not None:
                self.report({"WARNING"}, f"{obj.name} is linked from another file; clear its cache there.")
                continue
            try:
                left = _delete(file, writer.other_files(obj))
            except OSError as error:
                self.report({"ERROR"}, f"{file} cannot be deleted: {error.strerror}; {obj.name} stays baked.")
                continue
            if left is not None:
                self.report({"INFO"}, f"{file} stays on disk: {left}.")
            writer.clear(obj)
            forget_baked(obj)
            done += 1
        return {"FINISHED"} if done else {"CANCELLED"}


def _delete(file: Path, others: list[Path]) -> str | None:
    """Delete baked frames and the state to resume from; returns the reason if the files must stay.

    Args: file: that an object plays, or a folder; others: files beside it that belong to the same frames.
    """
    from ..bake.gone import delete_baked, forget_in_index
    from ..bake.owner import is_of_this_blend
    from ..write import baked_file

    if not is_of_this_blend(file):
        return "it lies outside the cache folder of this .blend, and another may play it"
    if sum(baked_file(obj) == file for obj in bpy.data.objects) > 1:
        return "another object plays it too"
    delete_baked(file, others)
    forget_in_index(file)
    return None


CLASSES = (FLOTSAM_OT_clear_cache,)
