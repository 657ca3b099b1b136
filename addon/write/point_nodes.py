"""The node group that plays a folder of PLY files as points: it reads the file of a frame and extrapolates in between.

A frame f outside the bake shows the first or the last one. Within it:

    whole = floor(f),   position = x(whole) + velocity (f - whole) / frame rate

So motion blur, which samples between frames, sees points move although their number may change.
"""

from __future__ import annotations

from collections.abc import Iterable

import bpy

from .node_groups import GroupBuilder, Value, group_named

FOLDER, FIRST, LAST, FRAME_RATE, MATERIAL = "Folder", "First Frame", "Last Frame", "Frame Rate", "Material"
_INPUTS = {
    FOLDER: "NodeSocketString", FIRST: "NodeSocketInt", LAST: "NodeSocketInt", FRAME_RATE: "NodeSocketFloat",
    MATERIAL: "NodeSocketMaterial",
}
# Attributes of a file that make up the velocity.
AXES = ("vx", "vy", "vz")


def points_group() -> bpy.types.NodeTree:
    """The group; built if this file has none yet."""
    return group_named("Flotsam Points", _build)


def frame_from_file(
    nodes: GroupBuilder, folder: bpy.types.NodeSocket, first: Value, last: Value, rate: Value
) -> tuple[bpy.types.Node, bpy.types.Node]:
    """Geometry of the current frame's file with `velocity`, extrapolated between frames; and the velocity.

    The velocity is computed from attributes of the file, which `drop` removes.
    """
    frame = nodes.add("GeometryNodeInputSceneTime").outputs["Frame"]
    clamped = nodes.math("MAXIMUM", nodes.math("MINIMUM", frame, last), first)
    whole = nodes.math("FLOOR", clamped)
    between = nodes.math("DIVIDE", nodes.math("SUBTRACT", clamped, whole), rate)
    read = nodes.add("GeometryNodeImportPLY", _path(nodes, folder, whole))
    velocity = nodes.add("ShaderNodeCombineXYZ", *(nodes.named(axis) for axis in AXES))
    stored = nodes.store(read, "velocity", velocity, "FLOAT_VECTOR")
    offset = nodes.add("ShaderNodeVectorMath", velocity, between, operation="SCALE")
    return nodes.add("GeometryNodeSetPosition", stored, None, None, offset), velocity


def drop(nodes: GroupBuilder, geometry: Value, names: Iterable[str]) -> Value:
    """The geometry without some attributes."""
    for gone in names:
        geometry = nodes.add("GeometryNodeRemoveAttribute", geometry)
        nodes.give(geometry.inputs["Name"], gone)
    return geometry


def _build(name: str) -> bpy.types.NodeTree:
    nodes = GroupBuilder(name, _INPUTS)
    inputs = nodes.source.outputs
    # Store values before removing the attributes they are computed from.
    stored, velocity = frame_from_file(nodes, *(inputs[label] for label in (FOLDER, FIRST, LAST, FRAME_RATE)))
    stored = nodes.store(stored, "speed", _speed(nodes, velocity))
    stored = nodes.store(stored, "kind", nodes.named("kind"), "INT")
    stored = nodes.store(stored, "id", nodes.named("number"), "INT")
    # A frame without points has one point of number -1, which is removed.
    is_point = nodes.add("FunctionNodeCompare", nodes.named("number"), -0.5, operation="GREATER_THAN")
    stored = nodes.add("GeometryNodeMeshToPoints", stored, is_point, None, nodes.named("radius"), mode="VERTICES")
    stored = drop(nodes, stored, (*AXES, "number"))
    nodes.end(nodes.add("GeometryNodeSetMaterial", stored, None, inputs[MATERIAL]))
    return nodes.group


def _path(nodes: GroupBuilder, folder: bpy.types.NodeSocket, frame: bpy.types.Node) -> bpy.types.Node:
    """Path of a frame's file: folder, "f", the number, ".ply"."""
    number = nodes.add("FunctionNodeValueToString", frame, data_type="INT")
    joined = nodes.add("GeometryNodeStringJoin")
    # Links into one multi-input socket are ordered from the last one made.
    for part in (_text(nodes, ".ply"), number, _text(nodes, "f"), folder):
        nodes.give(joined.inputs["Strings"], part)
    return joined


def _text(nodes: GroupBuilder, text: str) -> bpy.types.Node:
    return nodes.add("FunctionNodeInputString", string=text)


def _speed(nodes: GroupBuilder, velocity: bpy.types.Node) -> bpy.types.Node:
    """Length of the velocity in world space [m/s]; the velocity itself is in object space."""
    own = nodes.add("GeometryNodeObjectInfo", nodes.add("GeometryNodeSelfObject"))
    world = nodes.add("FunctionNodeTransformDirection", velocity, own.outputs["Transform"])
    return nodes.add("ShaderNodeVectorMath", world, operation="LENGTH")
