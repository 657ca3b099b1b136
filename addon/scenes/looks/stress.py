"""Stress by colour: what is pressed is red, what is pulled is blue, what is at rest is grey, as in the overlay."""

from __future__ import annotations

import bpy

from .shading import Shading, Socket, colour, new_material

PRESSED, AT_REST, PULLED = "#f02818", "#c8c8c8", "#1972ff"
NAME, FULL = "Flotsam Stress", "Full Color"
_MARK = "flotsam_look"
# A share of its own light, so that colours can be told in the shade too.
_GLOW = 0.35


def stress_material(full: float) -> bpy.types.Material:
    """The material that shows the attribute "stress", with full colours at this stretch; one a file.

    The share of colour is the root of |stress| / full, so that small stretches are seen, too.
    """
    known = (found for found in bpy.data.materials if found.library is None and found.get(_MARK))
    material = next(known, None) or _build()
    material.node_tree.nodes[FULL].outputs[0].default_value = full
    return material


def _build() -> bpy.types.Material:
    material, shading = new_material(NAME)
    material[_MARK] = True
    full = shading.node("ShaderNodeValue", label=FULL, name=FULL).outputs[0]
    share = shading.math("DIVIDE", shading.attribute("stress"), full)
    pressed = _share(shading, shading.math("MULTIPLY", share, -1.0))
    shown = shading.mix(pressed, colour(AT_REST), colour(PRESSED))
    shown = shading.mix(_share(shading, share), shown, colour(PULLED))
    shading.surface(shading.node("ShaderNodeBsdfPrincipled", {
        "Base Color": shown, "Roughness": 0.6, "Emission Color": shown, "Emission Strength": _GLOW,
    }).outputs[0])
    material.diffuse_color = colour(PULLED)
    return material


def _share(shading: Shading, value: Socket) -> Socket:
    """The root of a number between 0 and 1, and its ends beyond."""
    return shading.math("SQRT", shading.math("MAXIMUM", shading.math("MINIMUM", value, 1.0), 0.0))
