"""Terry cloth: stripes across it, a plain hem at both ends, and a sheen at grazing angles."""

from __future__ import annotations

from collections.abc import Sequence

import bpy

from .shading import colour, new_material


def terry(name: str, stripes: int, colours: Sequence[str]) -> bpy.types.Material:
    """A towel of two colours.

    Args:
        stripes: number of pairs of them along u.
        colours: codes such as "#ff4020": ground and stripe.
    """
    material, shading = new_material(name)
    u, v, _ = shading.split(shading.coordinates("UV"))
    inks = [colour(code) for code in colours]
    phase = shading.math("FRACT", shading.math("MULTIPLY", u, float(stripes)))
    from_middle = shading.math("ABSOLUTE", shading.math("SUBTRACT", phase, 0.5))
    broad = shading.step(from_middle, 0.22, 0.21)
    narrow = shading.step(shading.math("ABSOLUTE", shading.math("SUBTRACT", from_middle, 0.31)), 0.03, 0.02)
    cloth = shading.mix(shading.math("MAXIMUM", broad, narrow), inks[0], inks[1])
    end = shading.math("ABSOLUTE", shading.math("SUBTRACT", u, 0.5))
    hem = shading.step(end, 0.475, 0.48)
    cloth = shading.mix(hem, cloth, inks[0])
    loops = shading.noise(shading.join(shading.math("MULTIPLY", u, 1.5), v), 260.0, 2.0, 0.7)
    cloth = shading.mix(shading.math("MULTIPLY", loops, 0.35), cloth, (0.25, 0.22, 0.2, 1.0), "MULTIPLY")
    height = shading.math("MULTIPLY", loops, shading.math("SUBTRACT", 1.0, hem))
    bump = shading.node("ShaderNodeBump", {"Strength": 0.7, "Distance": 0.006, "Height": height})
    shader = shading.node("ShaderNodeBsdfPrincipled", {
        "Base Color": cloth, "Roughness": 0.95, "Sheen Weight": 0.35, "Normal": bump.outputs[0],
    })
    shading.surface(shader.outputs[0])
    material.diffuse_color = inks[1]
    return material
