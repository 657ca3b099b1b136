"""Scenes with wind: force field objects, washing on a line, a parachute with a crate."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import bpy

from ..names import MODIFIER, PIN_GROUP, REST_ATTRIBUTE
from ..presets import apply_material
from .looks.shading import colour, new_material
from .looks.terry import terry
from .mesh import grid_faces, mesh_from_arrays, new_object
from .plan import Parachute, SceneError, Washing, Wind

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

    from .plan import Timing

# Contact thickness of washing and canopies, and rendered radius of lines [m].
_CLOTH_THICKNESS, _LINE_RADIUS = 0.006, 0.008
# Faces of a canopy around it and from its vent to its rim; angle from its axis to its rim, and to its vent.
_GORES, _HOOPS, _HALF_ANGLE, _VENT_ANGLE = 32, 12, math.radians(72.0), math.radians(6.0)
# Width of a canopy before it opens, as a fraction of its open width.
_FOLDED_WIDTH = 0.3


def add_winds(winds: tuple[Wind, ...], timing: Timing, collection: bpy.types.Collection) -> list[bpy.types.Object]:
    """Blender's force field objects; those that drift have keyframes at the first frame and the last.

    Raises:
        SceneError: Blender has no such field.
    """
    made = []
    for wind in winds:
        field = bpy.data.objects.new(wind.name, None)
        collection.objects.link(field)
        field.empty_display_type = "SINGLE_ARROW"
        field.location = wind.at
        field.rotation_euler = [math.radians(angle) for angle in wind.tilt]
        _make_field(field, wind)
        seconds = (timing.end - timing.start) / 24.0
        if any(wind.drift):
            field.keyframe_insert("location", frame=timing.start)
            field.location = [at + seconds * speed for at, speed in zip(wind.at, wind.drift, strict=True)]
            field.keyframe_insert("location", frame=timing.end)
            field.location = wind.at
        made.append(field)
    return made


def _make_field(field: bpy.types.Object, wind: Wind) -> None:
    with bpy.context.temp_override(object=field, active_object=field, selected_objects=[field]):
        bpy.ops.object.forcefield_toggle()
    if wind.kind not in {item.identifier for item in field.field.bl_rna.properties["type"].enum_items}:
        raise SceneError(f"{wind.name!r} asks for the field {wind.kind!r}, which Blender does not have.")
    settings = field.field
    settings.type = wind.kind
    settings.strength, settings.flow, settings.noise = wind.strength, wind.flow, wind.noise
    settings.size, settings.wind_factor = wind.size, wind.wind_factor


def add_washing(washing: tuple[Washing, ...], collection: bpy.types.Collection) -> list[bpy.types.Object]:
    """Cloths, pinned at pegs along their upper edges."""
    import numpy as np

    made = []
    for piece in washing:
        x, z = np.meshgrid(np.linspace(0.0, 1.0, piece.cuts[0] + 1), np.linspace(0.0, 1.0, piece.cuts[1] + 1))
        uv = np.stack((x, z), axis=-1).reshape(-1, 2)
        faces = grid_faces(piece.cuts[1] + 1, piece.cuts[0] + 1)
        flat = np.stack(((uv[:, 0] - 0.5) * piece.size[0], 0.0 * uv[:, 0], (uv[:, 1] - 1.0) * piece.size[1]), axis=-1)
        obj = new_object(
            mesh_from_arrays(piece.name, flat, faces, uv=uv[faces].reshape(-1, 2)), collection,
            terry(f"Cotton {piece.name}", piece.stripes, piece.colours),
        )
        obj.location = piece.at
        top = np.arange(piece.cuts[1] * (piece.cuts[0] + 1), len(flat))
        pegs = top[np.round(np.linspace(0, len(top) - 1, piece.pegs)).astype(int)]
        _make_cloth(obj, piece.weight * piece.size[0] * piece.size[1], pegs.tolist())
        made.append(obj)
        made += [_peg(obj, flat[peg], collection) for peg in pegs]
    return made


def _make_cloth(obj: bpy.types.Object, mass: float, pins: Sequence[int]) -> None:
    obj.flotsam.kind = "SPRING_GRAPH"
    settings = obj.flotsam.spring_graph
    apply_material(obj, "cloth")
    settings.mass, settings.thickness, settings.self_collision = mass, _CLOTH_THICKNESS, True
    if pins:
        obj.vertex_groups.new(name=PIN_GROUP).add(list(pins), 1.0, "REPLACE")
    modifier = obj.modifiers.new(MODIFIER, "MESH_CACHE")
    modifier.show_viewport = modifier.show_render = False
    obj.modifiers.new("Smooth", "SUBSURF")


def _peg(cloth: bpy.types.Object, at: np.ndarray, collection: bpy.types.Collection) -> bpy.types.Object:
    """A wooden peg over the line."""
    import bmesh

    mesh, bm = bpy.data.meshes.new("Peg"), bmesh.new()
    bmesh.ops.create_cube(bm, size=1.0)
    bmesh.ops.scale(bm, vec=(0.016, 0.03, 0.09), verts=bm.verts)
    bm.to_mesh(mesh)
    bm.free()
    peg = new_object(mesh, collection, _plain("Peg Wood", "#c79a62", 0.6))
    peg.location = [float(a + b) for a, b in zip(cloth.location, at, strict=True)]
    peg.location.z += 0.01
    return peg


def add_line(ends: tuple[tuple[float, float, float], ...], collection: bpy.types.Collection) -> list[bpy.types.Object]:
    """A taut line through some points, not simulated."""
    if len(ends) < 2:
        return []
    curve = bpy.data.curves.new("Line", "CURVE")
    curve.dimensions, curve.bevel_depth = "3D", _LINE_RADIUS
    spline = curve.splines.new("POLY")
    spline.points.add(len(ends) - 1)
    for point, end in zip(spline.points, ends, strict=True):
        point.co = (*end, 1.0)
    curve.materials.append(_plain("Line Cord", "#e9e4d6", 0.8))
    line = bpy.data.objects.new("Line", curve)
    collection.objects.link(line)
    return [line]


def add_parachutes(
    parachutes: tuple[Parachute, ...], scene: bpy.types.Scene, made: list[bpy.types.Object],
    collection: bpy.types.Collection,
) -> list[bpy.types.Object]:
    """Canopies folded above their crates and attached to them by lines.

    Args:
        made: the scene's objects so far, including the crates.

    Raises:
        SceneError: a crate is missing.
    """
    canopies = []
    for chute in parachutes:
        crate = next((obj for obj in made if obj.name.split(".")[0] == chute.crate), None)
        if crate is None:
            raise SceneError(f"{chute.name!r} carries {chute.crate!r}, which the scene does not have.")
        canopies.append(_canopy(chute, crate, scene, collection))
    return canopies


def _canopy(
    chute: Parachute, crate: bpy.types.Object, scene: bpy.types.Scene, collection: bpy.types.Collection
) -> bpy.types.Object:
    open_shape, faces, stripe = _cap(chute.radius)
    mesh = mesh_from_arrays(chute.name, _pleated(open_shape), faces, attributes={"stripe": stripe})
    mesh.attributes.new(REST_ATTRIBUTE, "FLOAT_VECTOR", "POINT").data.foreach_set(
        "vector", open_shape.astype("float32").ravel()
    )
    canopy = new_object(mesh, collection, _silk(f"Silk {chute.name}", chute.colours))
    bpy.context.view_layer.update()
    canopy.location = crate.location
    canopy.location.z += 0.5 * crate.scale.z + chute.lines
    _make_cloth(canopy, chute.mass, ())
    # Pleats lie closer together than self-collision would allow.
    canopy.flotsam.spring_graph.self_collision = False
    bpy.context.view_layer.update()
    _tie(canopy, crate, chute.lines, scene)
    _show_lines(canopy, crate)
    return canopy


def _cap(radius: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A spherical cap with a vent: vertices hoop by hoop, the rim last; quads; stripe (0 or 1) of each vertex."""
    import numpy as np

    angle = np.linspace(_VENT_ANGLE, _HALF_ANGLE, _HOOPS + 1)[:, None]
    azimuth = 2.0 * math.pi * np.arange(_GORES)[None, :] / _GORES
    sphere_radius = radius / math.sin(_HALF_ANGLE)
    shape = sphere_radius * np.stack(
        (np.sin(angle) * np.cos(azimuth), np.sin(angle) * np.sin(azimuth), np.cos(angle) + 0.0 * azimuth), axis=-1
    ).reshape(-1, 3)
    rows = _GORES * np.arange(_HOOPS)[:, None]
    here, beside = np.arange(_GORES)[None, :], (np.arange(_GORES)[None, :] + 1) % _GORES
    faces = np.stack((rows + here, rows + _GORES + here, rows + _GORES + beside, rows + beside), axis=-1).reshape(-1, 4)
    return shape, faces, np.tile(np.arange(_GORES) % 4 < 2, _HOOPS + 1).astype(float)


def _pleated(shape: np.ndarray) -> np.ndarray:
    """A cap folded into radial pleats, its rim at height 0; every edge keeps its length."""
    import numpy as np

    radius = np.hypot(shape[:, 0], shape[:, 1])
    half_depth = radius * (math.pi / _GORES) * math.sqrt(1.0 - _FOLDED_WIDTH**2)
    side = np.where(np.arange(len(shape)) % 2 == 0, 1.0, -1.0)
    folded_radius = _FOLDED_WIDTH * radius + side * half_depth
    radii = folded_radius.reshape(-1, _GORES)
    hoop_distance = np.linalg.norm(np.diff(shape.reshape(-1, _GORES, 3), axis=0), axis=2)
    height_step = np.sqrt(np.maximum(hoop_distance**2 - np.diff(radii, axis=0) ** 2, 0.0)).mean(axis=1)
    height = np.concatenate(([0.0], -np.cumsum(height_step)))
    azimuth = np.arctan2(shape[:, 1], shape[:, 0])
    folded_xy = np.stack((folded_radius * np.cos(azimuth), folded_radius * np.sin(azimuth)), axis=-1)
    return np.concatenate((folded_xy, np.repeat(height - height[-1], _GORES)[:, None]), axis=1)


def _tie(canopy: bpy.types.Object, crate: bpy.types.Object, length: float, scene: bpy.types.Scene) -> None:
    """Attach every other vertex of the rim to the nearest upper corner of the crate."""
    rim = range(_HOOPS * _GORES, (_HOOPS + 1) * _GORES, 2)
    corners = [vertex.index for vertex in crate.data.vertices if vertex.co.z > 0.49]
    row = scene.flotsam.attachments.add()
    row.name, row.a_object, row.b_object = f"{canopy.name} to {crate.name}", canopy, crate
    row.a_count, row.b_count = len(canopy.data.vertices), len(crate.data.vertices)
    row.use_stiffness, row.stiffness, row.damping = True, 2000.0, 2.0
    row.use_rest_length, row.rest_length = True, length
    for vertex in rim:
        rim_point = canopy.data.vertices[vertex].co
        link = row.links.add()
        link.a = vertex
        link.b = min(corners, key=lambda k: (crate.data.vertices[k].co.xy - rim_point.xy.normalized() * 0.7).length)


def _show_lines(canopy: bpy.types.Object, crate: bpy.types.Object) -> None:
    """Add a geometry nodes modifier that draws cords from the rim to the crate; they are not simulated."""
    from .cords import cords

    modifier = canopy.modifiers.new("Cords", "NODES")
    rim = range(_HOOPS * _GORES, (_HOOPS + 1) * _GORES)
    modifier.node_group = cords(crate, rim, _LINE_RADIUS, _plain("Cord", "#efe9da", 0.8))


def _silk(name: str, colours: tuple[str, str]) -> bpy.types.Material:
    """Thin, partly translucent cloth of two colours."""
    material, shading = new_material(name)
    tint = shading.mix(shading.step(shading.attribute("stripe"), 0.45, 0.55), colour(colours[0]), colour(colours[1]))
    diffuse = shading.node("ShaderNodeBsdfDiffuse", {0: tint}).outputs[0]
    translucent = shading.node("ShaderNodeBsdfTranslucent", {0: tint}).outputs[0]
    shading.surface(shading.node("ShaderNodeMixShader", {0: 0.4, 1: diffuse, 2: translucent}).outputs[0])
    material.diffuse_color = colour(colours[0])
    return material


def _plain(name: str, code: str, roughness: float) -> bpy.types.Material:
    material, shading = new_material(name)
    shader = shading.node("ShaderNodeBsdfPrincipled", {"Base Color": colour(code), "Roughness": roughness})
    shading.surface(shader.outputs[0])
    material.diffuse_color = colour(code)
    return material
