"""`flotsam.add_surface`: a surface around the points of a baked fluid."""

from __future__ import annotations

import bpy

from ..names import OP_ADD_SURFACE
from .poll_reasons import is_grey


class FLOTSAM_OT_add_surface(bpy.types.Operator):
    """Wrap the particles in a smooth surface, by a modifier that plays without Flotsam"""

    bl_idname = OP_ADD_SURFACE
    bl_label = "Add Surface"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Once there are points to wrap."""
        from ..capture.stack import points_modifier

        there = context.object is not None and points_modifier(context.object) is not None
        return not is_grey(cls, None if there else "Bake first; the surface goes around the particles")

    def execute(self, context: bpy.types.Context) -> set[str]:
        """The modifier goes to the end of the stack."""
        from ..write.surface_nodes import add_surface

        add_surface(context.object)
        return {"FINISHED"}


CLASSES = (FLOTSAM_OT_add_surface,)
