"""An evaluated mesh as arrays in world space."""

from __future__ import annotations

from dataclasses import dataclass

import bpy
import numpy as np

from .errors import CaptureError


@dataclass(frozen=True, eq=False)
class MeshArrays:
    """A mesh as the solver sees it.

    Attributes:
        local: positions in the object's own space, (n, 3) float64.
        vertices: positions [m] in world space, (n, 3) float64.
        triangles: corner indices, (t, 3) int32, outward by the right-hand rule in world space.
        edges: vertex pairs, (e, 2) int32, loose ones too.
        pins: indices of pinned vertices, ascending, (p,) int32.
    """

    local: np.ndarray
    vertices: np.ndarray
    triangles: np.ndarray
    edges: np.ndarray
    pins: np.ndarray


def world_matrix(evaluated: bpy.types.Object) -> np.ndarray:
    """The object's matrix_world, (4, 4) float64."""
    return np.array(evaluated.matrix_world, dtype=np.float64)


def is_flat(matrix: np.ndarray) -> bool:
    """Whether a (4, 4) matrix squeezes space to a plane or less, or is not finite: there is no way back from it."""
    if not np.isfinite(matrix).all():
        return True
    lengths = np.linalg.norm(matrix[:3, :3], axis=0)
    return bool(lengths.min() < 1e-9 or abs(np.linalg.det(matrix[:3, :3] / lengths)) < 1e-9)


def transform(matrix: np.ndarray, positions: np.ndarray) -> np.ndarray:
    """Positions (n, 3) moved by a (4, 4) matrix, in float64."""
    # Not `@`, whose threads would wait for cores on which the solver runs, and the main thread with them.
    return np.einsum("ij,kj->ik", positions.astype(np.float64), matrix[:3, :3]) + matrix[:3, 3]


def read_mesh(obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph, pin_group: str | None = None) -> MeshArrays:
    """Read an object as the dependency graph shows it now; pins come from `pin_group`, weight above one half."""
    evaluated = obj.evaluated_get(depsgraph)
    matrix = world_matrix(evaluated)
    mesh = evaluated.to_mesh()
    try:
        local = _positions(mesh)
        triangles = _triangles(mesh)
        edges = np.empty(len(mesh.edges) * 2, dtype=np.int32)
        mesh.edges.foreach_get("vertices", edges)
        pins = _weighted(obj, mesh, pin_group) if pin_group else np.empty(0, dtype=np.int32)
    finally:
        evaluated.to_mesh_clear()
    if np.linalg.det(matrix[:3, :3]) < 0.0:
        # A mirrored object is turned inside out: its triangles run the other way round in the world.
        triangles = np.ascontiguousarray(triangles[:, ::-1])
    return MeshArrays(local, transform(matrix, local), triangles, edges.reshape(-1, 2), pins)


def read_positions(obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph, count: int) -> np.ndarray:
    """Positions in the object's own space, (count, 3) float64.

    Raises:
        CaptureError: the mesh now has another number of vertices.
    """
    evaluated = obj.evaluated_get(depsgraph)
    mesh = evaluated.to_mesh()
    try:
        if len(mesh.vertices) != count:
            raise CaptureError(
                f"{obj.name} has {len(mesh.vertices)} vertices now and had {count} at the start; "
                "keep its modifiers before Flotsam from changing the vertex count, and bake again."
            )
        return _positions(mesh)
    finally:
        evaluated.to_mesh_clear()


def _positions(mesh: bpy.types.Mesh) -> np.ndarray:
    flat = np.empty(len(mesh.vertices) * 3, dtype=np.float32)
    mesh.vertices.foreach_get("co", flat)
    return flat.reshape(-1, 3).astype(np.float64)


def _triangles(mesh: bpy.types.Mesh) -> np.ndarray:
    mesh.calc_loop_triangles()
    flat = np.empty(len(mesh.loop_triangles) * 3, dtype=np.int32)
    mesh.loop_triangles.foreach_get("vertices", flat)
    return flat.reshape(-1, 3)


def _weighted(obj: bpy.types.Object, mesh: bpy.types.Mesh, group_name: str) -> np.ndarray:
    """Vertices with more than half the weight in a group; none when the object has no such group."""
    group = obj.vertex_groups.get(group_name)
    if group is None:
        return np.empty(0, dtype=np.int32)
    inside = [
        vertex.index
        for vertex in mesh.vertices
        if any(entry.group == group.index and entry.weight > 0.5 for entry in vertex.groups)
    ]
    return np.array(inside, dtype=np.int32)
