"""Particle fluids, rubber ducks, pancakes and water balloons."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import bpy

from ..presets import apply_material
from .looks import bars
from .looks import liquid as looks
from .mesh import mesh_from_arrays, new_object
from .plan import SceneError
from .studio import ball, hide_until_baked
from .vessels import block, turned

if TYPE_CHECKING:
    import numpy as np

    from .liquid_plan import Duck, Liquid, Pancake, WaterBalloon

# Settings of a fluid that a preset sets.
_FIELDS = (
    "spacing", "density", "viscosity", "surface_tension", "emission", "velocity", "limit", "foam", "foam_rate",
    "foam_speed",
)
# Profile of a source, from the top down.
_PIPE = [(0.0, 0.5), (1.0, 0.5), (1.0, -0.5), (0.0, -0.5)]


def add_liquids(liquids: tuple[Liquid, ...], collection: bpy.types.Collection) -> list[bpy.types.Object]:
    """Blocks of fluid, and cylindrical sources.

    Raises:
        SceneError: a look is unknown.
    """
    made = []
    for piece in liquids:
        is_inflow = piece.emission == "INFLOW"
        mesh = mesh_from_arrays(piece.name, *(turned(_PIPE, piece.size, 24) if is_inflow else block(piece.size)))
        obj = new_object(mesh, collection, _look(piece.name, piece.look))
        obj.location = piece.at
        obj.flotsam.kind = "FLUID"
        fluid = obj.flotsam.fluid
        for field in _FIELDS:
            setattr(fluid, field, getattr(piece, field))
        if is_inflow:
            obj.display_type = "WIRE"
        made.append(obj)
    return made


def _look(name: str, look: str) -> bpy.types.Material:
    """The material of a fluid; raises SceneError for an unknown look."""
    if look not in looks.LOOKS:
        raise SceneError(f"{name!r} asks for the look {look!r}; there are {', '.join(looks.LOOKS)}.")
    return looks.liquid(look)


def add_ducks(ducks: tuple[Duck, ...], collection: bpy.types.Collection) -> list[bpy.types.Object]:
    """Light rigid rubber ducks."""
    made = []
    for piece in ducks:
        vertices, faces, parts = _duck(piece.size)
        mesh = mesh_from_arrays(piece.name, vertices, faces)
        mesh.polygons.foreach_set("use_smooth", [True] * len(mesh.polygons))
        mesh.attributes.new("beak", "FLOAT", "POINT").data.foreach_set("value", parts)
        obj = new_object(mesh, collection, looks.duck_rubber(piece.name, *piece.colours))
        obj.location, obj.rotation_euler.z = piece.at, math.radians(piece.turn)
        obj.flotsam.kind = "VOXEL_BODY"
        obj.flotsam.voxel_body.density = piece.density
        made.append(obj)
    return made


def add_pancakes(pancakes: tuple[Pancake, ...], collection: bpy.types.Collection) -> list[bpy.types.Object]:
    """Round cakes of jelly."""
    made = []
    for piece in pancakes:
        half = [(0.0, 1.0), (0.35, 1.0), (0.7, 1.0), (0.93, 0.92), (1.0, 0.5)]
        section, wide = [*half, *((r, 1.0 - z) for r, z in half[-2::-1])], 2.0 * piece.radius
        mesh = mesh_from_arrays(piece.name, *turned(section, (wide, wide, piece.height), piece.around))
        obj = new_object(mesh, collection, looks.crust(piece.name, piece.colours))
        obj.location = piece.at
        obj.flotsam.kind = "SPRING_GRAPH"
        apply_material(obj, "jelly")
        obj.flotsam.spring_graph.friction = 0.6
        hide_until_baked(obj)
        obj.modifiers.new("Smooth", "SUBSURF").levels = 1
        made.append(obj)
    return made


def add_water_balloons(balloons: tuple[WaterBalloon, ...], collection: bpy.types.Collection) -> list[bpy.types.Object]:
    """Water balloons: skins that tear, each full of water.

    Raises:
        SceneError: a look is unknown.
    """
    made = []
    for piece in balloons:
        vertices, faces = ball(3)
        mesh = mesh_from_arrays(piece.name, piece.radius * vertices, faces)
        skin = new_object(mesh, collection, bars.jelly(f"{piece.name} Rubber", piece.colour))
        skin.flotsam.kind = "SPRING_GRAPH"
        settings = skin.flotsam.spring_graph
        settings.stiffness, settings.velocity = piece.stiffness, piece.velocity
        settings.mass_by, settings.area_density = "AREA_DENSITY", piece.weight
        settings.tear, settings.break_strain, settings.tears_per_frame = True, piece.break_strain, 60
        settings.smallest_piece, settings.friction, settings.damping = 30, 0.4, 0.2
        hide_until_baked(skin)
        # The water starts half a particle spacing inside the skin.
        inside = (piece.radius - 0.5 * piece.spacing) * vertices
        name = f"{piece.name} Water"
        water = new_object(mesh_from_arrays(name, inside, faces), collection, _look(name, piece.look))
        water.flotsam.kind = "FLUID"
        water.flotsam.fluid.spacing, water.flotsam.fluid.velocity = piece.spacing, piece.velocity
        for obj in (skin, water):
            obj.location = piece.at
        made += [skin, water]
    return made


def _duck(size: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A duck that faces +X: vertices (n, 3) [m], triangles, part of each vertex (n,): 1 beak, 2 eyes, else 0.

    It is a sphere around its breast whose radius grows towards head, tail and beak, so it never intersects itself.
    """
    import numpy as np

    directions, faces = ball(3)
    directions /= np.linalg.norm(directions, axis=1)[:, None]

    def lobe(x: float, y: float, z: float, sharp: float) -> np.ndarray:
        direction = np.array([x, y, z]) / math.sqrt(x * x + y * y + z * z)
        return np.exp(sharp * (directions @ direction - 1.0))

    # It is broad, so that it floats upright although its head is as dense as its body.
    radius = 1.0 / np.sqrt(
        (directions[:, 0] / 1.0) ** 2 + (directions[:, 1] / 0.95) ** 2 + (directions[:, 2] / 0.55) ** 2
    )
    beak = lobe(0.93, 0.0, 0.95, 120.0)
    radius += 0.8 * lobe(0.5, 0.0, 1.0, 14.0) + 0.34 * lobe(-1.0, 0.0, 0.42, 14.0) + 0.3 * beak
    part = np.where(beak > 0.3, 1.0, 0.0)
    for side in (-1.0, 1.0):
        part[lobe(0.78, 0.3 * side, 1.22, 300.0) > 0.5] = 2.0
    vertices = directions * radius[:, None]
    vertices[:, 2] = np.maximum(vertices[:, 2], -0.5)
    return vertices * (size / np.ptp(vertices[:, 0])), faces, part
