"""`flotsam.add`: selected objects become soft bodies, colliders or water."""

from __future__ import annotations

import bpy
from bpy.props import EnumProperty

from ..names import MODIFIER, NO_KIND, OP_ADD, SETTINGS
from ..properties.object import KIND_ITEMS
from .poll_reasons import baking, is_grey

_BODY, _RIGID = "SPRING_GRAPH", "VOXEL_BODY"
_KINDS = tuple(item for item in KIND_ITEMS if item[0] != NO_KIND)
_NEEDS_MESH = (_BODY, _RIGID, "COLLIDER")
_NEEDS_FACES = {"COLLIDER": "to bump into", _RIGID: "to make a solid of"}
_CAN_BECOME_MESHES = ("CURVE", "SURFACE", "META", "FONT", "CURVES", "POINTCLOUD")


class FLOTSAM_OT_add(bpy.types.Operator):
    """Let the selected objects take part in Flotsam"""

    bl_idname = OP_ADD
    bl_label = "Add Flotsam"
    bl_options = {"REGISTER", "UNDO"}

    kind: EnumProperty(
        name="Kind", description="What the selected objects become",
        items=_KINDS, default=_BODY,
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Something must be selected, and no bake be running."""
        if is_grey(cls, baking()):
            return False
        return not is_grey(cls, "Nothing is selected; select a mesh" if not context.selected_objects else None)

    def execute(self, context: bpy.types.Context) -> set[str]:
        """All that can; each that cannot is named with its reason."""
        done = 0
        for obj in context.selected_objects:
            reason = why_not_kind(obj, self.kind)
            if reason is None:
                add_kind(obj, self.kind)
                done += 1
            else:
                self.report({"WARNING"}, reason)
        return {"FINISHED"} if done else {"CANCELLED"}


def why_not_kind(obj: bpy.types.Object, kind: str) -> str | None:
    """Why an object cannot become that kind, None when it can."""
    from ..write.mesh_cache import is_ours

    if obj.library is not None:
        return f"{obj.name} is linked from another file and cannot be changed; make it local or override it first."
    if kind not in _NEEDS_MESH:
        return None
    if obj.type in _CAN_BECOME_MESHES:
        return f"{obj.name} is no mesh; convert it with Object > Convert > Mesh first."
    if obj.type != "MESH":
        return f"{obj.name} is no mesh and cannot become one; select a mesh."
    # In Edit Mode the mesh is as it was before, until it is asked for.
    obj.update_from_editmode()
    if not obj.data.vertices:
        return f"{obj.name} has no vertices; add some geometry first."
    if kind in _NEEDS_FACES and not obj.data.polygons:
        return f"{obj.name} has no faces {_NEEDS_FACES[kind]}; fill it with faces first."
    if kind == _BODY and MODIFIER in obj.modifiers and not is_ours(obj):
        return f'{obj.name} has another modifier named "{MODIFIER}"; rename that one first.'
    return None


def add_kind(obj: bpy.types.Object, kind: str) -> None:
    """Make an object a kind that `why_not_kind` has nothing against."""
    getattr(obj, SETTINGS).kind = kind
    if kind == _BODY and MODIFIER not in obj.modifiers:
        # Off until it is baked; it shows the artist where in the stack the solved shape comes in.
        modifier = obj.modifiers.new(MODIFIER, "MESH_CACHE")
        modifier.show_viewport = modifier.show_render = False


CLASSES = (FLOTSAM_OT_add,)
