"""Looks of particle fluids, whose surface carries the vector "velocity" [m/s]; and of what holds them."""

from __future__ import annotations

import bpy

from .shading import Shading, Socket, colour, new_material

# Of each: colour, roughness, share of light that goes through, IOR, and from which speed on it is white [m/s].
_LOOKS: dict[str, tuple[str, float, float, float, float]] = {
    "clear": ("#c4ecf2", 0.015, 1.0, 1.333, 2.4),
    "muddy": ("#8a6a42", 0.18, 0.0, 1.34, 2.5),
    "milk": ("#fbf6ea", 0.22, 0.0, 1.35, 100.0),
    "honey": ("#e08a0a", 0.06, 0.72, 1.49, 100.0),
}


def liquid(name: str, look: str) -> bpy.types.Material:
    """A fluid by its look; raises KeyError for an unknown one."""
    tint, roughness, through, ior, fast = _LOOKS[look]
    material, shading = new_material(name)
    white = _white(shading, fast)
    shader = shading.node("ShaderNodeBsdfPrincipled", {
        "Base Color": shading.mix(white, colour(tint), colour("#f6fbfb")),
        "Roughness": shading.step(white, 0.0, 1.0, roughness, 0.3), "IOR": ior,
        "Transmission Weight": shading.step(white, 0.0, 1.0, through, 0.5 * through),
    })
    if look in ("milk", "honey"):
        shader.inputs["Subsurface Weight"].default_value = 0.35
        shader.inputs["Subsurface Radius"].default_value = (0.06, 0.03, 0.01)
    shading.surface(shader.outputs[0])
    if through:
        material.use_raytrace_refraction = True
    material.diffuse_color = colour(tint)
    return material


def glass(name: str, tint: str) -> bpy.types.Material:
    """A pane: clear where one looks through it, mirror where one looks along it."""
    material, shading = new_material(name)
    edge = shading.node("ShaderNodeLayerWeight", {"Blend": 0.18}).outputs["Fresnel"]
    clear = shading.node("ShaderNodeBsdfTransparent", {"Color": colour(tint)}).outputs[0]
    mirror = shading.node("ShaderNodeBsdfGlossy", {"Color": colour("#ffffff"), "Roughness": 0.03}).outputs[0]
    shading.surface(shading.node("ShaderNodeMixShader", {0: edge, 1: clear, 2: mirror}).outputs[0])
    material.diffuse_color = (*colour(tint)[:3], 0.25)
    return material


def glaze(name: str, tint: str, roughness: float = 0.12) -> bpy.types.Material:
    """Enamel, china, rubber: one colour under a clear coat."""
    material, shading = new_material(name)
    shader = shading.node("ShaderNodeBsdfPrincipled", {
        "Base Color": colour(tint), "Roughness": roughness, "Coat Weight": 0.6, "Coat Roughness": 0.05,
    })
    shading.surface(shader.outputs[0])
    material.diffuse_color = colour(tint)
    return material


def duck_rubber(name: str, body: str, beak: str) -> bpy.types.Material:
    """Yellow rubber with an orange beak, where the mesh's attribute "beak" is 1, and black eyes where it is 2."""
    material, shading = new_material(name)
    part = shading.attribute("beak")
    painted = shading.mix(shading.step(part, 0.4, 0.6), colour(body), colour(beak))
    painted = shading.mix(shading.step(part, 1.4, 1.6), painted, colour("#0b0b0d"))
    shader = shading.node("ShaderNodeBsdfPrincipled", {
        "Base Color": painted, "Roughness": 0.25, "Coat Weight": 0.4, "Subsurface Weight": 0.1,
    })
    shading.surface(shader.outputs[0])
    material.diffuse_color = colour(body)
    return material


def _white(shading: Shading, fast: float) -> Socket:
    """How white it is where it goes fast."""
    speed = shading.node(
        "ShaderNodeVectorMath", {0: shading.node("ShaderNodeAttribute", attribute_name="velocity").outputs["Vector"]},
        operation="LENGTH",
    ).outputs["Value"]
    return shading.step(speed, fast, 2.2 * fast, 0.0, 0.45)
