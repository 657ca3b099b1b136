"""Constraint rows of links of rigid bodies: a row is one scalar that the solver drives to zero, and its Jacobian.

With points p and q of the two frames, d = p - q, an axis u of the first frame, and v, w of the second normal to u:

    distance   |d| - rest                            1 row
    ball       d                                     3 rows, along the world's axes
    hinge      d,  u . v,  u . w                     5
    fixed      d,  half the sum of b_k x a_k         6, with axes a_k of the first frame and their targets b_k from the
                                                     second: sine of the rotation error, along its axis

The kind of a link is its number of rows.
"""

from __future__ import annotations

import math

from ....compiler.kernels import kernel
from .frames import turned_by_frame

DISTANCE, BALL, HINGE, FIXED = 1, 3, 5, 6
# Below this distance the direction between two points is undefined [m].
NEAREST = 1e-12


@kernel
def link_points(m, side, frame, local, at, axes):
    """Attachment point of a side of link m [m]."""
    f = frame[m, side]
    x, y, z = turned_by_frame(axes, f, local[m, side, 0], local[m, side, 1], local[m, side, 2])
    return at[f, 0] + x, at[f, 1] + y, at[f, 2] + z


@kernel
def compute_residuals(kind, frame, local, turned, rest, row_start, at, axes, residual):
    """Constraint errors of links.

    Args:
        kind: (m,); frame: (m, 2) frames of both sides; local: (m, 2, 3) points in them [m].
        turned: (m, 9); for a hinge u in the first frame, v and w in the second; for a fixed link the rotation from the
            first frame to the second, row by row.
        rest: (m,) [m]; row_start: (m + 1,) rows of each; at, axes: see `frames.face_frames`.
        residual: out (r,) [m or rad].
    """
    for m in range(kind.shape[0]):
        r = row_start[m]
        px, py, pz = link_points(m, 0, frame, local, at, axes)
        qx, qy, qz = link_points(m, 1, frame, local, at, axes)
        dx = px - qx
        dy = py - qy
        dz = pz - qz
        if kind[m] == DISTANCE:
            residual[r] = math.sqrt(dx * dx + dy * dy + dz * dz) - rest[m]
            continue
        residual[r] = dx
        residual[r + 1] = dy
        residual[r + 2] = dz
        a = frame[m, 0]
        b = frame[m, 1]
        if kind[m] == HINGE:
            ux, uy, uz = turned_by_frame(axes, a, turned[m, 0], turned[m, 1], turned[m, 2])
            for k in range(2):
                vx, vy, vz = turned_by_frame(axes, b, turned[m, 3 + 3 * k], turned[m, 4 + 3 * k], turned[m, 5 + 3 * k])
                residual[r + 3 + k] = ux * vx + uy * vy + uz * vz
        elif kind[m] == FIXED:
            sx = 0.0
            sy = 0.0
            sz = 0.0
            for k in range(3):
                bx, by, bz = turned_by_frame(axes, b, turned[m, k], turned[m, 3 + k], turned[m, 6 + k])
                ax = axes[a, k]
                ay = axes[a, 3 + k]
                az = axes[a, 6 + k]
                sx += by * az - bz * ay
                sy += bz * ax - bx * az
                sz += bx * ay - by * ax
            residual[r + 3] = 0.5 * sx
            residual[r + 4] = 0.5 * sy
            residual[r + 5] = 0.5 * sz


@kernel
def compute_jacobian(kind, frame, local, turned, row_start, at, axes, linear, angular):
    """Jacobian: impulse and angular momentum of the first side per unit impulse of each row; opposite for the second.

    Args: kind ... axes: see `compute_residuals`. Outputs: linear: (r, 3); angular: (r, 2, 3) of both sides.
    """
    for m in range(kind.shape[0]):
        r = row_start[m]
        px, py, pz = link_points(m, 0, frame, local, at, axes)
        qx, qy, qz = link_points(m, 1, frame, local, at, axes)
        for k in range(3):
            if kind[m] == DISTANCE and k > 0:
                break
            ex = 1.0 if k == 0 else 0.0
            ey = 1.0 if k == 1 else 0.0
            ez = 1.0 if k == 2 else 0.0
            if kind[m] == DISTANCE:
                length = math.sqrt((px - qx) ** 2 + (py - qy) ** 2 + (pz - qz) ** 2)
                if length > NEAREST:
                    ex = (px - qx) / length
                    ey = (py - qy) / length
                    ez = (pz - qz) / length
            linear[r + k, 0] = ex
            linear[r + k, 1] = ey
            linear[r + k, 2] = ez
            for side in range(2):
                f = frame[m, side]
                lx = (px if side == 0 else qx) - at[f, 0]
                ly = (py if side == 0 else qy) - at[f, 1]
                lz = (pz if side == 0 else qz) - at[f, 2]
                angular[r + k, side, 0] = ly * ez - lz * ey
                angular[r + k, side, 1] = lz * ex - lx * ez
                angular[r + k, side, 2] = lx * ey - ly * ex
        for k in range(3, kind[m]):
            tx = 1.0 if k == 3 else 0.0
            ty = 1.0 if k == 4 else 0.0
            tz = 1.0 if k == 5 else 0.0
            if kind[m] == HINGE:
                ux, uy, uz = turned_by_frame(axes, frame[m, 0], turned[m, 0], turned[m, 1], turned[m, 2])
                e = 3 * (k - 2)
                vx, vy, vz = turned_by_frame(axes, frame[m, 1], turned[m, e], turned[m, e + 1], turned[m, e + 2])
                tx = uy * vz - uz * vy
                ty = uz * vx - ux * vz
                tz = ux * vy - uy * vx
            for side in range(2):
                angular[r + k, side, 0] = tx
                angular[r + k, side, 1] = ty
                angular[r + k, side, 2] = tz
            for axis in range(3):
                linear[r + k, axis] = 0.0
