"""Embedding of vertices in a lattice: each is a weighted mean of nodes, with weights that sum to 1.

A vertex p blends the maps of the eight cells whose centres are around it. Each is the trilinear map of its own corners,
extrapolated beyond the cell:

    x(p) = sum_c phi_c(p) sum_k N_k((p - p_c) / s) X_k,   phi_c(p) = product over axes of 1 - |p - m_c| / s

over the existing cells, with the weights phi scaled to sum 1. A single cell's map would show creases at its faces.
Every map reproduces linear functions, so the mesh follows translation, rotation and uniform strain of a lattice
exactly.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .cells import BITS, FINE, Lattice

# Search radius for material [voxels]; vertices farther away from it take the cell with the nearest centre.
REACH = 2
# Smallest weight that counts.
VANISHES = 1e-12


class Embedding(NamedTuple):
    """Weights as compressed lists over vertices.

    Attributes:
        start: (n + 1,) int64; node: (m,) int64, ascending for each vertex; weight: (m,).
    """

    start: np.ndarray
    node: np.ndarray
    weight: np.ndarray


def embed(lattice: Lattice, vertices: np.ndarray, triangles: np.ndarray) -> Embedding:
    """Node weights of all vertices (n, 3) [m] of a mesh; triangles (t, 3) give the inward direction."""
    own = _own_cells(lattice, vertices, triangles)
    p = (vertices - lattice.corner) / lattice.size
    rows, nodes, weights = [], [], []
    around = np.floor(p - 0.5).astype(np.int64)
    total = np.zeros(len(p))
    for bits in BITS:
        cube = around + bits
        cell_step = cube - lattice.place[own]
        near = (np.abs(cell_step) <= 1).all(axis=1)
        cell = np.where(near, lattice.beside[own, np.where(near, (cell_step + 1) @ np.array([9, 3, 1]), 13)], -1)
        phi = np.where(cell >= 0, np.prod(1.0 - np.abs(p - cube - 0.5), axis=1), 0.0)
        some = np.flatnonzero(phi > 1e-9)
        total[some] += phi[some]
        _add(lattice, p, some, cell[some], phi[some], rows, nodes, weights)
    alone = np.flatnonzero(total == 0.0)
    total[alone] = 1.0
    _add(lattice, p, alone, own[alone], np.ones(len(alone)), rows, nodes, weights)
    row, node, weight = (np.concatenate(column) for column in (rows, nodes, weights))
    count = len(lattice.nodes)
    key, place = np.unique(row * count + node, return_inverse=True)
    summed = np.bincount(place.reshape(-1), weights=weight / total[row], minlength=len(key))
    # At nodes, edges and faces of cells most weights vanish, for example in a cube whose cells align with its mesh.
    key, summed = key[np.abs(summed) > VANISHES], summed[np.abs(summed) > VANISHES]
    start = np.searchsorted(key, np.arange(len(p) + 1) * count)
    return Embedding(start.astype(np.int64), key % count, summed)


def _add(
    lattice: Lattice, p: np.ndarray, some: np.ndarray, cell: np.ndarray, phi: np.ndarray, rows: list[np.ndarray],
    nodes: list[np.ndarray], weights: list[np.ndarray],
) -> None:
    """Add the trilinear map of one cell (m,) for each of some vertices, with weights phi (m,)."""
    t = p[some] - lattice.place[cell]
    for corner, bits in enumerate(BITS):
        rows.append(some)
        nodes.append(lattice.corners[cell, corner])
        weights.append(phi * np.prod(np.where(bits == 1, t, 1.0 - t), axis=1))


def _own_cells(lattice: Lattice, vertices: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """The cell with the material nearest to each vertex, slightly inward of it, (n,)."""
    fine = lattice.size / FINE
    q = (vertices - lattice.corner) / fine - 0.25 * _normals(vertices, triangles)
    home = np.floor(q).astype(np.int64)
    best, cell = np.full(len(q), np.inf), np.full(len(q), -1, dtype=np.int64)
    limit = np.array(lattice.cell_of.shape)
    reach = np.arange(-REACH, REACH + 1)
    for step in np.stack(np.meshgrid(reach, reach, reach, indexing="ij"), axis=-1).reshape(-1, 3):
        voxel = home + step
        within = ((voxel >= 0) & (voxel < limit)).all(axis=1)
        there = np.full(len(q), -1, dtype=np.int64)
        there[within] = lattice.cell_of[tuple(voxel[within].T)]
        far = np.abs(q - np.clip(q, voxel, voxel + 1)).max(axis=1) + 1e-6 * np.linalg.norm(q - voxel - 0.5, axis=1)
        closer = (there >= 0) & (far < best)
        best[closer], cell[closer] = far[closer], there[closer]
    for k in np.flatnonzero(cell < 0):
        middle = lattice.corner + lattice.size * (lattice.place + 0.5)
        cell[k] = int(np.linalg.norm(middle - vertices[k], axis=1).argmin())
    return cell


def _normals(vertices: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """Vertex normals, (n, 3), 0 where there are no triangles."""
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    face = np.cross(b - a, c - a)
    total = np.zeros_like(vertices)
    for k in range(3):
        for axis in range(3):
            total[:, axis] += np.bincount(triangles[:, k], weights=face[:, axis], minlength=len(vertices))
    length = np.linalg.norm(total, axis=1, keepdims=True)
    return np.divide(total, length, out=np.zeros_like(total), where=length > 0.0)


