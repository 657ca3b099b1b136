"""Glossy vinyl for swim rings: patterns in the torus' UV coordinates, welded seams and the puckers beside them.

In the UV map u runs once around the ring and v once around the tube: v = 0 is the outer seam, 0.25 the top,
0.5 the inner seam, 0.75 the bottom.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import bpy

from .shading import Colour, Shading, Socket, colour, new_material

EDGE = 0.02
PUCKERS = 46
# Above the roughness up to which a film ray-traces with few samples, see `_hurry` in addon/render.py; less is noisy.
ROUGHNESS = 0.21


def vinyl(name: str, pattern: str, count: int, colours: Sequence[str]) -> bpy.types.Material:
    """A vinyl of two or three colours.

    Args:
        pattern: a key of `PATTERNS`.
        count: how often the pattern repeats around the ring.
        colours: codes such as "#ff4020": ground, figure, and for some patterns a third, such as that of sprinkles.
    """
    material, shading = new_material(name)
    u, v, _ = shading.split(shading.coordinates("UV"))
    inks = [colour(code) for code in colours]
    base = PATTERNS[pattern](shading, u, v, count, inks)
    seam = _seam(shading, v)
    base = shading.mix(shading.math("MULTIPLY", seam, 0.35), base, (0.9, 0.88, 0.84, 1.0))
    bump = shading.node("ShaderNodeBump", {"Strength": 0.55, "Distance": 0.012, "Height": _relief(shading, u, v, seam)})
    shader = shading.node("ShaderNodeBsdfPrincipled", {
        "Base Color": base, "Roughness": ROUGHNESS, "IOR": 1.52, "Normal": bump.outputs[0],
    })
    shading.surface(shader.outputs[0])
    material.diffuse_color = inks[0]
    return material


def _wave(shading: Shading, value: Socket, count: float) -> Socket:
    """sin(2 π count value)."""
    return shading.math("SINE", shading.math("MULTIPLY", value, 2.0 * math.pi * count))


def _circular_distance(shading: Shading, value: Socket, centre: float) -> Socket:
    """Distance of `value` from `centre` on a circle of circumference 1."""
    return shading.math("ABSOLUTE", shading.math("WRAP", shading.math("SUBTRACT", value, centre), 0.5, -0.5))


def _seam(shading: Shading, v: Socket) -> Socket:
    """1 on both welded seams, 0 elsewhere."""
    outer = _circular_distance(shading, v, 0.0)
    inner = _circular_distance(shading, v, 0.5)
    return shading.step(shading.math("MINIMUM", outer, inner), 0.012, 0.006)


def _relief(shading: Shading, u: Socket, v: Socket, seam: Socket) -> Socket:
    """Height of the surface: raised welds, and folds that start at them, mainly at the inner one."""
    wobble = shading.noise(shading.join(shading.math("MULTIPLY", u, 9.0), v), 2.0)
    fold = _wave(shading, shading.math("ADD", u, shading.math("MULTIPLY", wobble, 0.05)), PUCKERS)
    near_inner = shading.step(_circular_distance(shading, v, 0.5), 0.17, 0.0)
    near_outer = shading.step(_circular_distance(shading, v, 0.0), 0.08, 0.0, 0.0, 0.35)
    folds = shading.math("MULTIPLY", fold, shading.math("ADD", near_inner, near_outer))
    return shading.math("MULTIPLY_ADD", seam, 0.6, folds)


def _sectors(shading: Shading, u: Socket, v: Socket, count: int, inks: list[Colour]) -> Socket:
    mask = shading.step(_wave(shading, u, count), -EDGE * count, EDGE * count)
    return shading.mix(mask, inks[0], inks[1])


def _spiral(shading: Shading, u: Socket, v: Socket, count: int, inks: list[Colour]) -> Socket:
    sheared = shading.math("MULTIPLY_ADD", v, 1.0 / count, u)
    return _sectors(shading, sheared, v, count, inks)


def _hoops(shading: Shading, u: Socket, v: Socket, count: int, inks: list[Colour]) -> Socket:
    """Stripes along the ring, one on each shoulder."""
    upper = _circular_distance(shading, v, 0.14)
    inner = _circular_distance(shading, v, 0.36)
    stripe = shading.step(shading.math("MINIMUM", upper, inner), 0.052, 0.046)
    base = shading.mix(stripe, inks[0], inks[1])
    crown = shading.step(_circular_distance(shading, v, 0.25), 0.032, 0.026)
    return shading.mix(crown, base, inks[2]) if len(inks) > 2 else base


def _dots(shading: Shading, u: Socket, v: Socket, count: int, inks: list[Colour]) -> Socket:
    across = shading.math("SUBTRACT", shading.math("FRACT", shading.math("MULTIPLY", u, count)), 0.5)
    along = shading.math("SUBTRACT", shading.math("FRACT", shading.math("MULTIPLY", v, 4.0)), 0.5)
    distance = shading.node("ShaderNodeVectorMath", {0: shading.join(across, along)}, operation="LENGTH")
    return shading.mix(shading.step(distance.outputs["Value"], 0.30, 0.27), inks[0], inks[1])


def _icing(shading: Shading, u: Socket, v: Socket, count: int, inks: list[Colour]) -> Socket:
    """A doughnut: dough, icing with a wavy edge, sprinkles."""
    from_top = _circular_distance(shading, v, 0.26)
    rim = shading.math("MULTIPLY_ADD", _wave(shading, u, count), 0.025, 0.18)
    rim = shading.math("MULTIPLY_ADD", _wave(shading, u, count * 0.5 + 0.5), 0.012, rim)
    iced = shading.step(shading.math("SUBTRACT", from_top, rim), 0.006, -0.006)
    cells = shading.node("ShaderNodeTexVoronoi", {
        "Vector": shading.join(shading.math("MULTIPLY", u, 26.0), shading.math("MULTIPLY", v, 16.0)), "Scale": 1.0,
    })
    sprinkle = shading.step(cells.outputs["Distance"], 0.25, 0.2)
    paint = shading.mix(0.35, inks[2], cells.outputs["Color"])
    return shading.mix(iced, inks[0], shading.mix(sprinkle, inks[1], paint))


def _melon(shading: Shading, u: Socket, v: Socket, count: int, inks: list[Colour]) -> Socket:
    """A slice of melon: flesh with seeds on top, a pale band, and the rind outside and below."""
    from_flesh = _circular_distance(shading, v, 0.33)
    rind = shading.mix(shading.step(_wave(shading, u, count * 2), -0.2, 0.2), inks[0],
                       tuple(0.35 * c for c in inks[0][:3]) + (1.0,))
    pale = shading.mix(shading.step(from_flesh, 0.25, 0.24), rind, (0.75, 0.86, 0.55, 1.0))
    flesh = shading.mix(shading.step(from_flesh, 0.21, 0.20), pale, inks[1])
    across = shading.math("SUBTRACT", shading.math("FRACT", shading.math("MULTIPLY", u, count)), 0.5)
    along = shading.math("MULTIPLY", shading.math("SUBTRACT", v, 0.27), 6.0)
    distance = shading.node("ShaderNodeVectorMath", {0: shading.join(across, along)}, operation="LENGTH")
    seed = shading.step(distance.outputs["Value"], 0.15, 0.13)
    return shading.mix(seed, flesh, (0.015, 0.01, 0.008, 1.0))


PATTERNS: dict[str, Callable[[Shading, Socket, Socket, int, list[Colour]], Socket]] = {
    "sectors": _sectors, "spiral": _spiral, "hoops": _hoops, "dots": _dots, "icing": _icing, "melon": _melon,
}
COLOUR_COUNT = {"sectors": 2, "spiral": 2, "hoops": 3, "dots": 2, "icing": 3, "melon": 2}
