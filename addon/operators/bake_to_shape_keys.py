"""`flotsam.bake_to_shape_keys`: baked frames inside the mesh itself, no file beside the .blend."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import bpy

from ..names import OP_BAKE_TO_SHAPE_KEYS, SETTINGS
from .bake import BakeSteps, known_errors

if TYPE_CHECKING:
    from ..bake.job import BakeJob


class FLOTSAM_OT_bake_to_shape_keys(BakeSteps, bpy.types.Operator):
    """Turn the baked frames of the selected bodies into shape keys; bakes first where no bake fits"""

    bl_idname = OP_BAKE_TO_SHAPE_KEYS
    bl_label = "Bake to Shape Keys"
    bl_options = {"UNDO"}

    # The bodies chosen at the start, by name: the selection may change while a bake runs.
    _names: Any = ()

    def make_job(self, context: bpy.types.Context) -> BakeJob:
        """The whole scene, since bodies push each other."""
        from ..bake.job import BakeJob

        return BakeJob(context.scene)

    def baked(self, context: bpy.types.Context) -> set[str]:
        """All or none: every mesh and file is looked at before the first mesh is changed."""
        from ..capture.controls import baked_object
        from ..write import write_shape_keys

        try:
            for obj, start, count in write_shape_keys([baked_object(name) for name in self._names]):
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
            self._names = [obj.name for obj in chosen]
        except known_errors() as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        if all(baked_file(obj) is not None and cache_problem(obj, context.scene) is None for obj in chosen):
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
