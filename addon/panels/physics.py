"""The Physics tab: Flotsam's settings of the active object, drawn from the specs, and the bake buttons."""

from __future__ import annotations

import bpy

from ...engine.spec import KINDS, params_of
from ..bake import state
from ..names import NO_KIND, OP_ADD, OP_BAKE, OP_BAKE_TO_SHAPE_KEYS, OP_REMOVE, PANEL_OBJECT, SETTINGS, settings_field


class FLOTSAM_PT_object(bpy.types.Panel):
    """Settings of the active object"""

    bl_idname = PANEL_OBJECT
    bl_label = "Flotsam"
    bl_space_type = "PROPERTIES"
    bl_region_type = "WINDOW"
    bl_context = "physics"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Only where the object takes part."""
        return context.object is not None and getattr(context.object, SETTINGS).kind != NO_KIND

    def draw(self, context: bpy.types.Context) -> None:
        """The kind, its settings group by group, then the bake."""
        settings = getattr(context.object, SETTINGS)
        layout = self.layout
        layout.use_property_split = True
        layout.prop(settings, "kind")
        group = getattr(settings, settings_field(settings.kind))
        boxes: dict[str, bpy.types.UILayout] = {}
        for field, declared in params_of(KINDS[settings.kind]).items():
            if declared.group not in boxes:
                boxes[declared.group] = layout.box()
                boxes[declared.group].label(text=declared.group.title())
            boxes[declared.group].prop(group, field)
        _draw_bake(layout)


def _draw_bake(layout: bpy.types.UILayout) -> None:
    running = state.current()
    if running is not None:
        layout.label(text="Baking; Esc stops and keeps finished frames", icon="TIME")
        return
    row = layout.row(align=True)
    row.operator(OP_BAKE).resume = False
    row.operator(OP_BAKE, text="Resume").resume = True
    layout.operator(OP_BAKE_TO_SHAPE_KEYS)


def draw_button(panel: bpy.types.Panel, context: bpy.types.Context) -> None:
    """Flotsam's button among those of Blender's own physics."""
    if context.object is None or context.object.type != "MESH":
        return
    if getattr(context.object, SETTINGS).kind == NO_KIND:
        panel.layout.operator(OP_ADD, text="Flotsam", icon="ADD")
    else:
        panel.layout.operator(OP_REMOVE, text="Flotsam", icon="X")


CLASSES = (FLOTSAM_PT_object,)


def register() -> None:
    """Put the button among Blender's own."""
    bpy.types.PHYSICS_PT_add.append(draw_button)


def unregister() -> None:
    """Take it away."""
    bpy.types.PHYSICS_PT_add.remove(draw_button)
