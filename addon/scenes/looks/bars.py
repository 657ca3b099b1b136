"""Edges of a mesh as round bars, coloured by stress, and the looks of what stands in a studio."""

from __future__ import annotations

import bpy

from ...write.node_groups import GroupBuilder, group_named, set_inputs
from .shading import colour, new_material

RADIUS, MOST, MATERIAL, HUB = "Radius", "Longest", "Material", "Wheel"
_INPUTS = {
    RADIUS: "NodeSocketFloat", MOST: "NodeSocketFloat", MATERIAL: "NodeSocketMaterial", HUB: "NodeSocketObject",
}


def add_bars(
    obj: bpy.types.Object, radius: float, most: float, look: bpy.types.Material, hub: bpy.types.Object | None = None,
) -> None:
    """Show the edges of an object as bars of a radius [m], and an object at vertices with the attribute "wheel".

    Edges longer than `most` times their "rest_length" are broken and not shown.
    """
    modifier = obj.modifiers.new("Bars", "NODES")
    modifier.node_group = group_named("Flotsam Bars", _build)
    set_inputs(modifier, {RADIUS: radius, MOST: most, MATERIAL: look})
    if hub is not None:
        set_inputs(modifier, {HUB: hub})


def _build(name: str) -> bpy.types.NodeTree:
    nodes = GroupBuilder(name, _INPUTS)
    inputs = nodes.source.outputs
    mesh = inputs["Geometry"]
    ends = nodes.add("GeometryNodeInputMeshEdgeVertices")
    one, other = (ends.outputs[f"Position {k}"] for k in (1, 2))
    way = nodes.add("ShaderNodeVectorMath", one, other, operation="DISTANCE")
    most = nodes.math("MULTIPLY", nodes.named("rest_length"), inputs[MOST])
    is_long = nodes.add("FunctionNodeCompare", way.outputs["Value"], most, operation="GREATER_THAN")
    whole = nodes.add("GeometryNodeDeleteGeometry", mesh, is_long, domain="EDGE", mode="EDGE_FACE")
    curves = nodes.add("GeometryNodeMeshToCurve", whole)
    profile = nodes.add("GeometryNodeCurvePrimitiveCircle", 8)
    nodes.give(profile.inputs["Radius"], inputs[RADIUS])
    bars = nodes.add("GeometryNodeCurveToMesh", curves, profile)
    bars = nodes.add("GeometryNodeSetShadeSmooth", nodes.add("GeometryNodeSetMaterial", bars, None, inputs[MATERIAL]))
    hub = nodes.add("GeometryNodeObjectInfo", inputs[HUB]).outputs["Geometry"]
    at = nodes.add("FunctionNodeCompare", nodes.named("wheel"), 0.5, operation="GREATER_THAN")
    hubs = nodes.add("GeometryNodeInstanceOnPoints", mesh)
    nodes.give(hubs.inputs["Selection"], at)
    nodes.give(hubs.inputs["Instance"], hub)
    joined = nodes.add("GeometryNodeJoinGeometry")
    for part in (hubs, bars, whole):
        nodes.give(joined.inputs[0], part)
    nodes.end(joined)
    return nodes.group


def plain(name: str, code: str, roughness: float = 0.5, metallic: float = 0.0) -> bpy.types.Material:
    """A material of one colour."""
    material, shading = new_material(name)
    shading.surface(shading.node("ShaderNodeBsdfPrincipled", {
        "Base Color": colour(code), "Roughness": roughness, "Metallic": metallic,
    }).outputs[0])
    material.diffuse_color = colour(code)
    return material


def jelly(name: str, code: str) -> bpy.types.Material:
    """Wobbly, glossy and a little lit from within."""
    material, shading = new_material(name)
    shading.surface(shading.node("ShaderNodeBsdfPrincipled", {
        "Base Color": colour(code), "Roughness": 0.12, "IOR": 1.35, "Subsurface Weight": 0.6, "Subsurface Scale": 0.2,
        "Emission Color": colour(code), "Emission Strength": 0.12, "Coat Weight": 0.4,
    }).outputs[0])
    material.diffuse_color = colour(code)
    return material


def floor(name: str) -> bpy.types.Material:
    """A cast floor with joints two metres apart, lost in haze far away."""
    material, shading = new_material(name)
    place = shading.position()
    x, y, _z = shading.split(place)
    across = (shading.math("ABSOLUTE", shading.math("WRAP", k, 1.0, -1.0)) for k in (x, y))
    joint = shading.step(shading.math("MINIMUM", *across), 0.012, 0.004)
    cast = shading.mix(shading.noise(place, 0.9, 5.0, 0.6), colour("#8d8a84"), colour("#b9b5ad"))
    cast = shading.mix(shading.math("MULTIPLY", joint, 0.6), cast, colour("#4a4844"))
    shader = shading.node("ShaderNodeBsdfPrincipled", {"Base Color": cast, "Roughness": 0.55})
    shading.surface(shading.haze(shader.outputs[0], colour("#cfd3d6"), 14.0, 60.0, 0.9))
    material.diffuse_color = colour("#a09c95")
    return material
