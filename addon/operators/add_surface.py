"""`flotsam.add_surface`: a surface around the points of a baked fluid."""

from __future__ import annotations

import bpy

from ..names import OP_ADD_SURFACE
from .poll_reasons import is_grey

_OWN = "OWN"


class FLOTSAM_OT_add_surface(bpy.types.Operator):
    """Wrap the particles in a smooth surface, by a modifier that plays without Flotsam"""

    bl_idname = OP_ADD_SURFACE
    bl_label = "Add Surface"
    bl_options = {"REGISTER", "UNDO"}

    look: bpy.props.EnumProperty(
        name="Look", description="Material of the surface",
        items=(
            (_OWN, "Own Material", "The material that the object has"),
            ("clear", "Clear Water", "Bends what lies behind; its colour deepens with its thickness"),
            ("muddy", "Muddy Water", "Brown, little light goes through"),
            ("milk", "Milk", "White, no light goes through"),
            ("honey", "Honey", "Amber where thin, brown where thick"),
        ),
        default=_OWN, options={"SKIP_SAVE"},
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Only for objects that play points."""
        from ..capture.stack import points_modifier

        there = context.object is not None and points_modifier(context.object) is not None
        return not is_grey(cls, None if there else "Bake first; the surface goes around the particles")

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Add the modifier at the end of the stack; a look sets a new material in the first slot."""
        from ..scenes.looks.liquid import liquid
        from ..write.surface_nodes import add_surface, set_material

        modifier = add_surface(context.object)
        if self.look != _OWN:
            set_material(modifier, liquid(self.look))
        return {"FINISHED"}


CLASSES = (FLOTSAM_OT_add_surface,)
