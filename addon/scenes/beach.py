"""Objects on the beach: vinyl balls, and towels that drape over them and fold."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import bpy

from ..names import MODIFIER
from ..presets import apply_material
from .looks.terry import terry
from .looks.vinyl import COLOUR_COUNT, PATTERNS, vinyl
from .mesh import grid_faces, mesh_from_arrays, new_object
from .plan import Ball, SceneError, Towel

if TYPE_CHECKING:
    import numpy as np

# As Blender counts subdivisions of an icosphere, the icosahedron itself being 1: 642 vertices.
_SUBDIVISIONS = 4
# Thickness of a towel, both rendered and in contacts [m].
_TOWEL_THICKNESS = 0.01


def add_balls(balls: tuple[Ball, ...], collection: bpy.types.Collection) -> list[bpy.types.Object]:
    """Inflated balls, each with its own pattern and colours.

    Raises:
        SceneError: a pattern is unknown or has too few colours.
    """
    made = []
    for ball in balls:
        if ball.pattern not in PATTERNS:
            known = ", ".join(PATTERNS)
            raise SceneError(f"Ball {ball.name!r} asks for the pattern {ball.pattern!r}; there are {known}.")
        if len(ball.colours) < COLOUR_COUNT[ball.pattern]:
            raise SceneError(f"Ball {ball.name!r} needs {COLOUR_COUNT[ball.pattern]} colours for {ball.pattern!r}.")
        vertices, faces, uv = _sphere(ball.radius)
        obj = new_object(
            mesh_from_arrays(f"Ball {ball.name}", vertices, faces, uv=uv), collection,
            vinyl(f"Vinyl {ball.name}", ball.pattern, ball.count, ball.colours),
        )
        _make_soft_body(obj, ball, "beach_ball")
        made.append(obj)
    return made


def add_towels(towels: tuple[Towel, ...], collection: bpy.types.Collection) -> list[bpy.types.Object]:
    """Sheets of cloth with self-collision."""
    made = []
    for towel in towels:
        vertices, faces, uv = _sheet(towel.size, towel.cuts)
        obj = new_object(
            mesh_from_arrays(f"Towel {towel.name}", vertices, faces, uv=uv), collection,
            terry(f"Terry {towel.name}", towel.stripes, towel.colours),
        )
        _make_soft_body(obj, towel, "cloth")
        settings = obj.flotsam.spring_graph
        settings.self_collision, settings.thickness, settings.bending = True, _TOWEL_THICKNESS, 2e-4
        solid = obj.modifiers.new("Thick", "SOLIDIFY")
        solid.thickness, solid.offset = _TOWEL_THICKNESS, 0.0
        made.append(obj)
    return made


def _make_soft_body(obj: bpy.types.Object, piece: Ball | Towel, material: str) -> None:
    """Place an object and make it a soft body; the subdivision is only for display."""
    obj.location = piece.at
    obj.rotation_euler = [math.radians(angle) for angle in piece.tilt]
    obj.flotsam.kind = "SPRING_GRAPH"
    apply_material(obj, material)
    # Disabled until the object is baked.
    modifier = obj.modifiers.new(MODIFIER, "MESH_CACHE")
    modifier.show_viewport = modifier.show_render = False
    obj.modifiers.new("Smooth", "SUBSURF")


def _sphere(radius: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A sphere of nearly equal triangles around the origin.

    Returns:
        Vertices (n, 3), triangles (t, 3) facing outwards, and UV pairs (3 t, 2): u once around Z, v from 0 at the top
        to 0.5 at the bottom, so that both poles get the weld and the puckers that a ring has along its seams.
    """
    import bmesh
    import numpy as np

    bm = bmesh.new()
    bmesh.ops.create_icosphere(bm, subdivisions=_SUBDIVISIONS, radius=1.0)
    vertices = np.array([vertex.co for vertex in bm.verts])
    faces = np.array([[vertex.index for vertex in face.verts] for face in bm.faces])
    bm.free()
    corners = vertices[faces]
    u = np.arctan2(corners[:, :, 1], corners[:, :, 0]) / (2.0 * np.pi)
    # In a triangle across the line where u wraps, u continues beyond 1; a pole has the mean u of the other two corners.
    u = np.where(np.ptp(u, axis=1, keepdims=True) > 0.5, u % 1.0, u)
    pole = np.abs(corners[:, :, 2]) > 1.0 - 1e-6
    mean_u = np.where(pole, 0.0, u).sum(axis=1, keepdims=True) / 2.0
    u = np.where(pole, mean_u, u)
    v = np.arccos(np.clip(corners[:, :, 2], -1.0, 1.0)) / (2.0 * np.pi)
    return radius * vertices, faces, np.stack((u, v), axis=-1).reshape(-1, 2)


def _sheet(size: tuple[float, float], cuts: tuple[int, int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A flat sheet centred on the origin: vertices (n, 3), quads (f, 4), UV pairs (4 f, 2) from 0 to 1."""
    import numpy as np

    x, y = np.meshgrid(np.linspace(0.0, 1.0, cuts[0] + 1), np.linspace(0.0, 1.0, cuts[1] + 1))
    uv = np.stack((x, y), axis=-1).reshape(-1, 2)
    faces = grid_faces(cuts[1] + 1, cuts[0] + 1)
    flat = (uv - 0.5) * size
    return np.concatenate((flat, np.zeros((len(flat), 1))), axis=1), faces, uv[faces].reshape(-1, 2)
