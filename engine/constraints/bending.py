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
def _hinge(at, moved, a, b, c, d):
    """Angle, |e|, u_c, u_d, f_c, f_d; |e| is 0 where a triangle has no area."""
    bx = at[b, 0] - at[a, 0] + (moved[b, 0] - moved[a, 0])
    by = at[b, 1] - at[a, 1] + (moved[b, 1] - moved[a, 1])
    bz = at[b, 2] - at[a, 2] + (moved[b, 2] - moved[a, 2])
    cx = at[c, 0] - at[a, 0] + (moved[c, 0] - moved[a, 0])
    cy = at[c, 1] - at[a, 1] + (moved[c, 1] - moved[a, 1])
    cz = at[c, 2] - at[a, 2] + (moved[c, 2] - moved[a, 2])
    dx = at[d, 0] - at[a, 0] + (moved[d, 0] - moved[a, 0])
    dy = at[d, 1] - at[a, 1] + (moved[d, 1] - moved[a, 1])
    dz = at[d, 2] - at[a, 2] + (moved[d, 2] - moved[a, 2])
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
        return 0.0, 0.0, px, py, pz, qx, qy, qz, 0.0, 0.0
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
def relax_hinges(at, moved, hinges, rest, kappa, lam, task_start, stage_start):
    """Project all hinges once forward and once backward, as `distance.relax` does with springs.

    Args:
        at: (r, 4) float64 positions at the start of the substep; moved: (r, 4) what was moved since, in and out.
        hinges: (s, 4) int32 rows a, b, c, d.
        rest: (s,) rest angles [rad]; kappa: (s,) k h²; lam: (s,) multipliers, scratch.
        task_start: (tasks + 1,) ranges of blocks of sixteen; stage_start: (stages + 1,) ranges of tasks.
    """
    stages = stage_start.shape[0] - 1
    for turn in range(2 * stages - 1):
        stage = min(turn, 2 * stages - 2 - turn)
        # A task of the last stage goes back at once: no other touches its particles in between.
        for task in prange(stage_start[stage], stage_start[stage + 1]):
            if turn < stages:
                _relax_task(
                    at, moved, hinges, rest, kappa, lam, 16 * task_start[task], 16 * task_start[task + 1], False
                )
            if turn >= stages - 1:
                _relax_task(at, moved, hinges, rest, kappa, lam, 16 * task_start[task], 16 * task_start[task + 1], True)


@kernel
def _relax_task(at, moved, hinges, rest, kappa, lam, start, stop, back):
    for place in range(start, stop):
        s = start + stop - 1 - place if back else place
        if not back:
            lam[s] = 0.0
        if not kappa[s] > 0.0:
            continue
        a = hinges[s, 0]
        b = hinges[s, 1]
        c = hinges[s, 2]
        d = hinges[s, 3]
        angle, length, px, py, pz, qx, qy, qz, along_c, along_d = _hinge(at, moved, a, b, c, d)
        if not length > 0.0:
            continue
        off = angle - rest[s]
        if off > 0.5 * TURN:
            off -= TURN
        elif off < -0.5 * TURN:
            off += TURN
        wa = moved[a, 3]
        wb = moved[b, 3]
        wc = moved[c, 3]
        wd = moved[d, 3]
        ac = along_c - 1.0
        ad = along_d - 1.0
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
        step = -(kappa[s] * off + lam[s]) / (kappa[s] * weight + 1.0)
        largest = MOST_TURN / weight
        step = min(max(step, -largest), largest)
        lam[s] += step
        sa = step * wa
        sb = step * wb
        sc = step * wc
        sd = step * wd
        moved[a, 0] += sa * ax
        moved[a, 1] += sa * ay
        moved[a, 2] += sa * az
        moved[b, 0] += sb * ex
        moved[b, 1] += sb * ey
        moved[b, 2] += sb * ez
        moved[c, 0] += sc * px
        moved[c, 1] += sc * py
        moved[c, 2] += sc * pz
        moved[d, 0] += sd * qx
        moved[d, 1] += sd * qy
        moved[d, 2] += sd * qz


def hinge_angles(x: np.ndarray, hinges: np.ndarray) -> np.ndarray:
    """Angle of each hinge [rad], (s,) float64, in plain numpy."""
    a, b, c, d = (x[hinges[:, k]] for k in range(4))
    along = b - a
    n_c, n_d = np.cross(along, c - a), np.cross(d - a, along)
    length = np.maximum(np.linalg.norm(along, axis=1), 1e-300)
    sine = np.einsum("ij,ij->i", np.cross(n_d, n_c), along) / length
    return np.arctan2(sine, np.einsum("ij,ij->i", n_c, n_d))
