"""Voxels that a surface touches (Akenine-Möller 2001: separating axes of a triangle and a cube)."""

from __future__ import annotations

import math

from ...compiler.kernels import kernel, parallel_kernel, prange


@kernel
def _apart(p, q, r, reach):
    """Whether three projections all lie beyond `reach` from 0 on the same side: the axis then separates the shapes."""
    return min(p, q, r) > reach or max(p, q, r) < -reach


@kernel
def touches_cube(x, a, b, c, mx, my, mz):
    """Whether a triangle overlaps the cube of side 1 centred at (mx, my, mz)."""
    ax = x[a, 0] - mx
    ay = x[a, 1] - my
    az = x[a, 2] - mz
    bx = x[b, 0] - mx
    by = x[b, 1] - my
    bz = x[b, 2] - mz
    cx = x[c, 0] - mx
    cy = x[c, 1] - my
    cz = x[c, 2] - mz
    if _apart(ax, bx, cx, 0.5) or _apart(ay, by, cy, 0.5) or _apart(az, bz, cz, 0.5):
        return False
    for side in range(3):
        ex = bx - ax if side == 0 else (cx - bx if side == 1 else ax - cx)
        ey = by - ay if side == 0 else (cy - by if side == 1 else ay - cy)
        ez = bz - az if side == 0 else (cz - bz if side == 1 else az - cz)
        far = 0.5 * (abs(ez) + abs(ey))
        if _apart(ez * ay - ey * az, ez * by - ey * bz, ez * cy - ey * cz, far):
            return False
        far = 0.5 * (abs(ex) + abs(ez))
        if _apart(ex * az - ez * ax, ex * bz - ez * bx, ex * cz - ez * cx, far):
            return False
        far = 0.5 * (abs(ey) + abs(ex))
        if _apart(ey * ax - ex * ay, ey * bx - ex * by, ey * cx - ex * cy, far):
            return False
    nx = (by - ay) * (cz - az) - (bz - az) * (cy - ay)
    ny = (bz - az) * (cx - ax) - (bx - ax) * (cz - az)
    nz = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
    return abs(nx * ax + ny * ay + nz * az) <= 0.5 * (abs(nx) + abs(ny) + abs(nz))


@parallel_kernel
def mark_touched(x, triangles, row_start, row_triangle, touched):
    """Mark touched voxels: out (nx, ny, nz) bool; rows: the triangles whose boxes overlap each layer along x."""
    for i in prange(touched.shape[0]):
        for place in range(row_start[i], row_start[i + 1]):
            t = row_triangle[place]
            a = triangles[t, 0]
            b = triangles[t, 1]
            c = triangles[t, 2]
            j0 = max(int(math.floor(min(x[a, 1], x[b, 1], x[c, 1]))), 0)
            j1 = min(int(math.floor(max(x[a, 1], x[b, 1], x[c, 1]))), touched.shape[1] - 1)
            k0 = max(int(math.floor(min(x[a, 2], x[b, 2], x[c, 2]))), 0)
            k1 = min(int(math.floor(max(x[a, 2], x[b, 2], x[c, 2]))), touched.shape[2] - 1)
            for j in range(j0, j1 + 1):
                for k in range(k0, k1 + 1):
                    if not touched[i, j, k] and touches_cube(x, a, b, c, i + 0.5, j + 0.5, k + 0.5):
                        touched[i, j, k] = True
