"""Common parts of panels: their tab, when they are shown, how parameters and sentences are drawn."""

from __future__ import annotations

import textwrap
from functools import lru_cache

import bpy

from ...engine.spec import Param
from ..names import NO_KIND, PANEL_OBJECT, SETTINGS
from ..properties.pointers import Pointed

# Mean width of a letter in Blender's interface font, without interface scale.
_LETTER_PIXELS = 6.4
# Width of icon, margins and scroll bar beside a sentence.
_MARGIN_PIXELS = 64


class PhysicsTab:
    """A sub-panel of Flotsam in the Physics tab."""

    bl_space_type = "PROPERTIES"
    bl_region_type = "WINDOW"
    bl_context = "physics"
    bl_parent_id = PANEL_OBJECT


class SceneTab:
    """A panel in the Scene tab."""

    bl_space_type = "PROPERTIES"
    bl_region_type = "WINDOW"
    bl_context = "scene"


def draw_scene_list(
    layout: bpy.types.UILayout, context: bpy.types.Context, list_id: str, rows: str, index: str,
    buttons: tuple[str, str],
) -> bpy.types.PropertyGroup | None:
    """Draw a list of the scene with its add and remove operators; returns the active row."""
    settings = getattr(context.scene, SETTINGS)
    row = layout.row()
    row.template_list(list_id, "", settings, rows, settings, index, rows=3)
    column = row.column(align=True)
    for operator, icon in zip(buttons, ("ADD", "REMOVE"), strict=True):
        column.operator(operator, text="", icon=icon)
    items, chosen = getattr(settings, rows), getattr(settings, index)
    return items[chosen] if chosen < len(items) else None


def kind_of(context: bpy.types.Context) -> str:
    """Kind of the object in the tab."""
    return NO_KIND if context.object is None else getattr(context.object, SETTINGS).kind


def draw_parameter(
    layout: bpy.types.UILayout, settings: bpy.types.PropertyGroup, field: str, declared: Param | Pointed
) -> None:
    """Draw a parameter; dimmed but editable while another setting disables it."""
    if declared.only_with is None:
        layout.prop(settings, field)
        return
    chosen, *values = declared.only_with
    row = layout.column()
    row.active = getattr(settings, chosen) in values
    row.prop(settings, field)


def draw_list_row(
    layout: bpy.types.UILayout, item: bpy.types.PropertyGroup, trouble: str, field: str | None = None
) -> None:
    """Draw a row of a list: its name, marked if invalid, an optional field, and its switch."""
    row = layout.row(align=True)
    row.active = not item.mute
    row.prop(item, "name", text="", emboss=False, icon="ERROR" if trouble else "NONE")
    if field is not None:
        row.prop(item, field, text="", emboss=False)
    row.prop(item, "mute", text="", emboss=False, icon="HIDE_ON" if item.mute else "HIDE_OFF")


def draw_sentence(
    layout: bpy.types.UILayout, context: bpy.types.Context, sentence: str, icon: str = "ERROR"
) -> None:
    """Draw a sentence wrapped to the region's width; Blender itself would truncate it."""
    width = context.region.width / context.preferences.system.ui_scale if context.region is not None else 300.0
    letters = max(int((width - _MARGIN_PIXELS) / _LETTER_PIXELS), 16)
    column = layout.column(align=True)
    column.scale_y = 0.8
    for number, line in enumerate(_lines(sentence, letters)):
        column.label(text=line, icon=icon if number == 0 else "BLANK1")


@lru_cache(maxsize=64)
def _lines(sentence: str, letters: int) -> tuple[str, ...]:
    """Lines of a sentence; cached, because wrapping takes longer than drawing."""
    return tuple(textwrap.wrap(sentence, letters))
