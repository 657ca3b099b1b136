"""Shows baked frames as a bar along the bottom of the timeline, as Blender does for its own physics.

Blender draws bars for its own point caches only, but an add-on may draw over the timeline.
"""

from __future__ import annotations

from typing import Any

import bpy

from ..names import NO_KIND, SETTINGS
from ..properties.scene import bake_range

CLASSES = ()

FRESH, STALE, RANGE = (0.25, 0.62, 0.95, 0.95), (0.95, 0.55, 0.1, 0.95), (0.5, 0.5, 0.5, 0.3)
_HEIGHT_PIXELS = 5

_handle: Any = None


def bars(obj: bpy.types.Object, scene: bpy.types.Scene) -> list[tuple[int, int, tuple[float, ...]]]:
    """First and last frame and colour of each bar of an object, the whole bake range first; empty without a bake."""
    from ..bake import state
    from ..bake.on_disk import baked_range
    from ..bake.owner import cache_problem

    if getattr(obj, SETTINGS).kind == NO_KIND or (frames := baked_range(obj)) is None:
        return []
    settings = getattr(scene, SETTINGS)
    problem = state.current() is None and cache_problem(obj, scene) is not None
    return [(*bake_range(settings), RANGE), (*frames, STALE if problem else FRESH)]


def _draw() -> None:
    context = bpy.context
    if context.space_data.mode != "TIMELINE" or context.object is None:
        return
    found = bars(context.object, context.scene)
    if not found:
        return
    import gpu
    from gpu_extras.batch import batch_for_shader

    shader = gpu.shader.from_builtin("UNIFORM_COLOR")
    height = _HEIGHT_PIXELS * context.preferences.system.ui_scale
    gpu.state.blend_set("ALPHA")
    for first, last, color in found:
        left, right = (
            context.region.view2d.view_to_region(frame, 0.0, clip=False)[0] for frame in (first - 0.5, last + 0.5)
        )
        corners = ((left, 0.0), (right, 0.0), (left, height), (right, height))
        shader.uniform_float("color", color)
        batch_for_shader(shader, "TRI_STRIP", {"pos": corners}).draw(shader)
    gpu.state.blend_set("NONE")


def register() -> None:
    """Start drawing over timelines."""
    global _handle
    _handle = bpy.types.SpaceDopeSheetEditor.draw_handler_add(_draw, (), "WINDOW", "POST_PIXEL")


def unregister() -> None:
    """Stop drawing."""
    global _handle
    if _handle is not None:
        bpy.types.SpaceDopeSheetEditor.draw_handler_remove(_handle, "WINDOW")
        _handle = None
