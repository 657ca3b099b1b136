"""The Scene tab: the list of interactions between bodies."""

from __future__ import annotations

import bpy

from ...engine.spec import RULES, params_of
from ..names import LIST_INTERACTIONS, OP_EDIT_INTERACTIONS, PANEL_INTERACTIONS, PANEL_SCENE, SETTINGS
from ..operators.edit_interactions import ADD, DOWN, REMOVE, UP
from ..properties.interactions import ALL, SIDES, FlotsamInteraction, sentence_of, trouble_with, use_of, values_group
from .tab import SceneTab, draw_sentence


class FLOTSAM_UL_interactions(bpy.types.UIList):
    """Rows as sentences, each with a switch"""

    bl_idname = LIST_INTERACTIONS

    def draw_item(
        self, context: bpy.types.Context, layout: bpy.types.UILayout, _data: bpy.types.AnyType,
        item: FlotsamInteraction, _icon: int, _active_data: bpy.types.AnyType, _active_property: str,
    ) -> None:
        """Draw an interaction as a sentence, with its switch."""
        row = layout.row(align=True)
        row.active = not item.mute
        row.label(text=sentence_of(item), icon="ERROR" if trouble_with(item, context.scene) else "NONE")
        row.prop(item, "mute", text="", emboss=False, icon="HIDE_ON" if item.mute else "HIDE_OFF")


class FLOTSAM_PT_interactions(SceneTab, bpy.types.Panel):
    """What meets what, and how; without a row bodies and colliders touch"""

    bl_idname = PANEL_INTERACTIONS
    bl_label = "Interactions"
    bl_parent_id = PANEL_SCENE
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: bpy.types.Context) -> None:
        """Draw the list, and the settings of its active row below."""
        settings = getattr(context.scene, SETTINGS)
        row = self.layout.row()
        row.template_list(LIST_INTERACTIONS, "", settings, "interactions", settings, "interaction_index", rows=4)
        buttons = row.column(align=True)
        for action, icon in ((ADD, "ADD"), (REMOVE, "REMOVE"), (UP, "TRIA_UP"), (DOWN, "TRIA_DOWN")):
            buttons.operator(OP_EDIT_INTERACTIONS, text="", icon=icon).action = action
        if settings.interaction_index < len(settings.interactions):
            _draw_row(self.layout, context, settings.interactions[settings.interaction_index])


def draw_values(column: bpy.types.UILayout, item: bpy.types.PropertyGroup, rule: type) -> None:
    """Draw the parameters of a rule; optional ones with their switch."""
    for field, declared in params_of(rule).items():
        if declared.default is None:
            row = column.row(heading=declared.label)
            row.prop(item, use_of(field), text="")
            value = row.row()
            value.active = getattr(item, use_of(field))
            value.prop(item, field, text="")
        else:
            column.prop(item, field)


def _draw_row(layout: bpy.types.UILayout, context: bpy.types.Context, item: FlotsamInteraction) -> None:
    layout.use_property_split = True
    column = layout.column()
    column.active = not item.mute
    column.prop(item, "name")
    column.prop(item, "rule")
    for side in SIDES:
        column.prop(item, f"{side}_who")
        scope = getattr(item, f"{side}_who")
        if scope != ALL:
            column.prop(item, f"{side}_{scope.lower()}", text=" ")
    draw_values(column, values_group(item), RULES[item.rule])
    trouble = trouble_with(item, context.scene)
    if trouble:
        draw_sentence(layout, context, trouble)


CLASSES = (FLOTSAM_UL_interactions, FLOTSAM_PT_interactions)
