"""Modifiers before Flotsam that differ between viewport and render: a bake fits only one of the two meshes.

The mesh of a water with waves must be the same in both too, or bodies do not lie on the waves that are rendered.
"""

from __future__ import annotations

import bpy

from .stack import modifiers_before

_LEVELS = {
    "SUBSURF": ("levels", "render_levels"), "MULTIRES": ("levels", "render_levels"),
    "OCEAN": ("viewport_resolution", "resolution"),
}
# Those that the scene's Simplify limits.
_SIMPLIFIED = {"SUBSURF", "MULTIRES"}


def shown_level(modifier: bpy.types.Modifier, scene: bpy.types.Scene, in_render: bool) -> int | None:
    """Level of a modifier in the viewport or the render, limited by the scene's Simplify; None if it has no levels."""
    if modifier.type not in _LEVELS:
        return None
    level = getattr(modifier, _LEVELS[modifier.type][in_render])
    return min(level, _limit(scene, in_render)) if _is_simplified(modifier, scene) else level


def limited_levels(obj: bpy.types.Object, scene: bpy.types.Scene) -> list[int]:
    """Viewport levels of the modifiers before Flotsam that Simplify limits."""
    found = []
    for modifier in modifiers_before(obj) if scene.render.use_simplify else ():
        level = shown_level(modifier, scene, in_render=False) if modifier.type in _SIMPLIFIED else None
        if modifier.show_viewport and level is not None and level < modifier.levels:
            found.append(level)
    return found


def unlike_modifiers(obj: bpy.types.Object, scene: bpy.types.Scene) -> list[bpy.types.Modifier]:
    """Modifiers before Flotsam with different levels or visibility in viewport and render."""
    found = []
    for modifier in modifiers_before(obj):
        shown = modifier.show_viewport or modifier.show_render
        differs = shown and shown_level(modifier, scene, False) != shown_level(modifier, scene, True)
        if differs or modifier.show_viewport != modifier.show_render:
            found.append(modifier)
    return found


def match_levels(obj: bpy.types.Object, scene: bpy.types.Scene, for_render: bool) -> None:
    """Give viewport and render the same values, those of one of them, within the limits of Simplify for both."""
    for modifier in unlike_modifiers(obj, scene):
        shown = modifier.show_render if for_render else modifier.show_viewport
        modifier.show_viewport = modifier.show_render = shown
        chosen = shown_level(modifier, scene, for_render)
        if chosen is not None:
            if _is_simplified(modifier, scene):
                chosen = min(chosen, _limit(scene, False), _limit(scene, True))
            for name in _LEVELS[modifier.type]:
                setattr(modifier, name, chosen)


def _is_simplified(modifier: bpy.types.Modifier, scene: bpy.types.Scene) -> bool:
    return scene.render.use_simplify and modifier.type in _SIMPLIFIED


def _limit(scene: bpy.types.Scene, in_render: bool) -> int:
    return scene.render.simplify_subdivision_render if in_render else scene.render.simplify_subdivision
