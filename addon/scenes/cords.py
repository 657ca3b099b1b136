"""A geometry nodes group that draws cords from the rim of a canopy to its load in every frame."""

from __future__ import annotations

import bpy


def cords(load: bpy.types.Object, rim: range, radius: float, look: bpy.types.Material) -> bpy.types.NodeTree:
    """A node group that adds a cord from every other vertex of the range `rim` to the origin of `load`.

    Args:
        radius: of a cord [m].
    """
    tree = bpy.data.node_groups.new("Cords", "GeometryNodeTree")
    tree.is_modifier = True
    tree.interface.new_socket("Geometry", in_out="INPUT", socket_type="NodeSocketGeometry")
    tree.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")

    def node(kind: str, **settings: object) -> bpy.types.Node:
        made = tree.nodes.new(kind)
        for name, value in settings.items():
            setattr(made, name, value)
        return made

    def link(start: bpy.types.NodeSocket, end: bpy.types.NodeSocket) -> None:
        tree.links.new(start, end)

    group_input, group_output = node("NodeGroupInput"), node("NodeGroupOutput")
    index = node("GeometryNodeInputIndex")
    above = node("FunctionNodeCompare", data_type="INT", operation="GREATER_EQUAL")
    below = node("FunctionNodeCompare", data_type="INT", operation="LESS_THAN")
    for compare, limit in ((above, rim.start), (below, rim.stop)):
        # Blender 5.2 has only these two inputs; earlier versions have two for each data type.
        one, other = (socket for socket in compare.inputs if socket.enabled)
        link(index.outputs[0], one)
        other.default_value = limit
    within = node("FunctionNodeBooleanMath", operation="AND")
    link(above.outputs[0], within.inputs[0])
    link(below.outputs[0], within.inputs[1])
    odd = node("ShaderNodeMath", operation="MODULO")
    odd.inputs[1].default_value = 2.0
    link(index.outputs[0], odd.inputs[0])
    is_even = node("ShaderNodeMath", operation="LESS_THAN")
    is_even.inputs[1].default_value = 0.5
    link(odd.outputs[0], is_even.inputs[0])
    both = node("FunctionNodeBooleanMath", operation="AND")
    link(within.outputs[0], both.inputs[0])
    link(is_even.outputs[0], both.inputs[1])
    # A unit line is instanced at each selected vertex, and its end is moved to the load.
    points = node("GeometryNodeMeshToPoints")
    link(group_input.outputs[0], points.inputs["Mesh"])
    link(both.outputs[0], points.inputs["Selection"])
    line = node("GeometryNodeCurvePrimitiveLine")
    profile = node("GeometryNodeCurvePrimitiveCircle")
    profile.inputs["Resolution"].default_value, profile.inputs["Radius"].default_value = 6, radius
    instances = node("GeometryNodeInstanceOnPoints")
    link(points.outputs[0], instances.inputs["Points"])
    link(line.outputs[0], instances.inputs["Instance"])
    realized = node("GeometryNodeRealizeInstances")
    link(instances.outputs[0], realized.inputs[0])
    end = node("GeometryNodeCurveEndpointSelection")
    end.inputs["Start Size"].default_value, end.inputs["End Size"].default_value = 0, 1
    load_info = node("GeometryNodeObjectInfo", transform_space="RELATIVE")
    load_info.inputs["Object"].default_value = load
    moved = node("GeometryNodeSetPosition")
    link(realized.outputs[0], moved.inputs["Geometry"])
    link(end.outputs[0], moved.inputs["Selection"])
    link(load_info.outputs["Location"], moved.inputs["Position"])
    tubes = node("GeometryNodeCurveToMesh")
    link(moved.outputs[0], tubes.inputs["Curve"])
    link(profile.outputs[0], tubes.inputs["Profile Curve"])
    with_material = node("GeometryNodeSetMaterial")
    with_material.inputs["Material"].default_value = look
    link(tubes.outputs[0], with_material.inputs["Geometry"])
    joined = node("GeometryNodeJoinGeometry")
    link(with_material.outputs[0], joined.inputs[0])
    link(group_input.outputs[0], joined.inputs[0])
    link(joined.outputs[0], group_output.inputs[0])
    return tree
