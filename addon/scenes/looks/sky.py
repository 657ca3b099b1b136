"""A late afternoon sky: warm at the horizon, blue overhead, a glow around the sun, thin lit clouds."""

from __future__ import annotations

from collections.abc import Sequence

import bpy

from .shading import Shading, Socket, colour

HORIZON, MIDDLE, ZENITH = "#ffd9a8", "#a9c6e0", "#3f7fc4"
GLOW, CLOUD = "#ffc98a", "#fff0de"


def sky(name: str, towards_sun: Sequence[float], strength: float) -> bpy.types.World:
    """A world with the sky only; the sun itself is a lamp.

    Args:
        towards_sun: unit vector from the ground to the sun.
        strength: brightness of the whole sky.
    """
    world = bpy.data.worlds.new(name)
    if world.node_tree is None:
        world.use_nodes = True
    shading = Shading(world.node_tree)
    direction = shading.coordinates("Generated")
    x, y, z = shading.split(direction)
    low = shading.mix(shading.step(z, 0.0, 0.22), colour(HORIZON), colour(MIDDLE))
    blue = shading.mix(shading.step(z, 0.12, 0.75), low, colour(ZENITH))
    towards = shading.node("ShaderNodeVectorMath", {0: direction, 1: tuple(towards_sun)}, operation="DOT_PRODUCT")
    near_sun = shading.math("POWER", shading.math("MAXIMUM", towards.outputs["Value"], 0.0), 7.0)
    lit = shading.mix(shading.math("MULTIPLY", near_sun, 0.75), blue, colour(GLOW))
    clouded = shading.mix(_clouds(shading, x, y, z), lit, colour(CLOUD))
    brightness = shading.math("MULTIPLY_ADD", near_sun, 1.6 * strength, strength)
    background = shading.node("ShaderNodeBackground", {0: clouded, 1: brightness})
    shading.node("ShaderNodeOutputWorld", {"Surface": background.outputs[0]})
    return world


def _clouds(shading: Shading, x: Socket, y: Socket, z: Socket) -> Socket:
    """Cloud cover from 0 to 1, on a horizontal sheet seen from below."""
    height = shading.math("ADD", shading.math("MAXIMUM", z, 0.0), 0.12)
    sheet = shading.join(shading.math("DIVIDE", x, height), shading.math("DIVIDE", y, height), 0.0)
    puffs = shading.noise(sheet, 1.1, 6.0, 0.6)
    cover = shading.step(puffs, 0.5, 0.78, 0.0, 0.85)
    return shading.math("MULTIPLY", cover, shading.step(z, 0.02, 0.16))
