"""Bending: XPBD constraints on the dihedral angle between two triangles that share an edge.

A hinge has its edge a -> b, and the opposite corners c, d of the two triangles. With

    e = x_b - x_a,  n_c = (x_a - x_c) x (x_b - x_c),  n_d = (x_b - x_d) x (x_a - x_d)

its angle is atan2((n_d x n_c) . e / |e|, n_c . n_d): 0 when flat, and signed, from -pi to pi, so no angle is a special
case. Its gradient (Bridson, Marino, Fedkiw 2003), with u_c = |e| n_c / |n_c|^2 and f_c = (x_c - x_a) . e / |e|^2, the
position along the edge of the corner's foot point, is

    c: u_c,   d: u_d,   a: (f_c - 1) u_c + (f_d - 1) u_d,   b: -f_c u_c - f_d u_d

The sum and the moment of these gradients vanish, so a hinge changes neither momentum nor angular momentum. As for
springs, with the hinge's stiffness k [N m / rad] and W = sum w |gradient|^2,

    d_lam = -(k h^2 C + lam) / (k h^2 W + 1),   x += w gradient d_lam

One projection turns a hinge by at most `MOST_TURN`, because the gradient holds for small angles only.

A heavy body requires many inner steps, so that springs can stop it. Bending does not need so many: then hinges are
solved in n of the N inner steps of a substep, each time for a step of length h N / n, and move the rows by the fraction
n / N of that, as an impulse at its start would.

Hinges are in blocks of sixteen, with `base`, x_b - x_a, x_c - x_a and x_d - x_a at the start of the substep, as springs
are (`constraints.distance`). These kernels take any precision; `vector.bending` has the single-precision twins.
"""

from __future__ import annotations

import math

import numpy as np

from ...compiler.kernels import kernel, parallel_kernel, part_of_kernel, prange
from .islands import tasks_of

MOST_TURN = 0.5  # [rad]
TWO_PI = 2.0 * math.pi
# A triangle whose squared height is below this fraction of its squared edge counts as degenerate.
FLATTEST = 1e-10


@parallel_kernel
def span_hinges(at, hinges, g):
    """base = x_b - x_a, x_c - x_a, x_d - x_a for the hinges of island g; at: (r, 4) float64; hinges: `HingeColumns`."""
    corners = hinges.corners
    base = hinges.base
    first, stop = tasks_of(hinges, g)
    own = hinges.task
    start = hinges.task_start
    for place in prange(first, stop):
        for s in range(16 * start[own[place]], 16 * start[own[place] + 1]):
            for corner in range(1, 4):
                for k in range(3):
                    base[3 * corner - 3 + k, s] = at[corners[corner, s], k] - at[corners[0, s], k]


@kernel
def _hinge(base, moved, s, a, b, c, d):
    """Angle, |e|, u_c, u_d, f_c, f_d; |e| is 0 where a triangle is degenerate."""
    bx = base[0, s] + (moved[b, 0] - moved[a, 0])
    by = base[1, s] + (moved[b, 1] - moved[a, 1])
    bz = base[2, s] + (moved[b, 2] - moved[a, 2])
    cx = base[3, s] + (moved[c, 0] - moved[a, 0])
    cy = base[4, s] + (moved[c, 1] - moved[a, 1])
    cz = base[5, s] + (moved[c, 2] - moved[a, 2])
    dx = base[6, s] + (moved[d, 0] - moved[a, 0])
    dy = base[7, s] + (moved[d, 1] - moved[a, 1])
    dz = base[8, s] + (moved[d, 2] - moved[a, 2])
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
    if pp <= FLATTEST * ee * ee or qq <= FLATTEST * ee * ee or not ee > 1e-24:
        return 0.0, 0.0, px, py, pz, qx, qy, qz, 0.0, 0.0
    # (n_d x n_c) . e equals |e|^2 n_d . (x_c - x_a).
    sine = length * (qx * cx + qy * cy + qz * cz)
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
def relax_hinges(moved, hinges, g):
    """Project the hinges of island g once forward and once backward, as `distance.relax` does for springs.

    Args: moved: (r, 4) in and out, see `columns.MovingRows`; hinges: `columns.HingeColumns`.
    """
    begin = hinges.island[g]
    stages = hinges.island[g + 1] - begin - 1
    for iteration in range(2 * stages - 1):
        stage = begin + min(iteration, 2 * stages - 2 - iteration)
        first = hinges.stage_start[stage]
        stop = hinges.stage_start[stage + 1]
        if hinges.is_wide[stage]:
            for place in prange(first, stop):
                _relax_both_directions(moved, hinges, hinges.task[place], iteration, stages)
        else:
            for place in range(first, stop):
                _relax_both_directions(moved, hinges, hinges.task[place], iteration, stages)


@kernel
def _relax_both_directions(moved, hinges, task, iteration, stages):
    """Solve the blocks of a task; the last stage runs backward right away, as its tasks share no rows."""
    first = hinges.task_start[task]
    stop = hinges.task_start[task + 1]
    if iteration < stages:
        _relax_task(moved, hinges, 16 * first, 16 * stop, False)
    if iteration >= stages - 1:
        _relax_task(moved, hinges, 16 * first, 16 * stop, True)


@kernel
def _relax_task(moved, hinges, start, stop, back):
    corners = hinges.corners
    base = hinges.base
    rest = hinges.rest
    kappa = hinges.kappa
    lam = hinges.lam
    for place in range(start, stop):
        s = start + stop - 1 - place if back else place
        if not back:
            lam[s] = 0.0
        if not kappa[s] > 0.0:
            continue
        a = corners[0, s]
        b = corners[1, s]
        c = corners[2, s]
        d = corners[3, s]
        angle, length, px, py, pz, qx, qy, qz, along_c, along_d = _hinge(base, moved, s, a, b, c, d)
        if not length > 0.0:
            continue
        off = angle - rest[s]
        if off > 0.5 * TWO_PI:
            off -= TWO_PI
        elif off < -0.5 * TWO_PI:
            off += TWO_PI
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


@part_of_kernel
def is_due(step, steps, bends):
    """Whether hinges are solved in this inner step, one of 0 to steps - 1; they are solved in `bends` of them."""
    return (step * bends) % steps < bends


@parallel_kernel
def spread(rows, blocks, islands, g, fraction):
    """Scale the displacement of the rows of island g since their unconstrained motion by `fraction`."""
    moved = rows.moved
    reached = rows.reached
    for place in prange(islands.block_start[g], islands.block_start[g + 1]):
        block = islands.block[place]
        for r in range(blocks.start[block], blocks.start[block + 1]):
            for k in range(3):
                moved[r, k] = reached[r, k] + fraction * (moved[r, k] - reached[r, k])


def hinge_angles(x: np.ndarray, hinges: np.ndarray) -> np.ndarray:
    """Angle of each hinge [rad], (s,) float64, in plain numpy; x: (n, 3) [m], hinges: (s, 4)."""
    a, b, c, d = (x[hinges[:, k]] for k in range(4))
    along = b - a
    n_c, n_d = np.cross(along, c - a), np.cross(d - a, along)
    length = np.maximum(np.linalg.norm(along, axis=1), 1e-300)
    sine = np.einsum("ij,ij->i", np.cross(n_d, n_c), along) / length
    return np.arctan2(sine, np.einsum("ij,ij->i", n_c, n_d))
