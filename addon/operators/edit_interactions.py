"""`flotsam.edit_interactions`: adds, removes and moves rows of the list of interactions."""

from __future__ import annotations

import bpy
from bpy.props import EnumProperty

from ..names import OP_EDIT_INTERACTIONS, SETTINGS
from .poll_reasons import baking, is_grey, linked_scene

ADD, REMOVE, UP, DOWN = "ADD", "REMOVE", "UP", "DOWN"


class FLOTSAM_OT_edit_interactions(bpy.types.Operator):
    """Add, remove or move a row of the list of what meets what"""

    bl_idname = OP_EDIT_INTERACTIONS
    bl_label = "Edit Interactions"
    bl_options = {"REGISTER", "UNDO", "INTERNAL"}

    action: EnumProperty(
        name="Action", description="What to do with the list",
        items=(
            (ADD, "Add", "A new row; it decides for the pairs it fits"),
            (REMOVE, "Remove", "Take the chosen row away"),
            (UP, "Up", "Move the chosen row up; later rows decide"),
            (DOWN, "Down", "Move the chosen row down; later rows decide"),
        ),
        default=ADD, options={"SKIP_SAVE"},
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Not while a bake runs, nor in a linked scene."""
        if is_grey(cls, baking(), linked_scene(context)):
            return False
        return True

    @classmethod
    def description(cls, _context: bpy.types.Context, properties: bpy.types.OperatorProperties) -> str:
        """The tip of the action."""
        return cls.bl_rna.properties["action"].enum_items[properties.action].description

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Change the list, and make the added, moved or next row active."""
        settings = getattr(context.scene, SETTINGS)
        rows, chosen = settings.interactions, settings.interaction_index
        if self.action == ADD:
            rows.add().name = "Interaction"
            settings.interaction_index = len(rows) - 1
            return {"FINISHED"}
        if not 0 <= chosen < len(rows):
            self.report({"INFO"}, "No row is chosen; click one first.")
            return {"CANCELLED"}
        if self.action == REMOVE:
            rows.remove(chosen)
            settings.interaction_index = max(0, min(chosen, len(rows) - 1))
            return {"FINISHED"}
        target = chosen + (-1 if self.action == UP else 1)
        if not 0 <= target < len(rows):
            return {"CANCELLED"}
        rows.move(chosen, target)
        settings.interaction_index = target
        return {"FINISHED"}


CLASSES = (FLOTSAM_OT_edit_interactions,)
