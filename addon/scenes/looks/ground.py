"""Rock, grassy banks, grass blades, conifers and distant hills."""

from __future__ import annotations

import bpy

from .shading import colour, new_material

HAZE = "#d9cdb8"


def rock(name: str) -> bpy.types.Material:
    """Grey river stone: dark and shiny where wet, just above the water; mossy on top."""
    material, shading = new_material(name)
    position = shading.position()
    _, _, height = shading.split(position)
    rough, fine = shading.noise(position, 2.2, 5.0, 0.6), shading.noise(position, 11.0, 4.0, 0.6)
    stone = shading.mix(shading.step(rough, 0.35, 0.68), colour("#57524b"), colour("#a1968a"))
    stone = shading.mix(shading.math("MULTIPLY", fine, 0.6), stone, colour("#3d3a37"), "MULTIPLY")
    _, _, up = shading.split(shading.node("ShaderNodeNewGeometry").outputs["Normal"])
    moss = shading.math("MULTIPLY", shading.step(up, 0.6, 0.95), shading.step(rough, 0.5, 0.62))
    stone = shading.mix(shading.math("MULTIPLY", moss, 0.7), stone, colour("#5d6a2e"))
    waterline = shading.math("MULTIPLY_ADD", rough, 0.16, 0.02)
    wet = shading.step(shading.math("SUBTRACT", height, waterline), 0.05, -0.03)
    bump = shading.node("ShaderNodeBump", {
        "Strength": 0.7, "Distance": 0.05, "Height": shading.math("MULTIPLY_ADD", fine, 0.5, rough),
    })
    shader = shading.node("ShaderNodeBsdfPrincipled", {
        "Base Color": shading.mix(shading.math("MULTIPLY", wet, 0.62), stone, (0.02, 0.022, 0.022, 1.0)),
        "Roughness": shading.step(wet, 0.0, 1.0, 0.85, 0.22), "Normal": bump.outputs[0],
    })
    shading.surface(shader.outputs[0])
    material.diffuse_color = colour("#857b70")
    return material


def bank(name: str) -> bpy.types.Material:
    """Gravel at the water that blends into meadow with height."""
    material, shading = new_material(name)
    position = shading.position()
    _, _, height = shading.split(position)
    broad, fine = shading.noise(position, 0.8, 3.0), shading.noise(position, 14.0, 3.0, 0.7)
    cells = shading.node("ShaderNodeTexVoronoi", {"Vector": position, "Scale": 7.0}).outputs
    gravel = shading.mix(shading.step(cells["Distance"], 0.2, 0.6), colour("#a89b88"), colour("#4d463c"))
    meadow = shading.mix(shading.step(broad, 0.35, 0.65), colour("#4f6424"), colour("#8b8a3a"))
    meadow = shading.mix(shading.math("MULTIPLY", fine, 0.7), meadow, colour("#26350f"))
    line = shading.math("MULTIPLY_ADD", broad, 0.5, height)
    ground = shading.mix(shading.step(line, 0.42, 0.62), gravel, meadow)
    bump = shading.node("ShaderNodeBump", {"Strength": 0.6, "Distance": 0.06, "Height": fine})
    wet = shading.step(height, 0.09, 0.02)
    shader = shading.node("ShaderNodeBsdfPrincipled", {
        "Base Color": shading.mix(shading.math("MULTIPLY", wet, 0.6), ground, (0.02, 0.02, 0.018, 1.0)),
        "Roughness": shading.step(wet, 0.0, 1.0, 0.9, 0.3), "Normal": bump.outputs[0],
    })
    shading.surface(shading.haze(shader.outputs[0], colour(HAZE), 14.0, 120.0, 0.55))
    material.diffuse_color = colour("#6c7434")
    return material


def _leaves(name: str, dark: str, light: str, haze_end: float) -> bpy.types.Material:
    """Thin translucent leaves; the mesh has the attribute "tint", from 0 for dark to 1 for light."""
    material, shading = new_material(name)
    green = shading.mix(shading.attribute("tint"), colour(dark), colour(light))
    diffuse = shading.node("ShaderNodeBsdfDiffuse", {0: green}).outputs[0]
    translucent = shading.node("ShaderNodeBsdfTranslucent", {0: green}).outputs[0]
    mixed = shading.node("ShaderNodeMixShader", {0: 0.35, 1: diffuse, 2: translucent}).outputs[0]
    shading.surface(shading.haze(mixed, colour(HAZE), 10.0, haze_end, 0.8))
    material.diffuse_color = colour(light)
    return material


def grass(name: str) -> bpy.types.Material:
    """Grass blades, dark at the foot and straw-coloured at the tip."""
    return _leaves(name, "#3c5218", "#c2be5a", 120.0)


def conifer(name: str) -> bpy.types.Material:
    """Conifers, darker inside than at the ends of the branches."""
    return _leaves(name, "#1e3214", "#5c743a", 90.0)


def hills(name: str) -> bpy.types.Material:
    """Distant hills: forest below, bare above, all in haze."""
    material, shading = new_material(name)
    position = shading.position()
    _, _, height = shading.split(position)
    broken = shading.math("MULTIPLY_ADD", shading.noise(position, 0.12, 5.0), 14.0, height)
    slope = shading.mix(shading.step(broken, 12.0, 24.0), colour("#3c5030"), colour("#8a8478"))
    plain = shading.node("ShaderNodeBsdfDiffuse", {0: slope}).outputs[0]
    shading.surface(shading.haze(plain, colour("#b9c3cf"), 30.0, 120.0, 0.72))
    material.diffuse_color = colour("#74806f")
    return material
