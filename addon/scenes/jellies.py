"""Jellies, and the boards that they slide down."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import bpy

from ..names import MODIFIER
from ..presets import apply_material
from .looks.jelly import jelly
from .looks.timber import planks
from .mesh import mesh_from_arrays, place

if TYPE_CHECKING:
    import numpy as np

    from .jelly_plan import Jelly, Ramp

# Share of the shortest side by which edges are rounded.
_ROUND = 0.12


def add_jellies(jellies: tuple[Jelly, ...], collection: bpy.types.Collection) -> list[bpy.types.Object]:
    """Blocks of jelly with round edges, solid inside."""
    made = []
    for piece in jellies:
        vertices, faces = _block(piece.size, piece.cuts)
        thing = place(
            mesh_from_arrays(f"Jelly {piece.name}", vertices, faces), collection,
            jelly(f"Jelly {piece.name}", piece.colour),
        )
        _lay(thing, piece)
        thing.data.polygons.foreach_set("use_smooth", [True] * len(thing.data.polygons))
        thing.flotsam.kind = "SPRING_GRAPH"
        apply_material(thing, "jelly")
        thing.flotsam.spring_graph.friction = piece.friction
        # Off until it is baked; the smoother surface is only for the eye.
        modifier = thing.modifiers.new(MODIFIER, "MESH_CACHE")
        modifier.show_viewport = modifier.show_render = False
        thing.modifiers.new("Smooth", "SUBSURF")
        made.append(thing)
    return made


def add_ramps(ramps: tuple[Ramp, ...], collection: bpy.types.Collection) -> list[bpy.types.Object]:
    """Boards that bodies collide with."""
    made = []
    for piece in ramps:
        vertices, faces = _block(piece.size, (1, 1, 1), 0.0)
        thing = place(mesh_from_arrays(f"Ramp {piece.name}", vertices, faces), collection, planks(f"Ramp {piece.name}"))
        _lay(thing, piece)
        thing.flotsam.kind = "COLLIDER"
        thing.flotsam.collider.friction = piece.friction
        made.append(thing)
    return made


def _lay(thing: bpy.types.Object, piece: Jelly | Ramp) -> None:
    thing.location = piece.at
    thing.rotation_euler = [math.radians(angle) for angle in piece.tilt]


def _block(
    size: tuple[float, float, float], cuts: tuple[int, int, int], rounded: float = _ROUND,
) -> tuple[np.ndarray, np.ndarray]:
    """A block whose sides are cut into squares and whose edges are round: vertices (n, 3) [m], quads (f, 4)."""
    import numpy as np

    points: dict[tuple[int, ...], int] = {}
    faces = []
    for axis in range(3):
        u, v = (axis + 1) % 3, (axis + 2) % 3
        for side in (0, cuts[axis]):
            for i, j in np.ndindex(cuts[u], cuts[v]):
                square = []
                for a, b in ((0, 0), (1, 0), (1, 1), (0, 1)):
                    at = [0, 0, 0]
                    at[axis], at[u], at[v] = side, i + a, j + b
                    square.append(points.setdefault(tuple(at), len(points)))
                faces.append(square if side else square[::-1])
    sides = np.array(size)
    vertices = (np.array(list(points)) / np.array(cuts) - 0.5) * sides
    radius = rounded * sides.min()
    inner = np.clip(vertices, radius - 0.5 * sides, 0.5 * sides - radius)
    out = vertices - inner
    length = np.linalg.norm(out, axis=1, keepdims=True)
    return inner + np.divide(radius * out, length, out=np.zeros_like(out), where=length > 0.0), np.array(faces)
