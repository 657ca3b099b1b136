"""A fluid object → its specification: the mesh is what is filled, and the object itself becomes the points."""

from __future__ import annotations

from typing import Any

import bpy

from ...engine.spec import FluidSpec
from .checks import refuse_mesh, refuse_object
from .mesh import MeshArrays, read_mesh, world_matrix
from .motion import is_moved


def capture_fluid(
    obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph, warnings: list[str], settings: dict[str, Any],
) -> tuple[FluidSpec, MeshArrays]:
    """The specification, and the mesh it was made from; raises CaptureError."""
    matrix = world_matrix(obj.evaluated_get(depsgraph))
    refuse_object(obj, matrix, soft=False)
    mesh = read_mesh(obj, depsgraph)
    refuse_mesh(obj.name, mesh, False, "", "")
    if is_moved(obj):
        warnings.append(f"{obj.name} is animated, but its fluid comes from where the mesh is at the first frame.")
    return FluidSpec(obj.name_full, mesh.vertices, mesh.triangles, **settings), mesh
