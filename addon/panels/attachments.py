"""The Scene tab: the list of attachments."""

from __future__ import annotations

import bpy

from ...engine.spec import Attachment
from ..names import LIST_ATTACHMENTS, OP_ATTACH, OP_DETACH, PANEL_ATTACHMENTS, PANEL_SCENE
from ..properties.attachments import FlotsamAttachment, trouble_with
from .interactions import draw_values
from .tab import SceneTab, draw_list_row, draw_scene_list, draw_sentence


class FLOTSAM_UL_attachments(bpy.types.UIList):
    """Rows with what they are for, and a switch"""

    bl_idname = LIST_ATTACHMENTS

    def draw_item(
        self, context: bpy.types.Context, layout: bpy.types.UILayout, _data: bpy.types.AnyType,
        item: FlotsamAttachment, _icon: int, _active_data: bpy.types.AnyType, _active_property: str,
    ) -> None:
        """Draw the name and the switch of an attachment."""
        draw_list_row(layout, item, trouble_with(item, context.scene))


class FLOTSAM_PT_attachments(SceneTab, bpy.types.Panel):
    """What is tied to what: ropes to docks, tarps to frames"""

    bl_idname = PANEL_ATTACHMENTS
    bl_label = "Attachments"
    bl_parent_id = PANEL_SCENE
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: bpy.types.Context) -> None:
        """Draw the list, and the settings of its active row below."""
        item = draw_scene_list(
            self.layout, context, LIST_ATTACHMENTS, "attachments", "attachment_index", (OP_ATTACH, OP_DETACH)
        )
        if item is not None:
            _draw_row(self.layout, context, item)


def _draw_row(layout: bpy.types.UILayout, context: bpy.types.Context, item: FlotsamAttachment) -> None:
    layout.use_property_split = True
    trouble = trouble_with(item, context.scene)
    if trouble:
        draw_sentence(layout, context, trouble)
    else:
        count = len(item.links)
        layout.label(
            text=f"{item.a_object.name} to {item.b_object.name}: {count} {'link' if count == 1 else 'links'}"
        )
    column = layout.column()
    column.active = not item.mute
    draw_values(column, item, Attachment)


CLASSES = (FLOTSAM_UL_attachments, FLOTSAM_PT_attachments)
