"""Brown cardboard: fibres, a taped seam on top and bottom, a printed mark on two sides."""

from __future__ import annotations

import bpy

from .shading import Shading, Socket, colour, new_material

KRAFT, PALE, TAPE, INK = "#b58a5a", "#cfa876", "#d9b684", "#3b2a1c"


def cardboard(name: str) -> bpy.types.Material:
    """A box of 1 m centred on the origin, multiplied with the object's colour."""
    material, shading = new_material(name)
    coordinates = shading.coordinates("Object")
    x, y, z = shading.split(coordinates)
    nx, _, up = (shading.math("ABSOLUTE", k) for k in shading.split(shading.coordinates("Normal")))
    lid = shading.math("GREATER_THAN", up, 0.7)
    info = shading.node("ShaderNodeObjectInfo").outputs
    fibre = shading.noise(
        shading.vector("ADD", coordinates, shading.join(info["Random"], info["Random"], 0.0)), 14.0, 6.0, 0.7
    )
    blotch = shading.noise(shading.vector("ADD", coordinates, shading.join(0.0, 0.0, info["Random"])), 2.2, 2.0, 0.5)
    paper = shading.mix(shading.step(fibre, 0.3, 0.75), colour(KRAFT), colour(PALE))
    paper = shading.mix(shading.math("MULTIPLY", blotch, 0.35), paper, colour("#9a7044"))
    paper = shading.mix(1.0, paper, info["Color"], "MULTIPLY")
    from_seam = shading.math("ABSOLUTE", y)
    seam = shading.math("MULTIPLY", lid, shading.step(from_seam, 0.012, 0.006))
    # The tape continues some way down both ends.
    end = shading.math("MULTIPLY", shading.math("GREATER_THAN", nx, 0.7),
                       shading.math("GREATER_THAN", shading.math("ABSOLUTE", z), 0.34))
    strip = shading.math("MULTIPLY", shading.math("MAXIMUM", lid, end), shading.step(from_seam, 0.075, 0.07))
    paper = shading.mix(seam, paper, colour(INK))
    paper = shading.mix(shading.math("MULTIPLY", strip, 0.8), paper, colour(TAPE))
    front = shading.math("LESS_THAN", shading.math("MAXIMUM", nx, up), 0.5)
    paper = shading.mix(shading.math("MULTIPLY", front, _arrows(shading, x, z)), paper, colour(INK))
    bump = shading.node("ShaderNodeBump", {
        "Strength": 0.25, "Distance": 0.004, "Height": shading.math("SUBTRACT", fibre, seam),
    })
    shader = shading.node("ShaderNodeBsdfPrincipled", {
        "Base Color": paper, "Roughness": shading.step(strip, 0.0, 1.0, 0.85, 0.35), "Normal": bump.outputs[0],
    })
    shading.surface(shader.outputs[0])
    material.diffuse_color = colour(KRAFT)
    return material


def _arrows(shading: Shading, x: Socket, z: Socket) -> Socket:
    """Mask of two arrows that point up, in the lower right corner of a side; 0.75 inside."""
    from_centre = shading.math("ABSOLUTE", shading.math("SUBTRACT", x, 0.26))
    from_shaft = shading.math("ABSOLUTE", shading.math("SUBTRACT", from_centre, 0.07))
    up = shading.math("SUBTRACT", z, -0.36)
    shaft = shading.math("MULTIPLY", shading.step(from_shaft, 0.014, 0.012), shading.math("LESS_THAN", up, 0.11))
    head = shading.math("MULTIPLY", shading.math("GREATER_THAN", up, 0.1), shading.step(
        shading.math("ADD", from_shaft, shading.math("MULTIPLY", up, 0.6)), 0.108, 0.104))
    shape = shading.math("MULTIPLY", shading.math("MAXIMUM", shaft, head), shading.math("GREATER_THAN", up, 0.0))
    return shading.math("MULTIPLY", shape, 0.75)
