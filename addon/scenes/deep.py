"""Under water: a sandy bed, light from above, blue haze, and the bright surface seen from below."""

from __future__ import annotations

from typing import TYPE_CHECKING

import bpy

from .looks.shading import Shading, colour, new_material
from .mesh import grid_faces, mesh_from_arrays, new_object

if TYPE_CHECKING:
    from .plan import Plan

_HAZE, _LIGHT, _DARK = "#0f6f8c", "#7fdcec", "#04263c"
# Objects fade into the haze between these distances from the camera [m].
NEAR, FAR = 3.0, 26.0


def add_deep(plan: Plan, collection: bpy.types.Collection) -> list[bpy.types.Object]:
    """The water as a level square, and the bed at the depth of the plan's river."""
    import numpy as np

    side = np.linspace(-30.0, 30.0, 90)
    y, x = np.meshgrid(side, side, indexing="ij")
    z = 0.25 * np.sin(0.55 * x + 0.8 * np.sin(0.3 * y)) * np.cos(0.4 * y) + 0.05 * np.sin(2.3 * x + 1.1 * y)
    flat = np.stack([x, y, z - plan.river.depth], axis=-1).reshape(-1, 3)
    bed = new_object(mesh_from_arrays("Sea Bed", flat, grid_faces(90, 90)), collection, _sand())
    bed.flotsam.kind = "COLLIDER"
    corners = 40.0 * np.array([[-1.0, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]])
    water = new_object(mesh_from_arrays("Water", corners, np.array([[0, 1, 2, 3]])), collection, None)
    water.location.z, water.hide_render, water.display_type = plan.river.level, True, "WIRE"
    water.flotsam.kind = "WATER"
    return [water, bed]


def deep_world(name: str) -> bpy.types.World:
    """A world that is bright above and dark below."""
    world = bpy.data.worlds.new(name)
    if world.node_tree is None:
        world.use_nodes = True
    shading = Shading(world.node_tree)
    _x, _y, up = shading.split(shading.coordinates("Generated"))
    low = shading.mix(shading.step(up, -0.5, 0.1), colour(_DARK), colour(_HAZE))
    shade = shading.mix(shading.step(up, 0.05, 0.95), low, colour(_LIGHT))
    background = shading.node("ShaderNodeBackground", {0: shade, 1: shading.step(up, 0.0, 1.0, 0.7, 1.6)})
    shading.node("ShaderNodeOutputWorld", {"Surface": background.outputs[0]})
    return world


def _sand() -> bpy.types.Material:
    """Pale sand with caustics, fading into blue haze with distance."""
    material, shading = new_material("Sea Sand")
    position = shading.position()
    web = shading.node(
        "ShaderNodeTexVoronoi", {"Vector": position, "Scale": 0.9}, feature="DISTANCE_TO_EDGE"
    ).outputs[0]
    light = shading.step(web, 0.16, 0.0)
    sand = shading.mix(shading.noise(position, 1.4, 4.0), colour("#8f8a6a"), colour("#c9bf94"))
    lit = shading.mix(light, sand, colour("#f6ffe8"))
    shader = shading.node("ShaderNodeBsdfPrincipled", {"Base Color": lit, "Roughness": 0.9})
    shading.surface(shading.haze(shader.outputs[0], colour(_HAZE), NEAR, FAR, 1.0))
    material.diffuse_color = colour("#c9bf94")
    return material
