"""Bending: XPBD constraints on the angle between two triangles that share an edge.

A hinge has its edge a -> b and the corners c, d of the triangles on either side. With

    e = x_b - x_a,  n_c = (x_a - x_c) x (x_b - x_c),  n_d = (x_b - x_d) x (x_a - x_d)

its angle is atan2((n_d x n_c) . e / |e|, n_c . n_d), nought where flat, from -pi to pi with a sign, so nothing special
happens at a right angle or at any other. Its gradient (Bridson, Marino, Fedkiw 2003), with u_c = |e| n_c / |n_c|^2 and
f_c = (x_c - x_a) . e / |e|^2, where the corner's foot stands on the edge, is

    c: u_c,   d: u_d,   a: (f_c - 1) u_c + (f_d - 1) u_d,   b: -f_c u_c - f_d u_d

whose sum and whose moment vanish: a hinge takes neither momentum nor angular momentum. Then as for springs, with the
hinge's stiffness k [N m / rad] and W = sum w |gradient|^2,

    d_lam = -(k h^2 C + lam) / (k h^2 W + 1),   x += w gradient d_lam

One projection turns a hinge by `MOST_TURN` at most: its gradient holds for small angles only.
"""

from __future__ import annotations

import math

import numpy as np

from ..jit import kernel, parallel_kernel, prange

MOST_TURN = 0.5  # [rad]
TURN = 2.0 * math.pi


@kernel
def _hinge(rows, a, b, c, d):
    """Angle, |e|, u_c, u_d, f_c, f_d; |e| is 0 where a triangle has no area."""
    bx = rows[b, 0] - rows[a, 0]
    by = rows[b, 1] - rows[a, 1]
    bz = rows[b, 2] - rows[a, 2]
    cx = rows[c, 0] - rows[a, 0]
    cy = rows[c, 1] - rows[a, 1]
    cz = rows[c, 2] - rows[a, 2]
    dx = rows[d, 0] - rows[a, 0]
    dy = rows[d, 1] - rows[a, 1]
    dz = rows[d, 2] - rows[a, 2]
    px = by * cz - bz * cy
    py = bz * cx - bx * cz
    pz = bx * cy - by * cx
    qx = dy * bz - dz * by
    qy = dz * bx - dx * bz
    qz = dx * by - dy * bx
    pp = px * px + py * py + pz * pz
    qq = qx * qx + qy * qy + qz * qz
    ee = bx * bx + by * by + bz * bz
    length = math.sqrt(ee)
    if pp <= 1e-12 * ee * ee or qq <= 1e-12 * ee * ee or not ee > 1e-24:
        nought = rows.dtype.type(0.0)
        return nought, nought, px, py, pz, qx, qy, qz, nought, nought
    sine = ((qy * pz - qz * py) * bx + (qz * px - qx * pz) * by + (qx * py - qy * px) * bz) / length
    angle = math.atan2(sine, px * qx + py * qy + pz * qz)
    along_c = (cx * bx + cy * by + cz * bz) / ee
    along_d = (dx * bx + dy * by + dz * bz) / ee
    scale_p = length / pp
    scale_q = length / qq
    return (
        angle, length, scale_p * px, scale_p * py, scale_p * pz, scale_q * qx, scale_q * qy, scale_q * qz,
        along_c, along_d,
    )


@parallel_kernel
def relax_hinges(rows, hinges, rest, kappa, lam, task_start, stage_start):
    """Project all hinges once forward and once backward, as `distance.relax` does with springs.

    Args:
        rows: (r, 4) in and out; hinges: (s, 4) int32 rows a, b, c, d.
        rest: (s,) rest angles [rad]; kappa: (s,) k h²; lam: (s,) multipliers applied so far, in and out.
        task_start: (tasks + 1,) ranges of blocks of sixteen; stage_start: (stages + 1,) ranges of tasks.
    """
    stages = stage_start.shape[0] - 1
    for turn in range(2 * stages):
        back = turn >= stages
        stage = 2 * stages - 1 - turn if back else turn
        for task in prange(stage_start[stage], stage_start[stage + 1]):
            _relax_task(rows, hinges, rest, kappa, lam, 16 * task_start[task], 16 * task_start[task + 1], back)


@kernel
def _relax_task(rows, hinges, rest, kappa, lam, start, stop, back):
    one = rows.dtype.type(1.0)
    most = rows.dtype.type(MOST_TURN)
    half = rows.dtype.type(0.5 * TURN)
    whole = rows.dtype.type(TURN)
    for at in range(start, stop):
        s = start + stop - 1 - at if back else at
        if not kappa[s] > 0.0:
            continue
        a = hinges[s, 0]
        b = hinges[s, 1]
        c = hinges[s, 2]
        d = hinges[s, 3]
        angle, length, px, py, pz, qx, qy, qz, along_c, along_d = _hinge(rows, a, b, c, d)
        if not length > 0.0:
            continue
        off = angle - rest[s]
        if off > half:
            off -= whole
        elif off < -half:
            off += whole
        wa = rows[a, 3]
        wb = rows[b, 3]
        wc = rows[c, 3]
        wd = rows[d, 3]
        ac = along_c - one
        ad = along_d - one
        ax = ac * px + ad * qx
        ay = ac * py + ad * qy
        az = ac * pz + ad * qz
        ex = -along_c * px - along_d * qx
        ey = -along_c * py - along_d * qy
        ez = -along_c * pz - along_d * qz
        weight = (
            wa * (ax * ax + ay * ay + az * az) + wb * (ex * ex + ey * ey + ez * ez)
            + wc * (px * px + py * py + pz * pz) + wd * (qx * qx + qy * qy + qz * qz)
        )
        if not weight > 0.0:
            continue
        step = -(kappa[s] * off + lam[s]) / (kappa[s] * weight + one)
        largest = most / weight
        step = min(max(step, -largest), largest)
        lam[s] += step
        sa = step * wa
        sb = step * wb
        sc = step * wc
        sd = step * wd
        rows[a, 0] += sa * ax
        rows[a, 1] += sa * ay
        rows[a, 2] += sa * az
        rows[b, 0] += sb * ex
        rows[b, 1] += sb * ey
        rows[b, 2] += sb * ez
        rows[c, 0] += sc * px
        rows[c, 1] += sc * py
        rows[c, 2] += sc * pz
        rows[d, 0] += sd * qx
        rows[d, 1] += sd * qy
        rows[d, 2] += sd * qz


def hinge_angles(x: np.ndarray, hinges: np.ndarray) -> np.ndarray:
    """Angle of each hinge [rad], (s,) float64, in plain numpy."""
    a, b, c, d = (x[hinges[:, k]] for k in range(4))
    along = b - a
    n_c, n_d = np.cross(along, c - a), np.cross(d - a, along)
    length = np.maximum(np.linalg.norm(along, axis=1), 1e-300)
    sine = np.einsum("ij,ij->i", np.cross(n_d, n_c), along) / length
    return np.arctan2(sine, np.einsum("ij,ij->i", n_c, n_d))
