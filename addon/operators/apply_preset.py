"""`flotsam.apply_preset`: the settings of a material for the selected bodies of its kind."""

from __future__ import annotations

import bpy
from bpy.props import StringProperty

from ...engine.spec import KINDS
from ..names import MENU_MATERIALS, OP_APPLY_PRESET, SETTINGS
from ..presets import RIGID, SOFT
from .add import material_names
from .fit_steps import fit_steps
from .poll_reasons import is_grey


class FLOTSAM_OT_apply_preset(bpy.types.Operator):
    """Give the selected bodies the settings of a material, scaled to the size of each"""

    bl_idname = OP_APPLY_PRESET
    bl_label = "Apply Material"
    bl_options = {"REGISTER", "UNDO"}

    preset: StringProperty(
        name="Material", description="Name of the material preset", default="rubber_ring", search=material_names
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """A body must be selected."""
        there = any(_bodies(context, kind) for kind in (SOFT, RIGID))
        return not is_grey(cls, None if there else "No soft or rigid body is selected that can be changed")

    @classmethod
    def description(cls, _context: bpy.types.Context, properties: bpy.types.OperatorProperties) -> str:
        """The tip of the material."""
        from ..presets import material_presets

        preset = material_presets().get(properties.preset)
        return cls.__doc__ if preset is None else preset.tip

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Apply it to all selected bodies of its kind, or to none if there is no such preset or its file is broken."""
        from ..presets import PresetError, apply_material, material_named

        try:
            preset = material_named(self.preset)
            bodies = _bodies(context, preset.kind)
            for obj in bodies:
                apply_material(obj, self.preset)
        except PresetError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        if not bodies:
            wanted = "soft" if KINDS[preset.kind].traits.is_springy else "rigid"
            self.report({"ERROR"}, f"{preset.label} is for {wanted} bodies, and none is selected.")
            return {"CANCELLED"}
        message = fit_steps(context.scene, bodies if preset.size else [])
        if message is not None:
            self.report({"INFO"}, message)
        # Blender's own operators read the name of the last chosen preset from the menu's class.
        getattr(bpy.types, MENU_MATERIALS).bl_label = preset.label
        return {"FINISHED"}


def _bodies(context: bpy.types.Context, kind: str) -> list[bpy.types.Object]:
    return [obj for obj in context.selected_objects if obj.library is None and getattr(obj, SETTINGS).kind == kind]


CLASSES = (FLOTSAM_OT_apply_preset,)
