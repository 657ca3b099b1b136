"""The Scene tab: the list of joints."""

from __future__ import annotations

import bpy

from ...engine.spec import Joint
from ..names import LIST_JOINTS, OP_JOIN, OP_UNJOIN, PANEL_JOINTS, PANEL_SCENE
from ..properties.joints import FlotsamJoint, joined_to, trouble_with
from .interactions import draw_values
from .tab import SceneTab, draw_list_row, draw_scene_list, draw_sentence


class FLOTSAM_UL_joints(bpy.types.UIList):
    """Rows with what they are for, and a switch"""

    bl_idname = LIST_JOINTS

    def draw_item(
        self, context: bpy.types.Context, layout: bpy.types.UILayout, _data: bpy.types.AnyType,
        item: FlotsamJoint, _icon: int, _active_data: bpy.types.AnyType, _active_property: str,
    ) -> None:
        """Draw the name and the switch of a joint."""
        draw_list_row(layout, item, trouble_with(item, context.scene))


class FLOTSAM_PT_joints(SceneTab, bpy.types.Panel):
    """Which rigid bodies are joined: lids to chests, links to chains"""

    bl_idname = PANEL_JOINTS
    bl_label = "Joints"
    bl_parent_id = PANEL_SCENE
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: bpy.types.Context) -> None:
        """Draw the list, and the settings of its active row below."""
        item = draw_scene_list(self.layout, context, LIST_JOINTS, "joints", "joint_index", (OP_JOIN, OP_UNJOIN))
        if item is not None:
            _draw_row(self.layout, context, item)


def _draw_row(layout: bpy.types.UILayout, context: bpy.types.Context, item: FlotsamJoint) -> None:
    layout.use_property_split = True
    trouble = trouble_with(item, context.scene)
    if trouble:
        draw_sentence(layout, context, trouble)
    else:
        layout.label(text=joined_to(item))
    column = layout.column()
    column.active = not item.mute
    draw_values(column, item, Joint)
    column.prop(item, "place")
    axis = column.column()
    axis.active = item.kind == "HINGE"
    axis.prop(item, "axis")


CLASSES = (FLOTSAM_UL_joints, FLOTSAM_PT_joints)
