"""Nearest point on a field's mesh. Triangles are in clusters with boxes, so that most are never tested."""

from __future__ import annotations

import math

from ....compiler.kernels import kernel, part_of_kernel


@part_of_kernel
def _outside(value, low, high):
    return max(low - value, 0.0, value - high)


@kernel
def nearest_on_surface(row, mesh, x, y, z):
    """Point and normal: (lx, ly, lz, nx, ny, nz); the normal is zero for degenerate triangles.

    Args: mesh: a `Meshes`, of which the field has clusters row.first_cluster : row.stop_cluster.
    """
    best, found = math.inf, -1
    lx, ly, lz = x, y, z
    for cluster in range(row.first_cluster, row.stop_cluster):
        dx = _outside(x, mesh.low[cluster, 0], mesh.high[cluster, 0])
        dy = _outside(y, mesh.low[cluster, 1], mesh.high[cluster, 1])
        dz = _outside(z, mesh.low[cluster, 2], mesh.high[cluster, 2])
        if dx * dx + dy * dy + dz * dz >= best:
            continue
        for triangle in range(mesh.start[cluster], mesh.start[cluster + 1]):
            px, py, pz = _nearest(mesh.vertices, mesh.triangles, triangle, x, y, z)
            far = (x - px) ** 2 + (y - py) ** 2 + (z - pz) ** 2
            if far < best:
                best, found = far, triangle
                lx, ly, lz = px, py, pz
    nx, ny, nz = _normal(mesh.vertices, mesh.triangles, found)
    return lx, ly, lz, nx, ny, nz


@part_of_kernel
def _corner(vertices, triangles, triangle, corner):
    i = triangles[triangle, corner]
    return vertices[i, 0], vertices[i, 1], vertices[i, 2]


@kernel
def _normal(vertices, triangles, triangle):
    ax, ay, az = _corner(vertices, triangles, triangle, 0)
    bx, by, bz = _corner(vertices, triangles, triangle, 1)
    cx, cy, cz = _corner(vertices, triangles, triangle, 2)
    ux, uy, uz, wx, wy, wz = bx - ax, by - ay, bz - az, cx - ax, cy - ay, cz - az
    nx, ny, nz = uy * wz - uz * wy, uz * wx - ux * wz, ux * wy - uy * wx
    size = math.sqrt(nx * nx + ny * ny + nz * nz)
    return (nx / size, ny / size, nz / size) if size > 0.0 else (0.0, 0.0, 0.0)


@kernel
def _nearest(vertices, triangles, triangle, x, y, z):
    """The nearest point of a triangle (Ericson 2005, "Real-Time Collision Detection", 5.1.5)."""
    ax, ay, az = _corner(vertices, triangles, triangle, 0)
    bx, by, bz = _corner(vertices, triangles, triangle, 1)
    cx, cy, cz = _corner(vertices, triangles, triangle, 2)
    bx, by, bz, cx, cy, cz = bx - ax, by - ay, bz - az, cx - ax, cy - ay, cz - az
    px, py, pz = x - ax, y - ay, z - az
    d1, d2 = bx * px + by * py + bz * pz, cx * px + cy * py + cz * pz
    bb, bc, cc = bx * bx + by * by + bz * bz, bx * cx + by * cy + bz * cz, cx * cx + cy * cy + cz * cz
    d3, d4, d5, d6 = d1 - bb, d2 - bc, d1 - bc, d2 - cc
    va, vb, vc = d3 * d6 - d5 * d4, d5 * d2 - d1 * d6, d1 * d4 - d3 * d2
    if d1 <= 0.0 and d2 <= 0.0:
        s = t = 0.0
    elif d3 >= 0.0 and d4 <= d3:
        s, t = 1.0, 0.0
    elif d6 >= 0.0 and d5 <= d6:
        s, t = 0.0, 1.0
    elif vc <= 0.0 and d1 >= 0.0 and d3 <= 0.0:
        s, t = d1 / (d1 - d3), 0.0
    elif vb <= 0.0 and d2 >= 0.0 and d6 <= 0.0:
        s, t = 0.0, d2 / (d2 - d6)
    elif va <= 0.0 and d4 - d3 >= 0.0 and d5 - d6 >= 0.0:
        t = (d4 - d3) / ((d4 - d3) + (d5 - d6))
        s = 1.0 - t
    else:
        total = va + vb + vc
        s, t = vb / total, vc / total
    return ax + s * bx + t * cx, ay + s * by + t * cy, az + s * bz + t * cz
