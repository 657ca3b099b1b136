"""`flotsam.bake_to_shape_keys`: baked frames become shape keys, without a file beside the .blend."""

from __future__ import annotations

import bpy

from ..names import OP_BAKE_TO_SHAPE_KEYS
from ..properties.kinds import traits_of
from .turn_frames import FrameConverter


class FLOTSAM_OT_bake_to_shape_keys(FrameConverter, bpy.types.Operator):
    """Turn the baked frames of the selected bodies into shape keys; bakes first where no bake fits"""

    bl_idname = OP_BAKE_TO_SHAPE_KEYS
    bl_label = "Bake to Shape Keys"
    bl_options = {"UNDO"}

    def chosen(self, context: bpy.types.Context) -> list[bpy.types.Object]:
        """Selected soft bodies whose meshes can take shape keys."""
        from ..capture.errors import CaptureError
        from ..write import refuse_shape_keys

        chosen = [obj for obj in context.selected_objects if traits_of(obj).deforms]
        if not chosen:
            raise CaptureError("No soft body is selected; select the bodies whose frames become shape keys.")
        for obj in chosen:
            refuse_shape_keys(obj)
        return chosen

    def is_baked(self, obj: bpy.types.Object) -> bool:
        """Whether it plays a file."""
        from ..write import baked_file

        return baked_file(obj) is not None

    def convert(self, objects: list[bpy.types.Object]) -> list[str]:
        """Write shape keys; every mesh and file is checked before the first mesh changes."""
        from ..write import write_shape_keys

        return [
            f"{obj.name}: {count} shape keys from frame {start} on." for obj, start, count in write_shape_keys(objects)
        ]


CLASSES = (FLOTSAM_OT_bake_to_shape_keys,)
