"""Edges of a mesh as round bars, coloured by stress, and materials of the studio scenes."""

from __future__ import annotations

from typing import Any

import bpy

from .shading import colour, new_material


def add_bars(
    obj: bpy.types.Object, radius: float, break_ratio: float, look: bpy.types.Material,
    wheel: bpy.types.Object | None = None,
) -> None:
    """Add a modifier that draws edges as bars of a radius [m], and `wheel` at vertices whose attribute "wheel" is 1.

    Edges longer than `break_ratio` times their "rest_length" are broken and not drawn; 0 draws all.
    """
    modifier = obj.modifiers.new("Bars", "NODES")
    modifier.node_group = _build(f"{obj.name} Bars", radius, break_ratio, look, wheel)


def _build(
    name: str, radius: float, break_ratio: float, look: bpy.types.Material, wheel: bpy.types.Object | None
) -> bpy.types.NodeTree:
    tree = bpy.data.node_groups.new(name, "GeometryNodeTree")
    tree.is_modifier = True
    tree.interface.new_socket("Geometry", in_out="INPUT", socket_type="NodeSocketGeometry")
    tree.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")

    def node(kind: str, inputs: dict[int | str, Any] | None = None, **settings: Any) -> bpy.types.Node:
        made = tree.nodes.new(kind)
        for key, value in settings.items():
            setattr(made, key, value)
        for key, value in (inputs or {}).items():
            if isinstance(value, bpy.types.NodeSocket):
                tree.links.new(value, made.inputs[key])
            else:
                made.inputs[key].default_value = value
        made.location.x = 180.0 * len(tree.nodes)
        return made

    def named(attribute: str) -> bpy.types.NodeSocket:
        return node("GeometryNodeInputNamedAttribute", {"Name": attribute}, data_type="FLOAT").outputs["Attribute"]

    mesh = node("NodeGroupInput").outputs[0]
    ends = node("GeometryNodeInputMeshEdgeVertices").outputs
    length = node("ShaderNodeVectorMath", {0: ends["Position 1"], 1: ends["Position 2"]}, operation="DISTANCE")
    max_length = node("ShaderNodeMath", {0: named("rest_length"), 1: break_ratio}, operation="MULTIPLY").outputs[0]
    is_broken = node(
        "FunctionNodeCompare", {0: length.outputs["Value"], 1: max_length}, data_type="FLOAT", operation="GREATER_THAN"
    ).outputs[0]
    unbroken = mesh if break_ratio == 0.0 else node(
        "GeometryNodeDeleteGeometry", {"Geometry": mesh, "Selection": is_broken}, domain="EDGE", mode="EDGE_FACE"
    ).outputs[0]
    profile = node("GeometryNodeCurvePrimitiveCircle", {"Resolution": 8, "Radius": radius}).outputs[0]
    curves = node("GeometryNodeMeshToCurve", {"Mesh": unbroken}).outputs[0]
    bars = node("GeometryNodeCurveToMesh", {"Curve": curves, "Profile Curve": profile}).outputs[0]
    bars = node("GeometryNodeSetMaterial", {"Geometry": bars, "Material": look}).outputs[0]
    parts = [unbroken, node("GeometryNodeSetShadeSmooth", {0: bars}).outputs[0]]
    if wheel is not None:
        wheel_geometry = node("GeometryNodeObjectInfo", {"Object": wheel}).outputs["Geometry"]
        is_hub = node(
            "FunctionNodeCompare", {0: named("wheel"), 1: 0.5}, data_type="FLOAT", operation="GREATER_THAN"
        ).outputs[0]
        hubs = node("GeometryNodeInstanceOnPoints", {"Points": mesh, "Selection": is_hub, "Instance": wheel_geometry})
        parts.append(hubs.outputs[0])
    joined = node("GeometryNodeJoinGeometry")
    for part in parts:
        tree.links.new(part, joined.inputs[0])
    node("NodeGroupOutput", {0: joined.outputs[0]})
    return tree


def plain(name: str, code: str, roughness: float = 0.5, metallic: float = 0.0) -> bpy.types.Material:
    """A material of one colour."""
    material, shading = new_material(name)
    shading.surface(shading.node("ShaderNodeBsdfPrincipled", {
        "Base Color": colour(code), "Roughness": roughness, "Metallic": metallic,
    }).outputs[0])
    material.diffuse_color = colour(code)
    return material


def jelly(name: str, code: str) -> bpy.types.Material:
    """Glossy jelly with subsurface scattering and a little emission."""
    material, shading = new_material(name)
    shading.surface(shading.node("ShaderNodeBsdfPrincipled", {
        "Base Color": colour(code), "Roughness": 0.12, "IOR": 1.35, "Subsurface Weight": 0.6, "Subsurface Scale": 0.2,
        "Emission Color": colour(code), "Emission Strength": 0.12, "Coat Weight": 0.4,
    }).outputs[0])
    material.diffuse_color = colour(code)
    return material


def floor(name: str) -> bpy.types.Material:
    """A cast floor with joints two metres apart, fading into haze with distance."""
    material, shading = new_material(name)
    position = shading.position()
    x, y, _z = shading.split(position)
    joint_distances = (shading.math("ABSOLUTE", shading.math("WRAP", k, 1.0, -1.0)) for k in (x, y))
    joint = shading.step(shading.math("MINIMUM", *joint_distances), 0.012, 0.004)
    cast = shading.mix(shading.noise(position, 0.9, 5.0, 0.6), colour("#8d8a84"), colour("#b9b5ad"))
    cast = shading.mix(shading.math("MULTIPLY", joint, 0.6), cast, colour("#4a4844"))
    shader = shading.node("ShaderNodeBsdfPrincipled", {"Base Color": cast, "Roughness": 0.55})
    shading.surface(shading.haze(shader.outputs[0], colour("#cfd3d6"), 14.0, 60.0, 0.9))
    material.diffuse_color = colour("#a09c95")
    return material
