"""The mesh of most benchmarks: a torus with a major radius of 1 m, at any resolution."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

MAJOR, MINOR = 1.0, 0.3
# Segments around the ring and across the tube, by name of the size.
SIZES = {"2k": (64, 32), "8k": (128, 64), "32k": (256, 128), "130k": (512, 256)}


@dataclass(frozen=True)
class Torus:
    """Vertices (n, 3) [m], quads (n, 4), triangles (2 n, 3), edges (2 n, 2)."""

    vertices: np.ndarray
    quads: np.ndarray
    triangles: np.ndarray
    edges: np.ndarray


def torus(around: int, across: int, height: float = 0.0) -> Torus:
    """A torus with its centre at `height` [m]."""
    u, v = np.meshgrid(np.arange(around) * 2 * np.pi / around, np.arange(across) * 2 * np.pi / across, indexing="ij")
    ring = MAJOR + MINOR * np.cos(v)
    vertices = np.stack([ring * np.cos(u), ring * np.sin(u), height + MINOR * np.sin(v)], axis=-1).reshape(-1, 3)
    i, j = np.arange(around)[:, None], np.arange(across)[None]
    corners = [(k % around) * across + m % across for k, m in ((i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1))]
    quads = np.stack(corners, axis=-1).reshape(-1, 4)
    return Torus(
        vertices, quads, np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]]),
        np.concatenate([quads[:, [0, 1]], quads[:, [0, 3]]]),
    )


def stretch(x: np.ndarray, mesh: Torus) -> np.ndarray:
    """Length over rest length of each edge, (e,)."""
    def lengths(points: np.ndarray) -> np.ndarray:
        return np.linalg.norm(points[mesh.edges[:, 0]] - points[mesh.edges[:, 1]], axis=1)

    return lengths(x) / lengths(mesh.vertices)
