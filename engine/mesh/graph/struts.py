"""Struts: links from each vertex through the body to the opposite side."""

from __future__ import annotations

import numpy as np

from ...compiler.kernels import kernel, parallel_kernel, prange, threads
from .parts import find_parts
from .tree import build_tree, tree_boxes


def strut_links(vertices: np.ndarray, triangles: np.ndarray, count: int) -> np.ndarray:
    """Pairs (vertex, opposite vertex), (links, 2) int32.

    A ray runs inward from each vertex along its normal. The `count` corners nearest to the ray, of the first triangle
    through which it leaves the body, become the opposite ends. A vertex whose ray leaves through no triangle has none.
    """
    parts = find_parts(vertices, triangles)
    triangles = parts.triangles
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    face = np.cross(b - a, c - a)
    normal = np.zeros_like(vertices)
    for k in range(3):
        np.add.at(normal, triangles[:, k], face)
    size = np.linalg.norm(normal, axis=1)
    inward = np.where(size[:, None] > 1e-300, -normal / np.maximum(size, 1e-300)[:, None], 0.0)
    tree = build_tree(vertices, triangles)
    low, high = tree_boxes(vertices, triangles, tree)
    opposite = np.full((len(vertices), 3), -1, dtype=np.int64)
    with threads():
        _find_exits(vertices, triangles, inward, tree.order, tree.first, tree.last, tree.skip, low, high, opposite)
    opposite = opposite[:, :count]
    near = np.repeat(np.arange(len(vertices)), opposite.shape[1])
    pairs = np.stack([near, opposite.reshape(-1)], axis=1)
    pairs = pairs[(pairs[:, 1] >= 0) & (pairs[:, 0] != pairs[:, 1])]
    return pairs.astype(np.int32)


@parallel_kernel
def _find_exits(x, triangles, direction, order, first, last, skip, low, high, opposite):
    """Möller and Trumbore 1997 for triangles whose normals point along the ray; out: `opposite`, nearest first."""
    for i in prange(x.shape[0]):
        dx = direction[i, 0]
        dy = direction[i, 1]
        dz = direction[i, 2]
        if dx * dx + dy * dy + dz * dz < 0.5:
            continue
        best = np.inf
        best_t = -1
        node = 0
        while node < skip.shape[0]:
            if not _ray_hits_box(x[i, 0], x[i, 1], x[i, 2], dx, dy, dz, low, high, node, best):
                node = skip[node]
                continue
            for place in range(first[node], last[node]):
                t = order[place]
                if triangles[t, 0] == i or triangles[t, 1] == i or triangles[t, 2] == i:
                    continue
                distance = _exit_distance(x, triangles, t, x[i, 0], x[i, 1], x[i, 2], dx, dy, dz)
                if 0.0 < distance < best:
                    best = distance
                    best_t = t
            node += 1
        if best_t >= 0:
            _sort_corners(
                x, triangles, best_t, x[i, 0] + best * dx, x[i, 1] + best * dy, x[i, 2] + best * dz, opposite[i]
            )


@kernel
def _ray_hits_box(px, py, pz, dx, dy, dz, low, high, node, best):
    enter = 0.0
    leave = best
    for k in range(3):
        p = px if k == 0 else (py if k == 1 else pz)
        d = dx if k == 0 else (dy if k == 1 else dz)
        if abs(d) < 1e-300:
            if p < low[node, k] or p > high[node, k]:
                return False
        else:
            near = (low[node, k] - p) / d
            far = (high[node, k] - p) / d
            enter = max(enter, min(near, far))
            leave = min(leave, max(near, far))
    return enter <= leave


@kernel
def _exit_distance(x, triangles, t, px, py, pz, dx, dy, dz):
    """Distance along the ray to triangle t if the ray leaves through it, else -1."""
    a = triangles[t, 0]
    b = triangles[t, 1]
    c = triangles[t, 2]
    ex = x[b, 0] - x[a, 0]
    ey = x[b, 1] - x[a, 1]
    ez = x[b, 2] - x[a, 2]
    fx = x[c, 0] - x[a, 0]
    fy = x[c, 1] - x[a, 1]
    fz = x[c, 2] - x[a, 2]
    nx = ey * fz - ez * fy
    ny = ez * fx - ex * fz
    nz = ex * fy - ey * fx
    along = nx * dx + ny * dy + nz * dz
    if along <= 0.0:
        return -1.0
    sx = x[a, 0] - px
    sy = x[a, 1] - py
    sz = x[a, 2] - pz
    distance = (nx * sx + ny * sy + nz * sz) / along
    qx = dy * sz - dz * sy
    qy = dz * sx - dx * sz
    qz = dx * sy - dy * sx
    u = -(qx * fx + qy * fy + qz * fz) / along
    v = (qx * ex + qy * ey + qz * ez) / along
    if u < -1e-9 or v < -1e-9 or u + v > 1.0 + 1e-9:
        return -1.0
    return distance


@kernel
def _sort_corners(x, triangles, t, px, py, pz, corners):
    for k in range(3):
        corners[k] = triangles[t, k]
    for a in range(2):
        for b in range(2 - a):
            if _square(x, corners[b], px, py, pz) > _square(x, corners[b + 1], px, py, pz):
                corners[b], corners[b + 1] = corners[b + 1], corners[b]


@kernel
def _square(x, i, px, py, pz):
    return (x[i, 0] - px) ** 2 + (x[i, 1] - py) ** 2 + (x[i, 2] - pz) ** 2
