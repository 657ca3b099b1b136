"""When four particles that go straight lie in one plane: a corner meets a triangle, or an edge an edge.

With p(t) = p0 + t (p1 - p0), the volume (b - a) x (c - a) . (d - a) is a cubic in t. What goes from one side to the
other changes its sign between t = 0 and t = 1; regula falsi (Illinois) finds where.
"""

from __future__ import annotations

from ..jit import kernel


@kernel
def volume_at(x, a, b, c, d):
    """Six times the signed volume of four particles [m³]: positive where d is on the side that a, b, c faces."""
    ex = x[b, 0] - x[a, 0]
    ey = x[b, 1] - x[a, 1]
    ez = x[b, 2] - x[a, 2]
    fx = x[c, 0] - x[a, 0]
    fy = x[c, 1] - x[a, 1]
    fz = x[c, 2] - x[a, 2]
    gx = x[d, 0] - x[a, 0]
    gy = x[d, 1] - x[a, 1]
    gz = x[d, 2] - x[a, 2]
    return gx * (ey * fz - ez * fy) + gy * (ez * fx - ex * fz) + gz * (ex * fy - ey * fx)


@kernel
def volume(x0, x1, t, a, b, c, d):
    """As `volume_at`, at the share t of the ways from x0 to x1."""
    ax = x0[a, 0] + t * (x1[a, 0] - x0[a, 0])
    ay = x0[a, 1] + t * (x1[a, 1] - x0[a, 1])
    az = x0[a, 2] + t * (x1[a, 2] - x0[a, 2])
    ex = x0[b, 0] + t * (x1[b, 0] - x0[b, 0]) - ax
    ey = x0[b, 1] + t * (x1[b, 1] - x0[b, 1]) - ay
    ez = x0[b, 2] + t * (x1[b, 2] - x0[b, 2]) - az
    fx = x0[c, 0] + t * (x1[c, 0] - x0[c, 0]) - ax
    fy = x0[c, 1] + t * (x1[c, 1] - x0[c, 1]) - ay
    fz = x0[c, 2] + t * (x1[c, 2] - x0[c, 2]) - az
    gx = x0[d, 0] + t * (x1[d, 0] - x0[d, 0]) - ax
    gy = x0[d, 1] + t * (x1[d, 1] - x0[d, 1]) - ay
    gz = x0[d, 2] + t * (x1[d, 2] - x0[d, 2]) - az
    return gx * (ey * fz - ez * fy) + gy * (ez * fx - ex * fz) + gz * (ex * fy - ey * fx)


@kernel
def meeting_time(x0, x1, a, b, c, d, first, last):
    """Share of the way at which the volume is nought, given its values of opposite signs at 0 and at 1."""
    low = 0.0
    high = 1.0
    small = 1e-12 * max(abs(first), abs(last))
    side = 0
    t = 0.0
    for _ in range(60):
        t = (low * last - high * first) / (last - first)
        now = volume(x0, x1, t, a, b, c, d)
        if abs(now) <= small or high - low < 1e-12:
            break
        if (now > 0.0) == (last > 0.0):
            high = t
            last = now
            if side == 1:
                first *= 0.5
            side = 1
        else:
            low = t
            first = now
            if side == -1:
                last *= 0.5
            side = -1
    return t


@kernel
def plane_shares(x0, x1, t, i, a, b, c):
    """Barycentric shares of b and c where particle i lies in the plane of a, b, c at t; -1, -1 without area."""
    ax = x0[a, 0] + t * (x1[a, 0] - x0[a, 0])
    ay = x0[a, 1] + t * (x1[a, 1] - x0[a, 1])
    az = x0[a, 2] + t * (x1[a, 2] - x0[a, 2])
    ex = x0[b, 0] + t * (x1[b, 0] - x0[b, 0]) - ax
    ey = x0[b, 1] + t * (x1[b, 1] - x0[b, 1]) - ay
    ez = x0[b, 2] + t * (x1[b, 2] - x0[b, 2]) - az
    fx = x0[c, 0] + t * (x1[c, 0] - x0[c, 0]) - ax
    fy = x0[c, 1] + t * (x1[c, 1] - x0[c, 1]) - ay
    fz = x0[c, 2] + t * (x1[c, 2] - x0[c, 2]) - az
    px = x0[i, 0] + t * (x1[i, 0] - x0[i, 0]) - ax
    py = x0[i, 1] + t * (x1[i, 1] - x0[i, 1]) - ay
    pz = x0[i, 2] + t * (x1[i, 2] - x0[i, 2]) - az
    ee = ex * ex + ey * ey + ez * ez
    ef = ex * fx + ey * fy + ez * fz
    ff = fx * fx + fy * fy + fz * fz
    pe = px * ex + py * ey + pz * ez
    pf = px * fx + py * fy + pz * fz
    area = ee * ff - ef * ef
    if area <= 1e-300:
        return -1.0, -1.0
    return (ff * pe - ef * pf) / area, (ee * pf - ef * pe) / area


@kernel
def line_shares(x0, x1, t, a, b, c, d):
    """Shares along a b and c d where the two lines come nearest at t; -1, -1 for parallel ones."""
    ux = x0[b, 0] + t * (x1[b, 0] - x0[b, 0]) - x0[a, 0] - t * (x1[a, 0] - x0[a, 0])
    uy = x0[b, 1] + t * (x1[b, 1] - x0[b, 1]) - x0[a, 1] - t * (x1[a, 1] - x0[a, 1])
    uz = x0[b, 2] + t * (x1[b, 2] - x0[b, 2]) - x0[a, 2] - t * (x1[a, 2] - x0[a, 2])
    wx = x0[d, 0] + t * (x1[d, 0] - x0[d, 0]) - x0[c, 0] - t * (x1[c, 0] - x0[c, 0])
    wy = x0[d, 1] + t * (x1[d, 1] - x0[d, 1]) - x0[c, 1] - t * (x1[c, 1] - x0[c, 1])
    wz = x0[d, 2] + t * (x1[d, 2] - x0[d, 2]) - x0[c, 2] - t * (x1[c, 2] - x0[c, 2])
    rx = x0[a, 0] + t * (x1[a, 0] - x0[a, 0]) - x0[c, 0] - t * (x1[c, 0] - x0[c, 0])
    ry = x0[a, 1] + t * (x1[a, 1] - x0[a, 1]) - x0[c, 1] - t * (x1[c, 1] - x0[c, 1])
    rz = x0[a, 2] + t * (x1[a, 2] - x0[a, 2]) - x0[c, 2] - t * (x1[c, 2] - x0[c, 2])
    uu = ux * ux + uy * uy + uz * uz
    ww = wx * wx + wy * wy + wz * wz
    uw = ux * wx + uy * wy + uz * wz
    ur = ux * rx + uy * ry + uz * rz
    wr = wx * rx + wy * ry + wz * rz
    across = uu * ww - uw * uw
    if across <= 1e-12 * uu * ww:
        return -1.0, -1.0
    return (uw * wr - ww * ur) / across, (uu * wr - uw * ur) / across
