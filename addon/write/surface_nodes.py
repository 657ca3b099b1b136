"""The node group that wraps points in a surface: a distance field from Blender 5.0 on, a volume before that.

Balls larger than a particle's radius make a field, which is smoothed before it becomes a mesh, so that single particles
do not show. That mesh lies outside the fluid, and bodies would seem to float too deep, so it is offset inward to the
boundary of the fluid; less for thin sheets and drops, which would vanish otherwise. The mesh gets the velocity of the
nearest particle, for motion blur, and the thickness of the fluid below each vertex, for materials whose colour deepens
with it. Points that are spray, foam or bubbles by their attribute `kind` stay points, with a material of their own.
Frames for which there are finer meshes on disk show those, see `engine.cache.fine_mesh`.
"""

from __future__ import annotations

from collections.abc import Iterable

import bpy

from ...engine.spec import FluidSpec
from ..names import SETTINGS, SURFACE_MODIFIER
from .node_groups import GroupBuilder, get_input, group_named, plays_our_group, set_inputs
from .point_nodes import AXES, drop, frame_from_file

RADIUS, VOXEL, SMOOTHING, MATERIAL = "Radius", "Voxel", "Smoothing", "Material"
FOAM_SIZE, FOAM_MATERIAL = "Foam Size", "Foam Material"
# Folder of finer meshes on disk, the first and last frame that have one, and their frame rate.
FINE_FOLDER, FINE_FIRST, FINE_LAST, FINE_RATE = "Finer Folder", "Finer First", "Finer Last", "Finer Frame Rate"
_INPUTS = {
    RADIUS: "NodeSocketFloat", VOXEL: "NodeSocketFloat", SMOOTHING: "NodeSocketInt", MATERIAL: "NodeSocketMaterial",
    FOAM_SIZE: "NodeSocketFloat", FOAM_MATERIAL: "NodeSocketMaterial", FINE_FOLDER: "NodeSocketString",
    FINE_FIRST: "NodeSocketInt", FINE_LAST: "NodeSocketInt", FINE_RATE: "NodeSocketFloat",
}
# Largest value of the attribute `thickness` [m]: thicker fluid looks no deeper.
MOST_THICK = 10.0
# Inward offset of the mesh: in particle radii, and its limit as a fraction of the thickness. With the balls and the
# smoothing below, a flat surface then lies half a spacing above the uppermost particles.
SET_BACK, MOST_BACK = 0.92, 0.2
# In particle radii (half the spacing): radius of a ball, size of a voxel; and number of smoothing passes.
_START = {RADIUS: 2.2, VOXEL: 0.8, SMOOTHING: 4, FOAM_SIZE: 1.0, FINE_RATE: 24.0}


def add_surface(obj: bpy.types.Object) -> bpy.types.Modifier:
    """Add a surface to the end of the stack of an object that plays points, or return the existing one.

    A surface from an earlier version, which may lack inputs, is rebuilt with its settings.
    """
    from ..scenes.looks.liquid import foam

    modifier, values = obj.modifiers.get(SURFACE_MODIFIER), {**_START, MATERIAL: obj.active_material}
    group = group_named(SURFACE_MODIFIER, _build)
    if modifier is not None and modifier.node_group == group:
        return modifier
    if modifier is None:
        modifier = obj.modifiers.new(SURFACE_MODIFIER, "NODES")
    elif plays_our_group(modifier):
        known = {item.name for item in modifier.node_group.interface.items_tree}
        kept = {label: get_input(modifier, label) for label in _INPUTS if label in known}
        values |= {label: value for label, value in kept.items() if value is not None}
    modifier.node_group = group
    set_inputs(modifier, {**values, FOAM_MATERIAL: values.get(FOAM_MATERIAL) or foam()})
    return modifier


def set_material(modifier: bpy.types.Modifier, material: bpy.types.Material) -> None:
    """Show a surface with a material, which becomes the object's first."""
    obj = modifier.id_data
    if obj.material_slots:
        obj.material_slots[0].material = material
    else:
        obj.data.materials.append(material)
    set_inputs(modifier, {MATERIAL: material})


def show_finer(obj: bpy.types.Object, folder: str, frames: range, rate: float) -> None:
    """Make an object's surface play meshes of a folder, as the .blend names it, in these frames; rate: [1/s]."""
    set_inputs(add_surface(obj), {
        FINE_FOLDER: folder, FINE_FIRST: frames[0], FINE_LAST: frames[-1], FINE_RATE: rate,
    })


def forget_finer(obj: bpy.types.Object) -> None:
    """Make a surface from points again, because its finer meshes belong to a bake that is no longer played."""
    modifier = obj.modifiers.get(SURFACE_MODIFIER)
    if finer_folder(modifier):
        set_inputs(modifier, {FINE_FOLDER: ""})


def finer_folder(modifier: bpy.types.Modifier | None) -> str:
    """The folder of the meshes that a surface plays, as the .blend names it; empty without any."""
    if not plays_our_group(modifier):
        return ""
    known = {item.name for item in modifier.node_group.interface.items_tree}
    return (get_input(modifier, FINE_FOLDER) or "") if FINE_FOLDER in known else ""


def wrap_fluids(objects: Iterable[bpy.types.Object]) -> None:
    """Add a surface to each fluid among some objects; points of other kinds are shown by instances."""
    for obj in objects:
        if getattr(obj, SETTINGS).kind == FluidSpec.kind:
            add_surface(obj)


def _build(name: str) -> bpy.types.NodeTree:
    nodes = GroupBuilder(name, _INPUTS)
    inputs = nodes.source.outputs
    is_foam = nodes.add("FunctionNodeCompare", nodes.named("kind"), 0.5, operation="GREATER_THAN")
    separated = nodes.add("GeometryNodeSeparateGeometry", inputs["Geometry"], is_foam, domain="POINT").outputs
    points = separated["Inverted"]
    size = nodes.add("GeometryNodeAttributeStatistic", points, None, nodes.named("radius"), data_type="FLOAT")
    radius = nodes.math("MULTIPLY", size.outputs["Mean"], inputs[RADIUS])
    voxel = nodes.math("MULTIPLY", size.outputs["Mean"], inputs[VOXEL])
    # Blender 4.5 has only some of the nodes for distance fields.
    if hasattr(bpy.types, "GeometryNodeSDFGridMean"):
        field = nodes.add("GeometryNodePointsToSDFGrid", points, radius, voxel)
        field = nodes.add("GeometryNodeSDFGridMean", field, 1, inputs[SMOOTHING])
        # This threshold compensates for the smoothing, and for balls that reach beyond their particles.
        mesh = nodes.add("GeometryNodeGridToMesh", field, nodes.math("MULTIPLY", radius, -0.25))
    else:
        field = nodes.add("GeometryNodePointsToVolume", points, None, voxel, radius, resolution_mode="VOXEL_SIZE")
        mesh = nodes.add("GeometryNodeVolumeToMesh", field, 0.3)
        place = nodes.add("GeometryNodeInputPosition")
        smooth = nodes.add("GeometryNodeBlurAttribute", place, inputs[SMOOTHING], data_type="FLOAT_VECTOR")
        mesh = nodes.add("GeometryNodeSetPosition", mesh, None, smooth)
    nearest = nodes.add("GeometryNodeSampleNearest", points, domain="POINT")
    velocity = nodes.add("GeometryNodeInputNamedAttribute", "velocity", data_type="FLOAT_VECTOR")
    sampled = nodes.add("GeometryNodeSampleIndex", points, velocity, nearest, data_type="FLOAT_VECTOR", domain="POINT")
    mesh, is_finer = _switch_to_finer(nodes, nodes.store(mesh, "velocity", sampled, "FLOAT_VECTOR"), inputs)
    mesh = nodes.add("GeometryNodeSetShadeSmooth", mesh)
    mesh = nodes.store(mesh, "thickness", _thickness(nodes, mesh, voxel))
    mesh = _set_back(nodes, mesh, nodes.math("MULTIPLY", size.outputs["Mean"], SET_BACK), is_finer)
    # Before there are points, show the mesh that they will fill.
    count = nodes.add("GeometryNodeAttributeDomainSize", points, component="POINTCLOUD").outputs["Point Count"]
    has_points = nodes.add("FunctionNodeCompare", count, 0, data_type="INT", operation="GREATER_THAN")
    shown = nodes.add("GeometryNodeSwitch", has_points, points, mesh, input_type="GEOMETRY")
    shown = nodes.add("GeometryNodeSetMaterial", shown, None, inputs[MATERIAL])
    joined = nodes.add("GeometryNodeJoinGeometry")
    for part in (_foam(nodes, separated["Selection"], inputs), shown):
        nodes.give(joined.inputs[0], part)
    nodes.end(joined)
    return nodes.group


def _set_back(
    nodes: GroupBuilder, mesh: bpy.types.Node, most: bpy.types.Node, is_finer: bpy.types.Node
) -> bpy.types.Node:
    """The mesh with an inward offset of at most `most` [m], none if it comes from disk; its thickness is reduced."""
    back = nodes.math("MINIMUM", nodes.math("MULTIPLY", nodes.named("thickness"), MOST_BACK), most)
    back = nodes.add("GeometryNodeSwitch", is_finer, back, 0.0, input_type="FLOAT")
    mesh = nodes.store(mesh, "back", back)
    offset = nodes.add("ShaderNodeVectorMath", nodes.add("GeometryNodeInputNormal"), operation="SCALE")
    nodes.give(offset.inputs["Scale"], nodes.math("MULTIPLY", nodes.named("back"), -1.0))
    mesh = nodes.add("GeometryNodeSetPosition", mesh, None, None, offset)
    thinner = nodes.math("MULTIPLY_ADD", nodes.named("back"), -2.0, nodes.named("thickness"))
    mesh = nodes.store(mesh, "thickness", thinner)
    return nodes.add("GeometryNodeRemoveAttribute", mesh, None, "back")


def _switch_to_finer(
    nodes: GroupBuilder, mesh: bpy.types.Node, inputs: bpy.types.NodeOutputs
) -> tuple[bpy.types.Node, bpy.types.Node]:
    """The mesh, or the finer one on disk in frames with one and, for motion blur, in between; and whether finer."""
    first, last, rate = (inputs[label] for label in (FINE_FIRST, FINE_LAST, FINE_RATE))
    finer, _velocity = frame_from_file(nodes, inputs[FINE_FOLDER], first, last, rate)
    frame = nodes.add("GeometryNodeInputSceneTime").outputs["Frame"]
    named = nodes.add("FunctionNodeStringLength", inputs[FINE_FOLDER])
    known = nodes.math("GREATER_THAN", named, 0.0)
    for missing in (nodes.math("SUBTRACT", first, frame), nodes.math("SUBTRACT", frame, last)):
        known = nodes.math("SUBTRACT", known, nodes.math("GREATER_THAN", missing, 0.999))
    is_there = nodes.add("FunctionNodeCompare", known, 0.5, operation="GREATER_THAN")
    shown = nodes.add("GeometryNodeSwitch", is_there, mesh, drop(nodes, finer, AXES), input_type="GEOMETRY")
    return shown, is_there


def _foam(nodes: GroupBuilder, points: bpy.types.NodeSocket, inputs: bpy.types.NodeOutputs) -> bpy.types.Node:
    """Spray, foam and bubbles: points of their own size and material."""
    radius = nodes.math("MULTIPLY", nodes.named("radius"), inputs[FOAM_SIZE])
    sized = nodes.add("GeometryNodeSetPointRadius", points, None, radius)
    return nodes.add("GeometryNodeSetMaterial", sized, None, inputs[FOAM_MATERIAL])


def _thickness(nodes: GroupBuilder, mesh: bpy.types.Node, voxel: bpy.types.Node) -> bpy.types.NodeSocket:
    """Distance from a vertex through the fluid, against its normal, to the other side [m]."""
    inward = nodes.add("ShaderNodeVectorMath", nodes.add("GeometryNodeInputNormal"), -1.0, operation="SCALE")
    nodes.give(inward.inputs["Scale"], -1.0)
    ahead = nodes.add("ShaderNodeVectorMath", inward, operation="SCALE")
    nodes.give(ahead.inputs["Scale"], nodes.math("MULTIPLY", voxel, 0.1))
    start = nodes.add("ShaderNodeVectorMath", nodes.add("GeometryNodeInputPosition"), ahead, operation="ADD")
    ray = nodes.add("GeometryNodeRaycast")
    for socket, value in {
        "Target Geometry": mesh, "Source Position": start, "Ray Direction": inward, "Ray Length": MOST_THICK,
    }.items():
        nodes.give(ray.inputs[socket], value)
    hit = nodes.add("GeometryNodeSwitch", ray.outputs["Is Hit"], MOST_THICK, None, input_type="FLOAT")
    nodes.give(next(one for one in hit.inputs if one.enabled and one.name == "True"), ray.outputs["Hit Distance"])
    return hit.outputs["Output"]
