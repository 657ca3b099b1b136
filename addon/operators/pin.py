"""`flotsam.pin`: pins or unpins selected vertices."""

from __future__ import annotations

import bpy
from bpy.props import EnumProperty, FloatProperty

from ..names import OP_PIN, PIN_GROUP, SETTINGS
from ..properties.kinds import traits_of
from .poll_reasons import baking, is_grey

_ADD, _REMOVE = "ADD", "REMOVE"


class FLOTSAM_OT_pin(bpy.types.Operator):
    """Hold the selected vertices in place, or where the animated object takes them"""

    bl_idname = OP_PIN
    bl_label = "Pin Selected"
    bl_options = {"REGISTER", "UNDO"}

    action: EnumProperty(
        name="Action", description="What happens to the selected vertices",
        items=((_ADD, "Pin", "They are held"), (_REMOVE, "Unpin", "They are let go")), default=_ADD,
    )
    weight: FloatProperty(
        name="Weight", description="Of the vertices in the group; from more than half on they are held",
        default=1.0, min=0.0, max=1.0, subtype="FACTOR", options={"SKIP_SAVE"},
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """A soft body must be open in Edit Mode."""
        edited = context.mode == "EDIT_MESH" and bool(_edited(context))
        return not is_grey(cls, baking(), None if edited else "Select vertices of a soft body in Edit Mode")

    @classmethod
    def description(cls, _context: bpy.types.Context, properties: bpy.types.OperatorProperties) -> str:
        """The tip of the action."""
        return cls.__doc__ if properties.action == _ADD else "Let the selected vertices go"

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Change the pin group of each soft body in Edit Mode; create the group if necessary."""
        done = sum(self._pin(obj) for obj in _edited(context))
        if not done:
            self.report({"WARNING"}, "No vertex of a soft body is selected; select some.")
            return {"CANCELLED"}
        self.report({"INFO"}, f"{done} {'vertex is' if done == 1 else 'vertices are'} "
                              f"{'pinned' if self.action == _ADD else 'free'} now.")
        return {"FINISHED"}

    def _pin(self, obj: bpy.types.Object) -> int:
        """Change one object; returns the number of selected vertices."""
        import bmesh

        settings = getattr(obj, SETTINGS)
        name = settings.pin_group or PIN_GROUP
        group = obj.vertex_groups.get(name)
        if group is None and self.action == _ADD:
            group = obj.vertex_groups.new(name=name)
            settings.pin_group = group.name
        mesh = bmesh.from_edit_mesh(obj.data)
        # Adding a layer invalidates references to vertices, so do it before taking any.
        layer = mesh.verts.layers.deform.verify()
        chosen = [vertex for vertex in mesh.verts if vertex.select]
        if group is None:
            return len(chosen)
        for vertex in chosen:
            if self.action == _ADD:
                vertex[layer][group.index] = self.weight
            elif group.index in vertex[layer]:
                del vertex[layer][group.index]
        bmesh.update_edit_mesh(obj.data, loop_triangles=False, destructive=False)
        return len(chosen)


def _edited(context: bpy.types.Context) -> list[bpy.types.Object]:
    """Soft bodies in Edit Mode that can be changed."""
    return [
        obj for obj in context.objects_in_mode_unique_data
        if obj.library is None and obj.type == "MESH" and traits_of(obj).is_springy
    ]


CLASSES = (FLOTSAM_OT_pin,)
