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
def cap_volumes(x, chosen, rims, volume):
    """Add the volume below the caps of the chosen rims (k,) to the volumes of their parts; rims: `columns.Rims`."""
    for place in range(chosen.shape[0]):
        rim = chosen[place]
        mx, my, mz = _rim_middle(x, rims.i, rims.start[rim], rims.start[rim + 1])
        part = rims.part[rim]
        o = rims.origin[part]
        for e in range(rims.start[rim], rims.start[rim + 1]):
            nx, ny, nz = _cap_normal(x, rims.i[e], rims.j[e], mx, my, mz)
            volume[part] += (mx - x[o, 0]) * nx + (my - x[o, 1]) * ny + (mz - x[o, 2]) * nz


@kernel
def cap_gradients(x, chosen, rims, gradient):
    """Add the caps' part to the gradients of the vertices of the chosen rims (k,); rims: `columns.Rims`.

    In a closed surface all corners of a triangle have the same gradient; that of the rim centre is spread evenly over
    the rim.
    """
    for place in range(chosen.shape[0]):
        rim = chosen[place]
        start = rims.start[rim]
        stop = rims.start[rim + 1]
        mx, my, mz = _rim_middle(x, rims.i, start, stop)
        sx = 0.0
        sy = 0.0
        sz = 0.0
        for e in range(start, stop):
            nx, ny, nz = _cap_normal(x, rims.i[e], rims.j[e], mx, my, mz)
            for q in (rims.qi[e], rims.qj[e]):
                gradient[q, 0] += nx
                gradient[q, 1] += ny
                gradient[q, 2] += nz
            sx += nx
            sy += ny
            sz += nz
        count = stop - start
        for e in range(start, stop):
            q = rims.qi[e]
            gradient[q, 0] += sx / count
            gradient[q, 1] += sy / count
            gradient[q, 2] += sz / count
