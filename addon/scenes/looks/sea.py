"""Deep sea: dark in the troughs, green at the crests, hazy towards the horizon."""

from __future__ import annotations

from collections.abc import Sequence

import bpy

from .shading import colour, new_material
from .water import ripples

DEEP, CREST, HAZE = "#04283a", "#1b7f84", "#e8cfae"
# Heights between which the colour changes from DEEP to CREST [m].
TROUGH, TOP = -0.1, 0.7
# Distances between which the haze increases [m].
NEAR, FAR = 40.0, 380.0


def sea(name: str, flow: Sequence[float], scene: bpy.types.Scene) -> bpy.types.Material:
    """Sea whose mesh has its own waves, under ripples that are only seen.

    Args:
        flow: velocity of the water [m/s]; the ripples drift with it.
        scene: its frame rate times the ripples.
    """
    material, shading = new_material(name)
    seconds = shading.seconds(scene)
    position = shading.position()
    drift = shading.node("ShaderNodeVectorMath", {0: tuple(flow), 3: seconds}, operation="SCALE").outputs[0]
    _x, _y, height = shading.split(position)
    bump = shading.node("ShaderNodeBump", {
        "Strength": 1.0, "Distance": 0.6,
        "Height": ripples(shading, shading.vector("SUBTRACT", position, drift), seconds),
    })
    distance = shading.node("ShaderNodeCameraData").outputs["View Distance"]
    shader = shading.node("ShaderNodeBsdfPrincipled", {
        "Base Color": shading.mix(shading.step(height, TROUGH, TOP), colour(DEEP), colour(CREST)),
        # Distant ripples are smaller than a pixel: they blur the reflection.
        "Roughness": shading.step(distance, 5.0, 90.0, 0.06, 0.3), "IOR": 1.333, "Normal": bump.outputs[0],
    })
    shading.surface(shading.haze(shader.outputs[0], colour(HAZE), NEAR, FAR, 0.7))
    material.diffuse_color = colour(CREST)
    return material
