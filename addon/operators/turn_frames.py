"""How an operator turns the baked frames of selected bodies into something else; shared by those that do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import bpy

from .bake import BakeSteps, known_errors

if TYPE_CHECKING:
    from ..bake.job import BakeJob


class TurnFrames(BakeSteps):
    """A bake first where none fits, then all of the bodies or none."""

    # The bodies chosen at the start, by name: the selection may change while a bake runs.
    _names: Any = ()

    def chosen(self, context: bpy.types.Context) -> list[bpy.types.Object]:
        """The bodies; raises CaptureError when there is none, or one that can never be turned."""
        raise NotImplementedError

    def is_baked(self, obj: bpy.types.Object) -> bool:
        """Whether a body plays what a bake wrote."""
        raise NotImplementedError

    def turn(self, objects: list[bpy.types.Object]) -> list[str]:
        """Turn the frames of all or, with one of `known_errors`, of none; a sentence for each."""
        raise NotImplementedError

    def make_job(self, context: bpy.types.Context) -> BakeJob:
        """The whole scene, since bodies push each other."""
        from ..bake.job import BakeJob

        return BakeJob(context.scene)

    def baked(self, context: bpy.types.Context) -> set[str]:
        """What follows the bake, or takes its place."""
        from ..capture.controls import baked_object

        try:
            for sentence in self.turn([baked_object(name) for name in self._names]):
                self.report({"INFO"}, sentence)
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

        try:
            chosen = self.chosen(context)
        except known_errors() as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        self._names = [obj.name for obj in chosen]
        if all(self.is_baked(obj) and cache_problem(obj, context.scene) is None for obj in chosen):
            return self.baked(context)
        return self.bake_by_timer(context) if by_timer else self.bake_here(context)
