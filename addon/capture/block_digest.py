"""Values of the textures, curves, lattices, node groups and collections that modifiers and fields refer to."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import bpy

from .key_digest import animation_values, keyed_channels
from .plain import plain, plain_values

# Data-blocks whose values are part of the digest; of others only the name is. An image has millions of values.
_READ_BY_VALUE = (bpy.types.Texture, bpy.types.Lattice, bpy.types.Curve, bpy.types.Key, bpy.types.NodeTree)
# Structs that belong to a modifier or a field, such as a falloff curve.
_OWN_STRUCTS = (bpy.types.CurveMapping, bpy.types.ColorRamp)

Target = Callable[[bpy.types.Object], Any]


def block_values(value: Any, target: Target) -> Any:
    """Values of a data-block and of all that it refers to; any other value becomes a plain value.

    Args:
        value: an object, a curve, a texture, a node group; or a number, a vector, a text.
        target: gives the values of an object that is referred to.
    """
    return _referred(value, target, set()) if isinstance(value, bpy.types.ID) else plain(value)


def referred_values(struct: bpy.types.bpy_struct, target: Target) -> list[Any]:
    """Values of everything that a modifier or field refers to, except objects. Args: see `block_values`."""
    found = (getattr(struct, name) for name in _pointers(type(struct)))
    return [
        _referred(value, target, set()) for value in found
        if isinstance(value, (*_OWN_STRUCTS, bpy.types.ID)) and not isinstance(value, bpy.types.Object)
    ]


def strings_in(values: Any) -> set[str]:
    """All strings among nested values, such as the names of the vertex groups that modifiers use."""
    if isinstance(values, str):
        return {values}
    return set().union(*map(strings_in, values)) if isinstance(values, (list, tuple)) else set()


def _block_values(block: bpy.types.ID, target: Target, seen: set[int]) -> Any:
    if isinstance(block, bpy.types.Collection):
        return [target(obj) for obj in sorted(block.all_objects, key=lambda obj: obj.name_full)]
    if not isinstance(block, _READ_BY_VALUE):
        return block.name_full
    return [animation_values(block), *_struct_values(block, target, seen)]


def _referred(value: Any, target: Target, seen: set[int]) -> Any:
    """Values of something that a struct points to."""
    if value is None or isinstance(value, (bpy.types.Node, bpy.types.NodeSocket)):
        # Only links point to nodes, and links are read as names of nodes and identifiers of sockets.
        return None
    if isinstance(value, bpy.types.Object):
        return target(value)
    if value.as_pointer() in seen:
        return None
    read = _block_values if isinstance(value, bpy.types.ID) else _struct_values
    return read(value, target, seen)


def _struct_values(struct: bpy.types.bpy_struct, target: Target, seen: set[int]) -> list[Any]:
    """Values of a struct, of nested structs, and of all that it refers to; each struct is read once."""
    if isinstance(struct, bpy.types.NodeLink):
        ends = (struct.from_node.name, struct.from_socket.identifier, struct.to_node.name, struct.to_socket.identifier)
        return [*ends, struct.is_muted]
    seen.add(struct.as_pointer())
    keyed = keyed_channels(struct.id_data)
    found = plain_values(struct, _path(struct) if keyed else "", keyed)
    found += [_referred(getattr(struct, name), target, seen) for name in _pointers(type(struct))]
    for name in _lists(type(struct)):
        found.append([
            _struct_values(item, target, seen) for item in getattr(struct, name) if item.as_pointer() not in seen
        ])
    return found


def _path(struct: bpy.types.bpy_struct) -> str:
    """Path of a struct from its data-block; empty for the data-block itself."""
    return "" if isinstance(struct, bpy.types.ID) else struct.path_from_id()


@lru_cache(maxsize=512)
def _pointers(struct_type: type) -> tuple[str, ...]:
    return _names(struct_type, "POINTER")


@lru_cache(maxsize=512)
def _lists(struct_type: type) -> tuple[str, ...]:
    return _names(struct_type, "COLLECTION")


def _names(struct_type: type, kind: str) -> tuple[str, ...]:
    skipped = {"rna_type", "animation_data", "parent", "internal_links"}
    if issubclass(struct_type, bpy.types.ID):
        skipped |= set(bpy.types.ID.bl_rna.properties.keys())
    return tuple(
        declared.identifier for declared in struct_type.bl_rna.properties
        if declared.type == kind and declared.identifier not in skipped
    )
