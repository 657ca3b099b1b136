"""Keeps the angular momentum that an implicit solve of inner forces loses.

With x_n at the start of the substep, y predicted and x after the inner constraints, and v = (x - x_n) / h, the
angular momentum is L = sum m x_n x (x / h) (the x_n x x_n part is nought). Inner forces must not change it:

    R = sum m x_n x (x - y) = 0

They do, by O(h^2) a substep, because they act along links as they lie at x, not at x_n; a spinning body would
slow down with nothing touching it. A turn by a small vector t about the centre c of the piece,
x += t x (x - c), changes R by J t with J = sum m ((x_n . r) I - r x_n^T), r = x - c, and leaves linear momentum
alone. Solving J t = -R makes R nought to rounding, while links change only by |t|^2.
"""

from __future__ import annotations

from ..jit import parallel_kernel, prange


@parallel_kernel
def keep_spin(piece_start, piece_ids, mass, x_n, y, x):
    """Turn every free piece so that inner forces left its angular momentum alone. `piece_*` list free pieces."""
    for p in prange(piece_start.shape[0] - 1):
        start = piece_start[p]
        stop = piece_start[p + 1]
        total = 0.0
        cx = 0.0
        cy = 0.0
        cz = 0.0
        ox = x_n[piece_ids[start], 0]
        oy = x_n[piece_ids[start], 1]
        oz = x_n[piece_ids[start], 2]
        for q in range(start, stop):
            i = piece_ids[q]
            m = mass[i]
            total += m
            cx += m * (x[i, 0] - ox)
            cy += m * (x[i, 1] - oy)
            cz += m * (x[i, 2] - oz)
        cx /= total
        cy /= total
        cz /= total
        rx = 0.0
        ry = 0.0
        rz = 0.0
        xx = 0.0
        xy = 0.0
        xz = 0.0
        yx = 0.0
        yy = 0.0
        yz = 0.0
        zx = 0.0
        zy = 0.0
        zz = 0.0
        for q in range(start, stop):
            i = piece_ids[q]
            m = mass[i]
            ax = x_n[i, 0] - ox
            ay = x_n[i, 1] - oy
            az = x_n[i, 2] - oz
            ux = x[i, 0] - y[i, 0]
            uy = x[i, 1] - y[i, 1]
            uz = x[i, 2] - y[i, 2]
            rx += m * (ay * uz - az * uy)
            ry += m * (az * ux - ax * uz)
            rz += m * (ax * uy - ay * ux)
            bx = x[i, 0] - ox - cx
            by = x[i, 1] - oy - cy
            bz = x[i, 2] - oz - cz
            dot = ax * bx + ay * by + az * bz
            xx += m * (dot - bx * ax)
            xy -= m * bx * ay
            xz -= m * bx * az
            yx -= m * by * ax
            yy += m * (dot - by * ay)
            yz -= m * by * az
            zx -= m * bz * ax
            zy -= m * bz * ay
            zz += m * (dot - bz * az)
        # Cramer's rule; a piece on one line (a single link) cannot be turned about it and has no say there,
        # so a small share of the trace keeps the matrix invertible.
        soft = 1e-12 * (xx + yy + zz)
        xx += soft
        yy += soft
        zz += soft
        c_x = yy * zz - yz * zy
        c_y = yz * zx - yx * zz
        c_z = yx * zy - yy * zx
        det = xx * c_x + xy * c_y + xz * c_z
        if det > 0.0:
            tx = -(rx * c_x + ry * (xz * zy - xy * zz) + rz * (xy * yz - xz * yy)) / det
            ty = -(rx * c_y + ry * (xx * zz - xz * zx) + rz * (xz * yx - xx * yz)) / det
            tz = -(rx * c_z + ry * (xy * zx - xx * zy) + rz * (xx * yy - xy * yx)) / det
            if tx * tx + ty * ty + tz * tz < 0.01:
                for q in range(start, stop):
                    i = piece_ids[q]
                    bx = x[i, 0] - ox - cx
                    by = x[i, 1] - oy - cy
                    bz = x[i, 2] - oz - cz
                    x[i, 0] += ty * bz - tz * by
                    x[i, 1] += tz * bx - tx * bz
                    x[i, 2] += tx * by - ty * bx
