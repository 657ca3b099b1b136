"""Builds geometry node groups by code, and sets the inputs of their modifiers, in Blender 4.5 to 5.2."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import bpy

from ..names import GROUP_MARK

# Increase it when groups are built differently: older files keep their own group, and new bakes get a new one.
_VERSION = 7

Value = bpy.types.Node | bpy.types.NodeSocket | float | int | str | None


class GroupBuilder:
    """Builds one group: geometry in, geometry out, with nodes added from left to right.

    Attributes:
        group: the node group; source: its input node.
    """

    def __init__(self, name: str, inputs: Mapping[str, str]) -> None:
        """Args: name: of the group; inputs: names and socket types of the inputs after the geometry."""
        self.group = bpy.data.node_groups.new(name, "GeometryNodeTree")
        self.group.is_modifier = True
        interface = self.group.interface
        interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
        interface.new_socket("Geometry", in_out="INPUT", socket_type="NodeSocketGeometry")
        for label, socket_type in inputs.items():
            interface.new_socket(label, in_out="INPUT", socket_type=socket_type)
        self.source = self.group.nodes.new("NodeGroupInput")

    def add(self, kind: str, *values: Value, **settings: Any) -> bpy.types.Node:
        """Add a node with settings; values go to its active inputs in order, and None leaves one unchanged."""
        node = self.group.nodes.new(kind)
        node.location.x = 180.0 * len(self.group.nodes)
        for setting, value in settings.items():
            setattr(node, setting, value)
        # Not strict: there may be fewer values than inputs.
        for socket, value in zip([found for found in node.inputs if found.enabled], values, strict=False):
            self.give(socket, value)
        return node

    def give(self, socket: bpy.types.NodeSocket, value: Value) -> None:
        """Link an input to a node's first active output, or to a socket, or set it to a number or text."""
        if isinstance(value, bpy.types.Node):
            value = next(found for found in value.outputs if found.enabled)
        if isinstance(value, bpy.types.NodeSocket):
            self.group.links.new(value, socket)
        elif value is not None:
            socket.default_value = value

    def math(self, operation: str, *values: Value) -> bpy.types.Node:
        """A math node for floats."""
        return self.add("ShaderNodeMath", *values, operation=operation)

    def integer(self, operation: str, *values: Value) -> bpy.types.Node:
        """A math node for integers."""
        return self.add("FunctionNodeIntegerMath", *values, operation=operation)

    def named(self, attribute: str) -> bpy.types.Node:
        """The values of a named float attribute."""
        return self.add("GeometryNodeInputNamedAttribute", attribute, data_type="FLOAT")

    def store(self, geometry: Value, attribute: str, value: Value, data_type: str = "FLOAT") -> bpy.types.Node:
        """The geometry with a stored point attribute."""
        return self.add(
            "GeometryNodeStoreNamedAttribute", geometry, None, attribute, value, data_type=data_type, domain="POINT"
        )

    def end(self, geometry: Value) -> None:
        """Connect the output of the group."""
        self.add("NodeGroupOutput", geometry)


def group_named(name: str, build: Callable[[str], bpy.types.NodeTree]) -> bpy.types.NodeTree:
    """The group of that name built by this version in this file, else a new one."""
    for group in bpy.data.node_groups:
        if group.library is None and group.get(GROUP_MARK) == _VERSION and group.name.split(".")[0] == name:
            return group
    group = build(name)
    group[GROUP_MARK] = _VERSION
    return group


def plays_our_group(modifier: bpy.types.Modifier | None) -> bool:
    """Whether a modifier is a geometry nodes modifier with one of our groups, from this version or another."""
    if modifier is None or modifier.type != "NODES" or modifier.node_group is None:
        return False
    return GROUP_MARK in modifier.node_group


def set_inputs(modifier: bpy.types.Modifier, values: Mapping[str, Any]) -> None:
    """Set inputs of a modifier's group, by label."""
    for label, value in values.items():
        identifier = _identifier(modifier, label)
        if hasattr(modifier, "properties"):
            getattr(modifier.properties.inputs, identifier).value = value
        else:
            modifier[identifier] = value
    modifier.id_data.update_tag()


def get_input(modifier: bpy.types.Modifier, label: str) -> Any:
    """Value of an input, None if it was never set."""
    identifier = _identifier(modifier, label)
    if hasattr(modifier, "properties"):
        return getattr(modifier.properties.inputs, identifier).value
    return modifier.get(identifier)


def release_input(modifier: bpy.types.Modifier, label: str) -> None:
    """Clear the data-block that an input names before its modifier is removed, which Blender 5.2 does not do."""
    if hasattr(modifier, "properties"):
        getattr(modifier.properties.inputs, _identifier(modifier, label)).value = None


def drop_group(group: bpy.types.NodeTree | None) -> None:
    """Remove one of our groups if nothing uses it."""
    if group is not None and group.library is None and GROUP_MARK in group and group.users == 0:
        bpy.data.node_groups.remove(group)


def _identifier(modifier: bpy.types.Modifier, label: str) -> str:
    """Blender's identifier of an input with a label that the artist sees."""
    for item in modifier.node_group.interface.items_tree:
        if item.item_type == "SOCKET" and item.in_out == "INPUT" and item.name == label:
            return item.identifier
    raise KeyError(f"{modifier.node_group.name} has no input {label}")
