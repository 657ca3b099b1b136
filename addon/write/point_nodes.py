"""The group that plays a folder of PLY files as points: reads the file of the frame, moves what lies between frames.

A frame f outside the bake shows the first or the last one. Within it:

    whole = floor(f),   position = x(whole) + velocity (f - whole) / frame rate

so that motion blur, which looks between frames, sees points move though their number may change.
"""

from __future__ import annotations

import bpy

from .node_groups import GroupBuilder, group_named

FOLDER, FIRST, LAST, FRAME_RATE, MATERIAL = "Folder", "First Frame", "Last Frame", "Frame Rate", "Material"
_INPUTS = {
    FOLDER: "NodeSocketString", FIRST: "NodeSocketInt", LAST: "NodeSocketInt", FRAME_RATE: "NodeSocketFloat",
    MATERIAL: "NodeSocketMaterial",
}
_AXES = ("vx", "vy", "vz")


def points_group() -> bpy.types.NodeTree:
    """The group, made when this file has none yet."""
    return group_named("Flotsam Points", _build)


def _build(name: str) -> bpy.types.NodeTree:
    nodes = GroupBuilder(name, _INPUTS)
    inputs = nodes.source.outputs
    frame = nodes.add("GeometryNodeInputSceneTime").outputs["Frame"]
    held = nodes.math("MAXIMUM", nodes.math("MINIMUM", frame, inputs[LAST]), inputs[FIRST])
    whole = nodes.math("FLOOR", held)
    between = nodes.math("DIVIDE", nodes.math("SUBTRACT", held, whole), inputs[FRAME_RATE])
    points = nodes.add("GeometryNodeImportPLY", _path(nodes, inputs[FOLDER], whole))
    velocity = nodes.add("ShaderNodeCombineXYZ", *(nodes.named(axis) for axis in _AXES))
    # Values are stored before the parts that they are made of go.
    told = nodes.store(points, "velocity", velocity, "FLOAT_VECTOR")
    told = nodes.store(told, "speed", _speed(nodes, velocity))
    told = nodes.store(told, "kind", nodes.named("kind"), "INT")
    told = nodes.store(told, "id", nodes.named("number"), "INT")
    way = nodes.add("ShaderNodeVectorMath", velocity, between, operation="SCALE")
    told = nodes.add("GeometryNodeSetPosition", told, None, None, way)
    # A frame without points has one of number -1, which is none.
    is_point = nodes.add("FunctionNodeCompare", nodes.named("number"), -0.5, operation="GREATER_THAN")
    told = nodes.add("GeometryNodeMeshToPoints", told, is_point, None, nodes.named("radius"), mode="VERTICES")
    for gone in (*_AXES, "number"):
        told = nodes.add("GeometryNodeRemoveAttribute", told)
        nodes.give(told.inputs["Name"], gone)
    nodes.end(nodes.add("GeometryNodeSetMaterial", told, None, inputs[MATERIAL]))
    return nodes.group


def _path(nodes: GroupBuilder, folder: bpy.types.NodeSocket, frame: bpy.types.Node) -> bpy.types.Node:
    """The file of a frame: folder, "f", the number, ".ply"."""
    number = nodes.add("FunctionNodeValueToString", frame, data_type="INT")
    joined = nodes.add("GeometryNodeStringJoin")
    # Links into one socket count from the last one made.
    for part in (_text(nodes, ".ply"), number, _text(nodes, "f"), folder):
        nodes.give(joined.inputs["Strings"], part)
    return joined


def _text(nodes: GroupBuilder, text: str) -> bpy.types.Node:
    return nodes.add("FunctionNodeInputString", string=text)


def _speed(nodes: GroupBuilder, velocity: bpy.types.Node) -> bpy.types.Node:
    """Length of the velocity in the world [m/s]; the velocity itself lies in the object's own space."""
    own = nodes.add("GeometryNodeObjectInfo", nodes.add("GeometryNodeSelfObject"))
    world = nodes.add("FunctionNodeTransformDirection", velocity, own.outputs["Transform"])
    return nodes.add("ShaderNodeVectorMath", world, operation="LENGTH")
