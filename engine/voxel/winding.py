"""Generalized winding number (Jacobson et al. 2013): how often a surface goes round a point, holes or not.

    w(p) = 1 / 4 pi  sum over triangles of the solid angle that each fills, seen from p

with the solid angle of Van Oosterom and Strackee 1983, tan(angle / 2) = a . (b x c) / (abc + (a . b) c + (b . c) a +
(c . a) b). A patch of triangles further off than FAR times its size counts as one dipole, area n . d / |d|^3 (Barill
et al. 2018).
"""

from __future__ import annotations

import math

import numpy as np

from ..graph.tree import build_tree
from ..jit import kernel, parallel_kernel, prange

FAR = 2.0


def winding_numbers(x: np.ndarray, triangles: np.ndarray, inside: np.ndarray) -> None:
    """Which voxels a surface goes round by more than half: out (nx, ny, nz) bool; x: (n, 3) in voxels."""
    tree = build_tree(x, triangles)
    nodes = len(tree.skip)
    middle, area, size = np.zeros((nodes, 3)), np.zeros((nodes, 3)), np.zeros(nodes)
    fit_dipoles(x, triangles, tree.order, tree.first, tree.last, tree.skip, middle, area, size, np.zeros(nodes))
    mark_wound(x, triangles, tree.order, tree.first, tree.last, tree.skip, middle, area, size, inside)


@kernel
def fit_dipoles(x, triangles, order, first, last, skip, middle, area, size, weight):
    """Area vector [voxels²], middle and radius of every node; children stand behind their parent.

    Args: order ... skip: see `graph.tree.Tree`; weight: scratch (nodes,).
    """
    for node in range(skip.shape[0] - 1, -1, -1):
        leaf = last[node] > first[node]
        left = node + 1
        right = skip[left] if not leaf else node
        total = 0.0
        for k in range(3):
            middle[node, k] = 0.0
            area[node, k] = 0.0
        if leaf:
            for place in range(first[node], last[node]):
                t = order[place]
                nx, ny, nz = _area(x, triangles[t, 0], triangles[t, 1], triangles[t, 2])
                own = math.sqrt(nx * nx + ny * ny + nz * nz) + 1e-30
                total += own
                area[node, 0] += nx
                area[node, 1] += ny
                area[node, 2] += nz
                for k in range(3):
                    middle[node, k] += own / 3.0 * (
                        x[triangles[t, 0], k] + x[triangles[t, 1], k] + x[triangles[t, 2], k]
                    )
        else:
            total = weight[left] + weight[right]
            for k in range(3):
                area[node, k] = area[left, k] + area[right, k]
                middle[node, k] = weight[left] * middle[left, k] + weight[right] * middle[right, k]
        weight[node] = total
        for k in range(3):
            middle[node, k] /= total
        size[node] = 0.0
        if leaf:
            for place in range(first[node], last[node]):
                for e in range(3):
                    size[node] = max(size[node], _away(x, triangles[order[place], e], middle, node))
        else:
            size[node] = max(
                size[left] + _away(middle, left, middle, node), size[right] + _away(middle, right, middle, node)
            )


@kernel
def _away(x, i, y, j):
    dx = x[i, 0] - y[j, 0]
    dy = x[i, 1] - y[j, 1]
    dz = x[i, 2] - y[j, 2]
    return math.sqrt(dx * dx + dy * dy + dz * dz)


@kernel
def _area(x, a, b, c):
    ex = x[b, 0] - x[a, 0]
    ey = x[b, 1] - x[a, 1]
    ez = x[b, 2] - x[a, 2]
    fx = x[c, 0] - x[a, 0]
    fy = x[c, 1] - x[a, 1]
    fz = x[c, 2] - x[a, 2]
    return 0.5 * (ey * fz - ez * fy), 0.5 * (ez * fx - ex * fz), 0.5 * (ex * fy - ey * fx)


@kernel
def solid_angle(x, a, b, c, px, py, pz):
    """Solid angle of a triangle seen from p, positive where p is behind it [sr]."""
    ax = x[a, 0] - px
    ay = x[a, 1] - py
    az = x[a, 2] - pz
    bx = x[b, 0] - px
    by = x[b, 1] - py
    bz = x[b, 2] - pz
    cx = x[c, 0] - px
    cy = x[c, 1] - py
    cz = x[c, 2] - pz
    la = math.sqrt(ax * ax + ay * ay + az * az)
    lb = math.sqrt(bx * bx + by * by + bz * bz)
    lc = math.sqrt(cx * cx + cy * cy + cz * cz)
    above = ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx)
    below = (
        la * lb * lc + (ax * bx + ay * by + az * bz) * lc + (bx * cx + by * cy + bz * cz) * la
        + (cx * ax + cy * ay + cz * az) * lb
    )
    return 2.0 * math.atan2(above, below)


@kernel
def winding_number(x, triangles, order, first, last, skip, middle, area, size, px, py, pz):
    """How often the surface goes round p."""
    whole = 0.0
    node = 0
    while node < skip.shape[0]:
        dx = middle[node, 0] - px
        dy = middle[node, 1] - py
        dz = middle[node, 2] - pz
        square = dx * dx + dy * dy + dz * dz
        if square > FAR * FAR * size[node] * size[node]:
            dot = area[node, 0] * dx + area[node, 1] * dy + area[node, 2] * dz
            whole += dot / (square * math.sqrt(square))
            node = skip[node]
            continue
        for place in range(first[node], last[node]):
            t = order[place]
            whole += solid_angle(x, triangles[t, 0], triangles[t, 1], triangles[t, 2], px, py, pz)
        node += 1
    return whole / (4.0 * math.pi)


@parallel_kernel
def mark_wound(x, triangles, order, first, last, skip, middle, area, size, inside):
    """Out inside (nx, ny, nz) bool: voxels whose middle a surface goes round by more than half, either way."""
    for i in prange(inside.shape[0]):
        for j in range(inside.shape[1]):
            for k in range(inside.shape[2]):
                number = winding_number(
                    x, triangles, order, first, last, skip, middle, area, size, i + 0.5, j + 0.5, k + 0.5
                )
                inside[i, j, k] = abs(number) > 0.5
