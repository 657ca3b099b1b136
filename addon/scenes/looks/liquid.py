"""Materials of particle fluids and of their vessels.

A fluid's surface has the attribute "thickness", the distance to its other side [m]: thin sheets are clear and deep
water is coloured, as in Beer's law. Eevee refracts the background by ray tracing, which needs its own thickness.
"""

from __future__ import annotations

from typing import NamedTuple

import bpy

from .shading import colour, new_material

# Thickness that Eevee assumes for refraction [m]: more shifts the image behind a surface, less shows no refraction.
_SLAB_THICKNESS = 0.05


class Look(NamedTuple):
    """A fluid: colours at thickness 0 and at `depth` [m], roughness, transmission weight, IOR, subsurface weight."""

    thin: str
    thick: str
    depth: float
    roughness: float
    transmission: float
    ior: float
    subsurface: float = 0.0


LOOKS = {
    "clear": Look("#f6fefe", "#62b9c8", 0.5, 0.0, 1.0, 1.333),
    "muddy": Look("#b99a6c", "#8b6d48", 0.2, 0.22, 0.1, 1.34),
    "milk": Look("#fffaf0", "#f6efe0", 0.1, 0.18, 0.0, 1.35, 0.5),
    "honey": Look("#ffc95a", "#c9680c", 0.16, 0.04, 0.75, 1.49, 0.2),
}
NAMES = {"clear": "Clear Water", "muddy": "Muddy Water", "milk": "Milk", "honey": "Honey"}


def liquid(look: str) -> bpy.types.Material:
    """The material of a fluid; raises KeyError for an unknown look."""
    values = LOOKS[look]
    material, shading = new_material(NAMES[look])
    deep = shading.step(shading.attribute("thickness"), 0.0, values.depth)
    shader = shading.node("ShaderNodeBsdfPrincipled", {
        "Base Color": shading.mix(deep, colour(values.thin), colour(values.thick)), "Roughness": values.roughness,
        "IOR": values.ior, "Transmission Weight": values.transmission, "Subsurface Weight": values.subsurface,
        "Subsurface Radius": (0.06, 0.03, 0.01),
    })
    shading.node("ShaderNodeOutputMaterial", {
        "Surface": shader.outputs[0], "Thickness": shading.node("ShaderNodeValue").outputs[0],
    }).inputs["Thickness"].links[0].from_socket.default_value = _SLAB_THICKNESS
    material.use_raytrace_refraction, material.thickness_mode = values.transmission > 0.0, "SLAB"
    material.diffuse_color = colour(values.thick)
    return material


def foam() -> bpy.types.Material:
    """Spray, foam and bubbles: white, and blue-grey for bubbles below the surface, by the attribute "kind"."""
    material, shading = new_material("Foam")
    is_bubble = shading.step(shading.attribute("kind"), 2.4, 2.6)
    shading.surface(shading.node("ShaderNodeBsdfPrincipled", {
        "Base Color": shading.mix(is_bubble, colour("#f8fbfc"), colour("#cfe6ea")), "Roughness": 0.6,
        "Emission Color": colour("#ffffff"), "Emission Strength": 0.15,
    }).outputs[0])
    material.diffuse_color = colour("#f8fbfc")
    return material


def glass(name: str, tint: str) -> bpy.types.Material:
    """A glass pane: transparent face on, reflective at grazing angles."""
    material, shading = new_material(name)
    edge = shading.node("ShaderNodeLayerWeight", {"Blend": 0.12}).outputs["Fresnel"]
    clear = shading.node("ShaderNodeBsdfTransparent", {"Color": colour(tint)}).outputs[0]
    mirror = shading.node("ShaderNodeBsdfGlossy", {"Color": colour("#ffffff"), "Roughness": 0.05}).outputs[0]
    shading.surface(shading.node("ShaderNodeMixShader", {0: edge, 1: clear, 2: mirror}).outputs[0])
    # Dithered transparency would be noisy in front of the fluid.
    material.surface_render_method, material.use_transparency_overlap = "BLENDED", False
    material.diffuse_color = (*colour(tint)[:3], 0.25)
    return material


def glaze(name: str, tint: str, roughness: float = 0.12) -> bpy.types.Material:
    """Enamel, china or rubber: one colour under a clear coat."""
    material, shading = new_material(name)
    shading.surface(shading.node("ShaderNodeBsdfPrincipled", {
        "Base Color": colour(tint), "Roughness": roughness, "Coat Weight": 0.6, "Coat Roughness": 0.05,
    }).outputs[0])
    material.diffuse_color = colour(tint)
    return material


def crust(name: str, colours: tuple[str, str]) -> bpy.types.Material:
    """A pancake: browned on top and bottom, pale around its rim."""
    material, shading = new_material(name)
    _x, _y, up = shading.split(shading.node("ShaderNodeNewGeometry").outputs["Normal"])
    spots = shading.step(shading.noise(shading.coordinates("Object"), 14.0, 4.0), 0.3, 0.7, 0.6, 1.0)
    baked = shading.math("MULTIPLY", shading.step(shading.math("ABSOLUTE", up), 0.5, 0.95), spots)
    shading.surface(shading.node("ShaderNodeBsdfPrincipled", {
        "Base Color": shading.mix(baked, colour(colours[1]), colour(colours[0])), "Roughness": 0.5,
        "Subsurface Weight": 0.3, "Subsurface Radius": (0.05, 0.03, 0.02),
    }).outputs[0])
    material.diffuse_color = colour(colours[0])
    return material


def duck_rubber(name: str, body: str, beak: str) -> bpy.types.Material:
    """Rubber of one colour, with a beak where the mesh's attribute "beak" is 1 and black eyes where it is 2."""
    material, shading = new_material(name)
    part = shading.attribute("beak")
    painted = shading.mix(shading.step(part, 0.4, 0.6), colour(body), colour(beak))
    painted = shading.mix(shading.step(part, 1.4, 1.6), painted, colour("#0b0b0d"))
    shading.surface(shading.node("ShaderNodeBsdfPrincipled", {
        "Base Color": painted, "Roughness": 0.25, "Coat Weight": 0.4, "Subsurface Weight": 0.1,
    }).outputs[0])
    material.diffuse_color = colour(body)
    return material
