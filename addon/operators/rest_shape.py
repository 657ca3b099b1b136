"""`flotsam.rest_shape`: restores the rest shape of a mesh that keeps a pose."""

from __future__ import annotations

import bpy

from ..names import OP_REST_SHAPE, REST_ATTRIBUTE
from .poll_reasons import is_grey


class FLOTSAM_OT_rest_shape(bpy.types.Operator):
    """Move the mesh back to the shape in which its springs are at rest, and forget the pose that was kept from Live"""

    bl_idname = OP_REST_SHAPE
    bl_label = "Back to Rest Shape"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """A local mesh that keeps a pose must be active, and not in Edit Mode."""
        obj = context.object
        if obj is None or obj.type != "MESH" or REST_ATTRIBUTE not in obj.data.attributes:
            return not is_grey(cls, "The mesh keeps no pose")
        reason = "The mesh is linked or in Edit Mode; make it local or leave Edit Mode first"
        return not is_grey(cls, reason if obj.data.library is not None or obj.mode == "EDIT" else None)

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Restore the rest shape."""
        from ..write.pose import forget_pose

        forget_pose(context.object)
        return {"FINISHED"}


CLASSES = (FLOTSAM_OT_rest_shape,)
