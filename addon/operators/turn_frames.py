"""Base of operators that convert the baked frames of selected bodies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import bpy

from .bake import BakeOperator, known_errors

if TYPE_CHECKING:
    from ..bake.job import BakeJob


class FrameConverter(BakeOperator):
    """Bakes first if a body has no valid bake, then converts all of the bodies or none."""

    # Names of the bodies selected at the start: the selection may change during a bake.
    _names: Any = ()

    def chosen(self, context: bpy.types.Context) -> list[bpy.types.Object]:
        """The bodies; raises CaptureError if there is none, or one that cannot be converted."""
        raise NotImplementedError

    def is_baked(self, obj: bpy.types.Object) -> bool:
        """Whether a body plays a bake."""
        raise NotImplementedError

    def convert(self, objects: list[bpy.types.Object]) -> list[str]:
        """Convert the frames of all or, with one of `known_errors`, of none; returns a sentence for each."""
        raise NotImplementedError

    def make_job(self, context: bpy.types.Context) -> BakeJob:
        """A bake of the whole scene, because bodies interact."""
        from ..bake.job import BakeJob

        return BakeJob(context.scene)

    def baked(self, context: bpy.types.Context) -> set[str]:
        """Convert; called after the bake, or at once if none is needed."""
        from ..capture.controls import baked_object

        try:
            for sentence in self.convert([baked_object(name) for name in self._names]):
                self.report({"INFO"}, sentence)
        except known_errors() as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        return {"FINISHED"}

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> set[str]:
        """Called by a button: if a bake is needed, it runs by timer."""
        return self._run(context, by_timer=not bpy.app.background)

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Called by a script: convert before returning."""
        return self._run(context, by_timer=False)

    def _run(self, context: bpy.types.Context, by_timer: bool) -> set[str]:
        from ..bake.owner import cache_problem

        try:
            chosen = self.chosen(context)
        except known_errors() as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        self._names = [obj.name for obj in chosen]
        if all(self.is_baked(obj) and cache_problem(obj, context.scene) is None for obj in chosen):
            return self.baked(context)
        return self.bake_by_timer(context) if by_timer else self.bake_blocking(context)
