"""`flotsam.join`: joins selected rigid bodies to the active object, or the active one to the world."""

from __future__ import annotations

import bpy
from bpy.props import EnumProperty
from mathutils import Vector

from ...engine.spec import Joint, params_of
from ..names import OP_JOIN, SETTINGS
from ..properties.joints import unfit_pair
from ..properties.kinds import traits_of
from .poll_reasons import baking, is_grey, linked_scene

CURSOR, ORIGIN = "CURSOR", "ORIGIN"
_KIND = params_of(Joint)["kind"]


class FLOTSAM_OT_join(bpy.types.Operator):
    """Join selected rigid bodies to the active object, or a single one to the world"""

    bl_idname = OP_JOIN
    bl_label = "Add Joint"
    bl_description = (
        "Join each selected rigid body to the active object, a rigid body or a collider; a single one to the world"
    )
    bl_options = {"REGISTER", "UNDO"}

    kind: EnumProperty(
        name=_KIND.label, description=_KIND.tip, items=_KIND.choices, default=_KIND.default, options={"SKIP_SAVE"}
    )
    at: EnumProperty(
        name="At", description="Where they are joined, and along what a hinge's axis lies",
        items=(
            (CURSOR, "3D Cursor", "At the 3D cursor; a hinge turns about the cursor's Z axis"),
            (ORIGIN, "Active Object", "At the origin of the active object; a hinge turns about its Z axis"),
        ),
        default=CURSOR, options={"SKIP_SAVE"},
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """A rigid body must be selected in Object Mode, and no bake be running."""
        chosen = _chosen(context)
        return not is_grey(
            cls, baking(), linked_scene(context),
            "Leave Edit Mode first" if context.mode != "OBJECT" else None,
            "Select rigid bodies, and last what they are joined to"
            if not any(traits_of(obj).is_rigid for obj in chosen) else None,
        )

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Add a row for each joint; report the reason for each pair that cannot be joined."""
        active, *rest = _chosen(context)
        frame = context.scene.cursor.matrix if self.at == CURSOR else active.matrix_world
        done = 0
        for one, other in [(obj, active) for obj in rest] or [(active, None)]:
            if not traits_of(one).is_rigid and other is not None:
                one, other = other, one
            reason = unfit_pair(one, other)
            if reason is None:
                _add_row(context.scene, one, other, frame.translation, frame.col[2].xyz, self.kind)
                done += 1
            else:
                self.report({"WARNING"}, reason)
        if not done:
            return {"CANCELLED"}
        self.report({"INFO"}, f"{done} {'joint' if done == 1 else 'joints'}; see Joints in the Scene tab.")
        return {"FINISHED"}


def _chosen(context: bpy.types.Context) -> list[bpy.types.Object]:
    """Selected meshes, the active one first."""
    chosen = [obj for obj in context.selected_objects if obj.type == "MESH"]
    return sorted(chosen, key=lambda obj: obj != context.view_layer.objects.active)


def _add_row(
    scene: bpy.types.Scene, one: bpy.types.Object, other: bpy.types.Object | None, point: Vector, axis: Vector,
    kind: str,
) -> None:
    settings = getattr(scene, SETTINGS)
    row = settings.joints.add()
    row.name = f"{one.name} to {'World' if other is None else other.name}"
    row.a_object, row.b_object, row.to_world = one, other, other is None
    to_local = one.matrix_world.inverted_safe()
    row.place, row.axis = to_local @ point, (to_local.to_3x3() @ axis).normalized()
    row.kind = kind
    settings.joint_index = len(settings.joints) - 1


CLASSES = (FLOTSAM_OT_join,)
