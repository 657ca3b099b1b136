"""`flotsam.rigid_to_colliders`: passive and animated rigid bodies of Blender's own become colliders."""

from __future__ import annotations

import bpy

from ...engine.spec import ColliderSpec
from ..capture.blenders_rigid import can_be_collider, is_solved_by_blender
from ..names import OP_RIGID_TO_COLLIDERS, SETTINGS
from .add import add_kind, why_not_kind
from .poll_reasons import baking, is_grey


class FLOTSAM_OT_rigid_to_colliders(bpy.types.Operator):
    """Let the scene's passive and animated rigid bodies of Blender's own be colliders, with their friction"""

    bl_idname = OP_RIGID_TO_COLLIDERS
    bl_label = "Rigid Bodies to Colliders"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """There must be passive or animated rigid bodies that are no colliders yet."""
        there = any(can_be_collider(obj) for obj in context.scene.objects)
        return not is_grey(
            cls, baking(), None if there else "No passive or animated rigid body of Blender's own is left to convert"
        )

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Convert all that can be converted; report those that Blender's solver moves, which stay as they are."""
        done = 0
        for obj in context.scene.objects:
            if not can_be_collider(obj):
                continue
            reason = why_not_kind(obj, ColliderSpec.kind)
            if reason is not None:
                self.report({"WARNING"}, reason)
                continue
            add_kind(obj, ColliderSpec.kind)
            settings, own = getattr(obj, SETTINGS).collider, obj.rigid_body
            settings.friction, settings.restitution = own.friction, own.restitution
            done += 1
        active = sum(is_solved_by_blender(obj) for obj in context.scene.objects)
        left = f"; {active} that Blender moves {'is' if active == 1 else 'are'} not coupled" if active else ""
        self.report({"INFO"}, f"{done} {'rigid body is a collider' if done == 1 else 'rigid bodies are colliders'} now"
                              f"{left}.")
        return {"FINISHED"} if done else {"CANCELLED"}


CLASSES = (FLOTSAM_OT_rigid_to_colliders,)
