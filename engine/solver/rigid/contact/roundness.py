"""Curvature of a mesh that represents a round surface: the height of the surface above its flat faces, by vertex.

Faces that meet at an angle below ROUND belong to one round surface; a larger angle is a rim. Each vertex of a round
surface has its principal radii. Each vertex of a round rim, such as a barrel's, has the radius of the rim. A rolling
body touches at the furthest point of the arcs through its vertices, not at one vertex after another: a polygon of n
sides loses a fraction of some (2 pi / n)^2 of its energy with every side that it rolls over.
"""

from __future__ import annotations

import numpy as np

# Faces that meet below ROUND form one round surface, as on a ball of 42 vertices; below FLAT the surface is flat.
ROUND, FLAT = np.radians(44.0), np.radians(0.5)
# Arc length as a fraction of the angle to the next vertex; with this value the arcs reach the middle of a triangle.
ARC = 0.6
# Number of fits of the normals; each starts from the normal of the previous one.
FITS = 2
# Columns: two principal directions and the normal, two radii [m], sines of the arcs' angles, bulge [m], whether a rim.
DIRECTIONS, RADII, SINES, BULGE, RIM, COLUMNS = 0, 9, 11, 13, 14, 15


def find_roundness(vertices: np.ndarray, triangles: np.ndarray) -> np.ndarray | None:
    """Rows of `COLUMNS` for each vertex (n, 3) of a mesh with outward triangles; None where nothing is round.

    Rows of vertices that are not round are zero. Lengths in the units of the mesh, directions along its axes.
    """
    normals, corners = _face_normals(vertices, triangles)
    edge, angle = _edges(triangles, normals, len(vertices))
    is_sharp = angle >= ROUND
    if not ((angle > FLAT) & ~is_sharp).any():
        return None
    rows = np.zeros((len(vertices), COLUMNS))
    sharp_at = np.bincount(edge[is_sharp].reshape(-1), minlength=len(vertices))
    round_at = np.bincount(edge[(angle > FLAT) & ~is_sharp].reshape(-1), minlength=len(vertices))
    outward = np.zeros_like(vertices)
    for k in range(3):
        np.add.at(outward, triangles[:, k], normals * corners[:, k : k + 1])
    size = np.linalg.norm(outward, axis=1, keepdims=True)
    outward /= np.where(size > 0.0, size, 1.0)
    _fit_surfaces(rows, vertices, outward, edge, (sharp_at == 0) & (round_at > 0))
    _fit_rims(rows, vertices, outward, edge[is_sharp], np.flatnonzero(sharp_at == 2))
    sines = rows[:, SINES : SINES + 2]
    rows[:, BULGE] = (rows[:, RADII : RADII + 2] * (1.0 - np.sqrt(1.0 - sines * sines))).sum(axis=1)
    return rows if rows[:, BULGE].any() else None


def turned_rows(rows: np.ndarray, axes: np.ndarray) -> np.ndarray:
    """The rows with their directions in the basis of the columns of `axes` (3, 3)."""
    turned = rows.copy()
    turned[:, :RADII] = (rows[:, :RADII].reshape(-1, 3, 3) @ axes).reshape(-1, 9)
    return turned


def _face_normals(vertices: np.ndarray, triangles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Unit normals (t, 3) of triangles, zero for degenerate ones, and their corner angles (t, 3) [rad]."""
    points = vertices[triangles]
    across = np.cross(points[:, 1] - points[:, 0], points[:, 2] - points[:, 0])
    area = np.linalg.norm(across, axis=1, keepdims=True)
    corners = np.zeros(triangles.shape)
    for k in range(3):
        one, two = points[:, (k + 1) % 3] - points[:, k], points[:, (k + 2) % 3] - points[:, k]
        corners[:, k] = np.arctan2(area[:, 0], np.einsum("tk,tk->t", one, two))
    return across / np.where(area > 0.0, area, 1.0), corners


def _edges(triangles: np.ndarray, normals: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Edges (e, 2) and the angles between their two faces (e,) [rad]; pi for edges without exactly two faces."""
    sides = np.concatenate([triangles[:, [k, (k + 1) % 3]] for k in range(3)]).astype(np.int64)
    face = np.tile(np.arange(len(triangles)), 3)
    low, high = sides.min(axis=1), sides.max(axis=1)
    key = low * count + high
    order = np.argsort(key, kind="stable")
    found, first, faces = np.unique(key[order], return_index=True, return_counts=True)
    angle = np.full(len(found), np.pi)
    pairs = first[faces == 2]
    one, two = normals[face[order[pairs]]], normals[face[order[pairs + 1]]]
    angle[faces == 2] = np.arctan2(
        np.linalg.norm(np.cross(one, two), axis=1), np.einsum("ek,ek->e", one, two)
    )
    return np.stack([found // count, found % count], axis=1), angle


def _fit_surfaces(
    rows: np.ndarray, vertices: np.ndarray, outward: np.ndarray, edge: np.ndarray, chosen: np.ndarray
) -> None:
    """Fit normals, principal directions and radii of chosen vertices to the depth of neighbours below their planes."""
    here = np.concatenate([edge[:, 0], edge[:, 1]])
    there = np.concatenate([edge[:, 1], edge[:, 0]])
    used = chosen[here]
    here, away = here[used], vertices[there[used]] - vertices[here[used]]
    some = np.flatnonzero(chosen)
    # The mean of face normals is biased where face sizes differ, so it is only the first guess.
    for _iteration in range(FITS):
        one, two = _across(outward)
        fitted = _fit(here, away, outward, one, two, some)
        outward[some] += fitted[:, :1] * one[some] + fitted[:, 1:2] * two[some]
        outward[some] /= np.linalg.norm(outward[some], axis=1, keepdims=True)
    one, two = _across(outward)
    curvature_terms = _fit(here, away, outward, one, two, some)[:, 2:]
    curvatures, eigenvectors = np.linalg.eigh(curvature_terms[:, [[0, 1], [1, 2]]])
    for side in range(2):
        direction = np.zeros_like(vertices)
        direction[some] = eigenvectors[:, :1, side] * one[some] + eigenvectors[:, 1:, side] * two[some]
        reach = np.zeros(len(vertices))
        np.maximum.at(reach, here, np.abs(np.einsum("ek,ek->e", direction[here], away)))
        angle = ARC * curvatures[:, side] * reach[some]
        is_round = (angle > ARC * FLAT) & (angle < ROUND)
        rows[some, 3 * side : 3 * side + 3] = direction[some]
        rows[some, RADII + side] = np.where(is_round, 1.0 / np.where(is_round, curvatures[:, side], 1.0), 0.0)
        rows[some, SINES + side] = np.where(is_round, np.sin(np.clip(angle, 0.0, ROUND)), 0.0)
    rows[some, 6:9] = outward[some]


def _across(outward: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Two unit vectors (n, 3) normal to given ones and to each other."""
    one = np.cross(outward, np.eye(3)[np.argmin(np.abs(outward), axis=1)])
    one /= np.maximum(np.linalg.norm(one, axis=1, keepdims=True), 1e-300)
    return one, np.cross(outward, one)


def _fit(
    here: np.ndarray, away: np.ndarray, outward: np.ndarray, one: np.ndarray, two: np.ndarray, some: np.ndarray
) -> np.ndarray:
    """Least-squares slopes along `one` and `two`, and the three curvatures [1/m], (some, 5).

    A neighbour on a sphere of radius r lies |away|^2 / 2 r below the plane, exactly.
    """
    count = len(outward)
    square = np.einsum("ek,ek->e", away, away)
    long = np.sqrt(np.bincount(here, square, count) / np.maximum(np.bincount(here, minlength=count), 1))
    size = np.maximum(long, 1e-300)[here]
    p, q = np.einsum("ek,ek->e", one[here], away), np.einsum("ek,ek->e", two[here], away)
    below = -np.einsum("ek,ek->e", outward[here], away)
    along = np.maximum(np.hypot(p, q), 1e-300)
    half = 0.5 * square / size**2
    terms = np.stack([
        p / size, q / size, half * (p / along) ** 2, 2.0 * half * p * q / along**2, half * (q / along) ** 2
    ], axis=1)
    matrix, right = np.zeros((count, 5, 5)), np.zeros((count, 5))
    np.add.at(matrix, here, terms[:, :, None] * terms[:, None, :])
    np.add.at(right, here, terms * (below / size)[:, None])
    # The small diagonal term leaves slope and curvature at zero where neighbours are too few.
    found = np.linalg.solve(matrix[some] + 1e-6 * np.eye(5), right[some][:, :, None])[:, :, 0]
    found[:, 2:] /= np.maximum(long[some], 1e-300)[:, None]
    return found


def _fit_rims(
    rows: np.ndarray, vertices: np.ndarray, outward: np.ndarray, edge: np.ndarray, some: np.ndarray
) -> None:
    """Fit the circle through a rim vertex and its two rim neighbours, where the rim turns by less than ROUND."""
    if len(some) == 0:
        return
    here = np.concatenate([edge[:, 0], edge[:, 1]])
    there = np.concatenate([edge[:, 1], edge[:, 0]])
    order = np.argsort(here, kind="stable")
    first = np.searchsorted(here[order], some)
    before, after = vertices[there[order[first]]], vertices[there[order[first + 1]]]
    came, goes = vertices[some] - before, after - vertices[some]
    came /= np.maximum(np.linalg.norm(came, axis=1, keepdims=True), 1e-300)
    goes /= np.maximum(np.linalg.norm(goes, axis=1, keepdims=True), 1e-300)
    angle = np.arctan2(np.linalg.norm(np.cross(came, goes), axis=1), np.einsum("ek,ek->e", came, goes))
    is_round = (angle > FLAT) & (angle < ROUND) & (np.einsum("ek,ek->e", came - goes, outward[some]) > 0.0)
    some, came, goes, angle = some[is_round], came[is_round], goes[is_round], angle[is_round]
    chord = after[is_round] - before[is_round]
    long = np.linalg.norm(chord, axis=1)
    out = came - goes
    rows[some, :3] = chord / long[:, None]
    rows[some, 6:9] = out / np.linalg.norm(out, axis=1, keepdims=True)
    rows[some, RADII] = long / (2.0 * np.sin(angle))
    rows[some, SINES] = np.sin(ARC * angle)
    rows[some, RIM] = 1.0
