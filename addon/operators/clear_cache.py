"""`flotsam.clear_cache`: the baked frames of the selected bodies go."""

from __future__ import annotations

from pathlib import Path

import bpy

from ..names import OP_CLEAR_CACHE, SETTINGS


class FLOTSAM_OT_clear_cache(bpy.types.Operator):
    """Delete the baked frames of the selected bodies; the bodies go back to their start"""

    bl_idname = OP_CLEAR_CACHE
    bl_label = "Clear Cache"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Something selected must be baked, and no bake be running."""
        from ..bake import state
        from ..write.mesh_cache import baked_file

        if state.current() is not None:
            cls.poll_message_set("A bake is running; stop it with Esc first")
            return False
        if not any(baked_file(obj) for obj in context.selected_objects):
            cls.poll_message_set("No selected object is baked")
            return False
        return True

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Files first, so that one which cannot be deleted leaves its object as it was."""
        from ..capture.stack import flotsam_modifier
        from ..write.mesh_cache import baked_file

        done = 0
        for obj in context.selected_objects:
            file = baked_file(obj)
            if file is None:
                continue
            if obj.library is not None:
                self.report({"WARNING"}, f"{obj.name} is linked from another file; clear its cache there.")
                continue
            try:
                _delete(file)
            except OSError as error:
                self.report({"ERROR"}, f"{file} cannot be deleted: {error.strerror}; {obj.name} stays baked.")
                continue
            modifier = flotsam_modifier(obj)
            modifier.filepath = ""
            modifier.show_viewport = modifier.show_render = False
            getattr(obj, SETTINGS).baked.vertex_count = 0
            done += 1
        return {"FINISHED"} if done else {"CANCELLED"}


def _delete(file: Path) -> None:
    """A PC2 file of ours, unless another object plays it too."""
    from ..write.mesh_cache import baked_file

    players = [obj for obj in bpy.data.objects if baked_file(obj) == file]
    if file.suffix == ".pc2" and len(players) <= 1:
        file.unlink(missing_ok=True)


CLASSES = (FLOTSAM_OT_clear_cache,)
