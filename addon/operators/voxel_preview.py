"""`flotsam.voxel_preview`: counts and draws the voxels or lattice cells that fill the active body."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.app.handlers import persistent

from ..names import OP_VOXEL_PREVIEW
from ..overlay import voxel_view
from .bake import known_errors
from .poll_reasons import baking, is_grey, live_running
from .view import redraw


class FLOTSAM_OT_voxel_preview(bpy.types.Operator):
    """Show the voxels of a rigid body, or the cells that carry a soft one, as they are now; once more hides them"""

    bl_idname = OP_VOXEL_PREVIEW
    bl_label = "Show Voxels"
    # Changes nothing in the file, so there is no undo step.
    bl_options = {"REGISTER"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """A body that voxels or cells fill must be active, and no solver running."""
        if is_grey(cls, baking(), live_running()):
            return False
        if context.object is not None and voxel_view.is_filled(context.object):
            return True
        return not is_grey(
            cls, "The active object is neither a rigid body nor carried by a lattice; set Kind and Springs in the "
            "Physics tab",
        )

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Show the current voxels, or hide them if they are shown already."""
        from ..overlay.voxels import preview, settings_now

        obj = context.object
        shown = voxel_view.preview_of(obj)
        if shown is not None and shown.made_with == settings_now(obj):
            voxel_view.hide(obj)
            redraw(context, {"VIEW_3D", "PROPERTIES"})
            return {"FINISHED"}
        if context.window is not None:
            # May take seconds, if kernels must be compiled first or for a million voxels.
            context.window.cursor_modal_set("WAIT")
        try:
            found = preview(obj, context.evaluated_depsgraph_get())
        except (*known_errors(), MemoryError) as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        finally:
            if context.window is not None:
                context.window.cursor_modal_restore()
        voxel_view.show(obj, found)
        redraw(context, {"VIEW_3D", "PROPERTIES"})
        summary = f"{found.count:,} cells" if found.mass is None else f"{found.count:,} voxels, {found.mass:.4g} kg"
        self.report({"INFO"}, f"{obj.name}: {summary}.")
        return {"FINISHED"}


CLASSES = (FLOTSAM_OT_voxel_preview,)


@persistent
def _before_load(*_what: Any) -> None:
    voxel_view.hide_all()


def register() -> None:
    """Add the handler that clears the preview when another file is opened."""
    bpy.app.handlers.load_pre.append(_before_load)


def unregister() -> None:
    """Stop drawing."""
    bpy.app.handlers.load_pre.remove(_before_load)
    voxel_view.hide_all()
