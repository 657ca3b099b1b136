"""Flotsam in the sidebar of the 3D view (N): the material of the active object above Live, the bake below it."""

from __future__ import annotations

import bpy

from ..bake import state
from ..names import (
    BODY_KINDS,
    MENU_ADD,
    MENU_MADE_OF,
    NO_KIND,
    OP_REMOVE,
    OP_RIGID_TO_COLLIDERS,
    PANEL_VIEW_BAKE,
    PANEL_VIEW_BODY,
    SETTINGS,
)
from .cache import draw_frames, draw_running, draw_start
from .materials import MATERIAL_KINDS, draw_materials
from .tab import draw_sentence, kind_of
from .warnings import cache_warnings, draw_last_warnings, draw_levels


class ViewTab:
    """A panel of Flotsam beside the 3D view."""

    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Flotsam"


class FLOTSAM_PT_view_body(ViewTab, bpy.types.Panel):
    """What is solved"""

    bl_idname = PANEL_VIEW_BODY
    bl_label = "Body"
    bl_order = 0

    def draw(self, context: bpy.types.Context) -> None:
        """Draw the menu of ready-made bodies; a menu that makes selected objects bodies, or the active one's kind."""
        layout = self.layout
        layout.use_property_split = True
        layout.menu(MENU_ADD, text="Add Body or Scene", icon="ADD")
        obj, kind = context.object, kind_of(context)
        if obj is None or not obj.select_get():
            return
        if kind == NO_KIND:
            layout.menu(MENU_MADE_OF, text=f"{obj.name} Is Made Of", icon="MATERIAL")
            if obj.rigid_body is not None:
                layout.operator(OP_RIGID_TO_COLLIDERS, icon="RIGID_BODY")
            return
        row = layout.row(align=True)
        row.prop(getattr(obj, SETTINGS), "kind", text=obj.name)
        row.operator(OP_REMOVE, text="", icon="X")
        if kind in MATERIAL_KINDS:
            draw_materials(layout, context)


class FLOTSAM_PT_view_bake(ViewTab, bpy.types.Panel):
    """Frames on disk, to play and to render"""

    bl_idname = PANEL_VIEW_BAKE
    bl_label = "Bake"
    bl_order = 2

    def draw(self, context: bpy.types.Context) -> None:
        """Draw the frame range, buttons to bake, play and render, and warnings about the active object's frames."""
        layout = self.layout
        layout.use_property_split = True
        draw_frames(layout, getattr(context.scene, SETTINGS))
        if draw_running(layout, context):
            return
        draw_start(layout)
        playing = context.screen is not None and context.screen.is_animation_playing
        row = layout.row(align=True)
        row.operator("screen.animation_play", text="Pause" if playing else "Play", icon="PAUSE" if playing else "PLAY")
        row.operator("render.render", text="Render", icon="RENDER_STILL").use_viewport = True
        render = row.operator("render.render", text="Film", icon="RENDER_ANIMATION")
        render.animation = render.use_viewport = True
        if context.object is not None and kind_of(context) in BODY_KINDS and state.current() is None:
            for sentence in cache_warnings(context.object, context.scene):
                draw_sentence(layout, context, sentence)
            draw_levels(layout, context)
        draw_last_warnings(layout, context)


CLASSES = (FLOTSAM_PT_view_body, FLOTSAM_PT_view_bake)
