"""Meshes from arrays: the only place where scenes write vertices, faces and attributes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import bpy

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np


def mesh_from_arrays(
    name: str,
    vertices: np.ndarray,
    faces: np.ndarray,
    *,
    smooth: bool = True,
    attributes: Mapping[str, np.ndarray] | None = None,
    uv: np.ndarray | None = None,
) -> bpy.types.Mesh:
    """A mesh whose faces all have the same number of corners.

    Args:
        vertices: positions [m], shape (n, 3).
        faces: corner indices, shape (f, 3) or (f, 4).
        attributes: float point attributes by name, each of shape (n,).
        uv: one pair for each face corner, shape (f * corners, 2).
    """
    corners = faces.shape[1]
    mesh = bpy.data.meshes.new(name)
    mesh.vertices.add(len(vertices))
    mesh.vertices.foreach_set("co", vertices.astype("float32").ravel())
    mesh.loops.add(faces.size)
    mesh.loops.foreach_set("vertex_index", faces.astype("int32").ravel())
    mesh.polygons.add(len(faces))
    mesh.polygons.foreach_set("loop_start", [corners * i for i in range(len(faces))])
    mesh.update(calc_edges=True)
    if uv is not None:
        mesh.uv_layers.new(name="UVMap").uv.foreach_set("vector", uv.astype("float32").ravel())
    for key, values in (attributes or {}).items():
        layer = mesh.attributes.new(key, "FLOAT", "POINT")
        layer.data.foreach_set("value", values.astype("float32"))
    mesh.polygons.foreach_set("use_smooth", [smooth] * len(faces))
    mesh.update()
    return mesh


def new_object(
    mesh: bpy.types.Mesh, collection: bpy.types.Collection, material: bpy.types.Material | None
) -> bpy.types.Object:
    """A new object with `mesh` and `material`, linked to `collection`, with the name of the mesh."""
    obj = bpy.data.objects.new(mesh.name, mesh)
    if material is not None:
        mesh.materials.append(material)
    collection.objects.link(obj)
    return obj


def grid_faces(rows: int, columns: int) -> np.ndarray:
    """Quads of a sheet of rows x columns vertices stored row by row; they face +Z if x increases along a row.

    Returns:
        Corner indices, shape ((rows - 1) * (columns - 1), 4).
    """
    import numpy as np

    first = (np.arange(rows - 1)[:, None] * columns + np.arange(columns - 1)[None, :]).ravel()
    return np.stack((first, first + 1, first + columns + 1, first + columns), axis=1)
