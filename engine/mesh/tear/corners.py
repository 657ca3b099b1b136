"""Corners of the faces of a mesh. A mesh that tears may be split at every face corner."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..graph.components import components


@dataclass(frozen=True, eq=False)
class Corners:
    """Face corners; a face of more than three corners consists of several triangles and never tears between them.

    Attributes:
        vertex: (c,) int32, vertex of each corner in the whole mesh; triangles: (t, 3) int32, corners of triangles.
        ahead, back: (c,) int32, next and previous corner around the face.
        at_vertex_start, at_vertex: corners of each vertex, ascending.
        face: (c,) int32; of_face_start, of_face: corners of each face.
    """

    vertex: np.ndarray
    triangles: np.ndarray
    ahead: np.ndarray
    back: np.ndarray
    at_vertex_start: np.ndarray
    at_vertex: np.ndarray
    face: np.ndarray
    of_face_start: np.ndarray
    of_face: np.ndarray

    def borders(self) -> np.ndarray:
        """Edges of faces as pairs of corners, (c, 2); an edge of two faces occurs once for each."""
        return np.stack([np.arange(len(self.vertex)), self.ahead], axis=1)


def find_corners(vertex: np.ndarray, triangles: np.ndarray, vertex_count: int) -> Corners:
    """Corners of a mesh.

    Args:
        vertex: (c,) vertex of each corner; triangles: (t, 3) corners. Triangles of one face share corners.
    """
    count = len(vertex)
    start, end = triangles.reshape(-1).astype(np.int64), triangles[:, [1, 2, 0]].reshape(-1).astype(np.int64)
    key = np.minimum(start, end) * count + np.maximum(start, end)
    _keys, place, times = np.unique(key, return_inverse=True, return_counts=True)
    is_border = times[place.reshape(-1)] == 1
    ahead, back = np.arange(count, dtype=np.int32), np.arange(count, dtype=np.int32)
    ahead[start[is_border]] = end[is_border]
    back[end[is_border]] = start[is_border]
    face, _rank = components(np.stack([start, end], axis=1), count)
    return Corners(
        vertex.astype(np.int32), triangles.astype(np.int32), ahead, back, *_members(vertex, vertex_count),
        face, *_members(face, int(face.max(initial=-1)) + 1),
    )


def _members(owner: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Members of each owner, ascending: member[start[k] : start[k + 1]]."""
    order = np.argsort(owner, kind="stable")
    return np.searchsorted(owner[order], np.arange(count + 1)).astype(np.int64), order.astype(np.int32)
