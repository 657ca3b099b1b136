"""Swim rings: a torus mesh with its own UV map, vinyl, and the settings that make it an inflatable."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import bpy

from ..names import MODIFIER
from ..presets import apply_material
from .looks.vinyl import COLOUR_COUNT, PATTERNS, vinyl
from .mesh import mesh_from_arrays, place
from .plan import Plan, Ring, SceneError

if TYPE_CHECKING:
    import numpy as np


def add_ring(ring: Ring, plan: Plan, collection: bpy.types.Collection) -> bpy.types.Object:
    """One ring, ready to bake.

    Raises:
        SceneError: the ring's pattern is unknown or has too few colours.
    """
    if ring.pattern not in PATTERNS:
        raise SceneError(f"Ring {ring.name!r} asks for the pattern {ring.pattern!r}; there are {', '.join(PATTERNS)}.")
    if len(ring.colours) < COLOUR_COUNT[ring.pattern]:
        raise SceneError(f"Ring {ring.name!r} needs {COLOUR_COUNT[ring.pattern]} colours for {ring.pattern!r}.")
    vertices, faces, uv = torus(ring.radius, ring.tube, *plan.segments)
    look = vinyl(f"Vinyl {ring.name}", ring.pattern, ring.count, ring.colours)
    thing = place(mesh_from_arrays(f"Ring {ring.name}", vertices, faces, uv=uv), collection, look)
    thing.location = ring.at
    thing.rotation_euler = [math.radians(angle) for angle in ring.tilt]
    thing.flotsam.kind = "SPRING_GRAPH"
    apply_material(thing, plan.material)
    # Off until it is baked; the smoother surface is only for the eye.
    modifier = thing.modifiers.new(MODIFIER, "MESH_CACHE")
    modifier.show_viewport = modifier.show_render = False
    thing.modifiers.new("Smooth", "SUBSURF")
    return thing


def torus(radius: float, tube: float, around: int, across: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A torus about Z.

    Args:
        radius: of the middle line [m].
        tube: radius of the tube [m].
        around, across: segments round the ring and round the tube.

    Returns:
        Vertices (around * across, 3), quads (around * across, 4) facing outwards, UV pairs (4 a quad, 2).
    """
    import numpy as np

    u, v = np.meshgrid(np.arange(around), np.arange(across), indexing="ij")
    turn, roll = 2.0 * np.pi * u / around, 2.0 * np.pi * v / across
    out = radius + tube * np.cos(roll)
    vertices = np.stack((out * np.cos(turn), out * np.sin(turn), tube * np.sin(roll)), axis=-1).reshape(-1, 3)
    u, v = u.ravel(), v.ravel()
    corners = ((u, v), (u + 1, v), (u + 1, v + 1), (u, v + 1))
    faces = np.stack([(a % around) * across + b % across for a, b in corners], axis=1)
    uv = np.stack([np.stack((a / around, b / across), axis=1) for a, b in corners], axis=1).reshape(-1, 2)
    return vertices, faces, uv
