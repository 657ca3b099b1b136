"""Live: the buttons that start and control it, in the Physics tab and in the sidebar of the 3D view."""

from __future__ import annotations

import bpy

from ..live import state
from ..names import OP_LIVE, OP_LIVE_CONTROL, OP_REST_SHAPE, PANEL_LIVE, PANEL_VIEW_LIVE, REST_ATTRIBUTE, SETTINGS
from ..solver import ahead
from .tab import PhysicsTab, draw_sentence


def draw_live(layout: bpy.types.UILayout, context: bpy.types.Context) -> None:
    """Draw the button to start, or the controls and the speed."""
    session = state.current()
    if session is None:
        layout.operator(OP_LIVE, icon="PLAY")
        compiling = ahead.running()
        if compiling is not None:
            draw_sentence(layout, context, compiling, "TIME")
    else:
        row = layout.row(align=True)
        row.operator(OP_LIVE_CONTROL, text="", icon="REW").action = "RESET"
        if session.playing:
            row.operator(OP_LIVE_CONTROL, text="Pause", icon="PAUSE").action = "PAUSE"
        else:
            row.operator(OP_LIVE_CONTROL, text="Play", icon="PLAY").action = "PLAY"
        row.operator(OP_LIVE_CONTROL, text="", icon="FRAME_NEXT").action = "STEP"
        row = layout.row(align=True)
        row.operator(OP_LIVE_CONTROL, text="Keep", icon="PINNED").action = "KEEP"
        row.operator(OP_LIVE_CONTROL, text="Record", icon="REC").action = "RECORD"
        row.operator(OP_LIVE_CONTROL, text="Stop", icon="X").action = "STOP"
        if session.message:
            draw_sentence(layout, context, session.message, "ERROR" if session.refused else "TIME")
        elif session.playing:
            speed = f"{session.speed:.0%} of real time" if session.speed else "Solving the first frames"
            sentence = f"{speed}, {session.recorded} frames"
            draw_sentence(layout, context, sentence, "TIME")
        else:
            draw_sentence(layout, context, f"Stands still after {session.recorded} frames", "PAUSE")
        if session.note:
            draw_sentence(layout, context, session.note)
    layout.prop(getattr(context.scene, SETTINGS), "grab_strength")


class FLOTSAM_PT_live(PhysicsTab, bpy.types.Panel):
    """The scene in real time"""

    bl_idname = PANEL_LIVE
    bl_label = "Live"

    def draw(self, context: bpy.types.Context) -> None:
        """Draw the start button or the controls, and the button that undoes a kept pose."""
        self.layout.use_property_split = True
        draw_live(self.layout, context)
        if context.object.type == "MESH" and REST_ATTRIBUTE in context.object.data.attributes:
            self.layout.operator(OP_REST_SHAPE, icon="LOOP_BACK")


class FLOTSAM_PT_view_live(bpy.types.Panel):
    """The scene in real time, beside the 3D view"""

    bl_idname = PANEL_VIEW_LIVE
    bl_label = "Live"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Flotsam"
    bl_order = 1

    def draw(self, context: bpy.types.Context) -> None:
        """Draw the start button or the controls."""
        self.layout.use_property_split = True
        draw_live(self.layout, context)


CLASSES = (FLOTSAM_PT_live, FLOTSAM_PT_view_live)
