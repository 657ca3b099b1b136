"""Springs: XPBD distance constraints with stiffness and damping, and the part of them that is explicit.

Macklin, Müller, Chentanez 2016, "XPBD", eq. 18, for C = |x_i - x_j| - l0. Written with stiffness k instead of
compliance, so that k = 0 and very large k need no special case:

    kappa = k h^2,  w = w_i + w_j,  gain = 1 / (kappa w + 1)
    d_lam = -gain (kappa C + lam)
    x_i += w_i n d_lam,  x_j -= w_j n d_lam

Damping c resists the change of length over the substep, which no turn of the body can cause:

    kappa (l - l0) + c h (l - l_prev) = (kappa + c h) (l - l_eff),  l_eff = (kappa l0 + c h l_prev) / (kappa + c h)

so a damped spring is a stiffer one whose rest length follows it; backward Euler of the dashpot.

Part of k and c may act as a plain force at the start of the substep (`push_springs`): where the substep resolves
a spring's swing, symplectic Euler neither damps it nor shifts its period, while the implicit solve would.

Particles lie in rows (x, y, z, inverse mass), springs in blocks of sixteen (`graph.packing`). These kernels take any
precision; `vector.relax` has their twins in single precision.
"""

from __future__ import annotations

import math

import numpy as np

from ..jit import kernel, parallel_kernel, prange


@parallel_kernel
def relax(rows, i, j, rest, kappa, gain, lam, task_start, stage_start, over):
    """Project all springs once forward and once backward.

    A pass in one direction is not symmetric: repeated substep by substep, its rotations among slow modes feed energy
    into them, and passes that alternate from substep to substep do so violently. There and back is symmetric, so
    every mode loses energy.

    Args:
        rows: (r, 4) in and out; i, j: (s,) int32 rows; rest, kappa, gain: (s,), see above.
        lam: (s,) multipliers applied so far, in and out.
        task_start: (tasks + 1,) ranges of blocks; stage_start: (stages + 1,) ranges of tasks.
        over: factor of over-relaxation.
    """
    stages = stage_start.shape[0] - 1
    for turn in range(2 * stages):
        back = turn >= stages
        stage = 2 * stages - 1 - turn if back else turn
        for task in prange(stage_start[stage], stage_start[stage + 1]):
            _relax_task(rows, i, j, rest, kappa, gain, lam, task_start[task], task_start[task + 1], back, over)


@kernel
def _relax_task(rows, i, j, rest, kappa, gain, lam, start, stop, back, over):
    for block in range(start, stop):
        at = start + stop - 1 - block if back else block
        for s in range(at * 16, at * 16 + 16):
            a = i[s]
            b = j[s]
            dx = rows[a, 0] - rows[b, 0]
            dy = rows[a, 1] - rows[b, 1]
            dz = rows[a, 2] - rows[b, 2]
            length = math.sqrt(dx * dx + dy * dy + dz * dz)
            if length > 1e-12:
                step = over * gain[s] * (kappa[s] * (length - rest[s]) + lam[s])
                lam[s] -= step
                step /= length
                move_a = rows[a, 3] * step
                move_b = rows[b, 3] * step
                rows[a, 0] -= move_a * dx
                rows[a, 1] -= move_a * dy
                rows[a, 2] -= move_a * dz
                rows[b, 0] += move_b * dx
                rows[b, 1] += move_b * dy
                rows[b, 2] += move_b * dz


@parallel_kernel
def follow_lengths(rows, i, j, still, follow, rest):
    """rest = still + follow |x_i - x_j|, the rest length l_eff of damped springs; all (s,), rows as they were."""
    for s in prange(rest.shape[0]):
        dx = rows[i[s], 0] - rows[j[s], 0]
        dy = rows[i[s], 1] - rows[j[s], 1]
        dz = rows[i[s], 2] - rows[j[s], 2]
        rest[s] = still[s] + follow[s] * math.sqrt(dx * dx + dy * dy + dz * dz)


@parallel_kernel
def push_springs(x, i, j, rest, k, c, inv_mass, h, task_start, stage_start, v):
    """v += h w f with f = -(k C + c dC/dt) along each link; i, j: (s,) particles, the same where there is no spring."""
    for stage in range(stage_start.shape[0] - 1):
        for task in prange(stage_start[stage], stage_start[stage + 1]):
            for s in range(task_start[task] * 16, task_start[task + 1] * 16):
                a = i[s]
                b = j[s]
                dx = x[a, 0] - x[b, 0]
                dy = x[a, 1] - x[b, 1]
                dz = x[a, 2] - x[b, 2]
                length = math.sqrt(dx * dx + dy * dy + dz * dz)
                if length > 1e-12:
                    n_x = dx / length
                    n_y = dy / length
                    n_z = dz / length
                    rate = (
                        n_x * (v[a, 0] - v[b, 0]) + n_y * (v[a, 1] - v[b, 1]) + n_z * (v[a, 2] - v[b, 2])
                    )
                    impulse = -h * (k[s] * (length - rest[s]) + c[s] * rate)
                    move_a = inv_mass[a] * impulse
                    move_b = inv_mass[b] * impulse
                    v[a, 0] += move_a * n_x
                    v[a, 1] += move_a * n_y
                    v[a, 2] += move_a * n_z
                    v[b, 0] -= move_b * n_x
                    v[b, 1] -= move_b * n_y
                    v[b, 2] -= move_b * n_z


@kernel
def farthest_move(rows, before):
    """Largest change of a coordinate between two (r, 4) arrays [m]."""
    worst = 0.0
    for r in range(rows.shape[0]):
        for k in range(3):
            worst = max(worst, abs(rows[r, k] - before[r, k]))
    return worst


@kernel
def mean_stress(x, i, j, rest, total, count):
    """Adds l/l0 - 1 of every link to both its ends; `total` and `count` (n,) are zeroed by the caller."""
    for s in range(i.shape[0]):
        a = i[s]
        b = j[s]
        if rest[s] > 0.0:
            dx = x[a, 0] - x[b, 0]
            dy = x[a, 1] - x[b, 1]
            dz = x[a, 2] - x[b, 2]
            strain = math.sqrt(dx * dx + dy * dy + dz * dz) / rest[s] - 1.0
            total[a] += strain
            total[b] += strain
            count[a] += 1.0
            count[b] += 1.0


def lumped_stress(x: np.ndarray, i: np.ndarray, j: np.ndarray, rest: np.ndarray) -> np.ndarray:
    """Mean of l/l0 - 1 over each particle's links, (n,) float32; 0 where there are none."""
    total = np.zeros(len(x))
    count = np.zeros(len(x))
    mean_stress(x, i, j, rest, total, count)
    return (total / np.maximum(count, 1.0)).astype(np.float32)
