"""Groups of geometry nodes made by code, and the inputs of modifiers that play them, in Blender 4.5 to 5.2."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import bpy

from ..names import GROUP_MARK

# Raised when a group is built otherwise: an older file keeps its own group, a new bake gets a new one.
_VERSION = 2

Value = bpy.types.Node | bpy.types.NodeSocket | float | int | str | None


class GroupBuilder:
    """One group: geometry in, geometry out, nodes added from left to right.

    Attributes:
        group: the node group; source: its input node.
    """

    def __init__(self, name: str, inputs: Mapping[str, str]) -> None:
        """Args: inputs: names and socket types of the inputs after the geometry."""
        self.group = bpy.data.node_groups.new(name, "GeometryNodeTree")
        self.group.is_modifier = True
        interface = self.group.interface
        interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
        interface.new_socket("Geometry", in_out="INPUT", socket_type="NodeSocketGeometry")
        for label, socket_type in inputs.items():
            interface.new_socket(label, in_out="INPUT", socket_type=socket_type)
        self.source = self.group.nodes.new("NodeGroupInput")

    def add(self, kind: str, *values: Value, **settings: Any) -> bpy.types.Node:
        """Add a node with settings; values go to its inputs in use, in their order, and None leaves one as it is."""
        node = self.group.nodes.new(kind)
        node.location.x = 180.0 * len(self.group.nodes)
        for setting, value in settings.items():
            setattr(node, setting, value)
        # Strict would refuse the inputs that are left alone at the end.
        for socket, value in zip([found for found in node.inputs if found.enabled], values, strict=False):
            self.give(socket, value)
        return node

    def give(self, socket: bpy.types.NodeSocket, value: Value) -> None:
        """Link an input to a node's first output in use, or to a socket, or give it a number or text."""
        if isinstance(value, bpy.types.Node):
            value = next(found for found in value.outputs if found.enabled)
        if isinstance(value, bpy.types.NodeSocket):
            self.group.links.new(value, socket)
        elif value is not None:
            socket.default_value = value

    def math(self, operation: str, *values: Value) -> bpy.types.Node:
        """Arithmetic of real numbers."""
        return self.add("ShaderNodeMath", *values, operation=operation)

    def integer(self, operation: str, *values: Value) -> bpy.types.Node:
        """Arithmetic of whole numbers."""
        return self.add("FunctionNodeIntegerMath", *values, operation=operation)

    def named(self, attribute: str) -> bpy.types.Node:
        """The values of an attribute of real numbers."""
        return self.add("GeometryNodeInputNamedAttribute", attribute, data_type="FLOAT")

    def store(self, geometry: Value, attribute: str, value: Value, data_type: str = "FLOAT") -> bpy.types.Node:
        """Geometry with an attribute of its points."""
        return self.add(
            "GeometryNodeStoreNamedAttribute", geometry, None, attribute, value, data_type=data_type, domain="POINT"
        )

    def end(self, geometry: Value) -> None:
        """What comes out of the group."""
        self.add("NodeGroupOutput", geometry)


def group_named(name: str, build: Callable[[str], bpy.types.NodeTree]) -> bpy.types.NodeTree:
    """The group of a name that this version has built in this file, else a new one."""
    for group in bpy.data.node_groups:
        if group.library is None and group.get(GROUP_MARK) == _VERSION and group.name.split(".")[0] == name:
            return group
    group = build(name)
    group[GROUP_MARK] = _VERSION
    return group


def plays_our_group(modifier: bpy.types.Modifier | None) -> bool:
    """Whether a modifier is one of geometry nodes whose group we have built, in this version or another."""
    if modifier is None or modifier.type != "NODES" or modifier.node_group is None:
        return False
    return GROUP_MARK in modifier.node_group


def set_inputs(modifier: bpy.types.Modifier, values: Mapping[str, Any]) -> None:
    """Give inputs of a modifier's group their values, by label."""
    for label, value in values.items():
        identifier = _identifier(modifier, label)
        if hasattr(modifier, "properties"):
            getattr(modifier.properties.inputs, identifier).value = value
        else:
            modifier[identifier] = value
    modifier.id_data.update_tag()


def get_input(modifier: bpy.types.Modifier, label: str) -> Any:
    """An input's value, None when it was never given one."""
    identifier = _identifier(modifier, label)
    if hasattr(modifier, "properties"):
        return getattr(modifier.properties.inputs, identifier).value
    return modifier.get(identifier)


def release_input(modifier: bpy.types.Modifier, label: str) -> None:
    """Let go of what an input names before its modifier is removed, which Blender 5.2 forgets to do."""
    if hasattr(modifier, "properties"):
        getattr(modifier.properties.inputs, _identifier(modifier, label)).value = None


def drop_group(group: bpy.types.NodeTree | None) -> None:
    """Remove a group of ours that nothing uses any more."""
    if group is not None and group.library is None and GROUP_MARK in group and group.users == 0:
        bpy.data.node_groups.remove(group)


def _identifier(modifier: bpy.types.Modifier, label: str) -> str:
    """What Blender calls an input, whose label the artist sees."""
    for item in modifier.node_group.interface.items_tree:
        if item.item_type == "SOCKET" and item.in_out == "INPUT" and item.name == label:
            return item.identifier
    raise KeyError(f"{modifier.node_group.name} has no input {label}")
