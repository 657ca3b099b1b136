"""Physics tab: which frames are baked, where they go, and the bake itself."""

from __future__ import annotations

import time

import bpy

from ..bake import state
from ..names import (
    OP_BAKE,
    OP_BAKE_CONTROL,
    OP_BAKE_SELECTED,
    OP_BAKE_TO_KEYFRAMES,
    OP_BAKE_TO_SHAPE_KEYS,
    OP_CLEAR_CACHE,
    OP_RESUME,
    OP_SHOW_STRESS,
    PANEL_CACHE,
    SETTINGS,
)
from ..properties import touched
from ..properties.scene import bake_range
from .tab import PhysicsTab, draw_sentence
from .warnings import cache_warnings, draw_last_warnings, draw_levels

# Interval between checks of files on disk [s]: spans many redraws under a moving mouse, and is too short to notice.
_FILES_SECONDS = 0.2
_Baked = tuple[tuple[int, int] | None, list[str]]
# Last result of `_baked`: its key, the time until which it is valid [s], and the result.
_cached: tuple[tuple[int | str, ...], float, _Baked] = ((), 0.0, (None, []))


def draw_range(layout: bpy.types.UILayout, scene: bpy.types.Scene) -> None:
    """Draw frame range and folder."""
    settings = getattr(scene, SETTINGS)
    draw_frames(layout, settings)
    layout.prop(settings, "cache_folder")
    layout.row().prop(settings, "attributes")


def draw_frames(layout: bpy.types.UILayout, settings: bpy.types.PropertyGroup) -> None:
    """Draw the frame range: the scene's, or another one."""
    start, end = bake_range(settings)
    row = layout.row(heading="Frames")
    row.prop(settings, "follow_scene", text=f"Scene, {start} to {end}" if settings.follow_scene else "Scene")
    if not settings.follow_scene:
        column = layout.column(align=True)
        column.prop(settings, "frame_start", text="Frame Start")
        column.prop(settings, "frame_end")


def draw_start(layout: bpy.types.UILayout) -> None:
    """Draw the buttons that start a bake."""
    column = layout.column(align=True)
    row = column.row(align=True)
    row.operator(OP_BAKE, icon="PHYSICS")
    row.operator(OP_RESUME, icon="PLAY")
    column.operator(OP_BAKE_SELECTED, icon="RESTRICT_SELECT_OFF")


def draw_running(layout: bpy.types.UILayout, context: bpy.types.Context) -> bool:
    """Draw progress and buttons of the running bake; returns whether there is one."""
    running = state.current()
    if running is not None:
        progress = running.progress
        layout.progress(factor=progress.share, type="BAR", text=f"{progress.done} of {progress.total} frames")
        row = layout.row(align=True)
        if running.paused:
            row.operator(OP_BAKE_CONTROL, text="Go On", icon="PLAY").action = "GO_ON"
        else:
            row.operator(OP_BAKE_CONTROL, text="Pause", icon="PAUSE").action = "PAUSE"
        row.operator(OP_BAKE_CONTROL, text="Stop", icon="X").action = "STOP"
        sentence = f"{state.words(running)} Esc stops and keeps finished frames."
        draw_sentence(layout, context, sentence, "PAUSE" if running.paused else "TIME")
    return running is not None


def draw_bake(layout: bpy.types.UILayout, context: bpy.types.Context) -> None:
    """Draw the estimated cost of a bake and its buttons, or the progress of the running one."""
    from ..bake.expense import sentence as expense_sentence

    if draw_running(layout, context):
        return
    draw_start(layout)
    column = layout.column(align=True)
    column.operator(OP_BAKE_TO_SHAPE_KEYS, icon="SHAPEKEY_DATA")
    column.operator(OP_BAKE_TO_KEYFRAMES, icon="KEYFRAME_HLT")
    column.operator(OP_CLEAR_CACHE, icon="TRASH")
    expense = expense_sentence(context.scene)
    if expense is not None:
        draw_sentence(layout, context, expense, "INFO")
    draw_last_warnings(layout, context)


class FLOTSAM_PT_cache(PhysicsTab, bpy.types.Panel):
    """Frames on disk, for all bodies of the scene"""

    bl_idname = PANEL_CACHE
    bl_label = "Bake"

    def draw(self, context: bpy.types.Context) -> None:
        """Draw range and folder, the buttons, the baked frames, and warnings about them."""
        layout = self.layout
        layout.use_property_split = True
        draw_range(layout, context.scene)
        draw_levels(layout, context)
        draw_bake(layout, context)
        frames, warnings = _baked(context.object, context.scene)
        if frames is not None and state.current() is None:
            draw_sentence(layout, context, f"Frames {frames[0]} to {frames[1]} baked", "CHECKMARK")
        _draw_stress(layout, context.object)
        for sentence in warnings:
            draw_sentence(layout, context, sentence)


def _baked(obj: bpy.types.Object, scene: bpy.types.Scene) -> _Baked:
    """First and last frame that an object plays, None without any, and the warnings about them."""
    from ..bake.on_disk import baked_range

    global _cached
    cached_key, expiry, result = _cached
    now = time.monotonic()
    # Blender does not notify when a file is saved or an object is renamed.
    names = (bpy.data.filepath, obj.name_full)
    key = (touched.count(), scene.frame_current, scene.session_uid, obj.session_uid, *names)
    if key != cached_key or now > expiry:
        result = baked_range(obj), cache_warnings(obj, scene)
        _cached = (key, now + _FILES_SECONDS, result)
    return result


def _draw_stress(layout: bpy.types.UILayout, obj: bpy.types.Object) -> None:
    """Draw a button, if the bake contains stress."""
    from ..write.attributes import attribute_names
    from ..write.look import has_look

    shown = has_look(obj)
    if shown or "stress" in attribute_names(obj):
        text = "Show Own Materials" if shown else "Show Stress"
        layout.operator(OP_SHOW_STRESS, text=text, icon="MATERIAL").show = not shown


CLASSES = (FLOTSAM_PT_cache,)
