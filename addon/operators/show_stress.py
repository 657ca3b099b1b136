"""`flotsam.show_stress`: shows selected soft bodies in a material that displays stress, or in their own again."""

from __future__ import annotations

import bpy
from bpy.props import BoolProperty, FloatProperty

from ..names import OP_SHOW_STRESS
from .poll_reasons import baking, is_grey

# Number of frames that are sampled to choose the stretch of full colour.
_SAMPLED_FRAMES = 12


class FLOTSAM_OT_show_stress(bpy.types.Operator):
    """Show the selected soft bodies by their baked stress: red where they are pressed, blue where they are pulled"""

    bl_idname = OP_SHOW_STRESS
    bl_label = "Show Stress"
    bl_options = {"REGISTER", "UNDO"}

    show: BoolProperty(
        name="Show", description="Off gives the bodies their own materials back", default=True, options={"SKIP_SAVE"},
    )
    full_stretch: FloatProperty(
        name="Full Color", description="Stretch of full colour, 0.1 for a tenth; 0 finds one for what is baked",
        default=0.0, min=0.0, soft_max=0.5, precision=4, options={"SKIP_SAVE"},
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """A selected object must have the attribute Stress or show it, and no bake be running."""
        if is_grey(cls, baking()):
            return False
        reason = "No selected object is baked with the attribute Stress"
        return not is_grey(cls, reason if not _with_stress(context) and not _with_look(context) else None)

    @classmethod
    def description(cls, _context: bpy.types.Context, properties: bpy.types.OperatorProperties) -> str:
        """The tip of the direction."""
        return (cls.__doc__ or "") if properties.show else "Give the selected soft bodies their own materials back"

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Show the bodies with one colour scale for all, or restore their own materials."""
        from ..scenes.looks.stress import stress_material
        from ..write.look import remove_look, set_look

        if not self.show:
            for obj in _with_look(context):
                remove_look(obj)
            return {"FINISHED"}
        bodies = _with_stress(context)
        try:
            full = self.full_stretch or _full_stretch(bodies)
        except OSError as error:
            self.report({"ERROR"}, f"{error}")
            return {"CANCELLED"}
        material = stress_material(full)
        for obj in bodies:
            set_look(obj, material)
        self.report({"INFO"}, f"Full colour at a stretch of {100.0 * full:g} %.")
        return {"FINISHED"}


def _with_stress(context: bpy.types.Context) -> list[bpy.types.Object]:
    from ..write.attributes import attribute_names

    return [obj for obj in context.selected_objects if obj.library is None and "stress" in attribute_names(obj)]


def _with_look(context: bpy.types.Context) -> list[bpy.types.Object]:
    from ..write.look import has_look

    return [obj for obj in context.selected_objects if obj.library is None and has_look(obj)]


def _full_stretch(bodies: list[bpy.types.Object]) -> float:
    """A rounded bound on nearly all stress in some frames; raises OSError."""
    import numpy as np

    from ..overlay.picture import full_stretch
    from ..write.attributes import read_attribute

    return full_stretch(np.concatenate([read_attribute(obj, "stress", _SAMPLED_FRAMES) for obj in bodies]))


CLASSES = (FLOTSAM_OT_show_stress,)
