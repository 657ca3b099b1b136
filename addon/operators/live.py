"""`flotsam.live`: solves the scene in real time, with the mouse as a hand, until Esc."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import bpy

from ..live import state
from ..names import OP_LIVE
from ..overlay import hand
from .bake import known_errors
from .poll_reasons import baking, is_grey
from .view import View, redraw, view_under

if TYPE_CHECKING:
    from ..live.session import LiveSession

_TICK_SECONDS = 1.0 / 60.0
_STATUS_SECONDS = 0.2


class FLOTSAM_OT_live(bpy.types.Operator):
    """Solve the scene in real time; pull at bodies with the mouse; Esc brings everything back"""

    bl_idname = OP_LIVE
    bl_label = "Live"

    # Blender evaluates annotations of operator classes, so names imported for type checking cannot be used.
    _session: Any = None
    _timer: Any = None
    _view: Any = None
    _shown_at = 0.0

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """One session at a time, in a window, in Object Mode."""
        return not is_grey(
            cls,
            "Live needs a window; bake instead" if bpy.app.background else None,
            "Live is running already; stop it with Esc" if state.current() is not None else None,
            baking(),
            "Leave Edit Mode first" if context.mode != "OBJECT" else None,
        ) and context.scene is not None

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Called by a script; runs until it is stopped."""
        return self.invoke(context, None)

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event | None) -> set[str]:
        """Start the session."""
        from ..live.session import LiveSession

        try:
            self._session = LiveSession(context.scene)
        except known_errors() as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        manager = context.window_manager
        self._timer = manager.event_timer_add(_TICK_SECONDS, window=context.window)
        hand.begin()
        manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        """Display at each tick of the timer; the left button grabs bodies or calls flocks; others pass through."""
        session = self._session
        if state.current() is not session:
            # Stopped by a button, or because Blender opened a file.
            return self._end(context)
        if event.type == "TIMER":
            return self._tick(context, session)
        if event.type == "ESC" and event.value == "PRESS":
            return self._end(context)
        if event.type == "SPACE" and event.value == "PRESS" and view_under(context, event) is not None:
            (session.pause if session.playing else session.play)()
            return {"RUNNING_MODAL"}
        if event.type == "LEFTMOUSE":
            return self._press(context, event, session)
        if event.type == "MOUSEMOVE" and session.hold is not None and self._view is not None:
            session.drag(self._view.point(event, session.hold.target))
            return {"RUNNING_MODAL"}
        return {"PASS_THROUGH"}

    def cancel(self, context: bpy.types.Context) -> None:
        """Called when Blender ends the operator, for example because a file is opened or the window closed."""
        self._end(context)

    def _press(self, context: bpy.types.Context, event: bpy.types.Event, session: LiveSession) -> set[str]:
        if event.value != "PRESS":
            held = session.hold is not None
            session.release()
            return {"RUNNING_MODAL"} if held else {"PASS_THROUGH"}
        self._view: View | None = view_under(context, event)
        if self._view is None or not session.take(*self._view.ray(event), event.shift):
            return {"PASS_THROUGH"}
        return {"RUNNING_MODAL"}

    def _tick(self, context: bpy.types.Context, session: LiveSession) -> set[str]:
        try:
            new = session.tick()
        except known_errors() as error:
            self.report({"ERROR"}, str(error))
            return self._end(context)
        except Exception:
            # Re-raise an internal error, but remove all traces of the session.
            self._end(context)
            raise
        for sentence in session.warnings:
            self.report({"WARNING"}, sentence)
        session.warnings.clear()
        if new:
            redraw(context, {"VIEW_3D"})
        if time.monotonic() - self._shown_at >= _STATUS_SECONDS:
            context.workspace.status_text_set(status(session))
            redraw(context, {"PROPERTIES", "VIEW_3D"} if session.message else {"PROPERTIES"})
            self._shown_at = time.monotonic()
        return {"PASS_THROUGH"}

    def _end(self, context: bpy.types.Context) -> set[str]:
        self._session.end()
        hand.end()
        if self._timer is not None:
            context.window_manager.event_timer_remove(self._timer)
            self._timer = None
        if context.workspace is not None:
            context.workspace.status_text_set(None)
        redraw(context, {"PROPERTIES", "VIEW_3D"})
        return {"FINISHED"}


def status(session: LiveSession) -> str:
    """One line for the status bar: the state of Live, and the keys."""
    from ..live.lure import has_flocks

    flocks = " or hold it to call flocks (Shift frightens them)" if has_flocks(session.captured) else ""
    keys = f"Drag bodies with the left button{flocks}, Space pauses, Esc stops and brings everything back."
    if session.message:
        return f"Flotsam Live: {session.message} {keys}"
    if not session.playing:
        return f"Flotsam Live stands still. {keys}"
    speed = session.speed
    if not speed:
        return f"Flotsam Live: solving the first frames. {keys}"
    if speed > 0.97:
        return f"Flotsam Live: real time. {keys}"
    return f"Flotsam Live: {speed:.0%} of real time, the scene takes longer to solve than to play. {keys}"


CLASSES = (FLOTSAM_OT_live,)
