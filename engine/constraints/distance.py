"""Springs: XPBD distance constraints with stiffness and damping, and the part of them that is explicit.

Macklin, Müller, Chentanez 2016, "XPBD", eq. 18 and 26, for C = |x_i - x_j| - l0. Written with stiffness k and
damping c instead of compliance, so that k = 0 and very large k need no special case:

    kappa = k h^2,  delta = c h,  w = w_i + w_j
    d_lam = -(kappa C + lam + delta n.((x_i - x_i_prev) - (x_j - x_j_prev))) / ((kappa + delta) w + 1)
    x_i += w_i n d_lam,  x_j -= w_j n d_lam

Part of k and c may act as a plain force at the start of the substep (`push_springs`): where the substep resolves
a spring's swing, symplectic Euler neither damps it nor shifts its period, while the implicit solve would.
"""

from __future__ import annotations

import math

import numpy as np

from ..jit import kernel, parallel_kernel, prange


@parallel_kernel
def push_springs(x, link_i, link_j, rest, k, c, inv_mass, h, task_start, stage_start, v):
    """v += h w f with f = -(k C + c dC/dt) along each link."""
    for stage in range(stage_start.shape[0] - 1):
        for task in prange(stage_start[stage], stage_start[stage + 1]):
            for s in range(task_start[task], task_start[task + 1]):
                i = link_i[s]
                j = link_j[s]
                dx = x[i, 0] - x[j, 0]
                dy = x[i, 1] - x[j, 1]
                dz = x[i, 2] - x[j, 2]
                length = math.sqrt(dx * dx + dy * dy + dz * dz)
                if length > 1e-12:
                    n_x = dx / length
                    n_y = dy / length
                    n_z = dz / length
                    rate = (
                        n_x * (v[i, 0] - v[j, 0]) + n_y * (v[i, 1] - v[j, 1]) + n_z * (v[i, 2] - v[j, 2])
                    )
                    impulse = -h * (k[s] * (length - rest[s]) + c[s] * rate)
                    a = inv_mass[i] * impulse
                    b = inv_mass[j] * impulse
                    v[i, 0] += a * n_x
                    v[i, 1] += a * n_y
                    v[i, 2] += a * n_z
                    v[j, 0] -= b * n_x
                    v[j, 1] -= b * n_y
                    v[j, 2] -= b * n_z


@parallel_kernel
def solve_springs(
    link_i, link_j, rest, kappa, delta, inv_mass, x_prev, task_start, stage_start, over, x, lam, task_worst,
):
    """Project all springs once forward and once backward.

    A pass in one direction is not symmetric: repeated substep by substep, its rotations among slow modes feed energy
    into them, and passes that alternate from substep to substep do so violently. There and back is symmetric, so
    every mode loses energy.

    Args:
        over: factor of over-relaxation.
        x: (n, 3) in and out.
        lam: (springs,) multipliers applied so far, in and out.
        task_worst: (tasks,) scratch.

    Returns:
        the largest move of a spring's ends on the way back, as a share of its rest length.
    """
    stages = stage_start.shape[0] - 1
    for turn in range(2 * stages):
        reverse = turn >= stages
        stage = 2 * stages - 1 - turn if reverse else turn
        for task in prange(stage_start[stage], stage_start[stage + 1]):
            task_worst[task] = _solve_task(
                link_i, link_j, rest, kappa, delta, inv_mass, x_prev,
                task_start[task], task_start[task + 1], reverse, over, x, lam,
            )
    worst = 0.0
    for task in range(task_worst.shape[0]):
        worst = max(worst, task_worst[task])
    return worst


@kernel
def _solve_task(link_i, link_j, rest, kappa, delta, inv_mass, x_prev, start, stop, reverse, over, x, lam):
    worst = 0.0
    for place in range(start, stop):
        s = start + stop - 1 - place if reverse else place
        i = link_i[s]
        j = link_j[s]
        w_i = inv_mass[i]
        w_j = inv_mass[j]
        dx = x[i, 0] - x[j, 0]
        dy = x[i, 1] - x[j, 1]
        dz = x[i, 2] - x[j, 2]
        length = math.sqrt(dx * dx + dy * dy + dz * dz)
        if length > 1e-12:
            inverse = 1.0 / length
            force = kappa[s] * (length - rest[s]) + lam[s]
            if delta[s] > 0.0:
                ux = (x[i, 0] - x_prev[i, 0]) - (x[j, 0] - x_prev[j, 0])
                uy = (x[i, 1] - x_prev[i, 1]) - (x[j, 1] - x_prev[j, 1])
                uz = (x[i, 2] - x_prev[i, 2]) - (x[j, 2] - x_prev[j, 2])
                force += delta[s] * (dx * ux + dy * uy + dz * uz) * inverse
            d_lam = -over * force / ((kappa[s] + delta[s]) * (w_i + w_j) + 1.0)
            lam[s] += d_lam
            worst = max(worst, abs(d_lam) * (w_i + w_j) / (rest[s] + 1e-9))
            d_lam *= inverse
            a = w_i * d_lam
            b = w_j * d_lam
            x[i, 0] += a * dx
            x[i, 1] += a * dy
            x[i, 2] += a * dz
            x[j, 0] -= b * dx
            x[j, 1] -= b * dy
            x[j, 2] -= b * dz
    return worst


@kernel
def mean_stress(x, link_i, link_j, rest, total, count):
    """Adds l/l0 - 1 of every link to both its ends; `total` and `count` (n,) are zeroed by the caller."""
    for s in range(link_i.shape[0]):
        i = link_i[s]
        j = link_j[s]
        if rest[s] > 0.0:
            dx = x[i, 0] - x[j, 0]
            dy = x[i, 1] - x[j, 1]
            dz = x[i, 2] - x[j, 2]
            strain = math.sqrt(dx * dx + dy * dy + dz * dz) / rest[s] - 1.0
            total[i] += strain
            total[j] += strain
            count[i] += 1.0
            count[j] += 1.0


def lumped_stress(x: np.ndarray, link_i: np.ndarray, link_j: np.ndarray, rest: np.ndarray) -> np.ndarray:
    """Mean of l/l0 - 1 over each particle's links, (n,) float32; 0 where there are none."""
    total = np.zeros(len(x))
    count = np.zeros(len(x))
    mean_stress(x, link_i, link_j, rest, total, count)
    return (total / np.maximum(count, 1.0)).astype(np.float32)
