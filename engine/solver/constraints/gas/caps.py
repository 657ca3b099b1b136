"""Caps that close open rims for the enclosed volume, see `gas.volume`."""

from __future__ import annotations

from ....compiler.kernels import kernel


@kernel
def _rim_middle(x, rim_i, start, stop):
    mx = 0.0
    my = 0.0
    mz = 0.0
    for e in range(start, stop):
        mx += x[rim_i[e], 0]
        my += x[rim_i[e], 1]
        mz += x[rim_i[e], 2]
    count = stop - start
    return mx / count, my / count, mz / count


@kernel
def _cap_normal(x, i, j, mx, my, mz):
    """One sixth of the cross product of the fan triangle (rim centre, j, i) over the open edge i -> j."""
    ax = x[j, 0] - mx
    ay = x[j, 1] - my
    az = x[j, 2] - mz
    bx = x[i, 0] - mx
    by = x[i, 1] - my
    bz = x[i, 2] - mz
    return (ay * bz - az * by) / 6.0, (az * bx - ax * bz) / 6.0, (ax * by - ay * bx) / 6.0


@kernel
def cap_volumes(x, rim_start, rim_i, rim_j, rim_part, part_origin, volume):
    """Add the volume below each rim's cap to the volume of its part."""
    for rim in range(rim_start.shape[0] - 1):
        mx, my, mz = _rim_middle(x, rim_i, rim_start[rim], rim_start[rim + 1])
        o = part_origin[rim_part[rim]]
        for e in range(rim_start[rim], rim_start[rim + 1]):
            nx, ny, nz = _cap_normal(x, rim_i[e], rim_j[e], mx, my, mz)
            volume[rim_part[rim]] += (mx - x[o, 0]) * nx + (my - x[o, 1]) * ny + (mz - x[o, 2]) * nz


@kernel
def cap_gradients(x, rim_start, rim_i, rim_j, rim_qi, rim_qj, gradient):
    """Add the caps' part to the gradients of rim vertices; `rim_q*` are their positions in `gradient`.

    In a closed surface all corners of a triangle have the same gradient; that of the rim centre is spread evenly over
    the rim.
    """
    for rim in range(rim_start.shape[0] - 1):
        start = rim_start[rim]
        stop = rim_start[rim + 1]
        mx, my, mz = _rim_middle(x, rim_i, start, stop)
        sx = 0.0
        sy = 0.0
        sz = 0.0
        for e in range(start, stop):
            nx, ny, nz = _cap_normal(x, rim_i[e], rim_j[e], mx, my, mz)
            for q in (rim_qi[e], rim_qj[e]):
                gradient[q, 0] += nx
                gradient[q, 1] += ny
                gradient[q, 2] += nz
            sx += nx
            sy += ny
            sz += nz
        count = stop - start
        for e in range(start, stop):
            q = rim_qi[e]
            gradient[q, 0] += sx / count
            gradient[q, 1] += sy / count
            gradient[q, 2] += sz / count
