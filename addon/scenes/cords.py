"""Cords from the rim of a canopy to what hangs below it, drawn by geometry nodes wherever both are."""

from __future__ import annotations

import bpy


def cords(load: bpy.types.Object, rim: range, radius: float, look: bpy.types.Material) -> bpy.types.NodeTree:
    """A node group that adds a cord from every other vertex of a range to `load`.

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

    def join(start: bpy.types.NodeSocket, end: bpy.types.NodeSocket) -> None:
        tree.links.new(start, end)

    given, leaves = node("NodeGroupInput"), node("NodeGroupOutput")
    index = node("GeometryNodeInputIndex")
    above = node("FunctionNodeCompare", data_type="INT", operation="GREATER_EQUAL")
    below = node("FunctionNodeCompare", data_type="INT", operation="LESS_THAN")
    for compare, limit in ((above, rim.start), (below, rim.stop)):
        # Blender 5.2 has these two inputs only, earlier ones have those of all data types.
        one, other = (socket for socket in compare.inputs if socket.enabled)
        join(index.outputs[0], one)
        other.default_value = limit
    within = node("FunctionNodeBooleanMath", operation="AND")
    join(above.outputs[0], within.inputs[0])
    join(below.outputs[0], within.inputs[1])
    odd = node("ShaderNodeMath", operation="MODULO")
    odd.inputs[1].default_value = 2.0
    join(index.outputs[0], odd.inputs[0])
    is_even = node("ShaderNodeMath", operation="LESS_THAN")
    is_even.inputs[1].default_value = 0.5
    join(odd.outputs[0], is_even.inputs[0])
    both = node("FunctionNodeBooleanMath", operation="AND")
    join(within.outputs[0], both.inputs[0])
    join(is_even.outputs[0], both.inputs[1])
    # An instance of a unit line at each such vertex, stretched to the load.
    points = node("GeometryNodeMeshToPoints")
    join(given.outputs[0], points.inputs["Mesh"])
    join(both.outputs[0], points.inputs["Selection"])
    line = node("GeometryNodeCurvePrimitiveLine")
    profile = node("GeometryNodeCurvePrimitiveCircle")
    profile.inputs["Resolution"].default_value, profile.inputs["Radius"].default_value = 6, radius
    instances = node("GeometryNodeInstanceOnPoints")
    join(points.outputs[0], instances.inputs["Points"])
    join(line.outputs[0], instances.inputs["Instance"])
    real = node("GeometryNodeRealizeInstances")
    join(instances.outputs[0], real.inputs[0])
    end = node("GeometryNodeCurveEndpointSelection")
    end.inputs["Start Size"].default_value, end.inputs["End Size"].default_value = 0, 1
    where = node("GeometryNodeObjectInfo", transform_space="RELATIVE")
    where.inputs["Object"].default_value = load
    moved = node("GeometryNodeSetPosition")
    join(real.outputs[0], moved.inputs["Geometry"])
    join(end.outputs[0], moved.inputs["Selection"])
    join(where.outputs["Location"], moved.inputs["Position"])
    drawn = node("GeometryNodeCurveToMesh")
    join(moved.outputs[0], drawn.inputs["Curve"])
    join(profile.outputs[0], drawn.inputs["Profile Curve"])
    dressed = node("GeometryNodeSetMaterial")
    dressed.inputs["Material"].default_value = look
    join(drawn.outputs[0], dressed.inputs["Geometry"])
    all_of_it = node("GeometryNodeJoinGeometry")
    join(dressed.outputs[0], all_of_it.inputs[0])
    join(given.outputs[0], all_of_it.inputs[0])
    join(all_of_it.outputs[0], leaves.inputs[0])
    return tree
