"""`flotsam.add_instances`: an object or a collection in place of the points of a flock or a fluid."""

from __future__ import annotations

import bpy
from bpy.props import BoolProperty, StringProperty

from ..names import OP_ADD_INSTANCES, SETTINGS
from ..properties.kinds import spec_class_of
from .poll_reasons import is_grey


class FLOTSAM_OT_add_instances(bpy.types.Operator):
    """Show an object or the objects of a collection in place of each point, by a modifier that plays without Flotsam"""

    bl_idname = OP_ADD_INSTANCES
    bl_label = "Add Instances"
    bl_options = {"REGISTER", "UNDO"}

    shown: StringProperty(
        name="Shown", description="Name of the collection or object that is shown; without one, another object that is "
        "selected, or none yet", options={"SKIP_SAVE"},
    )
    by_phase: BoolProperty(
        name="Pick by Phase", description="The collection holds the poses of one beat, in the order of their names",
        default=False,
    )
    last_rests: BoolProperty(
        name="Last Rests", description="The last object of the collection is the pose of agents that have landed",
        default=False,
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Only for kinds whose bake leaves points."""
        obj = context.object
        spec_class = None if obj is None or not hasattr(obj, SETTINGS) else spec_class_of(obj)
        there = spec_class is not None and spec_class.output == "POINTS"
        return not is_grey(cls, None if there else "Select a flock or a fluid")

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Add the modifier at the end of the stack."""
        from ..write.instance_nodes import add_instances

        shown = None
        if self.shown:
            shown = bpy.data.collections.get(self.shown) or bpy.data.objects.get(self.shown)
            if shown is None:
                self.report({"ERROR"}, f"There is no collection and no object named {self.shown}.")
                return {"CANCELLED"}
        others = [obj for obj in context.selected_objects if obj != context.object and obj.type == "MESH"]
        add_instances(context.object, shown or (others[0] if others else None), self.by_phase, self.last_rests)
        return {"FINISHED"}


CLASSES = (FLOTSAM_OT_add_instances,)
