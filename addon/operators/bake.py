"""`flotsam.bake`: solve the scene's bodies and leave their frames on disk."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import bpy
from bpy.props import BoolProperty

from ..bake import state
from ..names import OP_BAKE
from ..properties.scene import bake_range
from .poll_reasons import baking, is_grey, live_running
from .view import redraw

if TYPE_CHECKING:
    from ..bake.job import BakeJob

# A slice of about 5 ms every 20 ms keeps the interface responsive.
_TICK_SECONDS = 0.02
_SLICE_SECONDS = 0.005
# Interval between redraws [s]: drawing can take longer than a slice, and faster numbers are unreadable.
_REDRAW_SECONDS = 0.1


def known_errors() -> tuple[type[Exception], ...]:
    """Errors with a sentence for the artist as message; imported late because they import numpy."""
    from ...engine.errors import EngineError
    from ..capture.errors import CaptureError
    from ..live.errors import LiveError

    return (CaptureError, EngineError, LiveError, OSError)


class BakeOperator:
    """Base of operators that bake: blocking in background mode, by a timer in a window."""

    # Blender evaluates annotations of operator classes, so names imported for type checking cannot be used.
    _job: Any = None
    _slices: Any = None
    _timer: Any = None
    _shown_at = 0.0
    _warned = 0

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Only one bake at a time."""
        return not is_grey(cls, baking(), live_running()) and context.scene is not None

    def make_job(self, context: bpy.types.Context) -> BakeJob:
        """Create the job to run."""
        raise NotImplementedError

    def baked(self, context: bpy.types.Context) -> set[str]:
        """Called after a completed bake: report what to do next."""
        start, end = bake_range(context.scene.flotsam)
        baked = f"Baked frames {start} to {end}"
        if self._warned:
            warnings = "a warning" if self._warned == 1 else f"{self._warned} warnings"
            self.report({"WARNING"}, f"{baked}, with {warnings}: see the Bake panel.")
        else:
            self.report({"INFO"}, f"{baked}; press Play.")
        return {"FINISHED"}

    def stopped(self) -> str:
        """Message about the frames that a stopped bake leaves."""
        done = self._job.progress.done
        if not done:
            return "Stopped before the first frame; what was baked before stays."
        resume_hint = ", Resume goes on" if self._job.files.index.resumable else ""
        return f"Stopped; {done} of {self._job.total} frames are baked{resume_hint}."

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> set[str]:
        """Called by a button: bake by timer, where there is a window."""
        return self.bake_blocking(context) if bpy.app.background else self.bake_by_timer(context)

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Called by a script: bake before returning."""
        return self.bake_blocking(context)

    def bake_blocking(self, context: bpy.types.Context) -> set[str]:
        """Bake, and return when done."""
        try:
            self._job = self.make_job(context)
            for _progress in self._job.run():
                pass
            self._warn(self._job)
            return self.baked(context)
        except known_errors() as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}

    def bake_by_timer(self, context: bpy.types.Context) -> set[str]:
        """Start a bake that leaves the interface usable."""
        try:
            self._job = self.make_job(context)
            self._slices = self._job.run(_SLICE_SECONDS)
            # From here on no second bake can start.
            next(self._slices)
        except known_errors() as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        manager = context.window_manager
        self._timer = manager.event_timer_add(_TICK_SECONDS, window=context.window)
        manager.progress_begin(0, self._job.total)
        manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        """Run a slice at each tick of the timer; Esc stops."""
        if state.stop_asked() or (event.type == "ESC" and event.value == "PRESS"):
            self._end(context)
            self.report({"INFO"}, self.stopped())
            return {"FINISHED"} if self._job.progress.done else {"CANCELLED"}
        if event.type != "TIMER":
            return {"PASS_THROUGH"}
        try:
            progress = next(self._slices)
        except StopIteration:
            self._end(context)
            return self.baked(context)
        except known_errors() as error:
            self._end(context)
            self.report({"ERROR"}, str(error))
            return {"FINISHED"} if self._job.progress.done else {"CANCELLED"}
        except Exception:
            # Re-raise an internal error, but remove the timer and the status line.
            self._end(context)
            raise
        if time.monotonic() - self._shown_at >= _REDRAW_SECONDS:
            _show_progress(context, progress)
            self._shown_at = time.monotonic()
        return {"PASS_THROUGH"}

    def cancel(self, context: bpy.types.Context) -> None:
        """Called when Blender ends the operator, for example because another file is opened."""
        self._end(context)

    def _end(self, context: bpy.types.Context) -> None:
        self._slices.close()
        self._warn(self._job)
        manager = context.window_manager
        manager.event_timer_remove(self._timer)
        manager.progress_end()
        context.workspace.status_text_set(None)
        redraw(context, {"PROPERTIES", "VIEW_3D", "DOPESHEET_EDITOR"})

    def _warn(self, job: BakeJob) -> None:
        self._warned = len(job.warnings)
        for sentence in job.warnings:
            self.report({"WARNING"}, sentence)


class FLOTSAM_OT_bake(BakeOperator, bpy.types.Operator):
    """Solve every Flotsam body of the scene and keep its frames on disk"""

    bl_idname = OP_BAKE
    bl_label = "Bake"
    bl_options = {"UNDO"}

    resume: BoolProperty(
        name="Resume", description="Go on after the last finished frame instead of starting again",
        default=False, options={"SKIP_SAVE"},
    )

    def make_job(self, context: bpy.types.Context) -> BakeJob:
        """Create a job for all bodies of the scene, in its frame range."""
        from ..bake.job import BakeJob

        return BakeJob(context.scene, resume=self.resume)


def _show_progress(context: bpy.types.Context, progress: state.Progress) -> None:
    words = state.words(state.current()) or progress.message
    context.workspace.status_text_set(f"Flotsam: {words} Esc stops and keeps finished frames.")
    context.window_manager.progress_update(progress.done)
    redraw(context, {"PROPERTIES", "DOPESHEET_EDITOR"})


CLASSES = (FLOTSAM_OT_bake,)
