"""Stress by colour: compression is red, tension is blue, rest is grey, as in the overlay."""

from __future__ import annotations

import bpy

from .shading import Shading, Socket, colour, new_material

PRESSED, AT_REST, PULLED = "#f02818", "#c8c8c8", "#1972ff"
NAME, FULL = "Flotsam Stress", "Full Color"
_MARK = "flotsam_look"
# Emission strength, so that colours are distinguishable in the shade too.
_EMISSION = 0.35


def stress_material(full: float) -> bpy.types.Material:
    """The material that displays the attribute "stress", with full colours at the stretch `full`; one per file.

    The mix factor is the root of |stress| / full, so that small stretches are visible, too.
    """
    known = (found for found in bpy.data.materials if found.library is None and found.get(_MARK))
    material = next(known, None) or _build()
    material.node_tree.nodes[FULL].outputs[0].default_value = full
    return material


def _build() -> bpy.types.Material:
    material, shading = new_material(NAME)
    material[_MARK] = True
    full = shading.node("ShaderNodeValue", label=FULL, name=FULL).outputs[0]
    ratio = shading.math("DIVIDE", shading.attribute("stress"), full)
    pressed = _root_clamped(shading, shading.math("MULTIPLY", ratio, -1.0))
    shown = shading.mix(pressed, colour(AT_REST), colour(PRESSED))
    shown = shading.mix(_root_clamped(shading, ratio), shown, colour(PULLED))
    shading.surface(shading.node("ShaderNodeBsdfPrincipled", {
        "Base Color": shown, "Roughness": 0.6, "Emission Color": shown, "Emission Strength": _EMISSION,
    }).outputs[0])
    material.diffuse_color = colour(PULLED)
    return material


def _root_clamped(shading: Shading, value: Socket) -> Socket:
    """The square root of a number clamped to 0 … 1."""
    return shading.math("SQRT", shading.math("MAXIMUM", shading.math("MINIMUM", value, 1.0), 0.0))
