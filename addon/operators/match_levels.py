"""`flotsam.match_levels`: gives modifiers before Flotsam the same levels in the viewport and the render."""

from __future__ import annotations

import bpy
from bpy.props import EnumProperty

from ..names import OP_MATCH_LEVELS
from .poll_reasons import baking, is_grey


class FLOTSAM_OT_match_levels(bpy.types.Operator):
    """Give the viewport and the render the same levels of the modifiers before Flotsam, so that both play the bake"""

    bl_idname = OP_MATCH_LEVELS
    bl_label = "Match Levels"
    bl_options = {"REGISTER", "UNDO"}

    to: EnumProperty(
        name="Levels", description="Which levels both get",
        items=(
            ("RENDER", "Render Levels", "The viewport gets the levels of the render: the bake is as fine as pictures"),
            ("VIEWPORT", "Viewport Levels", "The render gets the levels of the viewport: the bake is quick and coarse"),
        ),
        default="RENDER",
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """A local body whose levels differ must be active, and no bake be running."""
        from ..capture.levels import unlike_modifiers

        obj = context.object
        if obj is None or obj.library is not None:
            return not is_grey(cls, "No object of this file is active")
        reason = None if unlike_modifiers(obj, context.scene) else "Viewport and render have the same levels"
        return not is_grey(cls, baking(), reason)

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Set the levels of all modifiers before Flotsam."""
        from ..capture.levels import match_levels

        match_levels(context.object, context.scene, for_render=self.to == "RENDER")
        return {"FINISHED"}


CLASSES = (FLOTSAM_OT_match_levels,)
