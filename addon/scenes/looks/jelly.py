"""Jelly: glossy, tinted, and lit from within."""

from __future__ import annotations

import bpy

from .shading import colour, new_material


def jelly(name: str, code: str) -> bpy.types.Material:
    """A jelly of a colour such as "#d81e4a"."""
    material, shading = new_material(name)
    ink = colour(code)
    shader = shading.node("ShaderNodeBsdfPrincipled", {
        "Base Color": ink, "Roughness": 0.12, "IOR": 1.36, "Subsurface Weight": 0.7,
        "Subsurface Radius": (0.3, 0.3, 0.3), "Subsurface Scale": 0.25, "Coat Weight": 0.4, "Coat Roughness": 0.05,
    })
    shading.surface(shader.outputs[0])
    material.diffuse_color = ink
    return material
