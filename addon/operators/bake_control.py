"""`flotsam.bake_control`: the buttons of a running bake."""

from __future__ import annotations

import bpy
from bpy.props import EnumProperty

from ..bake import state
from ..names import OP_BAKE_CONTROL
from .poll_reasons import is_grey

PAUSE, GO_ON, STOP = "PAUSE", "GO_ON", "STOP"


class FLOTSAM_OT_bake_control(bpy.types.Operator):
    """Pause a bake, let it go on, or stop it"""

    bl_idname = OP_BAKE_CONTROL
    bl_label = "Control Bake"
    bl_options = {"INTERNAL"}

    action: EnumProperty(
        name="Action", description="What the bake is to do",
        items=(
            (PAUSE, "Pause", "Stand still after the frame that is being solved; the processor is free meanwhile"),
            (GO_ON, "Go On", "Go on where it stands"),
            (STOP, "Stop", "End the bake and keep finished frames, from which Resume goes on"),
        ),
        default=PAUSE, options={"SKIP_SAVE"},
    )

    @classmethod
    def poll(cls, _context: bpy.types.Context) -> bool:
        """Only while a bake runs."""
        return not is_grey(cls, "No bake is running" if state.current() is None else None)

    @classmethod
    def description(cls, _context: bpy.types.Context, properties: bpy.types.OperatorProperties) -> str:
        """The tip of the action."""
        return cls.bl_rna.properties["action"].enum_items[properties.action].description

    def execute(self, _context: bpy.types.Context) -> set[str]:
        """Request the action; the bake performs it within a slice."""
        if self.action == STOP:
            state.ask_stop()
        else:
            state.ask_pause(self.action == PAUSE)
        return {"FINISHED"}


CLASSES = (FLOTSAM_OT_bake_control,)
