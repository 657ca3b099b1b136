"""Detects what moves an object from outside, so that frames are visited only if necessary."""

from __future__ import annotations

import bpy

from .key_digest import keyed_channels
from .stack import modifiers_before

# Modifiers that give the same mesh at every frame if input and settings are constant.
TIME_INDEPENDENT = {
    "BEVEL", "DECIMATE", "EDGE_SPLIT", "MULTIRES", "REMESH", "SMOOTH", "SOLIDIFY", "SUBSURF", "TRIANGULATE",
    "WEIGHTED_NORMAL", "WELD",
}


# Modifiers that keep the vertex count from frame to frame if their settings are constant.
COUNT_KEEPING = {
    "MULTIRES", "SOLIDIFY", "SUBSURF", "TRIANGULATE",
    "ARMATURE", "CAST", "CLOTH", "CORRECTIVE_SMOOTH", "CURVE", "DATA_TRANSFER", "DISPLACE", "HOOK", "LAPLACIANDEFORM",
    "LAPLACIANSMOOTH", "LATTICE", "MESH_CACHE", "MESH_DEFORM", "MESH_SEQUENCE_CACHE", "NORMAL_EDIT", "SHRINKWRAP",
    "SIMPLE_DEFORM", "SMOOTH", "SOFT_BODY", "SURFACE_DEFORM", "UV_PROJECT", "UV_WARP", "VERTEX_WEIGHT_EDIT",
    "VERTEX_WEIGHT_MIX", "VERTEX_WEIGHT_PROXIMITY", "WARP", "WAVE", "WEIGHTED_NORMAL",
}


def is_keyed(block: bpy.types.ID | None) -> bool:
    """Whether keyframes, NLA strips or drivers change properties of a data-block."""
    animation = getattr(block, "animation_data", None)
    return animation is not None and bool(animation.action or animation.nla_tracks or animation.drivers)


def is_moved(obj: bpy.types.Object) -> bool:
    """Whether an object's matrix_world may change from frame to frame."""
    link: bpy.types.Object | None = obj
    while link is not None:
        if is_keyed(link) or link.rigid_body is not None or any(not c.mute for c in link.constraints):
            return True
        if link is not obj and (is_keyed(link.data) or _has_posed_constraints(link)):
            return True
        link = link.parent
    return False


def is_deformed(obj: bpy.types.Object) -> bool:
    """Whether an object's mesh before the Flotsam modifier may change from frame to frame."""
    if is_keyed(obj.data) or is_keyed(getattr(obj.data, "shape_keys", None)):
        return True
    shown = [modifier for modifier in modifiers_before(obj) if modifier.show_viewport]
    return is_keyed(obj) and bool(shown) or any(modifier.type not in TIME_INDEPENDENT for modifier in shown)


def may_change_count(obj: bpy.types.Object) -> bool:
    """Whether modifiers before the Flotsam modifier may change an object's vertex count from frame to frame."""
    shown = [modifier for modifier in modifiers_before(obj) if modifier.show_viewport]
    keyed = any(path.startswith("modifiers[") for path, _component in keyed_channels(obj))
    return is_deformed(obj) and (keyed or any(modifier.type not in COUNT_KEEPING for modifier in shown))


def _has_posed_constraints(armature: bpy.types.Object) -> bool:
    return armature.pose is not None and any(bone.constraints for bone in armature.pose.bones)
