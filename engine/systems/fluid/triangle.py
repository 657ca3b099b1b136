"""The closest point of a triangle, for kernels."""

from __future__ import annotations

from ...compiler.kernels import part_of_kernel


@part_of_kernel
def closest_weights(corners, t, x, y, z):
    """Barycentric weights (u, v, w) of the point of triangle t that is closest to (x, y, z).

    Ericson 2005, "Real-Time Collision Detection", section 5.1.5: by the region that the point projects into.
    """
    abx, aby, abz = (corners[t, 1, 0] - corners[t, 0, 0], corners[t, 1, 1] - corners[t, 0, 1],
                     corners[t, 1, 2] - corners[t, 0, 2])
    acx, acy, acz = (corners[t, 2, 0] - corners[t, 0, 0], corners[t, 2, 1] - corners[t, 0, 1],
                     corners[t, 2, 2] - corners[t, 0, 2])
    px, py, pz = x - corners[t, 0, 0], y - corners[t, 0, 1], z - corners[t, 0, 2]
    d1, d2 = abx * px + aby * py + abz * pz, acx * px + acy * py + acz * pz
    if d1 <= 0.0 and d2 <= 0.0:
        return 1.0, 0.0, 0.0
    qx, qy, qz = x - corners[t, 1, 0], y - corners[t, 1, 1], z - corners[t, 1, 2]
    d3, d4 = abx * qx + aby * qy + abz * qz, acx * qx + acy * qy + acz * qz
    if d3 >= 0.0 and d4 <= d3:
        return 0.0, 1.0, 0.0
    vc = d1 * d4 - d3 * d2
    if vc <= 0.0 and d1 >= 0.0 and d3 <= 0.0:
        v = d1 / (d1 - d3) if d1 > d3 else 0.0
        return 1.0 - v, v, 0.0
    rx, ry, rz = x - corners[t, 2, 0], y - corners[t, 2, 1], z - corners[t, 2, 2]
    d5, d6 = abx * rx + aby * ry + abz * rz, acx * rx + acy * ry + acz * rz
    if d6 >= 0.0 and d5 <= d6:
        return 0.0, 0.0, 1.0
    vb = d5 * d2 - d1 * d6
    if vb <= 0.0 and d2 >= 0.0 and d6 <= 0.0:
        w = d2 / (d2 - d6) if d2 > d6 else 0.0
        return 1.0 - w, 0.0, w
    va = d3 * d6 - d5 * d4
    if va <= 0.0 and d4 >= d3 and d5 >= d6:
        w = (d4 - d3) / (d4 - d3 + d5 - d6) if d4 - d3 + d5 - d6 > 0.0 else 0.0
        return 0.0, 1.0 - w, w
    total = va + vb + vc
    v, w = vb / total, vc / total
    return 1.0 - v - w, v, w


@part_of_kernel
def at(corners, t, u, v, w):
    """A point of a triangle by its barycentric weights."""
    return (
        u * corners[t, 0, 0] + v * corners[t, 1, 0] + w * corners[t, 2, 0],
        u * corners[t, 0, 1] + v * corners[t, 1, 1] + w * corners[t, 2, 1],
        u * corners[t, 0, 2] + v * corners[t, 1, 2] + w * corners[t, 2, 2],
    )


@part_of_kernel
def area_of(corners, t):
    """Cross product of two edges of a triangle [m²]."""
    ax, ay, az = (corners[t, 1, 0] - corners[t, 0, 0], corners[t, 1, 1] - corners[t, 0, 1],
                  corners[t, 1, 2] - corners[t, 0, 2])
    bx, by, bz = (corners[t, 2, 0] - corners[t, 0, 0], corners[t, 2, 1] - corners[t, 0, 1],
                  corners[t, 2, 2] - corners[t, 0, 2])
    return ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx
