"""Properties of Blender's structs as plain values, without those that are animated."""

from __future__ import annotations

import hashlib
from collections.abc import Container
from functools import lru_cache
from typing import Any

import bpy
from mathutils import Matrix

# Properties that only concern display.
_DISPLAY_ONLY = {
    "rna_type", "name", "is_active", "show_expanded", "show_in_editmode", "show_on_cage", "use_apply_on_spline",
    "use_pin_to_last", "persistent_uid", "execution_time", "is_override_data", "is_valid", "show_render",
    "render_levels", "active", "error_location", "error_rotation",
}
# Prefixes of further such names, for structs other than modifiers and settings.
_DISPLAY_PREFIXES = ("active", "bl_", "hide", "is_", "preview", "render_", "select", "show_", "texspace")

_POINT_TYPES = (
    bpy.types.Spline, bpy.types.SplinePoint, bpy.types.BezierSplinePoint, bpy.types.LatticePoint,
    bpy.types.CurveMapPoint,
)

# A property as its path from its data-block and its array index.
Channel = tuple[str, int]
_PLAIN = {bool, int, float, str}


def digest(value: Any) -> str:
    """Digest of nested plain values, computed from their repr."""
    return hashlib.blake2b(repr(value).encode(), digest_size=6).hexdigest()


def plain(value: Any) -> Any:
    """A vector, matrix or array as tuples, a data-block as its name, anything else unchanged."""
    if type(value) in _PLAIN:
        return value
    if isinstance(value, bpy.types.ID):
        return value.name_full
    if isinstance(value, Matrix):
        return tuple(tuple(row) for row in value)
    if not hasattr(value, "__len__"):
        return value
    return tuple(value)


def unkeyed(value: Any, path: str, keyed: Container[Channel]) -> Any:
    """A plain value, with None in place of animated components."""
    if isinstance(value, tuple):
        return tuple(None if (path, index) in keyed else item for index, item in enumerate(value))
    return None if (path, 0) in keyed else value


def plain_values(struct: bpy.types.bpy_struct, path: str = "", keyed: Container[Channel] = ()) -> list[Any]:
    """All plain values of a struct, in order, with None in place of animated ones.

    Args:
        struct: a modifier, a constraint, a property group.
        path: the struct's path from its data-block.
        keyed: channels that keyframes or drivers change.
    """
    prefix = f"{path}." if path else ""
    return [
        unkeyed(plain(getattr(struct, name)), f"{prefix}{name}", keyed) for name in _plain_names(type(struct))
    ]


def objects_in(struct: bpy.types.bpy_struct) -> list[bpy.types.Object]:
    """Objects that a struct refers to, such as the operand of a Boolean modifier."""
    found = (getattr(struct, name) for name in _object_names(type(struct)))
    return [obj for obj in found if obj is not None]


@lru_cache(maxsize=512)
def _plain_names(struct_type: type) -> tuple[str, ...]:
    names = (
        declared.identifier for declared in struct_type.bl_rna.properties
        if declared.identifier not in _DISPLAY_ONLY and declared.type not in ("POINTER", "COLLECTION")
    )
    for base in (bpy.types.ID, bpy.types.Node, bpy.types.NodeSocket):
        if issubclass(struct_type, base):
            # Properties of the base class concern the data-block or the node editor, except `mute` of nodes.
            base_names = set(base.bl_rna.properties.keys()) - {"mute"}
            return tuple(name for name in names if name not in base_names and not name.startswith(_DISPLAY_PREFIXES))
    if issubclass(struct_type, _POINT_TYPES):
        return tuple(name for name in names if not name.startswith(_DISPLAY_PREFIXES))
    return tuple(names)


@lru_cache(maxsize=256)
def _object_names(struct_type: type) -> tuple[str, ...]:
    return tuple(
        declared.identifier for declared in struct_type.bl_rna.properties
        if declared.type == "POINTER" and declared.fixed_type.identifier == "Object"
    )
