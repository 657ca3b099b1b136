"""Collision of spray, foam and bubbles with walls: each moves along its displacement up to the first triangle crossed.

Triangles are those at the end of the frame. A ray tests only clusters of triangles whose box it crosses; the test of a
triangle is that of Möller and Trumbore 1997, "Fast, minimum storage ray/triangle intersection".
"""

from __future__ import annotations

import math

import numpy as np

from ....compiler.kernels import kernel, parallel_kernel, part_of_kernel, prange
from .drift import TASK

# Triangles in a cluster.
CLUSTER = 16


def boxes_of(corners: np.ndarray) -> np.ndarray:
    """Lowest and highest corners (c, 2, 3) of the clusters of triangles (t, 3, 3), t >= 1 [m]."""
    first = np.arange(0, len(corners), CLUSTER)
    low, high = corners.min(axis=1), corners.max(axis=1)
    return np.stack([np.minimum.reduceat(low, first), np.maximum.reduceat(high, first)], axis=1)


@parallel_kernel
def move_bits(count, corners, boxes, clearance, bits):
    """Move `count` bits by their displacements.

    Args: corners: (t, 3, 3) [m]; boxes: see `boxes_of`; clearance: from walls [m].
    """
    for task in prange((count + TASK - 1) // TASK):
        for i in range(TASK * task, min(TASK * (task + 1), count)):
            move_bit(i, corners, boxes, clearance, bits)


@kernel
def move_bit(i, corners, boxes, clearance, bits):
    """Move bit i by its displacement, or to the first wall on its path; it keeps its velocity along the wall."""
    x, y, z = bits.x[i, 0], bits.x[i, 1], bits.x[i, 2]
    dx, dy, dz = bits.displacement[i, 0], bits.displacement[i, 1], bits.displacement[i, 2]
    nearest, wall = first_wall(corners, boxes, x, y, z, dx, dy, dz)
    if wall < 0:
        bits.x[i, 0], bits.x[i, 1], bits.x[i, 2] = x + dx, y + dy, z + dz
        return
    nx, ny, nz = normal_against(corners, wall, dx, dy, dz)
    into = min(bits.v[i, 0] * nx + bits.v[i, 1] * ny + bits.v[i, 2] * nz, 0.0)
    bits.v[i, 0] -= into * nx
    bits.v[i, 1] -= into * ny
    bits.v[i, 2] -= into * nz
    ox, oy, oz = nearest * dx + clearance * nx, nearest * dy + clearance * ny, nearest * dz + clearance * nz
    # In a corner, the clearance from one wall may lead into another.
    _nearest, wall = first_wall(corners, boxes, x, y, z, ox, oy, oz)
    if wall < 0:
        bits.x[i, 0], bits.x[i, 1], bits.x[i, 2] = x + ox, y + oy, z + oz


@kernel
def first_wall(corners, boxes, x, y, z, dx, dy, dz):
    """Fraction of a displacement at which it crosses the first triangle, and that triangle: 2 and -1 without any."""
    nearest, wall = 2.0, -1
    for cluster in range(boxes.shape[0]):
        low, high = boxes[cluster, 0], boxes[cluster, 1]
        if (
            max(x, x + dx) < low[0] or min(x, x + dx) > high[0] or max(y, y + dy) < low[1]
            or min(y, y + dy) > high[1] or max(z, z + dz) < low[2] or min(z, z + dz) > high[2]
        ):
            continue
        for t in range(CLUSTER * cluster, min(CLUSTER * (cluster + 1), corners.shape[0])):
            along = crossing(corners, t, x, y, z, dx, dy, dz)
            if along < nearest:
                nearest, wall = along, t
    return nearest, wall


@part_of_kernel
def crossing(corners, t, x, y, z, dx, dy, dz):
    """Fraction of a displacement at which it crosses triangle t; 2 if it does not."""
    ux, uy, uz = (corners[t, 1, 0] - corners[t, 0, 0], corners[t, 1, 1] - corners[t, 0, 1],
                  corners[t, 1, 2] - corners[t, 0, 2])
    wx, wy, wz = (corners[t, 2, 0] - corners[t, 0, 0], corners[t, 2, 1] - corners[t, 0, 1],
                  corners[t, 2, 2] - corners[t, 0, 2])
    px, py, pz = dy * wz - dz * wy, dz * wx - dx * wz, dx * wy - dy * wx
    volume = ux * px + uy * py + uz * pz
    if volume == 0.0:
        return 2.0
    sx, sy, sz = x - corners[t, 0, 0], y - corners[t, 0, 1], z - corners[t, 0, 2]
    u = (sx * px + sy * py + sz * pz) / volume
    qx, qy, qz = sy * uz - sz * uy, sz * ux - sx * uz, sx * uy - sy * ux
    w = (dx * qx + dy * qy + dz * qz) / volume
    along = (wx * qx + wy * qy + wz * qz) / volume
    if u >= 0.0 and w >= 0.0 and u + w <= 1.0 and 0.0 <= along <= 1.0:
        return along
    return 2.0


@part_of_kernel
def normal_against(corners, t, dx, dy, dz):
    """Unit normal of triangle t on the side that a displacement comes from."""
    ux, uy, uz = (corners[t, 1, 0] - corners[t, 0, 0], corners[t, 1, 1] - corners[t, 0, 1],
                  corners[t, 1, 2] - corners[t, 0, 2])
    wx, wy, wz = (corners[t, 2, 0] - corners[t, 0, 0], corners[t, 2, 1] - corners[t, 0, 1],
                  corners[t, 2, 2] - corners[t, 0, 2])
    nx, ny, nz = uy * wz - uz * wy, uz * wx - ux * wz, ux * wy - uy * wx
    length = math.sqrt(nx * nx + ny * ny + nz * nz)
    scale = 1.0 / length if nx * dx + ny * dy + nz * dz < 0.0 else -1.0 / length
    return scale * nx, scale * ny, scale * nz
