"""What lies about at the beach: balls of vinyl, and towels that drape over them and fold on themselves."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import bpy

from ..names import MODIFIER
from ..presets import apply_material
from .looks.terry import terry
from .looks.vinyl import COLOUR_COUNT, PATTERNS, vinyl
from .mesh import grid_faces, mesh_from_arrays, place
from .plan import Ball, SceneError, Towel

if TYPE_CHECKING:
    import numpy as np

# How often the triangles of an icosahedron are halved, plus one: 642 vertices.
_FINENESS = 4
# How thick a towel is for the eye; contact keeps it off others by as much [m].
_TOWEL_THICKNESS = 0.01


def add_balls(balls: tuple[Ball, ...], collection: bpy.types.Collection) -> list[bpy.types.Object]:
    """Inflated balls, each with panels of its own colours.

    Raises:
        SceneError: a pattern is unknown or has too few colours.
    """
    made = []
    for ball in balls:
        if ball.pattern not in PATTERNS:
            said = ", ".join(PATTERNS)
            raise SceneError(f"Ball {ball.name!r} asks for the pattern {ball.pattern!r}; there are {said}.")
        if len(ball.colours) < COLOUR_COUNT[ball.pattern]:
            raise SceneError(f"Ball {ball.name!r} needs {COLOUR_COUNT[ball.pattern]} colours for {ball.pattern!r}.")
        vertices, faces, uv = _sphere(ball.radius)
        thing = place(
            mesh_from_arrays(f"Ball {ball.name}", vertices, faces, uv=uv), collection,
            vinyl(f"Vinyl {ball.name}", ball.pattern, ball.count, ball.colours),
        )
        _lay(thing, ball, "beach_ball")
        made.append(thing)
    return made


def add_towels(towels: tuple[Towel, ...], collection: bpy.types.Collection) -> list[bpy.types.Object]:
    """Sheets of cloth that meet themselves."""
    made = []
    for towel in towels:
        vertices, faces, uv = _sheet(towel.size, towel.cuts)
        thing = place(
            mesh_from_arrays(f"Towel {towel.name}", vertices, faces, uv=uv), collection,
            terry(f"Terry {towel.name}", towel.stripes, towel.colours),
        )
        _lay(thing, towel, "cloth")
        settings = thing.flotsam.spring_graph
        settings.self_collision, settings.thickness, settings.bending = True, _TOWEL_THICKNESS, 2e-4
        solid = thing.modifiers.new("Thick", "SOLIDIFY")
        solid.thickness, solid.offset = _TOWEL_THICKNESS, 0.0
        made.append(thing)
    return made


def _lay(thing: bpy.types.Object, piece: Ball | Towel, material: str) -> None:
    """Put a soft body where it starts; the smoother surface is only for the eye."""
    thing.location = piece.at
    thing.rotation_euler = [math.radians(angle) for angle in piece.tilt]
    thing.flotsam.kind = "SPRING_GRAPH"
    apply_material(thing, material)
    # Off until it is baked.
    modifier = thing.modifiers.new(MODIFIER, "MESH_CACHE")
    modifier.show_viewport = modifier.show_render = False
    thing.modifiers.new("Smooth", "SUBSURF")


def _sphere(radius: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A sphere of nearly equal triangles about the origin.

    Returns:
        Vertices (n, 3), triangles (t, 3) facing outwards, and UV pairs (3 t, 2): u once round Z, v from 0 at the top
        to 0.5 at the bottom, so that both poles get the weld and the puckers that a ring has along its seams.
    """
    import bmesh
    import numpy as np

    made = bmesh.new()
    bmesh.ops.create_icosphere(made, subdivisions=_FINENESS, radius=1.0)
    vertices = np.array([corner.co for corner in made.verts])
    faces = np.array([[corner.index for corner in face.verts] for face in made.faces])
    made.free()
    corners = vertices[faces]
    turn = np.arctan2(corners[:, :, 1], corners[:, :, 0]) / (2.0 * np.pi)
    # A triangle across the line where u comes round goes on beyond 1; a pole has the u of the other two.
    turn = np.where(np.ptp(turn, axis=1, keepdims=True) > 0.5, turn % 1.0, turn)
    pole = np.abs(corners[:, :, 2]) > 1.0 - 1e-6
    others = np.where(pole, 0.0, turn).sum(axis=1, keepdims=True) / 2.0
    turn = np.where(pole, others, turn)
    down = np.arccos(np.clip(corners[:, :, 2], -1.0, 1.0)) / (2.0 * np.pi)
    return radius * vertices, faces, np.stack((turn, down), axis=-1).reshape(-1, 2)


def _sheet(size: tuple[float, float], cuts: tuple[int, int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A flat sheet about the origin: vertices (n, 3), quads (f, 4), UV pairs (4 f, 2) from 0 to 1."""
    import numpy as np

    x, y = np.meshgrid(np.linspace(0.0, 1.0, cuts[0] + 1), np.linspace(0.0, 1.0, cuts[1] + 1))
    uv = np.stack((x, y), axis=-1).reshape(-1, 2)
    faces = grid_faces(cuts[1] + 1, cuts[0] + 1)
    flat = (uv - 0.5) * size
    return np.concatenate((flat, np.zeros((len(flat), 1))), axis=1), faces, uv[faces].reshape(-1, 2)
