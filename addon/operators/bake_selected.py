"""`flotsam.bake_selected`: bake the selected bodies of the scene; the others keep their frames."""

from __future__ import annotations

from typing import TYPE_CHECKING

import bpy

from ..names import BODY_KINDS, OP_BAKE_SELECTED, SETTINGS
from .bake import BakeOperator
from .poll_reasons import is_grey

if TYPE_CHECKING:
    from ..bake.job import BakeJob


class FLOTSAM_OT_bake_selected(BakeOperator, bpy.types.Operator):
    """Solve the selected bodies alone, with colliders and water; other bodies are not met and keep their frames"""

    bl_idname = OP_BAKE_SELECTED
    bl_label = "Bake Selected"
    bl_options = {"UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """A body must be selected."""
        return super().poll(context) and not is_grey(cls, None if _bodies(context) else "No body is selected")

    def make_job(self, context: bpy.types.Context) -> BakeJob:
        """Create a job for the selected bodies."""
        from ..bake.job import BakeJob

        return BakeJob(context.scene, _bodies(context))


def _bodies(context: bpy.types.Context) -> list[bpy.types.Object]:
    return [obj for obj in context.selected_objects if getattr(obj, SETTINGS).kind in BODY_KINDS]


CLASSES = (FLOTSAM_OT_bake_selected,)
