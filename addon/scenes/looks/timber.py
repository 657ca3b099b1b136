"""Wood and dressed stone for a harbour: boards, barrel staves with iron hoops, masonry."""

from __future__ import annotations

import bpy

from .shading import Shading, Socket, colour, new_material

LIGHT, DARK, IRON = "#c79a62", "#6b4322", "#3a3633"


def planks(name: str, rides: bool = False) -> bpy.types.Material:
    """Horizontal boards on the sides of a crate, multiplied with the object's colour; `rides` as in `_finish`."""
    material, shading = new_material(name)
    coordinates = shading.coordinates("Object")
    x, _, z = shading.split(coordinates)
    _, _, up = shading.split(shading.coordinates("Normal"))
    level = shading.math("GREATER_THAN", shading.math("ABSOLUTE", up), 0.7)
    across = shading.node("ShaderNodeMix", {0: level, 2: z, 3: x}, data_type="FLOAT").outputs[0]
    board = shading.math("MULTIPLY", across, 5.0)
    number = shading.math("FLOOR", board)
    seam = shading.math("ABSOLUTE", shading.math("SUBTRACT", shading.math("FRACT", board), 0.5))
    gap = shading.step(seam, 0.44, 0.48)
    grain = shading.node("ShaderNodeMix", {0: level, 4: (1.2, 1.2, 9.0), 5: (9.0, 1.2, 1.2)}, data_type="VECTOR")
    _finish(material, shading, coordinates, number, gap, grain.outputs[1], rides=rides)
    return material


def pile(name: str) -> bpy.types.Material:
    """A post with grain along Z."""
    material, shading = new_material(name)
    _finish(material, shading, shading.coordinates("Object"), shading.math("ADD", 0.0), 0.0, (14.0, 14.0, 1.0))
    return material


def staves(name: str, rides: bool = False) -> bpy.types.Material:
    """A barrel's staves around Z, and four iron hoops; `rides` as in `_finish`."""
    material, shading = new_material(name)
    coordinates = shading.coordinates("Object")
    x, y, z = shading.split(coordinates)
    stave = shading.math("MULTIPLY", shading.math("ARCTAN2", y, x), 18.0 / 6.2831853)
    number = shading.math("FLOOR", stave)
    seam = shading.math("ABSOLUTE", shading.math("SUBTRACT", shading.math("FRACT", stave), 0.5))
    gap = shading.step(seam, 0.42, 0.48)
    distance = shading.math("ABSOLUTE", z)
    outer = shading.math("LESS_THAN", shading.math("ABSOLUTE", shading.math("SUBTRACT", distance, 0.44)), 0.035)
    inner = shading.math("LESS_THAN", shading.math("ABSOLUTE", shading.math("SUBTRACT", distance, 0.2)), 0.028)
    r_squared = shading.math("ADD", shading.math("MULTIPLY", x, x), shading.math("MULTIPLY", y, y))
    hoop = shading.math(
        "MULTIPLY", shading.math("MAXIMUM", outer, inner), shading.math("GREATER_THAN", r_squared, 0.06)
    )
    _finish(material, shading, coordinates, number, gap, (12.0, 12.0, 1.0), hoop, rides)
    return material


def masonry(name: str) -> bpy.types.Material:
    """Blocks in courses, green with weed near the water level."""
    material, shading = new_material(name)
    position = shading.position()
    x, y, z = shading.split(position)
    along = shading.join(shading.math("ADD", x, y), z, 0.0)
    bricks = shading.node("ShaderNodeTexBrick", {
        "Vector": along, "Color1": colour("#a79b8b"), "Color2": colour("#857a6d"), "Mortar": colour("#5a534b"),
        "Scale": 1.0, "Mortar Size": 0.012, "Brick Width": 0.72, "Row Height": 0.3,
    }).outputs
    rough = shading.noise(position, 5.0, 5.0, 0.65)
    stone = shading.mix(shading.math("MULTIPLY", rough, 0.7), bricks["Color"], colour("#5e564d"), "MULTIPLY")
    line = shading.math("MULTIPLY_ADD", rough, 0.22, -0.06)
    weed = shading.step(shading.math("SUBTRACT", z, line), 0.1, -0.04)
    bump = shading.node("ShaderNodeBump", {
        "Strength": 0.6, "Distance": 0.03, "Height": shading.math("SUBTRACT", rough, bricks["Fac"]),
    })
    shader = shading.node("ShaderNodeBsdfPrincipled", {
        "Base Color": shading.mix(shading.math("MULTIPLY", weed, 0.85), stone, colour("#2c3417")),
        "Roughness": shading.step(weed, 0.0, 1.0, 0.9, 0.35), "Normal": bump.outputs[0],
    })
    shading.surface(shader.outputs[0])
    material.diffuse_color = colour("#8f857a")
    return material


def _finish(
    material: bpy.types.Material, shading: Shading, coordinates: Socket, number: Socket, gap: Socket | float,
    grain: Socket | tuple[float, float, float], hoop: Socket | float = 0.0, rides: bool = False,
) -> None:
    """Build the wood: grain and tone by board `number`, dark gaps, wet near the water, iron where `hoop` is 1.

    The water is at height 0, or below the object's middle if it `rides` on waves.
    """
    info = shading.node("ShaderNodeObjectInfo").outputs
    shift = shading.node("ShaderNodeTexWhiteNoise", {"W": number}, noise_dimensions="1D").outputs["Value"]
    stretched = shading.vector("MULTIPLY", coordinates, grain)
    fibre = shading.noise(shading.vector("ADD", stretched, shading.join(shift, number, 0.0)), 4.0, 6.0, 0.6)
    tone = shading.math("MULTIPLY_ADD", shift, 0.5, shading.math("SUBTRACT", fibre, 0.25))
    wood = shading.mix(shading.step(tone, 0.15, 0.75), colour(DARK), colour(LIGHT))
    wood = shading.mix(0.75, wood, info["Color"], "MULTIPLY")
    wood = shading.mix(gap, wood, (0.02, 0.012, 0.008, 1.0))
    iron = shading.mix(shading.step(fibre, 0.35, 0.7), colour(IRON), colour("#6e3a20"))
    _, _, height = shading.split(shading.position())
    if rides:
        height = shading.math("ADD", shading.math("SUBTRACT", height, shading.split(info["Location"])[2]), 0.1)
    wet = shading.step(height, 0.12, 0.02)
    dry = shading.mix(hoop, wood, iron)
    bump = shading.node("ShaderNodeBump", {
        "Strength": 0.5, "Distance": 0.01, "Height": shading.math("SUBTRACT", fibre, gap),
    })
    shader = shading.node("ShaderNodeBsdfPrincipled", {
        "Base Color": shading.mix(shading.math("MULTIPLY", wet, 0.55), dry, (0.015, 0.012, 0.01, 1.0)),
        "Roughness": shading.step(wet, 0.0, 1.0, 0.65, 0.25), "Normal": bump.outputs[0],
    })
    shading.surface(shader.outputs[0])
    material.diffuse_color = colour(LIGHT)
