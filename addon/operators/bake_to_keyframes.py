"""`flotsam.bake_to_keyframes`: keyframes from a bake become the artist's own, and Flotsam forgets the bake."""

from __future__ import annotations

import bpy

from ..names import OP_BAKE_TO_KEYFRAMES
from ..properties.kinds import traits_of
from .poll_reasons import is_grey
from .turn_frames import FrameConverter


class FLOTSAM_OT_bake_to_keyframes(FrameConverter, bpy.types.Operator):
    """Make the baked keys of the selected rigid bodies your own, for good; bakes first where no bake fits"""

    bl_idname = OP_BAKE_TO_KEYFRAMES
    bl_label = "Bake to Keyframes"
    bl_options = {"UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """A rigid body must be selected, and neither a bake nor Live be running."""
        if not super().poll(context):
            return False
        reason = "No rigid body is selected; select those whose frames become keyframes"
        return not is_grey(cls, reason if not _rigid(context) else None)

    def chosen(self, context: bpy.types.Context) -> list[bpy.types.Object]:
        """Selected rigid bodies; raises CaptureError if one cannot be keyed."""
        from ..write.keyframes import refuse_keys

        chosen = _rigid(context)
        for obj in chosen:
            refuse_keys(obj)
        return chosen

    def is_baked(self, obj: bpy.types.Object) -> bool:
        """Whether it plays keyframes from a bake."""
        from ..capture.keys import has_keys

        return has_keys(obj)

    def convert(self, objects: list[bpy.types.Object]) -> list[str]:
        """Hand over the keyframes; every body is checked before the first one changes."""
        from ..bake.connect import hand_over_keys

        return [
            f"{obj.name}: {count} keyframes from frame {start} on are yours now."
            for obj, start, count in hand_over_keys(objects)
        ]


def _rigid(context: bpy.types.Context) -> list[bpy.types.Object]:
    return [obj for obj in context.selected_objects if traits_of(obj).is_rigid]


CLASSES = (FLOTSAM_OT_bake_to_keyframes,)
