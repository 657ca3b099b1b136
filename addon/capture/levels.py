"""Modifiers before Flotsam that differ between viewport and render: a bake fits only one of the two meshes."""

from __future__ import annotations

import bpy

from .stack import modifiers_before

_LEVELS = {"SUBSURF": ("levels", "render_levels"), "MULTIRES": ("levels", "render_levels")}


def unlike_modifiers(obj: bpy.types.Object) -> list[bpy.types.Modifier]:
    """Modifiers before Flotsam with different levels or visibility in viewport and render."""
    found = []
    for modifier in modifiers_before(obj):
        viewport, render = _LEVELS.get(modifier.type, (None, None))
        shown = modifier.show_viewport or modifier.show_render
        differs = viewport is not None and shown and getattr(modifier, viewport) != getattr(modifier, render)
        if differs or modifier.show_viewport != modifier.show_render:
            found.append(modifier)
    return found


def match_levels(obj: bpy.types.Object, for_render: bool) -> None:
    """Set viewport and render alike, to the values of one of them."""
    for modifier in unlike_modifiers(obj):
        shown = modifier.show_render if for_render else modifier.show_viewport
        modifier.show_viewport = modifier.show_render = shown
        if modifier.type in _LEVELS:
            viewport, render = _LEVELS[modifier.type]
            chosen = getattr(modifier, render if for_render else viewport)
            setattr(modifier, viewport, chosen)
            setattr(modifier, render, chosen)
