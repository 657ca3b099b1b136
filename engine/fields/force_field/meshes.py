"""Meshes of fields and of absorbing colliders: triangles in clusters with bounding boxes, normals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ...errors import SpecError

# Triangles in a cluster.
CLUSTER = 16


class Meshes(NamedTuple):
    """Meshes in world space.

    Attributes:
        vertices, normals: (n, 3) [m] and unit vectors; normals may have no rows.
        triangles: (t, 3) int32, contiguous by cluster; start: (clusters + 1,) their ranges.
        low, high: (clusters, 3) corners of each bounding box [m].
    """

    vertices: np.ndarray
    normals: np.ndarray
    triangles: np.ndarray
    start: np.ndarray
    low: np.ndarray
    high: np.ndarray


def clustered(
    vertices: np.ndarray, normals: np.ndarray, faces: Sequence[np.ndarray], at_rest: np.ndarray
) -> tuple[Meshes, np.ndarray]:
    """Meshes over common vertices, and the ranges (meshes + 1,) of each one's clusters.

    Args:
        vertices, normals: arrays of the result, as in `Meshes`; at_rest: (n, 3) positions that determine the clusters.
        faces: (t, 3) corners of each mesh.
    """
    ordered, starts, ranges = [np.zeros((0, 3), dtype=np.int32)], [np.zeros(1, dtype=np.int64)], [0]
    for own in faces:
        below, count = sum(map(len, ordered)), -(-len(own) // CLUSTER)
        starts.append(below + np.minimum(CLUSTER * np.arange(1, count + 1), len(own)))
        ordered.append(own[_along_a_curve(at_rest[own].mean(axis=1))] if len(own) else own)
        ranges.append(ranges[-1] + count)
    boxes = np.zeros((ranges[-1], 3))
    triangles = np.ascontiguousarray(np.concatenate(ordered), dtype=np.int32)
    return Meshes(vertices, normals, triangles, np.concatenate(starts), boxes, boxes.copy()), np.array(ranges)


def place_boxes(meshes: Meshes) -> None:
    """Fit the box of each cluster to its triangles."""
    if len(meshes.triangles):
        corners = meshes.vertices[meshes.triangles]
        np.minimum.reduceat(corners.min(axis=1), meshes.start[:-1], axis=0, out=meshes.low)
        np.maximum.reduceat(corners.max(axis=1), meshes.start[:-1], axis=0, out=meshes.high)


def _along_a_curve(middles: np.ndarray) -> np.ndarray:
    """The order (t,) of points along the Morton curve."""
    low, size = middles.min(axis=0), np.ptp(middles, axis=0).max()
    cells = ((middles - low) / (size or 1.0) * 1023.0).astype(np.int64)
    code = np.zeros(len(cells), dtype=np.int64)
    for bit in range(10):
        for axis in range(3):
            code |= ((cells[:, axis] >> bit) & 1) << (3 * bit + axis)
    return np.argsort(code, kind="stable")


def normals_of(name: str, given: Any, vertices: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """Unit normals of vertices (n, 3): the given ones, or angle-weighted means of triangles; raises SpecError."""
    if given is not None and len(vertices):
        normals = np.asarray(given, dtype=np.float64)
        if normals.shape != vertices.shape or not np.isfinite(normals).all():
            raise SpecError(name, "normals", f"shape {normals.shape}", f"finite normals of shape {vertices.shape}")
        return normals
    found, corners = np.zeros_like(vertices), vertices[triangles]
    edges = unit(corners[:, [1, 2, 0]] - corners)
    face = unit(np.cross(edges[:, 0], edges[:, 1]))
    for corner in range(3):
        angle = np.arccos(np.clip(-np.einsum("ij,ij->i", edges[:, corner], edges[:, corner - 1]), -1.0, 1.0))
        np.add.at(found, triangles[:, corner], face * angle[:, None])
    return unit(found)


def unit(vectors: np.ndarray) -> np.ndarray:
    """Vectors (..., 3) normalized; zero vectors stay zero."""
    long = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return vectors / np.where(long > 0.0, long, 1.0)
