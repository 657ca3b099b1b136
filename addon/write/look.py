"""Shows a whole object in another material without changing its own: a modifier at the end of the stack sets it.

Removing the modifier shows the object's own materials again, with this add-on or without.
"""

from __future__ import annotations

import bpy

from ..names import LOOK_MODIFIER
from .node_groups import GroupBuilder, drop_group, group_named, plays_our_group, set_inputs

_MATERIAL = "Material"


def has_look(obj: bpy.types.Object) -> bool:
    """Whether an object is shown in another material."""
    return plays_our_group(obj.modifiers.get(LOOK_MODIFIER))


def set_look(obj: bpy.types.Object, material: bpy.types.Material) -> None:
    """Show an object in a material."""
    modifier = obj.modifiers[LOOK_MODIFIER] if has_look(obj) else obj.modifiers.new(LOOK_MODIFIER, "NODES")
    modifier.node_group = group_named(LOOK_MODIFIER, _build)
    modifier.show_expanded = False
    set_inputs(modifier, {_MATERIAL: material})


def remove_look(obj: bpy.types.Object) -> None:
    """Show an object in its own materials again."""
    if not has_look(obj):
        return
    modifier = obj.modifiers[LOOK_MODIFIER]
    group = modifier.node_group
    obj.modifiers.remove(modifier)
    drop_group(group)


def _build(name: str) -> bpy.types.NodeTree:
    nodes = GroupBuilder(name, {_MATERIAL: "NodeSocketMaterial"})
    inputs = nodes.source.outputs
    nodes.end(nodes.add("GeometryNodeSetMaterial", inputs["Geometry"], None, inputs[_MATERIAL]))
    return nodes.group
