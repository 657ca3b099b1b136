"""Blender's field objects → specs, and their placement at a frame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np

from ...engine import FieldControl
from ...engine.spec import ForceFieldSpec, params_of
from ..properties.outside import field_objects, unused_sentence
from .air import free_name
from .errors import CaptureError
from .mesh import world_matrix
from .motion import is_deformed, is_keyed, is_moved
from .textures import sample_texture

MESH_SHAPES = ("SURFACE", "POINTS")
KEYABLE = tuple(name for name, declared in params_of(ForceFieldSpec).items() if declared.keyable)


@dataclass(frozen=True, eq=False)
class CapturedField:
    """Data kept of a field that moves or changes.

    Attributes:
        object_name: full name of its object; name: name of its spec.
        points: number of vertices of its mesh, 0 if it needs none.
        deforms: whether its mesh may change; keyed: whether its settings may.
    """

    object_name: str
    name: str
    points: int
    deforms: bool
    keyed: bool


def capture_fields(
    scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph, bodies: Sequence[Any], taken: set[str],
    warnings: list[str], by_hand: bool,
) -> tuple[list[ForceFieldSpec], list[CapturedField], dict[str, str]]:
    """Specs of all fields of the scene, data of those that move or change, and field names by object name.

    Args:
        scene, depsgraph: the scene and its state; bodies: specs of moving systems; taken: names of all systems.
        warnings: receives a sentence for each field that is ignored or partly supported.
        by_hand: whether the artist may move any field at any time.

    Raises:
        CaptureError: the matrix or settings of a field are not finite.
    """
    specs, moving, names = [], [], dict[str, str]()
    owners = {body.name for body in bodies}
    for obj in field_objects(scene):
        if not _is_used(obj, depsgraph, warnings):
            continue
        if obj.name_full in owners:
            warnings.append(f"The field of {obj.name} does not act on {obj.name} itself.")
        name = free_name(obj.name_full, taken | set(names.values()))
        spec = _capture_field(obj, name, depsgraph, bodies, warnings)
        if spec is None:
            continue
        specs.append(spec)
        names[obj.name_full] = name
        deforms = spec.vertices is not None and is_deformed(obj)
        keyed = by_hand or is_keyed(obj)
        if deforms or keyed or is_moved(obj):
            count = 0 if spec.vertices is None else len(spec.vertices)
            moving.append(CapturedField(obj.name_full, name, count, deforms, keyed))
    return specs, moving, names


def _is_used(obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph, warnings: list[str]) -> bool:
    unused = unused_sentence(obj)
    if unused is not None:
        warnings.append(unused)
        return False
    return not obj.hide_viewport and obj.evaluated_get(depsgraph).is_evaluated


def _capture_field(
    obj: bpy.types.Object, name: str, depsgraph: bpy.types.Depsgraph, bodies: Sequence[Any], warnings: list[str]
) -> ForceFieldSpec | None:
    evaluated = obj.evaluated_get(depsgraph)
    settings = evaluated.field
    values = {name: _finite_value(obj, settings, name) for name in params_of(ForceFieldSpec)}
    matrix = _finite_matrix(obj, evaluated)
    vertices, normals, triangles = None, None, None
    if values["shape"] in MESH_SHAPES:
        found = field_mesh(evaluated)
        if found is None and values["shape"] == "POINTS":
            warnings.append(f"{obj.name} has no vertices for its shape Every Point and was left out; give it a mesh.")
            return None
        if found is None or (values["shape"] == "SURFACE" and len(found[2]) == 0):
            # As in Blender: without a surface, the field acts from the origin.
            values["shape"] = "POINT"
        else:
            vertices, normals, triangles = found
    texture = None
    if values["type"] == "TEXTURE":
        if settings.texture is None:
            warnings.append(
                f"{obj.name} is a texture field without a texture and was left out; choose one in its panel."
            )
            return None
        if values["texture_mode"] != "RGB" and values["texture_nabla"] == 0.0:
            warnings.append(
                f"{obj.name} is a texture field whose Nabla is 0 and does nothing; set it in its panel, to 0.025 or so."
            )
        texture = sample_texture(settings.texture, matrix, values, _bounding_box(bodies))
    return ForceFieldSpec(
        name, matrix, vertices, triangles, normals, owner=obj.name_full, texture=texture, **values
    )


def _finite_value(obj: bpy.types.Object, settings: bpy.types.FieldSettings, name: str) -> Any:
    value = getattr(settings, name)
    if isinstance(value, float) and not np.isfinite(value):
        raise CaptureError(f"{obj.name} has a field whose {name.replace('_', ' ')} is no number; check its drivers.")
    return value


def _finite_matrix(obj: bpy.types.Object, evaluated: bpy.types.Object) -> np.ndarray:
    matrix = world_matrix(evaluated)
    if not np.isfinite(matrix).all() or np.linalg.norm(matrix[:3, 2]) == 0.0:
        raise CaptureError(f"{obj.name} has no finite place in the world; check its location, rotation and scale.")
    return matrix


def field_mesh(evaluated: bpy.types.Object) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
    """Vertices, normals and triangles of an evaluated object in object space; None without vertices."""
    if evaluated.type not in {"MESH", "CURVE", "SURFACE", "META", "FONT"}:
        return None
    mesh = evaluated.to_mesh()
    try:
        count = 0 if mesh is None else len(mesh.vertices)
        if count == 0:
            return None
        vertices, normals = np.empty(3 * count, dtype=np.float32), np.empty(3 * count, dtype=np.float32)
        mesh.vertices.foreach_get("co", vertices)
        mesh.vertex_normals.foreach_get("vector", normals)
        mesh.calc_loop_triangles()
        triangles = np.empty(3 * len(mesh.loop_triangles), dtype=np.int32)
        mesh.loop_triangles.foreach_get("vertices", triangles)
    finally:
        evaluated.to_mesh_clear()
    return vertices.reshape(-1, 3).astype(float), normals.reshape(-1, 3).astype(float), triangles.reshape(-1, 3)


def _bounding_box(bodies: Sequence[Any]) -> np.ndarray:
    """Corners (2, 3) of the bounding box of all bodies at the start [m]."""
    corners = []
    for body in bodies:
        vertices, pose = getattr(body, "vertices", None), getattr(body, "pose", None)
        vertices = body.positions if vertices is None else vertices
        at = vertices if pose is None else vertices @ pose[:3, :3].T + pose[:3, 3]
        corners += [at.min(axis=0), at.max(axis=0)]
    return np.array([np.min(corners, axis=0), np.max(corners, axis=0)])


def field_controls(
    moving: Sequence[CapturedField], scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph
) -> tuple[dict[str, FieldControl], dict[str, dict[str, float]]]:
    """Placement of fields now, and their keyed settings, by name.

    Raises:
        CaptureError: a field's matrix or settings are not finite now, or its vertex count changed.
    """
    controls, values = {}, {}
    for field in moving:
        obj = next((obj for obj in scene.objects if obj.name_full == field.object_name), None)
        if obj is None:
            raise CaptureError(f"The field {field.object_name} was deleted or renamed meanwhile; start again.")
        evaluated = obj.evaluated_get(depsgraph)
        vertices, normals = None, None
        if field.deforms:
            found = field_mesh(evaluated)
            if found is None or len(found[0]) != field.points:
                raise CaptureError(
                    f"The mesh of the field {obj.name} changes its number of vertices; keep it, or choose another "
                    "shape."
                )
            vertices, normals, _triangles = found
        controls[field.name] = FieldControl(_finite_matrix(obj, evaluated), vertices, normals)
        if field.keyed:
            values[field.name] = {name: float(_finite_value(obj, evaluated.field, name)) for name in KEYABLE}
    return controls, values
