"""Materials of a trampoline: a woven mat with a target mark on it, and galvanized steel."""

from __future__ import annotations

from collections.abc import Sequence

import bpy

from .shading import colour, new_material

# Threads across the whole mat; radius of the target's ring and its width, as fractions of the mat's radius.
_THREADS, _RING_RADIUS, _RING_WIDTH = 160.0, 0.55, 0.02


def mat(name: str, colours: Sequence[str]) -> bpy.types.Material:
    """A woven mat.

    Args:
        colours: codes such as "#20242c": of the weave, and of the target mark on it.
    """
    material, shading = new_material(name)
    u, v, _ = shading.split(shading.coordinates("UV"))
    x, y = (shading.math("MULTIPLY_ADD", k, 2.0, -1.0) for k in (u, v))
    distance = shading.math("SQRT", shading.math("ADD", shading.math("MULTIPLY", x, x), shading.math("MULTIPLY", y, y)))
    ring = shading.step(
        shading.math("ABSOLUTE", shading.math("SUBTRACT", distance, _RING_RADIUS)), _RING_WIDTH, 0.8 * _RING_WIDTH
    )
    arms = shading.step(shading.math("MINIMUM", *(shading.math("ABSOLUTE", k) for k in (x, y))), 0.012, 0.009)
    cross = shading.math("MULTIPLY", arms, shading.step(distance, 0.16, 0.15))
    target = shading.math("MAXIMUM", ring, cross)
    warp, weft = (shading.math("SINE", shading.math("MULTIPLY", k, _THREADS * 3.1415927)) for k in (x, y))
    weave = shading.math("MULTIPLY", warp, weft)
    dust = shading.noise(shading.join(u, v), 9.0, 4.0, 0.6)
    ground = shading.mix(shading.math("MULTIPLY", dust, 0.25), colour(colours[0]), colour("#8a8478"))
    bump = shading.node("ShaderNodeBump", {"Strength": 0.12, "Distance": 0.004, "Height": weave})
    shader = shading.node("ShaderNodeBsdfPrincipled", {
        "Base Color": shading.mix(target, ground, colour(colours[1])), "Roughness": 0.7, "Sheen Weight": 0.15,
        "Normal": bump.outputs[0],
    })
    shading.surface(shader.outputs[0])
    material.diffuse_color = colour(colours[0])
    return material


def steel(name: str) -> bpy.types.Material:
    """Galvanized steel, dull and slightly spotted."""
    material, shading = new_material(name)
    spots = shading.noise(shading.coordinates("Object"), 18.0, 3.0, 0.6)
    shader = shading.node("ShaderNodeBsdfPrincipled", {
        "Base Color": shading.mix(spots, colour("#8d949b"), colour("#c6ccd2")), "Metallic": 0.9,
        "Roughness": shading.step(spots, 0.3, 0.7, 0.35, 0.55),
    })
    shading.surface(shader.outputs[0])
    material.diffuse_color = colour("#aab0b6")
    return material
