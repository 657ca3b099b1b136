"""Attributes of a mesh that Blender plays by itself: a carrier, and a geometry nodes modifier that reads it.

The carrier is an object in no collection, so it is invisible. The modifier's input keeps it in the file, and brings it
along when the object is appended to another file. A Mesh Cache modifier on the carrier plays the values, see
`engine.cache.carrier`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import bpy
import numpy as np

from ...engine import cache
from ..capture.stack import flotsam_modifier
from ..names import ATTRIBUTES_MODIFIER
from .attribute_nodes import CARRIER, attributes_group, names_of_group
from .node_groups import drop_group, get_input, plays_our_group, release_input, set_inputs
from .play import play_file, played_file


def attributes_modifier(obj: bpy.types.Object) -> bpy.types.Modifier | None:
    """The modifier that provides an object's attributes, None without any."""
    modifier = obj.modifiers.get(ATTRIBUTES_MODIFIER)
    return modifier if plays_our_group(modifier) else None


def carrier_of(obj: bpy.types.Object) -> bpy.types.Object | None:
    """The carrier of an object's attributes, None without any."""
    modifier = attributes_modifier(obj)
    return None if modifier is None else get_input(modifier, CARRIER)


def attributes_file(obj: bpy.types.Object) -> Path | None:
    """The file with an object's attributes, None without any."""
    carrier = carrier_of(obj)
    played = None if carrier is None else carrier.modifiers.get(ATTRIBUTES_MODIFIER)
    return None if played is None else played_file(played)


def attribute_names(obj: bpy.types.Object) -> tuple[str, ...]:
    """The attributes of an object, in file order."""
    modifier = attributes_modifier(obj)
    return () if modifier is None else names_of_group(modifier.node_group)


def read_attribute(obj: bpy.types.Object, name: str, frames: int) -> np.ndarray:
    """The values of an object's attribute in at most `frames` frames, evenly spaced, concatenated.

    Raises:
        OSError: the file cannot be read.
    """
    file, names = attributes_file(obj), attribute_names(obj)
    header = cache.read_header(file)
    count = cache.read_header(played_file(flotsam_modifier(obj))).points
    chosen = np.unique(np.linspace(0, header.samples - 1, frames).astype(int))
    return np.concatenate([cache.unpack(names, cache.read_sample(file, int(k)), count)[name] for k in chosen])


def connect_attributes(
    obj: bpy.types.Object, file: Path, names: Sequence[str], count: int, frame_start: int
) -> None:
    """Connect an object to the attributes of a file.

    Args: names: in file order; count: vertices at the Flotsam modifier.
    """
    modifier = attributes_modifier(obj)
    if modifier is None:
        modifier = obj.modifiers.new(ATTRIBUTES_MODIFIER, "NODES")
        modifier.show_expanded = False
        _move_after_flotsam(obj, modifier)
    group = attributes_group(names)
    if modifier.node_group != group:
        carrier = carrier_of(obj) if modifier.node_group is not None else None
        before, modifier.node_group = modifier.node_group, group
        drop_group(before)
    else:
        carrier = get_input(modifier, CARRIER)
    rows = cache.row_count(names, count)
    if carrier is None or carrier.library is not None or carrier.users > 1 or len(carrier.data.vertices) != rows:
        before, carrier = carrier, _new_carrier(obj, rows)
        set_inputs(modifier, {CARRIER: carrier})
        _drop_carrier(before)
    else:
        set_inputs(modifier, {CARRIER: carrier})
    play_file(carrier.modifiers[ATTRIBUTES_MODIFIER], file, frame_start)
    carrier.update_tag()
    modifier.show_viewport = modifier.show_render = True


def remove_attributes(obj: bpy.types.Object) -> None:
    """Remove an object's attributes, and the carrier too if nothing else uses it."""
    modifier = attributes_modifier(obj)
    if modifier is None:
        return
    if modifier.is_override_data:
        # A removed override modifier would come back when the file is opened again.
        modifier.show_viewport = modifier.show_render = False
        return
    carrier, group = get_input(modifier, CARRIER), modifier.node_group
    release_input(modifier, CARRIER)
    obj.modifiers.remove(modifier)
    _drop_carrier(carrier)
    drop_group(group)


def _move_after_flotsam(obj: bpy.types.Object, modifier: bpy.types.Modifier) -> None:
    """Move the modifier right after Flotsam, because later modifiers may change the vertices."""
    own = flotsam_modifier(obj)
    stack = list(obj.modifiers)
    # In a library override the modifiers from the other file always come first.
    if own is not None and not any(found.is_override_data for found in stack[stack.index(own) + 1 :]):
        obj.modifiers.move(len(stack) - 1, stack.index(own) + 1)


def _new_carrier(obj: bpy.types.Object, rows: int) -> bpy.types.Object:
    name = f"{obj.name} Attributes"
    mesh = bpy.data.meshes.new(name)
    mesh.vertices.add(rows)
    carrier = bpy.data.objects.new(name, mesh)
    carrier.modifiers.new(ATTRIBUTES_MODIFIER, "MESH_CACHE")
    return carrier


def _drop_carrier(carrier: bpy.types.Object | None) -> None:
    if carrier is None or carrier.library is not None or carrier.users > 0:
        return
    mesh = carrier.data
    bpy.data.objects.remove(carrier)
    if mesh.users == 0:
        bpy.data.meshes.remove(mesh)
