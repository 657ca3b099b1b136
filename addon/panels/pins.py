"""Physics tab: which vertices are held."""

from __future__ import annotations

import bpy

from ..names import OP_PIN, PANEL_PINS, SETTINGS
from ..properties.kinds import traits_of
from .tab import PhysicsTab, draw_sentence


class FLOTSAM_PT_pins(PhysicsTab, bpy.types.Panel):
    """Vertices that stay in place, or go where the animated object goes"""

    bl_idname = PANEL_PINS
    bl_label = "Pins"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Only soft bodies have pins."""
        return context.object is not None and traits_of(context.object).is_springy

    def draw(self, context: bpy.types.Context) -> None:
        """The vertex group, and the buttons for Edit Mode."""
        obj, layout = context.object, self.layout
        layout.use_property_split = True
        settings = getattr(obj, SETTINGS)
        layout.prop_search(settings, "pin_group", obj, "vertex_groups", text="Group")
        layout.prop(settings, "pin_stiffness")
        row = layout.row(align=True)
        row.operator(OP_PIN, icon="PINNED").action = "ADD"
        row.operator(OP_PIN, text="Unpin", icon="UNPINNED").action = "REMOVE"
        if settings.pin_group not in obj.vertex_groups:
            draw_sentence(layout, context, "Nothing is pinned: select vertices in Edit Mode and press Pin.", "INFO")


CLASSES = (FLOTSAM_PT_pins,)
