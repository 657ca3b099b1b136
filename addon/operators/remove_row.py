"""`flotsam.detach` and `flotsam.unjoin`: remove the active row of a list of the scene."""

from __future__ import annotations

from typing import ClassVar

import bpy

from ..names import OP_DETACH, OP_UNJOIN, SETTINGS
from .poll_reasons import baking, is_grey, linked_scene


class RemovesRow:
    """Common part of both. Attributes: rows, index: names of the list and of its active index; row: name of a row."""

    bl_options: ClassVar[set[str]] = {"REGISTER", "UNDO"}
    rows: ClassVar[str]
    index: ClassVar[str]
    row: ClassVar[str]

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """A row must be there, and no bake be running."""
        if is_grey(cls, baking(), linked_scene(context)):
            return False
        settings = getattr(context.scene, SETTINGS)
        is_chosen = 0 <= getattr(settings, cls.index) < len(getattr(settings, cls.rows))
        return not is_grey(cls, None if is_chosen else f"No {cls.row} is chosen; click a row of the list first")

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Remove the row, and select the next one."""
        settings = getattr(context.scene, SETTINGS)
        rows, chosen = getattr(settings, self.rows), getattr(settings, self.index)
        rows.remove(chosen)
        setattr(settings, self.index, max(0, min(chosen, len(rows) - 1)))
        return {"FINISHED"}


class FLOTSAM_OT_detach(RemovesRow, bpy.types.Operator):
    """Untie what the chosen row ties, and remove the row"""

    bl_idname = OP_DETACH
    bl_label = "Detach"
    rows, index, row = "attachments", "attachment_index", "attachment"


class FLOTSAM_OT_unjoin(RemovesRow, bpy.types.Operator):
    """Take the chosen joint apart, and remove its row"""

    bl_idname = OP_UNJOIN
    bl_label = "Remove Joint"
    rows, index, row = "joints", "joint_index", "joint"


CLASSES = (FLOTSAM_OT_detach, FLOTSAM_OT_unjoin)
