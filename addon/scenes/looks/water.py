"""Turquoise mountain water: colour by depth, stones visible in the shallows, ripples that drift with the flow."""

from __future__ import annotations

from collections.abc import Sequence

import bpy

from .shading import Shading, Socket, colour, new_material

SHALLOW, MIDDLE, DEEP = "#8fb59a", "#17a3a6", "#06606f"
STONE, FOAM = "#4a4a3c", "#f4f8f6"


def water(name: str, flow: Sequence[float], scene: bpy.types.Scene) -> bpy.types.Material:
    """Water; its mesh has the attributes "depth" [m] and "foam" (0 to 1).

    Args:
        flow: velocity of the water [m/s]; the ripples drift with it.
        scene: its frame rate sets the speed of the ripples.
    """
    material, shading = new_material(name)
    seconds = shading.seconds(scene)
    position = shading.position()
    drift = shading.node("ShaderNodeVectorMath", {0: tuple(flow), 3: seconds}, operation="SCALE").outputs[0]
    moving = shading.vector("SUBTRACT", position, drift)
    depth = shading.attribute("depth")
    foam = _foam(shading, moving)
    base = shading.mix(foam, _body(shading, position, depth), colour(FOAM))
    bump = shading.node("ShaderNodeBump", {
        "Strength": 1.0, "Distance": 1.0, "Height": ripples(shading, moving, seconds),
    })
    shader = shading.node("ShaderNodeBsdfPrincipled", {
        "Base Color": base, "Roughness": shading.step(foam, 0.0, 1.0, 0.05, 0.6), "IOR": 1.333,
        "Normal": bump.outputs[0],
    })
    shading.surface(shader.outputs[0])
    material.diffuse_color = colour(MIDDLE)
    return material


def _body(shading: Shading, position: Socket, depth: Socket) -> Socket:
    """Colour below the surface: the bed near the banks, then turquoise, then the deep colour."""
    stones = shading.node("ShaderNodeTexVoronoi", {"Vector": position, "Scale": 5.0}).outputs
    pebble = shading.mix(shading.step(stones["Distance"], 0.25, 0.65), colour(SHALLOW), colour(STONE))
    clear = shading.mix(shading.step(depth, 0.0, 0.5), pebble, colour(MIDDLE))
    cloudy = shading.math("MULTIPLY_ADD", shading.noise(position, 0.5), 0.5, shading.math("SUBTRACT", depth, 0.25))
    return shading.mix(shading.step(cloudy, 0.3, 1.15), clear, colour(DEEP))


def ripples(shading: Shading, moving: Socket, seconds: Socket) -> Socket:
    """Height of the ripples, a sum of two noises [m]; lower with distance so that distant water does not glitter."""
    stretched = shading.vector("MULTIPLY", moving, (1.0, 0.62, 1.0))
    rise = shading.join(0.0, 0.0, shading.math("MULTIPLY", seconds, 0.35))
    wide = shading.noise(shading.vector("ADD", stretched, rise), 1.3, 1.0)
    rise_fast = shading.join(0.0, 0.0, shading.math("MULTIPLY", seconds, 0.6))
    fine = shading.noise(shading.vector("ADD", stretched, rise_fast), 4.6, 2.0)
    height = shading.math("MULTIPLY_ADD", fine, 0.045, shading.math("MULTIPLY", wide, 0.12))
    distance = shading.node("ShaderNodeCameraData").outputs["View Distance"]
    return shading.math("MULTIPLY", height, shading.step(distance, 3.0, 22.0, 1.0, 0.35))


def _foam(shading: Shading, moving: Socket) -> Socket:
    """Mask of broken foam, 0 to 1, where the mesh's attribute "foam" is high."""
    streaks = shading.noise(shading.vector("MULTIPLY", moving, (1.0, 0.45, 1.0)), 9.0, 4.0, 0.65)
    wanted = shading.math("MULTIPLY", shading.attribute("foam"), 0.52)
    return shading.step(shading.math("ADD", streaks, wanted), 0.72, 0.98)
