"""Scenes on a bare floor: a sheet that tears, a bridge, a vehicle, jelly on slopes, balloons over nails."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import bpy

from ..names import MODIFIER, PIN_GROUP
from ..presets import apply_material
from .looks import bars
from .looks.stress import stress_material
from .looks.timber import masonry, planks
from .mesh import grid_faces, mesh_from_arrays, new_object
from .trusses import add_bridge, add_chassis, add_lorry

if TYPE_CHECKING:
    import numpy as np

    from .plan import Timing
    from .studio_plan import Balloon, Jelly, Nails, Slope, Stretched, Studio, Weight

# Half the side of the floor [m].
_FLOOR = 40.0


def add_studio(
    studio: Studio, timing: Timing, scene: bpy.types.Scene, collection: bpy.types.Collection
) -> list[bpy.types.Object]:
    """The floor and everything on it."""
    look = stress_material(studio.stress)
    made = [_add_floor(studio.floor, collection)]
    made += [obj for piece in studio.stretched for obj in _add_stretched(piece, look, collection)]
    made += [_add_weight(piece, collection) for piece in studio.weights]
    made += [add_bridge(piece, look, collection) for piece in studio.bridges]
    made += [add_lorry(piece, collection) for piece in studio.lorries]
    made += [obj for piece in studio.chassis for obj in add_chassis(piece, timing, look, collection)]
    made += [_add_slope(piece, collection) for piece in studio.slopes]
    made += [_add_jelly(piece, collection) for piece in studio.jellies]
    made += [_add_balloon(piece, collection) for piece in studio.balloons]
    made += [obj for piece in studio.nails for obj in _add_nails(piece, collection)]
    return made


def _add_floor(height: float, collection: bpy.types.Collection) -> bpy.types.Object:
    import numpy as np

    corners = _FLOOR * np.array([[-1.0, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]])
    floor = new_object(
        mesh_from_arrays("Floor", corners, np.array([[0, 1, 2, 3]])), collection, bars.floor("Cast Floor")
    )
    floor.location.z = height
    floor.flotsam.kind, floor.flotsam.collider.friction = "COLLIDER", 0.6
    return floor


def _add_stretched(
    piece: Stretched, look: bpy.types.Material, collection: bpy.types.Collection
) -> list[bpy.types.Object]:
    """A sheet pinned at its rim, and a visible frame, which is not simulated."""
    import numpy as np

    count = piece.cuts + 1
    v, u = (k.ravel() for k in np.meshgrid(np.arange(count), np.arange(count), indexing="ij"))
    vertices = piece.size * np.stack([u / piece.cuts - 0.5, v / piece.cuts - 0.5, 0.0 * u], axis=1)
    sheet = new_object(mesh_from_arrays(piece.name, vertices, grid_faces(count, count)), collection, look)
    sheet.location = piece.at
    sheet.flotsam.kind = "SPRING_GRAPH"
    apply_material(sheet, "rubber_sheet")
    settings = sheet.flotsam.spring_graph
    settings.stiffness, settings.area_density = piece.stiffness, piece.weight
    settings.tear, settings.break_strain, settings.self_collision = True, piece.break_strain, True
    settings.thickness, settings.damping = 0.25 * piece.size / piece.cuts, 0.5
    rim = np.flatnonzero((u == 0) | (v == 0) | (u == piece.cuts) | (v == piece.cuts))
    sheet.vertex_groups.new(name=PIN_GROUP).add(rim.tolist(), 1.0, "REPLACE")
    hide_until_baked(sheet)
    half = 0.5 * piece.size
    corners = np.array([[x * half, y * half, z] for z in (0.0, -piece.at[2]) for x in (-1, 1) for y in (-1, 1)])
    sides = np.array([[0, 1], [1, 3], [3, 2], [2, 0], [0, 4], [1, 5], [2, 6], [3, 7]])
    mesh = bpy.data.meshes.new(f"{piece.name} Frame")
    mesh.from_pydata(corners.tolist(), sides.tolist(), [])
    frame = new_object(mesh, collection, None)
    frame.location = piece.at
    bars.add_bars(frame, 0.025, 0.0, bars.plain("Painted Steel", "#2b2f36", 0.35, 0.3))
    return [sheet, frame]


def hide_until_baked(obj: bpy.types.Object) -> None:
    """Add the Mesh Cache modifier that plays the bake, disabled until then."""
    modifier = obj.modifiers.new(MODIFIER, "MESH_CACHE")
    modifier.show_viewport = modifier.show_render = False


def _add_weight(piece: Weight, collection: bpy.types.Collection) -> bpy.types.Object:
    vertices, faces = ball(3)
    mesh = mesh_from_arrays(piece.name, piece.radius * vertices, faces)
    obj = new_object(mesh, collection, bars.plain("Polished Steel", "#b8bec6", 0.2, 1.0))
    obj.location = piece.at
    obj.flotsam.kind = "VOXEL_BODY"
    obj.flotsam.voxel_body.density = piece.mass / (4.0 / 3.0 * math.pi * piece.radius**3)
    return obj


def ball(cuts: int) -> tuple[np.ndarray, np.ndarray]:
    """A unit sphere of triangles from an icosahedron: vertices (n, 3), triangles (t, 3)."""
    import bmesh
    import numpy as np

    bm = bmesh.new()
    bmesh.ops.create_icosphere(bm, subdivisions=cuts + 1, radius=1.0)
    vertices = np.array([vertex.co for vertex in bm.verts])
    faces = np.array([[vertex.index for vertex in face.verts] for face in bm.faces])
    bm.free()
    return vertices, faces


def _add_slope(piece: Slope, collection: bpy.types.Collection) -> bpy.types.Object:
    look = masonry if piece.look == "stone" else planks
    obj = new_object(_block(piece.name, 1), collection, look(f"{piece.name} {piece.look.title()}"))
    obj.location, obj.scale = piece.at, piece.size
    obj.rotation_euler = [math.radians(angle) for angle in piece.tilt]
    obj.color = (1.0, 0.93, 0.82, 1.0) if piece.look == "planks" else (1.0, 1.0, 1.0, 1.0)
    obj.flotsam.kind, obj.flotsam.collider.friction = "COLLIDER", piece.friction
    return obj


def _add_jelly(piece: Jelly, collection: bpy.types.Collection) -> bpy.types.Object:
    obj = new_object(_block(piece.name, piece.cuts), collection, bars.jelly(f"{piece.name} Jelly", piece.colour))
    obj.data.transform([[piece.size * (i == j) for j in range(4)] for i in range(3)] + [[0, 0, 0, 1]])
    obj.location, obj.rotation_euler = piece.at, [math.radians(angle) for angle in piece.tilt]
    obj.flotsam.kind = "SPRING_GRAPH"
    apply_material(obj, "jelly")
    obj.flotsam.spring_graph.friction = 0.15
    hide_until_baked(obj)
    obj.modifiers.new("Smooth", "SUBSURF").levels = 1
    return obj


def _block(name: str, cuts: int) -> bpy.types.Mesh:
    """A cube of 1 m with `cuts` faces along each edge."""
    import bmesh

    mesh, bm = bpy.data.meshes.new(name), bmesh.new()
    bmesh.ops.create_cube(bm, size=1.0)
    if cuts > 1:
        bmesh.ops.subdivide_edges(bm, edges=bm.edges[:], cuts=cuts - 1, use_grid_fill=True)
    bm.to_mesh(mesh)
    bm.free()
    if cuts > 1:
        mesh.polygons.foreach_set("use_smooth", [True] * len(mesh.polygons))
    return mesh


def _add_balloon(piece: Balloon, collection: bpy.types.Collection) -> bpy.types.Object:
    """A skin stretched by two thirds, close to its limit."""
    vertices, faces = ball(3)
    mesh = mesh_from_arrays(piece.name, piece.radius * vertices, faces)
    obj = new_object(mesh, collection, bars.jelly(f"{piece.name} Rubber", piece.colour))
    obj.location = piece.at
    obj.flotsam.kind = "SPRING_GRAPH"
    apply_material(obj, "balloon")
    settings = obj.flotsam.spring_graph
    settings.pressure, settings.rest_scale, settings.area_density = piece.pressure, 0.6, 0.3
    # Equilibrium of the stretched springs with the pressure: 3 p V = sum of force times length.
    settings.stiffness = piece.pressure * piece.radius / 9.5 * 7.0
    settings.damping, settings.thickness = 0.05, 0.006
    settings.tear, settings.break_strain, settings.tears_per_frame = True, 1.15, 60
    settings.smallest_piece = 30
    hide_until_baked(obj)
    return obj


def _add_nails(piece: Nails, collection: bpy.types.Collection) -> list[bpy.types.Object]:
    """A board, and one mesh with all its nails, a sharp collider."""
    import numpy as np

    board = new_object(_block(f"{piece.name} Board", 1), collection, planks(f"{piece.name} Wood"))
    board.location = (piece.at[0], piece.at[1], piece.at[2] - 0.03)
    board.scale = (piece.size[0], piece.size[1], 0.06)
    board.color, board.flotsam.kind = (0.9, 0.8, 0.68, 1.0), "COLLIDER"
    around = np.arange(6)
    angle, radius = 2.0 * np.pi * around / 6, 0.12 * piece.length
    nail = np.concatenate([
        np.stack([radius * np.cos(angle), radius * np.sin(angle), 0.0 * angle], axis=1), [[0.0, 0, piece.length]],
    ])
    sides = np.stack([around, (around + 1) % 6, np.full(6, 6)], axis=1)
    base = np.array([[0, k + 1, k] for k in range(1, 5)])[:, [0, 1, 2]]
    nail_faces = np.concatenate([sides, base])
    feet = np.array([
        [x, y, 0.0]
        for x in np.arange(-0.5 * piece.size[0] + piece.spacing, 0.5 * piece.size[0], piece.spacing)
        for y in np.arange(-0.5 * piece.size[1] + piece.spacing, 0.5 * piece.size[1], piece.spacing)
    ])
    vertices = (feet[:, None] + nail).reshape(-1, 3)
    faces = (nail_faces + 7 * np.arange(len(feet))[:, None, None]).reshape(-1, 3)
    mesh = mesh_from_arrays(piece.name, vertices, faces, smooth=False)
    nails = new_object(mesh, collection, bars.plain("Nail Steel", "#9aa0a8", 0.3, 1.0))
    nails.location = piece.at
    nails.flotsam.kind, nails.flotsam.collider.sharp = "COLLIDER", True
    return [board, nails]
