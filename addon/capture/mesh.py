"""An evaluated mesh as arrays in world space."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache

import bpy
import numpy as np

from ..names import EDGE_ATTRIBUTES, REST_ATTRIBUTE, SEGMENT_ATTRIBUTE
from .errors import CaptureError


@dataclass(frozen=True, eq=False)
class MeshArrays:
    """A mesh as the solver needs it.

    Attributes:
        local: positions in object space, (n, 3) float64.
        vertices: positions in world space [m], (n, 3) float64.
        triangles: corner indices, (t, 3) int32, outward by the right-hand rule in world space.
        edges: vertex pairs, (e, 2) int32, including loose ones.
        weights: vertex weights in the requested groups that exist, (n,) float64 each.
        segments: segment number of each vertex, (n,) int32; None without such an attribute.
        rest: rest positions in world space [m], (n, 3) float64; None if the vertices are the rest positions.
        edge_values: edge attributes by name, (e,) float64 each, see `edge_values`.
        unread: names of such attributes with another domain or type.
        corners: vertex of each face corner, (c,) int32; triangle_corners: corners of each triangle, (t, 3) int32.
    """

    local: np.ndarray
    vertices: np.ndarray
    triangles: np.ndarray
    edges: np.ndarray
    weights: dict[str, np.ndarray]
    segments: np.ndarray | None
    rest: np.ndarray | None
    edge_values: dict[str, np.ndarray] = field(default_factory=dict)
    corners: np.ndarray | None = None
    triangle_corners: np.ndarray | None = None
    unread: tuple[str, ...] = ()

    def members(self, group: str) -> np.ndarray:
        """Indices of the vertices with more than half the weight in a group, ascending, (p,) int32."""
        return np.flatnonzero(self.weights.get(group, np.empty(0)) > 0.5).astype(np.int32)


def world_matrix(evaluated: bpy.types.Object) -> np.ndarray:
    """The object's matrix_world, (4, 4) float64."""
    # Copy element by element: numpy's conversion of a Matrix releases the GIL, and waits up to 8 ms to get it back from
    # a running solver. In Live that was most of a tick. Blender's column order keeps the bits of later sums.
    return np.array([value for column in evaluated.matrix_world.col for value in column]).reshape(4, 4).T


def is_flat(matrix: np.ndarray) -> bool:
    """Whether a (4, 4) matrix is singular or not finite."""
    if not np.isfinite(matrix).all():
        return True
    lengths = np.linalg.norm(matrix[:3, :3], axis=0)
    return bool(lengths.min() < 1e-9 or abs(np.linalg.det(matrix[:3, :3] / lengths)) < 1e-9)


def inverse(matrix: np.ndarray) -> np.ndarray:
    """Inverse of a (4, 4) float64 matrix, cached and read-only.

    Numpy's threads would wait for cores on which the solver runs: 0.3 ms for each body and frame of Live.
    """
    return _inverse(matrix.tobytes())


@lru_cache(maxsize=4096)
def _inverse(raw: bytes) -> np.ndarray:
    found = np.linalg.inv(np.frombuffer(raw).reshape(4, 4))
    found.flags.writeable = False
    return found


def transform(matrix: np.ndarray, positions: np.ndarray) -> np.ndarray:
    """Positions (n, 3) transformed by a (4, 4) matrix, in float64."""
    # `@` would start threads, which wait for cores on which the solver runs, and the main thread with them.
    return np.einsum("ij,kj->ik", positions.astype(np.float64), matrix[:3, :3]) + matrix[:3, 3]


def read_mesh(obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph, groups: Iterable[str] = ()) -> MeshArrays:
    """Read the mesh of an evaluated object, with the weights of the given vertex groups."""
    evaluated = obj.evaluated_get(depsgraph)
    matrix = world_matrix(evaluated)
    mesh = evaluated.to_mesh()
    try:
        local, edges = read_points(mesh).astype(np.float64), read_edges(mesh)
        corners, triangle_corners = read_corners(mesh)
        weights = read_weights(obj, mesh, groups)
        segments = _segments(mesh)
        rest, edge_values = read_rest(mesh), read_edge_values(mesh)
        unread = tuple(name for name in EDGE_ATTRIBUTES if name in mesh.attributes and name not in edge_values)
    finally:
        evaluated.to_mesh_clear()
    if np.linalg.det(matrix[:3, :3]) < 0.0:
        # A negative scale reverses the orientation of triangles in world space.
        triangle_corners = np.ascontiguousarray(triangle_corners[:, ::-1])
    return MeshArrays(
        local, transform(matrix, local), corners[triangle_corners], edges, weights, segments,
        None if rest is None else transform(matrix, rest), edge_values, corners, triangle_corners,
        unread,
    )


def read_positions(obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph, count: int) -> np.ndarray:
    """Positions in object space, (count, 3) float64.

    Raises:
        CaptureError: the number of vertices is not `count` any more.
    """
    evaluated = obj.evaluated_get(depsgraph)
    mesh = evaluated.to_mesh()
    try:
        _refuse_count(obj.name, len(mesh.vertices), count)
        return read_points(mesh).astype(np.float64)
    finally:
        evaluated.to_mesh_clear()


def refuse_changed_count(obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph, count: int) -> None:
    """Raise CaptureError if the evaluated mesh no longer has `count` vertices."""
    _refuse_count(obj.name, len(obj.evaluated_get(depsgraph).data.vertices), count)


def _refuse_count(name: str, now: int, count: int) -> None:
    if now != count:
        raise CaptureError(
            f"{name} has {now} vertices now and had {count} at the start; "
            "keep its modifiers from changing the vertex count while time runs, and bake again."
        )


def read_points(mesh: bpy.types.Mesh) -> np.ndarray:
    """Positions of a mesh in object space, (n, 3) float32."""
    return _read_attribute(mesh, "position", "vector", 3 * len(mesh.vertices), np.float32).reshape(-1, 3)


def read_edges(mesh: bpy.types.Mesh) -> np.ndarray:
    """Edges of a mesh, (e, 2) int32."""
    return _read_attribute(mesh, ".edge_verts", "value", 2 * len(mesh.edges), np.int32).reshape(-1, 2)


def read_triangles(mesh: bpy.types.Mesh) -> np.ndarray:
    """Triangles of a mesh, (t, 3) int32, as Blender triangulates its faces."""
    vertex, corner = read_corners(mesh)
    return vertex[corner]


def read_corners(mesh: bpy.types.Mesh) -> tuple[np.ndarray, np.ndarray]:
    """Vertex of each face corner, (c,) int32, and the corners of each triangle, (t, 3) int32."""
    vertex = _read_attribute(mesh, ".corner_vert", "value", len(mesh.loops), np.int32)
    if len(vertex) == 3 * len(mesh.polygons):
        # All faces are triangles already; Blender's triangulation of a million would take 70 ms.
        return vertex, np.arange(len(vertex), dtype=np.int32).reshape(-1, 3)
    mesh.calc_loop_triangles()
    corner = np.empty(len(mesh.loop_triangles) * 3, dtype=np.int32)
    mesh.loop_triangles.foreach_get("loops", corner)
    return vertex, corner.reshape(-1, 3)


def _read_attribute(mesh: bpy.types.Mesh, name: str, field: str, count: int, dtype: type) -> np.ndarray:
    """Read an attribute in one call, a hundred times faster than vertex by vertex."""
    flat = np.empty(count, dtype=dtype)
    if count:
        mesh.attributes[name].data.foreach_get(field, flat)
    return flat


def read_weights(obj: bpy.types.Object, mesh: bpy.types.Mesh, groups: Iterable[str]) -> dict[str, np.ndarray]:
    """Weights (n,) in the groups that exist, in one pass: Blender gives access to them only vertex by vertex."""
    found = {name: np.zeros(len(mesh.vertices)) for name in groups if name in obj.vertex_groups}
    if not found:
        return found
    of_group = {obj.vertex_groups[name].index: weights for name, weights in found.items()}
    for vertex in mesh.vertices:
        for entry in vertex.groups:
            if entry.group in of_group:
                # A modifier that mixes weights may exceed 1 by a rounding error.
                of_group[entry.group][vertex.index] = min(entry.weight, 1.0)
    return found


def read_rest(mesh: bpy.types.Mesh) -> np.ndarray | None:
    """Rest positions in object space, (n, 3) float64; None when the mesh stores no rest pose."""
    attribute = mesh.attributes.get(REST_ATTRIBUTE)
    if attribute is None or attribute.domain != "POINT" or attribute.data_type != "FLOAT_VECTOR":
        return None
    flat = np.empty(len(mesh.vertices) * 3, dtype=np.float32)
    attribute.data.foreach_get("vector", flat)
    return flat.reshape(-1, 3).astype(np.float64)


def read_edge_values(mesh: bpy.types.Mesh) -> dict[str, np.ndarray]:
    """Values of the edge attributes in EDGE_ATTRIBUTES that the mesh has, (e,) float64 each, by name."""
    found = {}
    for name in EDGE_ATTRIBUTES:
        attribute = mesh.attributes.get(name)
        if attribute is not None and attribute.domain == "EDGE" and attribute.data_type == "FLOAT":
            values = np.empty(len(mesh.edges), dtype=np.float32)
            attribute.data.foreach_get("value", values)
            found[name] = values.astype(np.float64)
    return found


def _segments(mesh: bpy.types.Mesh) -> np.ndarray | None:
    attribute = mesh.attributes.get(SEGMENT_ATTRIBUTE)
    if attribute is None or attribute.domain != "POINT" or attribute.data_type != "INT":
        return None
    values = np.empty(len(mesh.vertices), dtype=np.int32)
    attribute.data.foreach_get("value", values)
    return values
