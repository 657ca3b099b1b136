"""`flotsam.live_control`: the buttons of a running live session."""

from __future__ import annotations

import bpy
from bpy.props import EnumProperty

from ..live import state
from ..names import OP_LIVE_CONTROL
from .bake import known_errors
from .poll_reasons import is_grey

PLAY, PAUSE, STEP, RESET, KEEP, RECORD, STOP = "PLAY", "PAUSE", "STEP", "RESET", "KEEP", "RECORD", "STOP"


class FLOTSAM_OT_live_control(bpy.types.Operator):
    """Play, pause, step, reset, record or stop Live"""

    bl_idname = OP_LIVE_CONTROL
    bl_label = "Control Live"
    bl_options = {"INTERNAL"}

    action: EnumProperty(
        name="Action", description="What Live is to do",
        items=(
            (PLAY, "Play", "Let time run"),
            (PAUSE, "Pause", "Let time stand still; bodies can still be looked at from all sides"),
            (STEP, "Step", "Solve one frame and stand still"),
            (RESET, "Reset", "Everything back to where it started"),
            (KEEP, "Keep", "Let bodies start as they are now, with their springs at rest where they were before"),
            (RECORD, "Record", "Turn all since the start or the last Reset into the bake, grabs included"),
            (STOP, "Stop", "End Live; everything is as it was before, and what was recorded stays"),
        ),
        default=PAUSE, options={"SKIP_SAVE"},
    )

    @classmethod
    def poll(cls, _context: bpy.types.Context) -> bool:
        """Only while Live runs."""
        return not is_grey(cls, "Live is not running; start it first" if state.current() is None else None)

    @classmethod
    def description(cls, _context: bpy.types.Context, properties: bpy.types.OperatorProperties) -> str:
        """The tip of the action."""
        return cls.bl_rna.properties["action"].enum_items[properties.action].description

    def execute(self, _context: bpy.types.Context) -> set[str]:
        """Perform the action; record and keep push an undo step."""
        session = state.current()
        try:
            if self.action == RECORD:
                first, last = session.bake()
                self.report({"INFO"}, f"Recorded frames {first} to {last}; stop Live and press Play.")
                bpy.ops.ed.undo_push(message="Record Live")
            elif self.action == KEEP:
                session.keep()
                bpy.ops.ed.undo_push(message="Keep Pose")
            else:
                actions = {
                    PLAY: session.play, PAUSE: session.pause, STEP: session.step, RESET: session.reset,
                    STOP: session.end,
                }
                actions[self.action]()
        except known_errors() as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        return {"FINISHED"}


CLASSES = (FLOTSAM_OT_live_control,)
