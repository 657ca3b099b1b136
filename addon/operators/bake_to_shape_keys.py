"""`flotsam.bake_to_shape_keys`: baked frames inside the mesh itself, no file beside the .blend."""

from __future__ import annotations

from typing import TYPE_CHECKING

import bpy

from ..names import OP_BAKE_TO_SHAPE_KEYS, SETTINGS
from .bake import BakeSteps, known_errors

if TYPE_CHECKING:
    from ..bake.job import BakeJob


class FLOTSAM_OT_bake_to_shape_keys(BakeSteps, bpy.types.Operator):
    """Turn the baked frames of the selected bodies into shape keys; bakes first where nothing is baked"""

    bl_idname = OP_BAKE_TO_SHAPE_KEYS
    bl_label = "Bake to Shape Keys"
    bl_options = {"UNDO"}

    def make_job(self, context: bpy.types.Context) -> BakeJob:
        """The whole scene, since bodies push each other."""
        from ..bake.job import BakeJob

        return BakeJob(context.scene)

    def baked(self, context: bpy.types.Context) -> set[str]:
        """All or none: every mesh is looked at before the first is changed."""
        from ..capture.stack import flotsam_modifier
        from ..write import baked_file, refuse_shape_keys, write_shape_keys

        try:
            chosen = _chosen(context)
            for obj in chosen:
                refuse_shape_keys(obj)
            for obj in chosen:
                start = int(flotsam_modifier(obj).frame_start)
                count = write_shape_keys(obj, baked_file(obj), start)
                self.report({"INFO"}, f"{obj.name}: {count} shape keys from frame {start} on.")
        except known_errors() as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        return {"FINISHED"}

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> set[str]:
        """From a button: a bake that is needed first runs by timer."""
        return self._run(context, by_timer=not bpy.app.background)

    def execute(self, context: bpy.types.Context) -> set[str]:
        """From a script: done when it returns."""
        return self._run(context, by_timer=False)

    def _run(self, context: bpy.types.Context, by_timer: bool) -> set[str]:
        from ..bake.owner import cache_problem
        from ..write import baked_file, refuse_shape_keys

        try:
            chosen = _chosen(context)
            for obj in chosen:
                refuse_shape_keys(obj)
        except known_errors() as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        if all(baked_file(obj) is not None and cache_problem(obj) is None for obj in chosen):
            return self.baked(context)
        return self.bake_by_timer(context) if by_timer else self.bake_here(context)


def _chosen(context: bpy.types.Context) -> list[bpy.types.Object]:
    """Selected soft bodies; raises CaptureError when there is none."""
    from ..capture.errors import CaptureError

    chosen = [obj for obj in context.selected_objects if getattr(obj, SETTINGS).kind == "SPRING_GRAPH"]
    if not chosen:
        raise CaptureError("No soft body is selected; select the bodies whose frames become shape keys.")
    return chosen


CLASSES = (FLOTSAM_OT_bake_to_shape_keys,)
