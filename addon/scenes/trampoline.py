"""A trampoline (a sheet with a pinned rim in a frame) and the cushions that fall onto it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import bpy

from ..names import MODIFIER, PIN_GROUP
from ..presets import apply_material
from .looks.mat import mat, steel
from .looks.terry import terry
from .looks.vinyl import vinyl
from .mesh import grid_faces, mesh_from_arrays, new_object
from .trampoline_plan import Cushion, Trampoline

if TYPE_CHECKING:
    import numpy as np

# Width and thickness of the pad around the mat, distance from pad to mat, and radius of the frame's tubes [m].
_PAD_WIDTH, _PAD_THICKNESS, _PAD_GAP, _TUBE_RADIUS = 0.3, 0.07, 0.04, 0.028
_LEGS = 8
# Vertices around the pad and the frame, and around their cross-sections.
_AROUND, _ACROSS = 96, 12


def add_trampolines(trampolines: tuple[Trampoline, ...], collection: bpy.types.Collection) -> list[bpy.types.Object]:
    """A mat pinned at its rim, a pad around it as a collider, and a frame that only renders."""
    made = []
    for piece in trampolines:
        vertices, faces = _disc(piece.radius, piece.rings)
        uv = vertices[faces][:, :, :2].reshape(-1, 2) / (2.0 * piece.radius) + 0.5
        sheet = new_object(
            mesh_from_arrays(f"{piece.name} Mat", vertices, faces, uv=uv), collection,
            mat(f"{piece.name} Mat", piece.colours[:2]),
        )
        sheet.location = piece.at
        sheet.flotsam.kind = "SPRING_GRAPH"
        apply_material(sheet, "rubber_sheet")
        settings = sheet.flotsam.spring_graph
        settings.stiffness, settings.area_density = piece.stiffness, piece.weight
        rim = range(len(vertices) - 6 * piece.rings, len(vertices))
        sheet.vertex_groups.new(name=PIN_GROUP).add(list(rim), 1.0, "REPLACE")
        _hide_until_baked(sheet)
        made += [sheet, _pad(piece, collection), _frame(piece, collection)]
    return made


def add_cushions(cushions: tuple[Cushion, ...], collection: bpy.types.Collection) -> list[bpy.types.Object]:
    """Blocks of foam in striped covers."""
    made = []
    for piece in cushions:
        vertices, faces, uv = _block(piece.size, piece.cuts)
        obj = new_object(
            mesh_from_arrays(piece.name, vertices, faces, uv=uv), collection,
            terry(f"Cover {piece.name}", piece.stripes, piece.colours),
        )
        obj.location = piece.at
        obj.rotation_euler = [math.radians(angle) for angle in piece.tilt]
        obj.flotsam.kind = "SPRING_GRAPH"
        apply_material(obj, "foam")
        obj.flotsam.spring_graph.stiffness = piece.stiffness
        _hide_until_baked(obj)
        made.append(obj)
    return made


def _hide_until_baked(obj: bpy.types.Object) -> None:
    """Add the Mesh Cache modifier that plays the bake, disabled until then, and subdivision for display only."""
    modifier = obj.modifiers.new(MODIFIER, "MESH_CACHE")
    modifier.show_viewport = modifier.show_render = False
    obj.modifiers.new("Smooth", "SUBSURF")


def _disc(radius: float, rings: int) -> tuple[np.ndarray, np.ndarray]:
    """A level disc of nearly equal triangles: vertices (n, 3) ring by ring from the centre, triangles (t, 3) up."""
    import numpy as np

    vertices, faces, first = [(0.0, 0.0, 0.0)], [], 0
    for ring in range(1, rings + 1):
        outer_start, inner_start = len(vertices), first
        for k in range(6 * ring):
            angle = 2.0 * math.pi * k / (6 * ring)
            vertices.append((radius * ring / rings * math.cos(angle), radius * ring / rings * math.sin(angle), 0.0))
        for sector in range(6):
            outer_ring = [outer_start + (sector * ring + k) % (6 * ring) for k in range(ring + 1)]
            inner_ring = [inner_start + (sector * (ring - 1) + k) % max(6 * (ring - 1), 1) for k in range(ring)]
            faces += [(outer_ring[k], outer_ring[k + 1], inner_ring[k]) for k in range(ring)]
            faces += [(inner_ring[k], outer_ring[k + 1], inner_ring[k + 1]) for k in range(ring - 1)]
        first = outer_start
    return np.array(vertices), np.array(faces)


def _pad(piece: Trampoline, collection: bpy.types.Collection) -> bpy.types.Object:
    """A flat ring of vinyl-covered foam around the mat."""
    vertices, faces, uv = _tube(piece.radius + _PAD_GAP + 0.5 * _PAD_WIDTH, 0.5 * _PAD_WIDTH, 0.5 * _PAD_THICKNESS)
    look = vinyl(f"{piece.name} Pad", "sectors", 8, piece.colours[2:])
    pad = new_object(mesh_from_arrays(f"{piece.name} Pad", vertices, faces, uv=uv), collection, look)
    pad.location = piece.at
    pad.flotsam.kind = "COLLIDER"
    return pad


def _tube(radius: float, half_width: float, half_height: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A torus around Z with an elliptical cross-section: vertices (n, 3), quads (n, 4), UV (4 n, 2)."""
    import numpy as np

    u, v = (k.ravel() for k in np.meshgrid(np.arange(_AROUND), np.arange(_ACROSS), indexing="ij"))
    theta, phi = 2.0 * np.pi * u / _AROUND, 2.0 * np.pi * v / _ACROSS
    radii = radius + half_width * np.cos(phi)
    vertices = np.stack((radii * np.cos(theta), radii * np.sin(theta), half_height * np.sin(phi)), axis=-1)
    corners = ((u, v), (u + 1, v), (u + 1, v + 1), (u, v + 1))
    faces = np.stack([(a % _AROUND) * _ACROSS + b % _ACROSS for a, b in corners], axis=1)
    uv = np.stack([np.stack((a / _AROUND, b / _ACROSS), axis=1) for a, b in corners], axis=1).reshape(-1, 2)
    return vertices, faces, uv


def _frame(piece: Trampoline, collection: bpy.types.Collection) -> bpy.types.Object:
    """A steel tube under the pad and legs down to the ground."""
    import numpy as np

    radius = piece.radius + _PAD_GAP + 0.5 * _PAD_WIDTH
    vertices, faces, _uv = _tube(radius, _TUBE_RADIUS, _TUBE_RADIUS)
    vertices[:, 2] -= 0.5 * _PAD_THICKNESS + _TUBE_RADIUS
    parts, sides = [vertices], [faces]
    for leg in range(_LEGS):
        theta = 2.0 * math.pi * (leg + 0.5) / _LEGS
        phi = 2.0 * np.pi * np.arange(_ACROSS) / _ACROSS
        x, y = (
            radius * math.cos(theta) + _TUBE_RADIUS * np.cos(phi), radius * math.sin(theta) + _TUBE_RADIUS * np.sin(phi)
        )
        first = sum(len(part) for part in parts)
        parts += [np.stack((x, y, np.full(_ACROSS, z)), axis=1) for z in (-piece.height, -_PAD_THICKNESS)]
        sides.append(grid_faces(2, _ACROSS) + first)
        last = first + _ACROSS - 1
        sides.append(np.array([[last, first, first + _ACROSS, last + _ACROSS]]))
    mesh = mesh_from_arrays(f"{piece.name} Frame", np.concatenate(parts), np.concatenate(sides))
    frame = new_object(mesh, collection, steel("Galvanized Steel"))
    frame.location = piece.at
    return frame


def _block(
    size: tuple[float, float, float], cuts: tuple[int, int, int]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The surface of a block centred on the origin: vertices (n, 3), quads (f, 4) facing outwards, UV (4 f, 2).

    The UV map is projected from above, so that stripes continue down the sides.
    """
    import numpy as np

    points, faces = [], []
    for axis in range(3):
        u, v = (axis + 1) % 3, (axis + 2) % 3
        for side in (0.0, 1.0):
            a, b = np.meshgrid(np.linspace(0.0, 1.0, cuts[u] + 1), np.linspace(0.0, 1.0, cuts[v] + 1))
            plane = np.full((a.size, 3), side)
            plane[:, u], plane[:, v] = a.ravel(), b.ravel()
            quads = grid_faces(cuts[v] + 1, cuts[u] + 1) + sum(len(part) for part in points)
            points.append(plane)
            faces.append(quads if side else quads[:, ::-1])
    every = np.concatenate(points)
    # Sides share the vertices along their edges.
    _keys, first, own = np.unique(np.round(every * cuts).astype(int), axis=0, return_index=True, return_inverse=True)
    quads = own.reshape(-1)[np.concatenate(faces)]
    unit = every[first]
    return (unit - 0.5) * size, quads, unit[quads][:, :, :2].reshape(-1, 2)
