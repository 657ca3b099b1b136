"""Swim rings: torus meshes with UV maps, vinyl materials and the settings of an inflatable."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import bpy

from ..names import MODIFIER
from ..presets import apply_material
from .looks.vinyl import COLOUR_COUNT, PATTERNS, vinyl
from .mesh import mesh_from_arrays, new_object
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
    obj = new_object(mesh_from_arrays(f"Ring {ring.name}", vertices, faces, uv=uv), collection, look)
    obj.location = ring.at
    obj.rotation_euler = [math.radians(angle) for angle in ring.tilt]
    obj.flotsam.kind = "SPRING_GRAPH"
    apply_material(obj, plan.material)
    # Disabled until the object is baked; the subdivision is only for display.
    modifier = obj.modifiers.new(MODIFIER, "MESH_CACHE")
    modifier.show_viewport = modifier.show_render = False
    obj.modifiers.new("Smooth", "SUBSURF")
    return obj


def torus(radius: float, tube: float, around: int, across: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A torus around Z.

    Args:
        radius: of the centre line [m].
        tube: radius of the tube [m].
        around, across: segments around the ring and around the tube.

    Returns:
        Vertices (around * across, 3), quads (around * across, 4) facing outwards, UV pairs (4 a quad, 2).
    """
    import numpy as np

    u, v = np.meshgrid(np.arange(around), np.arange(across), indexing="ij")
    theta, phi = 2.0 * np.pi * u / around, 2.0 * np.pi * v / across
    out = radius + tube * np.cos(phi)
    vertices = np.stack((out * np.cos(theta), out * np.sin(theta), tube * np.sin(phi)), axis=-1).reshape(-1, 3)
    u, v = u.ravel(), v.ravel()
    corners = ((u, v), (u + 1, v), (u + 1, v + 1), (u, v + 1))
    faces = np.stack([(a % around) * across + b % across for a, b in corners], axis=1)
    uv = np.stack([np.stack((a / around, b / across), axis=1) for a, b in corners], axis=1).reshape(-1, 2)
    return vertices, faces, uv
