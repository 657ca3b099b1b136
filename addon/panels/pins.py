"""Top of the Pins panel, before its parameters: the vertex group of the pins, and the buttons for Edit Mode."""

from __future__ import annotations

import bpy

from ..names import OP_PIN, SETTINGS
from .tab import draw_sentence


def draw_pins(layout: bpy.types.UILayout, context: bpy.types.Context) -> None:
    """Draw the vertex group, its stiffness, and the buttons."""
    settings = getattr(context.object, SETTINGS)
    layout.prop_search(settings, "pin_group", context.object, "vertex_groups", text="Group")
    layout.prop(settings, "pin_stiffness")
    row = layout.row(align=True)
    row.operator(OP_PIN, icon="PINNED").action = "ADD"
    row.operator(OP_PIN, text="Unpin", icon="UNPINNED").action = "REMOVE"
    if settings.pin_group not in context.object.vertex_groups:
        draw_sentence(layout, context, "Nothing is pinned: select vertices in Edit Mode and press Pin.", "INFO")
