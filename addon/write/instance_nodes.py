"""The node group that shows an object, or one of a collection, at each point, with the point's rotation.

The points of a flock have a rotation as four numbers; +Y of the object looks along it and +Z points up. An object of a
collection is picked by the point's id, or, if the collection holds the poses of one wing beat in the order of their
names, by its `phase`; the last one may be the pose of agents that have landed. Points without a rotation keep that of
the object. Instances have the attributes of their points, which materials read as instancer attributes.
"""

from __future__ import annotations

from collections.abc import Iterable

import bpy

from ..names import HAS_REST, INSTANCES_MODIFIER, SHOWN_AS
from .node_groups import GroupBuilder, group_named, set_inputs

OBJECT, COLLECTION, BY_PHASE, SCALE, VARIETY = "Object", "Collection", "Pick by Phase", "Scale", "Variety"
LAST_RESTS = "Last Rests"
# States of agents above this one have landed.
_LANDING = 1.5
_INPUTS = {
    OBJECT: "NodeSocketObject", COLLECTION: "NodeSocketCollection", BY_PHASE: "NodeSocketBool",
    SCALE: "NodeSocketFloat", VARIETY: "NodeSocketFloat", LAST_RESTS: "NodeSocketBool",
}
_QUATERNION = ("qw", "qx", "qy", "qz")


def add_instances(
    obj: bpy.types.Object, shown: bpy.types.Object | bpy.types.Collection | None, by_phase: bool = False,
    last_rests: bool = False,
) -> bpy.types.Modifier:
    """Show an object, or the objects of a collection, at an object's points; returns the new or existing modifier."""
    modifier = obj.modifiers.get(INSTANCES_MODIFIER)
    if modifier is None:
        modifier = obj.modifiers.new(INSTANCES_MODIFIER, "NODES")
        modifier.node_group = group_named(INSTANCES_MODIFIER, _build)
        set_inputs(modifier, {SCALE: 1.0, VARIETY: 0.1, BY_PHASE: by_phase, LAST_RESTS: last_rests})
    if shown is not None:
        set_inputs(modifier, {COLLECTION if isinstance(shown, bpy.types.Collection) else OBJECT: shown})
    return modifier


def show_flocks(objects: Iterable[bpy.types.Object]) -> None:
    """Add instances to those objects of a scene preset that define what to show."""
    for obj in objects:
        shown = obj.get(SHOWN_AS)
        if shown is not None:
            add_instances(obj, shown, len(shown.objects) > 1, bool(shown.get(HAS_REST)))
            del obj[SHOWN_AS]


def _build(name: str) -> bpy.types.NodeTree:
    nodes = GroupBuilder(name, _INPUTS)
    inputs = nodes.source.outputs
    points = inputs["Geometry"]
    rotation = nodes.add("FunctionNodeQuaternionToRotation", *(nodes.named(part) for part in _QUATERNION))
    # Points without a rotation have four zeros, which rotate nothing.
    rotated = nodes.store(points, "rotation", rotation, "QUATERNION")
    number = nodes.add("GeometryNodeInputNamedAttribute", "id", data_type="INT")
    chance = nodes.add("FunctionNodeRandomValue", data_type="FLOAT")
    _give_named(nodes, chance, {"Min": -1.0, "Max": 1.0, "ID": number})
    size = nodes.math("MULTIPLY_ADD", chance, inputs[VARIETY], 1.0)
    scale = nodes.math("MULTIPLY", size, inputs[SCALE])
    single = nodes.add("GeometryNodeObjectInfo", inputs[OBJECT], True)
    many = nodes.add("GeometryNodeCollectionInfo", inputs[COLLECTION], True, True)
    count = nodes.add("GeometryNodeAttributeDomainSize", many, component="INSTANCES").outputs["Instance Count"]
    moving_count = nodes.math("SUBTRACT", count, inputs[LAST_RESTS])
    pose = nodes.math("FLOOR", nodes.math("MULTIPLY", nodes.math("FRACT", nodes.named("phase")), moving_count))
    # Points pick the moving objects in turn, by id modulo their number; the last one may be the rest pose.
    by_id = nodes.math("FLOORED_MODULO", number, nodes.math("MAXIMUM", moving_count, 1.0))
    moving = nodes.add("GeometryNodeSwitch", inputs[BY_PHASE], by_id, pose, input_type="INT")
    rests = nodes.math("MULTIPLY", nodes.math("GREATER_THAN", nodes.named("state"), _LANDING), inputs[LAST_RESTS])
    pick = nodes.add("GeometryNodeSwitch", rests, moving, moving_count, input_type="INT")
    alone = nodes.add("GeometryNodeInstanceOnPoints", rotated)
    _give_named(nodes, alone, {"Instance": single.outputs["Geometry"]})
    picked = nodes.add("GeometryNodeInstanceOnPoints", rotated)
    _give_named(nodes, picked, {"Instance": many, "Pick Instance": True, "Instance Index": pick})
    has_many = nodes.add("FunctionNodeCompare", count, 0, data_type="INT", operation="GREATER_THAN")
    shown = nodes.add("GeometryNodeSwitch", has_many, alone, picked, input_type="GEOMETRY")
    nodes.end(nodes.add("GeometryNodeSetInstanceTransform", shown, None, _in_own_space(nodes, rotation, scale)))
    return nodes.group


def _in_own_space(nodes: GroupBuilder, rotation: bpy.types.Node, scale: bpy.types.Node) -> bpy.types.Node:
    """Transforms with the points' rotation and scale in world space, whatever the object's own rotation and scale."""
    own = nodes.add("GeometryNodeObjectInfo", nodes.add("GeometryNodeSelfObject")).outputs["Transform"]
    place = nodes.add("FunctionNodeTransformPoint", nodes.add("GeometryNodeInputPosition"), own)
    world = nodes.add("FunctionNodeCombineTransform", place, rotation, scale)
    return nodes.add("FunctionNodeMatrixMultiply", nodes.add("FunctionNodeInvertMatrix", own), world)


def _give_named(nodes: GroupBuilder, node: bpy.types.Node, values: dict[str, object]) -> None:
    """Set active inputs by name."""
    for label, value in values.items():
        nodes.give(next(socket for socket in node.inputs if socket.enabled and socket.name == label), value)
