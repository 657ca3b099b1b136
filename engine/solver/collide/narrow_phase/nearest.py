"""Closest points of triangles and edges, and triangle normals."""

from __future__ import annotations

import math

from ....compiler.kernels import kernel


@kernel
def closest_point(px, py, pz, x, a, b, c):
    """Barycentric coordinates (u, v, w) of the point of triangle a, b, c closest to p (Ericson 2005, 5.1.5)."""
    abx = x[b, 0] - x[a, 0]
    aby = x[b, 1] - x[a, 1]
    abz = x[b, 2] - x[a, 2]
    acx = x[c, 0] - x[a, 0]
    acy = x[c, 1] - x[a, 1]
    acz = x[c, 2] - x[a, 2]
    apx = px - x[a, 0]
    apy = py - x[a, 1]
    apz = pz - x[a, 2]
    d1 = abx * apx + aby * apy + abz * apz
    d2 = acx * apx + acy * apy + acz * apz
    if d1 <= 0.0 and d2 <= 0.0:
        return 1.0, 0.0, 0.0
    ab2 = abx * abx + aby * aby + abz * abz
    ac2 = acx * acx + acy * acy + acz * acz
    abac = abx * acx + aby * acy + abz * acz
    d3 = d1 - ab2
    d4 = d2 - abac
    if d3 >= 0.0 and d4 <= d3:
        return 0.0, 1.0, 0.0
    vc = d1 * d4 - d3 * d2
    if vc <= 0.0 and d1 >= 0.0 and d3 <= 0.0 and d1 > d3:
        v = d1 / (d1 - d3)
        return 1.0 - v, v, 0.0
    d5 = d1 - abac
    d6 = d2 - ac2
    if d6 >= 0.0 and d5 <= d6:
        return 0.0, 0.0, 1.0
    vb = d5 * d2 - d1 * d6
    if vb <= 0.0 and d2 >= 0.0 and d6 <= 0.0 and d2 > d6:
        w = d2 / (d2 - d6)
        return 1.0 - w, 0.0, w
    va = d3 * d6 - d5 * d4
    if va <= 0.0 and (d4 - d3) >= 0.0 and (d5 - d6) >= 0.0 and (d4 - d3) + (d5 - d6) > 0.0:
        w = (d4 - d3) / ((d4 - d3) + (d5 - d6))
        return 0.0, 1.0 - w, w
    total = va + vb + vc
    if total <= 0.0:
        return 1.0, 0.0, 0.0
    return va / total, vb / total, vc / total


@kernel
def segment_parameters(uu, ww, uw, ur, wr):
    """Parameters of two segments' closest points, from dot products of the segments u, w and the offset r of starts."""
    across = uu * ww - uw * uw
    s = 0.5
    if across > 1e-12 * uu * ww:
        s = max(0.0, min(1.0, (uw * wr - ww * ur) / across))
    t = (uw * s + wr) / ww
    if t < 0.0:
        t = 0.0
        s = max(0.0, min(1.0, -ur / uu))
    elif t > 1.0:
        t = 1.0
        s = max(0.0, min(1.0, (uw - ur) / uu))
    return s, t


@kernel
def nearest_parameters(x, a, b, c, d):
    """Parameters along the segments a b and c d of their two closest points (Ericson 2005, 5.1.9)."""
    ux = x[b, 0] - x[a, 0]
    uy = x[b, 1] - x[a, 1]
    uz = x[b, 2] - x[a, 2]
    wx = x[d, 0] - x[c, 0]
    wy = x[d, 1] - x[c, 1]
    wz = x[d, 2] - x[c, 2]
    rx = x[a, 0] - x[c, 0]
    ry = x[a, 1] - x[c, 1]
    rz = x[a, 2] - x[c, 2]
    uu = max(ux * ux + uy * uy + uz * uz, 1e-300)
    ww = max(wx * wx + wy * wy + wz * wz, 1e-300)
    uw = ux * wx + uy * wy + uz * wz
    ur = ux * rx + uy * ry + uz * rz
    wr = wx * rx + wy * ry + wz * rz
    return segment_parameters(uu, ww, uw, ur, wr)


@kernel
def span_normal(x, a, b, c):
    """Normal of a triangle with length twice its area [m²]."""
    ex = x[b, 0] - x[a, 0]
    ey = x[b, 1] - x[a, 1]
    ez = x[b, 2] - x[a, 2]
    fx = x[c, 0] - x[a, 0]
    fy = x[c, 1] - x[a, 1]
    fz = x[c, 2] - x[a, 2]
    return ey * fz - ez * fy, ez * fx - ex * fz, ex * fy - ey * fx


@kernel
def face_normal(x, a, b, c):
    """Unit normal of a triangle; zeros for one without area."""
    nx, ny, nz = span_normal(x, a, b, c)
    size = math.sqrt(nx * nx + ny * ny + nz * nz)
    if size <= 1e-300:
        return 0.0, 0.0, 0.0
    return nx / size, ny / size, nz / size
