"""Flotsam's button among those of Blender's own physics."""

from __future__ import annotations

import bpy

from ..names import MENU_MADE_OF, NO_KIND, OP_REMOVE, SETTINGS


def draw_button(panel: bpy.types.Panel, context: bpy.types.Context) -> None:
    """Draw one button like Blender's own: it offers materials, or removes Flotsam."""
    if context.object is None or context.object.type != "MESH":
        return
    if getattr(context.object, SETTINGS).kind == NO_KIND:
        panel.layout.menu(MENU_MADE_OF, text="Flotsam", icon="ADD")
    else:
        panel.layout.operator(OP_REMOVE, text="Flotsam", icon="X")


CLASSES = ()


def register() -> None:
    """Add the button to Blender's physics panel."""
    bpy.types.PHYSICS_PT_add.append(draw_button)


def unregister() -> None:
    """Remove the button."""
    bpy.types.PHYSICS_PT_add.remove(draw_button)
