"""A buoy's paint: red with a white band on its post, worn on the float, and a lamp on top."""

from __future__ import annotations

import bpy

from .shading import colour, new_material

RED, WHITE, RUST, LAMP = "#c4241a", "#f1ece0", "#5c3a30", "#ffd27a"


def buoy(name: str) -> bpy.types.Material:
    """Paint by height over the middle of a buoy 1 m high."""
    material, shading = new_material(name)
    coordinates = shading.coordinates("Object")
    _x, _y, height = shading.split(coordinates)
    band = shading.math("LESS_THAN", shading.math("ABSOLUTE", shading.math("SUBTRACT", height, 0.3)), 0.09)
    rim = shading.math("LESS_THAN", shading.math("ABSOLUTE", shading.math("ADD", height, 0.13)), 0.035)
    paint = shading.mix(shading.math("MAXIMUM", band, rim), colour(RED), colour(WHITE))
    worn = shading.step(shading.noise(coordinates, 7.0, 6.0, 0.65), 0.5, 0.75, 0.0, 0.5)
    scuffed = shading.mix(worn, paint, colour(RUST))
    lamp = shading.math("GREATER_THAN", height, 0.51)
    shader = shading.node("ShaderNodeBsdfPrincipled", {
        "Base Color": shading.mix(lamp, scuffed, colour(LAMP)), "Roughness": 0.45,
        "Emission Color": colour(LAMP), "Emission Strength": shading.math("MULTIPLY", lamp, 2.5),
    })
    shading.surface(shader.outputs[0])
    material.diffuse_color = colour(RED)
    return material
