"""`flotsam.bake_surface`: a finer surface of a baked fluid, as meshes on disk."""

from __future__ import annotations

from typing import TYPE_CHECKING

import bpy

from ..names import OP_BAKE_SURFACE
from .bake import BakeOperator
from .poll_reasons import is_grey

if TYPE_CHECKING:
    from ..bake.surface_job import SurfaceJob


class FLOTSAM_OT_bake_surface(BakeOperator, bpy.types.Operator):
    """Make a finer mesh of every baked frame, on disk beside its points; Esc stops, and pressed again it goes on"""

    bl_idname = OP_BAKE_SURFACE
    bl_label = "Bake Finer Surface"
    bl_options = {"UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Only for objects that play points; whether the package is installed is checked when the job is created."""
        from ..capture.stack import points_modifier

        if not super().poll(context):
            return False
        there = context.object is not None and points_modifier(context.object) is not None
        return not is_grey(cls, None if there else "Bake first; the surface goes around the particles")

    def make_job(self, context: bpy.types.Context) -> SurfaceJob:
        """Create a job for all frames of the active object that have no mesh yet."""
        from ..bake.surface_job import SurfaceJob

        return SurfaceJob(context.scene, context.object)

    def baked(self, context: bpy.types.Context) -> set[str]:
        """Report the number of frames; the surface shows the meshes from now on."""
        self.report({"INFO"}, f"{self._job.total} frames have a finer surface.")
        return {"FINISHED"}

    def stopped(self) -> str:
        """Message about the finished meshes, which are kept but not shown."""
        return self._job.left


CLASSES = (FLOTSAM_OT_bake_surface,)
