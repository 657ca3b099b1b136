"""The node group that reads attributes from a carrier: a mesh whose vertex positions are the values.

The rows of the carrier are those of `engine.cache.carrier`. A mesh whose vertex count differs from that of the carrier
passes unchanged.
"""

from __future__ import annotations

from collections.abc import Sequence

import bpy

from ...engine import cache
from .node_groups import GroupBuilder, group_named

CARRIER = "Carrier"
# Property of a group that lists its attributes.
_NAMES = "flotsam_attributes"


def attributes_group(names: Sequence[str]) -> bpy.types.NodeTree:
    """The group for these attributes, in this order."""
    label = "Flotsam " + ", ".join(names)
    return group_named(label, lambda name: _build(name, names))


def names_of_group(group: bpy.types.NodeTree) -> tuple[str, ...]:
    """The attributes that a group provides, in order."""
    return tuple(group.get(_NAMES, "").split())


def _build(name: str, names: Sequence[str]) -> bpy.types.NodeTree:
    vectors, scalars = cache.vectors_first(names)
    nodes = GroupBuilder(name, {CARRIER: "NodeSocketObject"})
    mesh = nodes.source.outputs["Geometry"]
    carrier = nodes.add("GeometryNodeObjectInfo", nodes.source.outputs[CARRIER]).outputs["Geometry"]
    count = nodes.add("GeometryNodeAttributeDomainSize", mesh, component="MESH").outputs["Point Count"]
    scalar_rows = nodes.integer("DIVIDE_CEIL", nodes.integer("MULTIPLY", count, len(scalars)), 3)
    first_scalar = nodes.integer("MULTIPLY", count, len(vectors))
    rows = nodes.integer("ADD", first_scalar, scalar_rows)
    index = nodes.add("GeometryNodeInputIndex")
    stored: bpy.types.Node | bpy.types.NodeSocket = mesh
    for number, attribute in enumerate(vectors):
        row = nodes.integer("ADD", index, nodes.integer("MULTIPLY", count, number))
        stored = nodes.store(stored, attribute, _row(nodes, carrier, row), "FLOAT_VECTOR")
    for number, attribute in enumerate(scalars):
        flat_index = nodes.integer("ADD", index, nodes.integer("MULTIPLY", count, number))
        row = nodes.integer("ADD", first_scalar, nodes.integer("DIVIDE_FLOOR", flat_index, 3))
        stored = nodes.store(stored, attribute, _component(nodes, _row(nodes, carrier, row), flat_index))
    carrier_count = nodes.add("GeometryNodeAttributeDomainSize", carrier, component="MESH").outputs["Point Count"]
    fits = nodes.add("FunctionNodeCompare", carrier_count, rows, data_type="INT", operation="EQUAL")
    nodes.end(nodes.add("GeometryNodeSwitch", fits, mesh, stored, input_type="GEOMETRY"))
    nodes.group[_NAMES] = " ".join(names)
    return nodes.group


def _row(nodes: GroupBuilder, carrier: bpy.types.NodeSocket, row: bpy.types.Node) -> bpy.types.Node:
    """Position of the carrier's vertex with this index."""
    position = nodes.add("GeometryNodeInputPosition")
    return nodes.add(
        "GeometryNodeSampleIndex", carrier, position, row, data_type="FLOAT_VECTOR", domain="POINT"
    )


def _component(nodes: GroupBuilder, row: bpy.types.Node, flat_index: bpy.types.Node) -> bpy.types.Node:
    """One of the three components of a row."""
    axes = nodes.add("ShaderNodeSeparateXYZ", row)
    chosen = nodes.add("GeometryNodeIndexSwitch", data_type="FLOAT")
    chosen.index_switch_items.new()
    nodes.give(chosen.inputs["Index"], nodes.integer("FLOORED_MODULO", flat_index, 3))
    for axis, value in enumerate(axes.outputs):
        nodes.give(chosen.inputs[str(axis)], value)
    return chosen
