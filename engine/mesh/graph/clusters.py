"""Clusters of mesh vertices, each of which a proxy sphere can represent."""

from __future__ import annotations

import numpy as np

from ...compiler.kernels import parallel_kernel, prange

# The number of groups is doubled until the mean distance of vertices from their sphere is at most this fraction of the
# body's radius.
FIT = 0.03
MOST_GROUPS = 256
# Lloyd's algorithm runs on at most this many sampled vertices, for this many rounds.
MOST_SAMPLES, ROUNDS = 4096, 8
# Sine of the angle above a vertex's tangent plane below which a sample counts as the vertex's own neighbourhood
# rather than the far side of the body.
LEAST_SINE = 0.3


def sphere_groups(vertices: np.ndarray, triangles: np.ndarray, count: int) -> np.ndarray:
    """Group of each vertex, (n,) int64 counted from 0.

    The centre of the largest inscribed ball that touches a vertex decides its group, so a tube falls into slices and
    a ball is one group. Where nothing is enclosed, as in a sheet, the vertex's own position decides.

    Args:
        vertices: (n, 3) [m].
        triangles: (t, 3) of the closed pieces, outward; may be empty.
        count: largest number of groups; 0 takes the fewest groups whose spheres fit.
    """
    core = vertices.copy()
    if len(triangles):
        used = np.unique(triangles)
        samples = vertices[used[:: -(-len(used) // MOST_SAMPLES)]]
        inner_balls(vertices, -vertex_normals(vertices, triangles), np.ascontiguousarray(samples), core)
    if count > 0:
        return _cluster(core, count)
    allowed = FIT * float(np.linalg.norm(vertices - vertices.mean(axis=0), axis=1).max())
    tried = 1
    group = np.zeros(len(vertices), dtype=np.int64)
    while tried < MOST_GROUPS and _misfit(vertices, group) > allowed:
        tried *= 2
        group = _cluster(core, tried)
    return group


def vertex_normals(vertices: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """Area-weighted unit normals, (n, 3); zero for a vertex without a triangle."""
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    face = np.cross(b - a, c - a)
    normal = np.stack([
        np.bincount(triangles.reshape(-1), weights=np.repeat(along, 3), minlength=len(vertices)) for along in face.T
    ], axis=1)
    return normal / np.maximum(np.linalg.norm(normal, axis=1), 1e-300)[:, None]


@parallel_kernel
def inner_balls(x, inward, samples, core):
    """Centres of the largest balls that touch a vertex from inside and contain no other sample.

    Shrinking ball of Ma, Bae and Choi 2012: a ball through x with its centre along the normal n, and through q, has
    the radius |q - x|² / (2 n . (q - x)).

    Args: x, inward: (n, 3); samples: (m, 3) surface points; core: in and out (n, 3), unchanged where no ball exists.
    """
    for i in prange(x.shape[0]):
        radius = np.inf
        for q in range(samples.shape[0]):
            dx = samples[q, 0] - x[i, 0]
            dy = samples[q, 1] - x[i, 1]
            dz = samples[q, 2] - x[i, 2]
            up = dx * inward[i, 0] + dy * inward[i, 1] + dz * inward[i, 2]
            square = dx * dx + dy * dy + dz * dz
            if up > 0.0 and up * up > LEAST_SINE * LEAST_SINE * square:
                radius = min(radius, square / (2.0 * up))
        if radius < np.inf:
            for k in range(3):
                core[i, k] = x[i, k] + radius * inward[i, k]


def sphere_radii(vertices: np.ndarray, group: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Mean distance of each group's vertices from the group's centre of mass, (groups,) [m]; weight (n,) [kg]."""
    return np.bincount(group, weights=_distances(vertices, group, weight)) / np.bincount(group)


def _distances(vertices: np.ndarray, group: np.ndarray, weight: np.ndarray) -> np.ndarray:
    total = np.bincount(group, weights=weight)
    centre = np.stack([np.bincount(group, weights=weight * along) / total for along in vertices.T], axis=1)
    return np.linalg.norm(vertices - centre[group], axis=1)


def _misfit(vertices: np.ndarray, group: np.ndarray) -> float:
    """Mean distance of vertices from the sphere of their group [m]."""
    even = np.ones(len(vertices))
    away = _distances(vertices, group, even) - sphere_radii(vertices, group, even)[group]
    return float(np.abs(away).mean())


def _cluster(points: np.ndarray, count: int) -> np.ndarray:
    """k-means (Lloyd), seeded by farthest points (Gonzalez 1985): deterministic, (n,) int64."""
    samples = points[:: -(-len(points) // MOST_SAMPLES)]
    chosen = [int(np.argmax(((samples - samples.mean(axis=0)) ** 2).sum(axis=1)))]
    square = ((samples - samples[chosen[0]]) ** 2).sum(axis=1)
    smallest = 1e-12 * float(square.max())
    while len(chosen) < count and square.max() > smallest:
        chosen.append(int(np.argmax(square)))
        square = np.minimum(square, ((samples - samples[chosen[-1]]) ** 2).sum(axis=1))
    middle = samples[chosen]
    for _ in range(ROUNDS):
        near = _nearest(samples, middle)
        size = np.maximum(np.bincount(near, minlength=len(middle)), 1)
        middle = np.stack([np.bincount(near, weights=x, minlength=len(middle)) / size for x in samples.T], axis=1)
    return np.unique(_nearest(points, middle), return_inverse=True)[1].reshape(-1).astype(np.int64)


def _nearest(points: np.ndarray, middle: np.ndarray) -> np.ndarray:
    """Index of the nearest centre for each point, (n,)."""
    best, found = np.full(len(points), np.inf), np.zeros(len(points), dtype=np.int64)
    for k, centre in enumerate(middle):
        square = ((points - centre) ** 2).sum(axis=1)
        nearer = square < best
        best[nearer], found[nearer] = square[nearer], k
    return found
