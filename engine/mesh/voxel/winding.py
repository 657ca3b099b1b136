"""Generalized winding number (Jacobson et al. 2013): an inside test that also works for meshes with holes.

    w(p) = 1 / 4 pi  sum over triangles of the solid angle that each subtends at p

The solid angle follows Van Oosterom and Strackee 1983: tan(angle / 2) = a . (b x c) / (abc + (a . b) c + (b . c) a +
(c . a) b). A group of triangles farther away than FAR times its radius is replaced by one dipole, area n . d / |d|^3
(Barill et al. 2018).

Away from the surface w changes slowly: each group changes it by at most area / (2 pi |d|^3) per metre. So w is computed
at the centre of a block of voxels, and the block is split into eighths only where that does not decide all its voxels.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...compiler.kernels import kernel, parallel_kernel, prange
from ..graph.tree import build_tree

FAR = 2.0
# Side of the largest blocks [voxels], and the largest error of w that dipoles are assumed to cause.
LARGEST = 8
ERROR = 0.1
# The centre decides for a whole block only if no surface is nearer than this many times the block's half diagonal.
NEAR = 2.0
# Below this tangent of half the solid angle its series is used.
SMALL = 0.2


class DipoleTree(NamedTuple):
    """Triangles in a tree; each node has a dipole that replaces its triangles at a distance.

    Attributes:
        order, first, last, skip: see `graph.tree.Tree`.
        middle: (nodes, 3) area-weighted centre [voxels]; area: (nodes, 3) area vector [voxels²].
        size: (nodes,) radius about the centre [voxels].
        weight: (nodes,) sum of the areas [voxels²].
    """

    order: np.ndarray
    first: np.ndarray
    last: np.ndarray
    skip: np.ndarray
    middle: np.ndarray
    area: np.ndarray
    size: np.ndarray
    weight: np.ndarray


def winding_numbers(x: np.ndarray, triangles: np.ndarray, inside: np.ndarray) -> None:
    """Voxels whose centre has a winding number above 1/2: out (nx, ny, nz) bool; x: (n, 3) in voxels."""
    tree = build_tree(x, triangles)
    nodes = len(tree.skip)
    middle, area, size = np.zeros((nodes, 3)), np.zeros((nodes, 3)), np.zeros(nodes)
    dipoles = DipoleTree(tree.order, tree.first, tree.last, tree.skip, middle, area, size, np.zeros(nodes))
    fit_dipoles(x, triangles, *dipoles)
    mark_wound(x, triangles, dipoles, inside)


@kernel
def fit_dipoles(x, triangles, order, first, last, skip, middle, area, size, weight):
    """Area vector [voxels²], centre and radius of every node; children come after their parent.

    Args: order ... skip: see `graph.tree.Tree`; weight: out (nodes,) summed areas of the triangles [voxels²].
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
                    size[node] = max(size[node], _distance(x, triangles[order[place], e], middle, node))
        else:
            size[node] = max(
                size[left] + _distance(middle, left, middle, node), size[right] + _distance(middle, right, middle, node)
            )


@kernel
def _distance(x, i, y, j):
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
    """Solid angle of a triangle seen from p, positive where p is behind the triangle [sr]."""
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
    # Small angles by the series; the first omitted term is below 1e-9.
    if abs(above) < SMALL * below:
        t = above / below
        tt = t * t
        return 2.0 * t * (1.0 - tt * (1.0 / 3.0 - tt * (0.2 - tt * (1.0 / 7.0 - tt * (1.0 / 9.0 - tt / 11.0)))))
    return 2.0 * math.atan2(above, below)


@kernel
def winding_number(x, triangles, tree, around, px, py, pz):
    """Winding number at p, and a bound on its change within the distance `around` of p [voxels].

    If a triangle may be nearer than that, the bound is infinite and the number is 0.
    """
    order = tree.order
    first = tree.first
    last = tree.last
    skip = tree.skip
    middle = tree.middle
    area = tree.area
    size = tree.size
    weight = tree.weight
    angle_sum = 0.0
    change_rate = 0.0
    node = 0
    while node < skip.shape[0]:
        dx = middle[node, 0] - px
        dy = middle[node, 1] - py
        dz = middle[node, 2] - pz
        square = dx * dx + dy * dy + dz * dz
        if square > FAR * FAR * size[node] * size[node]:
            dot = area[node, 0] * dx + area[node, 1] * dy + area[node, 2] * dz
            distance = math.sqrt(square)
            angle_sum += dot / (square * distance)
            if around > 0.0:
                least = distance - around
                if least <= size[node]:
                    return 0.0, math.inf
                change_rate += weight[node] / (least * least * least)
            node = skip[node]
            continue
        if last[node] > first[node] and around > 0.0:
            least = math.sqrt(square) - size[node] - around
            if least <= 0.0:
                return 0.0, math.inf
            change_rate += weight[node] / (least * least * least)
        for place in range(first[node], last[node]):
            t = order[place]
            angle_sum += solid_angle(x, triangles[t, 0], triangles[t, 1], triangles[t, 2], px, py, pz)
        node += 1
    return angle_sum / (4.0 * math.pi), around * change_rate / (2.0 * math.pi)


@kernel
def _is_near(x, triangles, tree, far, px, py, pz):
    """Whether a corner of a triangle is nearer to p than `far`."""
    order = tree.order
    first = tree.first
    last = tree.last
    skip = tree.skip
    middle = tree.middle
    size = tree.size
    node = 0
    while node < skip.shape[0]:
        dx = middle[node, 0] - px
        dy = middle[node, 1] - py
        dz = middle[node, 2] - pz
        if dx * dx + dy * dy + dz * dz > (size[node] + far) ** 2:
            node = skip[node]
            continue
        for place in range(first[node], last[node]):
            for e in range(3):
                corner = triangles[order[place], e]
                dx = x[corner, 0] - px
                dy = x[corner, 1] - py
                dz = x[corner, 2] - pz
                if dx * dx + dy * dy + dz * dz < far * far:
                    return True
        node += 1
    return False


@kernel
def _mark_block(i, j, k, side, x, triangles, tree, inside):
    """Mark the block of voxels that starts at (i, j, k) if its centre decides for all; returns whether it did."""
    half = 0.5 * side
    around = math.sqrt(3.0) * (half - 0.5)
    if around > 0.0 and _is_near(x, triangles, tree, NEAR * around, i + half, j + half, k + half):
        return False
    winding, change = winding_number(x, triangles, tree, around, i + half, j + half, k + half)
    margin = abs(abs(winding) - 0.5)
    if around > 0.0 and change + ERROR >= margin:
        return False
    for a in range(i, min(i + side, inside.shape[0])):
        for b in range(j, min(j + side, inside.shape[1])):
            for c in range(k, min(k + side, inside.shape[2])):
                inside[a, b, c] = abs(winding) > 0.5
    return True


@kernel
def _mark_eighths(i, j, k, side, x, triangles, tree, inside):
    """Mark the voxels of the block that starts at (i, j, k) by subdivision into eighths.

    Voxels are visited in Morton order. Each sub-block starts where the last one ended and is as large as its alignment
    allows; it is halved until its centre decides for all of its voxels.
    """
    place = 0
    voxel_count = side * side * side
    while place < voxel_count:
        # Three bits of the position select an eighth at each level, that of the largest block first.
        a = i
        b = j
        c = k
        bit = side // 2
        remainder = place
        eighth_size = voxel_count // 8
        while bit > 0:
            eighth = remainder // eighth_size
            remainder -= eighth * eighth_size
            a += bit * (eighth // 4)
            b += bit * (eighth // 2 % 2)
            c += bit * (eighth % 2)
            bit //= 2
            eighth_size //= 8
        block_side = 1
        while 2 * block_side <= side and place % (8 * block_side * block_side * block_side) == 0:
            block_side *= 2
        if a < inside.shape[0] and b < inside.shape[1] and c < inside.shape[2]:
            while not _mark_block(a, b, c, block_side, x, triangles, tree, inside):
                block_side //= 2
        place += block_side * block_side * block_side


@parallel_kernel
def mark_wound(x, triangles, tree, inside):
    """Mark voxels whose centre has an absolute winding number above 1/2: out (nx, ny, nz) bool."""
    wide = (inside.shape[1] + LARGEST - 1) // LARGEST
    high = (inside.shape[2] + LARGEST - 1) // LARGEST
    for task in prange((inside.shape[0] + LARGEST - 1) // LARGEST * wide * high):
        block = np.int64(task)
        _mark_eighths(
            block // (wide * high) * LARGEST, block // high % wide * LARGEST, block % high * LARGEST, LARGEST, x,
            triangles, tree, inside,
        )
