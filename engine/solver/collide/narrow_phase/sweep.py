"""Continuous detection: when four linearly moving particles are coplanar (vertex-triangle or edge-edge).

With p(t) = p0 + t (p1 - p0), the volume (b - a) x (c - a) . (d - a) is a cubic in t. A passage changes the sign between
t = 0 and t = 1, or changes it twice in between: the lines of two edges may meet beside the edges, and again within
them, and a vertex may pass a face, move around its edge, and come back through its plane. Regula falsi (Illinois
variant) finds the roots, one between any two extrema.
"""

from __future__ import annotations

import math

from ....compiler.kernels import kernel, part_of_kernel

# Tolerance beyond the ends of a triangle or edge, so that nothing slips through between two neighbours.
BRIM = 1e-5
# A motion that ends at a volume below this fraction of that at the start ends on the surface.
TOUCHING = 1e-9


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
def span_at(x0, x1, t, a, b):
    """Vector from a to b at the fraction t of the motion from x0 to x1 [m]."""
    return (
        x0[b, 0] + t * (x1[b, 0] - x0[b, 0]) - x0[a, 0] - t * (x1[a, 0] - x0[a, 0]),
        x0[b, 1] + t * (x1[b, 1] - x0[b, 1]) - x0[a, 1] - t * (x1[a, 1] - x0[a, 1]),
        x0[b, 2] + t * (x1[b, 2] - x0[b, 2]) - x0[a, 2] - t * (x1[a, 2] - x0[a, 2]),
    )


@kernel
def across_at(x0, x1, t, a, b, c, d):
    """Unit vector along (b - a) x (d - c) at the fraction t of the motion; zeros where these are parallel."""
    ux, uy, uz = span_at(x0, x1, t, a, b)
    wx, wy, wz = span_at(x0, x1, t, c, d)
    nx = uy * wz - uz * wy
    ny = uz * wx - ux * wz
    nz = ux * wy - uy * wx
    size = math.sqrt(nx * nx + ny * ny + nz * nz)
    if size <= 1e-300:
        return 0.0, 0.0, 0.0
    return nx / size, ny / size, nz / size


@kernel
def volume(x0, x1, t, a, b, c, d):
    """As `volume_at`, at the fraction t of the motion from x0 to x1."""
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


@part_of_kernel
def passage(every, of_edges, x0, x1, a, b, c, d):
    """When and where four particles first pass through each other, and from which side.

    Args:
        every: whether to test every zero of the volume, or only one between different signs at start and end.
        of_edges: True for edges a b and c d, False for particle d and triangle a, b, c.

    Returns:
        The fraction of the motion, 2 if they do not pass; the volume at an earlier time, whose sign is the side; and
        two coordinates, see `line_parameters` and `plane_coordinates`.
    """
    first = volume_at(x0, a, b, c, d)
    last = volume_at(x1, a, b, c, d)
    if abs(last) <= TOUCHING * abs(first):
        # It counts as passed: on the surface it has no side, and the next substep could move it to either one.
        last = -TOUCHING * first
    low, high = 1.0, 1.0
    if every:
        low, high = volume_extrema(x0, x1, a, b, c, d, first)
    start = 0.0
    before = first
    for k in range(3):
        stop = low if k == 0 else (high if k == 1 else 1.0)
        if stop <= start or (stop == 1.0 and before * last >= 0.0):
            continue
        after = last if stop == 1.0 else volume(x0, x1, stop, a, b, c, d)
        if before * after < 0.0:
            time = meeting_time(x0, x1, start, stop, a, b, c, d, before, after)
            if of_edges:
                s, t = line_parameters(x0, x1, time, a, b, c, d)
                is_within = s <= 1.0 + BRIM and t <= 1.0 + BRIM
            else:
                s, t = plane_coordinates(x0, x1, time, d, a, b, c)
                is_within = s + t <= 1.0 + BRIM
            if is_within and s >= -BRIM and t >= -BRIM:
                return time, before, s, t
        start = stop
        before = after
    return 2.0, first, -1.0, -1.0


@kernel
def volume_extrema(x0, x1, a, b, c, d, first):
    """Ascending fractions of the motion at which a volume, `first` at its start, has extrema; 1 for a missing one."""
    ex, ey, ez, dex, dey, dez = _span_and_change(x0, x1, a, b)
    fx, fy, fz, dfx, dfy, dfz = _span_and_change(x0, x1, a, c)
    gx, gy, gz, dgx, dgy, dgz = _span_and_change(x0, x1, a, d)
    change = dex * dex + dey * dey + dez * dez + dfx * dfx + dfy * dfy + dfz * dfz + dgx * dgx + dgy * dgy + dgz * dgz
    longest = max(ex * ex + ey * ey + ez * ez, max(fx * fx + fy * fy + fz * fz, gx * gx + gy * gy + gz * gz))
    # Three vectors whose total change is this small cannot change their volume by more (triangle inequality).
    if first * first > 12.0 * change * (longest + change) * (longest + change):
        return 1.0, 1.0
    # v(t) = first + k1 t + k2 t^2 + k3 t^3, from e x f = n + m t + o t^2 and g.
    nx = ey * fz - ez * fy
    ny = ez * fx - ex * fz
    nz = ex * fy - ey * fx
    mx = dey * fz - dez * fy + ey * dfz - ez * dfy
    my = dez * fx - dex * fz + ez * dfx - ex * dfz
    mz = dex * fy - dey * fx + ex * dfy - ey * dfx
    ox = dey * dfz - dez * dfy
    oy = dez * dfx - dex * dfz
    oz = dex * dfy - dey * dfx
    k1 = gx * mx + gy * my + gz * mz + dgx * nx + dgy * ny + dgz * nz
    k2 = gx * ox + gy * oy + gz * oz + dgx * mx + dgy * my + dgz * mz
    k3 = dgx * ox + dgy * oy + dgz * oz
    square = k2 * k2 - 3.0 * k1 * k3
    if square <= 0.0:
        return 1.0, 1.0
    half = -(k2 + (math.sqrt(square) if k2 > 0.0 else -math.sqrt(square)))
    low = k1 / half if half != 0.0 else 1.0
    high = half / (3.0 * k3) if k3 != 0.0 else 1.0
    low = low if 0.0 < low < 1.0 else 1.0
    high = high if 0.0 < high < 1.0 else 1.0
    return min(low, high), max(low, high)


@kernel
def _span_and_change(x0, x1, a, b):
    """Vector from a to b at the start of the motion, and its change."""
    ex = x0[b, 0] - x0[a, 0]
    ey = x0[b, 1] - x0[a, 1]
    ez = x0[b, 2] - x0[a, 2]
    return ex, ey, ez, x1[b, 0] - x1[a, 0] - ex, x1[b, 1] - x1[a, 1] - ey, x1[b, 2] - x1[a, 2] - ez


@kernel
def meeting_time(x0, x1, low, high, a, b, c, d, first, last):
    """Fraction of the motion at which the volume is zero, given its values of opposite signs at `low` and `high`."""
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
def plane_coordinates(x0, x1, t, i, a, b, c):
    """Barycentric coordinates of b and c of particle i in the plane of a, b, c at t; -1, -1 for zero area."""
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
def line_parameters(x0, x1, t, a, b, c, d):
    """Parameters along a b and c d of the closest points of the two lines at t; -1, -1 for parallel ones."""
    ux, uy, uz = span_at(x0, x1, t, a, b)
    wx, wy, wz = span_at(x0, x1, t, c, d)
    rx, ry, rz = span_at(x0, x1, t, c, a)
    uu = ux * ux + uy * uy + uz * uz
    ww = wx * wx + wy * wy + wz * wz
    uw = ux * wx + uy * wy + uz * wz
    ur = ux * rx + uy * ry + uz * rz
    wr = wx * rx + wy * ry + wz * rz
    across = uu * ww - uw * uw
    if across <= 1e-12 * uu * ww:
        return -1.0, -1.0
    return (uw * wr - ww * ur) / across, (uu * wr - uw * ur) / across
