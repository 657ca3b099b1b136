"""`flotsam.attach`: ties selected vertices, or selected objects where they are near each other."""

from __future__ import annotations

import bmesh
import bpy
from bpy.props import FloatProperty
from mathutils.kdtree import KDTree

from ..names import OP_ATTACH, SETTINGS
from ..properties.attachments import unfit, unfit_pair
from ..properties.kinds import traits_of
from .poll_reasons import baking, is_grey, linked_scene

Pairs = list[tuple[int, int]]


class FLOTSAM_OT_attach(bpy.types.Operator):
    """Tie selected vertices, or selected objects where they are near each other"""

    bl_idname = OP_ATTACH
    bl_label = "Attach"
    bl_description = (
        "Tie soft and rigid bodies and agents to each other or to colliders. In Edit Mode: selected vertices, each to "
        "the nearest selected one of the other mesh. In Object Mode: selected objects to the active one, where their "
        "vertices are near it"
    )
    bl_options = {"REGISTER", "UNDO"}

    distance: FloatProperty(
        name="Distance", description="In Object Mode, how far apart vertices may be that are tied to each other",
        default=0.1, min=0.0, soft_max=1.0, subtype="DISTANCE", unit="LENGTH", precision=4,
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """There must be vertices or several meshes to tie, and no bake running."""
        if is_grey(cls, baking(), linked_scene(context)):
            return False
        if _edited(context) or (context.mode == "OBJECT" and len(_chosen(context)) >= 2):
            return True
        return not is_grey(cls, "Select two meshes in Object Mode, or vertices of one or two in Edit Mode")

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Add a row for each tied pair of objects; report the reason for each pair that cannot be tied."""
        ties = _ties_of_vertices(context) if _edited(context) else _ties_of_objects(context, self.distance)
        done = 0
        for one, other, pairs, reason in ties:
            if reason is None:
                _add_row(context.scene, one, other, pairs)
                done += len(pairs)
            else:
                self.report({"WARNING"}, reason)
        if not done:
            return {"CANCELLED"}
        self.report({"INFO"}, f"{done} {'link' if done == 1 else 'links'}; see Attachments in the Scene tab.")
        return {"FINISHED"}


Tie = tuple[bpy.types.Object | None, bpy.types.Object | None, Pairs, str | None]


def _edited(context: bpy.types.Context) -> list[bpy.types.Object]:
    """Meshes in Edit Mode."""
    if context.mode != "EDIT_MESH":
        return []
    return [obj for obj in context.view_layer.objects if obj.type == "MESH" and obj.mode == "EDIT"]


def _chosen(context: bpy.types.Context) -> list[bpy.types.Object]:
    """Selected meshes, the active one first."""
    chosen = [obj for obj in context.selected_objects if obj.type == "MESH"]
    return sorted(chosen, key=lambda obj: obj != context.view_layer.objects.active)


def _ties_of_vertices(context: bpy.types.Context) -> list[Tie]:
    """Edit Mode: two vertices of one mesh; or each selected vertex of the mesh with fewer of them to the other mesh."""
    picked = []
    for obj in _edited(context):
        obj.update_from_editmode()
        edited = bmesh.from_edit_mesh(obj.data)
        edited.verts.index_update()
        own = [vertex.index for vertex in edited.verts if vertex.select]
        if own:
            picked.append((obj, own))
    if len(picked) == 1 and len(picked[0][1]) == 2:
        obj, (first, second) = picked[0]
        return [(obj, obj, [(first, second)], unfit(obj) or unfit_pair(obj, obj))]
    if len(picked) != 2:
        return [(None, None, [], "Select two vertices of one mesh, or some of two meshes, to attach them.")]
    # Tie the mesh with fewer vertices; for equal counts the body, so that a row reads "Rope to Dock".
    (one, few), (other, many) = sorted(picked, key=lambda pick: (len(pick[1]), traits_of(pick[0]).is_wall))
    pairs = [(k, nearest) for k, nearest, _distance in _nearest(one, few, other, many)]
    return [(one, other, pairs, unfit(one) or unfit(other) or unfit_pair(one, other))]


def _ties_of_objects(context: bpy.types.Context, distance: float) -> list[Tie]:
    """Object Mode: each selected mesh to the active or first one, where vertices are near."""
    other, *rest = _chosen(context)
    ties: list[Tie] = []
    for obj in rest:
        one, to = (obj, other) if not traits_of(obj).is_wall else (other, obj)
        reason = unfit(one) or unfit(to) or unfit_pair(one, to)
        found = [] if reason else _nearest(one, range(len(one.data.vertices)), to, range(len(to.data.vertices)))
        pairs = [(k, nearest) for k, nearest, apart in found if apart <= distance]
        if not reason and not pairs:
            closest = min((apart for _k, _nearest, apart in found), default=None)
            reason = f"{one.name} and {to.name} have no vertices within {distance:.4g} m of each other" + (
                f"; the nearest are {closest:.4g} m apart." if closest is not None else "."
            )
        ties.append((one, to, pairs, reason))
    return ties


def _nearest(
    one: bpy.types.Object, few: list[int] | range, other: bpy.types.Object, many: list[int] | range
) -> list[tuple[int, int, float]]:
    """For each vertex in `few`, the nearest vertex in `many` of the other mesh, and its distance [m]."""
    if not many:
        return []
    tree = KDTree(len(many))
    for k in many:
        tree.insert(other.matrix_world @ other.data.vertices[k].co, k)
    tree.balance()
    found = []
    for k in few:
        _place, nearest, apart = tree.find(one.matrix_world @ one.data.vertices[k].co)
        found.append((k, nearest, apart))
    return found


def _add_row(scene: bpy.types.Scene, one: bpy.types.Object, other: bpy.types.Object, pairs: Pairs) -> None:
    settings = getattr(scene, SETTINGS)
    row = settings.attachments.add()
    row.name = f"{one.name} to {other.name}" if one != other else one.name
    row.a_object, row.b_object = one, other
    row.a_count, row.b_count = len(one.data.vertices), len(other.data.vertices)
    for a, b in pairs:
        link = row.links.add()
        link.a, link.b = a, b
    settings.attachment_index = len(settings.attachments) - 1


CLASSES = (FLOTSAM_OT_attach,)
