"""`flotsam.resume`: continues a bake that was stopped."""

from __future__ import annotations

from typing import TYPE_CHECKING

import bpy

from ..names import BODY_KINDS, OP_RESUME, SETTINGS
from .bake import BakeOperator
from .poll_reasons import is_grey

if TYPE_CHECKING:
    from ..bake.job import BakeJob


class FLOTSAM_OT_resume(BakeOperator, bpy.types.Operator):
    """Go on after the last finished frame of a bake that was stopped"""

    bl_idname = OP_RESUME
    bl_label = "Resume"
    bl_options = {"UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """A bake of this file must have been stopped before its end."""
        from ..bake.on_disk import why_not_resumed

        if not super().poll(context):
            return False
        return not is_grey(cls, why_not_resumed(context.scene))

    @classmethod
    def description(cls, context: bpy.types.Context, _properties: bpy.types.OperatorProperties) -> str:
        """The tip also names the folder that frames are copied from, for example after Save As."""
        from ..bake.on_disk import folder_to_resume
        from ..paths import cache_folder

        try:
            source = folder_to_resume(context.scene)
        except OSError:
            return cls.__doc__
        if source == cache_folder(context.scene):
            return cls.__doc__
        return f"{cls.__doc__}. Its frames are copied from {source} to the folder of this file"

    def make_job(self, context: bpy.types.Context) -> BakeJob:
        """Create a job for the bodies of the stopped bake, which continues after its last frame."""
        from ..bake.job import BakeJob
        from ..bake.on_disk import stopped_bodies

        names = stopped_bodies(context.scene)
        left_out = sorted(
            obj.name for obj in context.scene.objects
            if getattr(obj, SETTINGS).kind in BODY_KINDS and obj.name_full not in names
        )
        if left_out:
            self.report({"WARNING"}, f"{', '.join(left_out)} took no part in that bake and does not now.")
        return BakeJob(context.scene, [obj for obj in context.scene.objects if obj.name_full in names], resume=True)


CLASSES = (FLOTSAM_OT_resume,)
