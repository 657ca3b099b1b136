"""Physics tab: which vertices are held."""

from __future__ import annotations

import bpy

from ..names import PANEL_PINS, PIN_GROUP
from .tab import PhysicsTab, draw_sentence, kind_of


class FLOTSAM_PT_pins(PhysicsTab, bpy.types.Panel):
    """Vertices that stay in place, or go where the animated object goes"""

    bl_idname = PANEL_PINS
    bl_label = "Pins"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Only soft bodies have pins."""
        return kind_of(context) == "SPRING_GRAPH"

    def draw(self, context: bpy.types.Context) -> None:
        """Whether the vertex group is there, and what it does."""
        if PIN_GROUP in context.object.vertex_groups:
            sentence, icon = f'The vertices of the group "{PIN_GROUP}" are held.', "PINNED"
        else:
            sentence, icon = f'To hold vertices, put them into a vertex group named "{PIN_GROUP}".', "UNPINNED"
        draw_sentence(self.layout, context, sentence, icon)


CLASSES = (FLOTSAM_PT_pins,)
