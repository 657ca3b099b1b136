"""The switches of the overlay, in the popover of Blender's own viewport overlays."""

from __future__ import annotations

import bpy

from ..names import SETTINGS
from ..properties.overlay import SHOWN


def draw_overlay(panel: bpy.types.Panel, context: bpy.types.Context) -> None:
    """Draw a heading, a switch for each item, and the options of those that are on."""
    chosen = getattr(context.scene, SETTINGS).overlay
    layout = panel.layout.column()
    layout.active = context.space_data is None or context.space_data.overlay.show_overlays
    layout.label(text="Flotsam")
    rows = layout.column()
    for first in range(0, len(SHOWN), 2):
        row = rows.row()
        for name in SHOWN[first : first + 2]:
            row.prop(chosen, name)
    if any(getattr(chosen, name) for name in SHOWN):
        rows.prop(chosen, "selected_only")
    if chosen.springs:
        rows.prop(chosen, "full_stretch")
    if chosen.velocities:
        rows.prop(chosen, "arrow_seconds")
    if chosen.fields:
        rows.prop(chosen, "field_length")
    if chosen.pin_forces:
        rows.prop(chosen, "force_length")


CLASSES = ()


def register() -> None:
    """Add the switches to Blender's overlay popover."""
    bpy.types.VIEW3D_PT_overlay.append(draw_overlay)


def unregister() -> None:
    """Remove the switches."""
    bpy.types.VIEW3D_PT_overlay.remove(draw_overlay)
