"""Particle fluids, the ducks that swim in them, and pancakes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import bpy

from ..presets import apply_material
from .looks import bars
from .looks import liquid as looks
from .mesh import mesh_from_arrays, place
from .plan import SceneError
from .studio import ball, hide_until_baked
from .vessels import block, turned

if TYPE_CHECKING:
    import numpy as np

    from .liquid_plan import Duck, Liquid, Pancake, WaterBalloon

# Settings of a fluid that a preset gives.
_FIELDS = (
    "spacing", "density", "viscosity", "surface_tension", "emission", "velocity", "limit", "foam", "foam_rate",
    "foam_speed",
)
# Section of a source, from above.
_PIPE = [(0.0, 0.5), (1.0, 0.5), (1.0, -0.5), (0.0, -0.5)]


def add_liquids(liquids: tuple[Liquid, ...], collection: bpy.types.Collection) -> list[bpy.types.Object]:
    """Blocks that are full of fluid, and round sources that let it out.

    Raises:
        SceneError: a look is unknown.
    """
    made = []
    for piece in liquids:
        streams = piece.emission == "INFLOW"
        mesh = mesh_from_arrays(piece.name, *(turned(_PIPE, piece.size, 24) if streams else block(piece.size)))
        thing = place(mesh, collection, _look(piece.name, piece.look))
        thing.location = piece.at
        thing.flotsam.kind = "FLUID"
        fluid = thing.flotsam.fluid
        for field in _FIELDS:
            setattr(fluid, field, getattr(piece, field))
        if streams:
            thing.display_type = "WIRE"
        made.append(thing)
    return made


def _look(name: str, look: str) -> bpy.types.Material:
    """The material of a fluid; raises SceneError for an unknown look."""
    if look not in looks.LOOKS:
        raise SceneError(f"{name!r} asks for the look {look!r}; there are {', '.join(looks.LOOKS)}.")
    return looks.liquid(look)


def add_ducks(ducks: tuple[Duck, ...], collection: bpy.types.Collection) -> list[bpy.types.Object]:
    """Rubber ducks, rigid and light."""
    made = []
    for piece in ducks:
        vertices, faces, parts = _duck(piece.size)
        mesh = mesh_from_arrays(piece.name, vertices, faces)
        mesh.polygons.foreach_set("use_smooth", [True] * len(mesh.polygons))
        mesh.attributes.new("beak", "FLOAT", "POINT").data.foreach_set("value", parts)
        thing = place(mesh, collection, looks.duck_rubber(piece.name, *piece.colours))
        thing.location, thing.rotation_euler.z = piece.at, math.radians(piece.turn)
        thing.flotsam.kind = "VOXEL_BODY"
        thing.flotsam.voxel_body.density = piece.density
        made.append(thing)
    return made


def add_pancakes(pancakes: tuple[Pancake, ...], collection: bpy.types.Collection) -> list[bpy.types.Object]:
    """Round cakes of jelly."""
    made = []
    for piece in pancakes:
        half = [(0.0, 1.0), (0.35, 1.0), (0.7, 1.0), (0.93, 0.92), (1.0, 0.5)]
        section, wide = [*half, *((r, 1.0 - z) for r, z in half[-2::-1])], 2.0 * piece.radius
        mesh = mesh_from_arrays(piece.name, *turned(section, (wide, wide, piece.height), piece.around))
        thing = place(mesh, collection, looks.crust(piece.name, piece.colours))
        thing.location = piece.at
        thing.flotsam.kind = "SPRING_GRAPH"
        apply_material(thing, "jelly")
        thing.flotsam.spring_graph.friction = 0.6
        hide_until_baked(thing)
        thing.modifiers.new("Smooth", "SUBSURF").levels = 1
        made.append(thing)
    return made


def add_water_balloons(balloons: tuple[WaterBalloon, ...], collection: bpy.types.Collection) -> list[bpy.types.Object]:
    """Skins that tear, each full of water.

    Raises:
        SceneError: a look is unknown.
    """
    made = []
    for piece in balloons:
        vertices, faces = ball(3)
        mesh = mesh_from_arrays(piece.name, piece.radius * vertices, faces)
        skin = place(mesh, collection, bars.jelly(f"{piece.name} Rubber", piece.colour))
        skin.flotsam.kind = "SPRING_GRAPH"
        settings = skin.flotsam.spring_graph
        settings.stiffness, settings.velocity = piece.stiffness, piece.velocity
        settings.mass_by, settings.area_density = "AREA_DENSITY", piece.weight
        settings.tear, settings.break_strain, settings.tears_per_frame = True, piece.break_strain, 60
        settings.smallest_piece, settings.friction, settings.damping = 30, 0.4, 0.2
        hide_until_baked(skin)
        # The water keeps half a spacing from the skin.
        inside = (piece.radius - 0.5 * piece.spacing) * vertices
        name = f"{piece.name} Water"
        water = place(mesh_from_arrays(name, inside, faces), collection, _look(name, piece.look))
        water.flotsam.kind = "FLUID"
        water.flotsam.fluid.spacing, water.flotsam.fluid.velocity = piece.spacing, piece.velocity
        for thing in (skin, water):
            thing.location = piece.at
        made += [skin, water]
    return made


def _duck(size: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A duck that looks along +X: vertices (n, 3) [m], triangles; 1 for the beak, 2 for eyes, else 0, (n,).

    It is a ball about its breast whose radius swells towards head, tail and beak, so it never crosses itself.
    """
    import numpy as np

    ways, faces = ball(3)
    ways /= np.linalg.norm(ways, axis=1)[:, None]

    def lobe(x: float, y: float, z: float, sharp: float) -> np.ndarray:
        towards = np.array([x, y, z]) / math.sqrt(x * x + y * y + z * z)
        return np.exp(sharp * (ways @ towards - 1.0))

    # Broad, so that it floats upright although its head is as dense as its body.
    far = 1.0 / np.sqrt((ways[:, 0] / 1.0) ** 2 + (ways[:, 1] / 0.95) ** 2 + (ways[:, 2] / 0.55) ** 2)
    beak = lobe(0.93, 0.0, 0.95, 120.0)
    far += 0.8 * lobe(0.5, 0.0, 1.0, 14.0) + 0.34 * lobe(-1.0, 0.0, 0.42, 14.0) + 0.3 * beak
    part = np.where(beak > 0.3, 1.0, 0.0)
    for side in (-1.0, 1.0):
        part[lobe(0.78, 0.3 * side, 1.22, 300.0) > 0.5] = 2.0
    vertices = ways * far[:, None]
    vertices[:, 2] = np.maximum(vertices[:, 2], -0.5)
    return vertices * (size / np.ptp(vertices[:, 0])), faces, part
