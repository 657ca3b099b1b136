"""Springs: XPBD distance constraints with stiffness and damping.

Macklin, Müller, Chentanez 2016, "XPBD", eq. 18, for C = |x_i - x_j| - l0. Written with the stiffness k instead of the
compliance, so that k = 0 and very large k need no special case:

    kappa = k h^2,  w = w_i + w_j
    d_lam = -(kappa C + lam) / (kappa w + 1)
    x_i += w_i n d_lam,  x_j -= w_j n d_lam

Damping c resists the change of length over the substep, which rotation of the body does not cause:

    kappa (l - l0) + c h (l - l_prev) = (kappa + c h) (l - l_eff),  l_eff = (kappa l0 + c h l_prev) / (kappa + c h)

So a damped spring is a stiffer one whose rest length follows its length: backward Euler for the dashpot.

The implicit step itself damps like a dashpot of k h / 2, so c here is the requested damping minus that.

Particles are rows of the displacement since the start of the substep and the inverse mass (dx, dy, dz, w). Springs are
in blocks of sixteen (`order.packing`), with `base`, x_i - x_j at the start of the substep. Displacements are small, so
single precision resolves them to a millionth of a millimetre, wherever and however large the body is. These kernels
take any precision; `vector.distance` has the single-precision twins.
"""

from __future__ import annotations

import math

from ...compiler.kernels import kernel, parallel_kernel, prange
from .islands import tasks_of

# Fraction of an elastic correction that the backward pass applies; a power of two, exact in every precision.
BACK = 0.5


@parallel_kernel
def relax(moved, springs, g):
    """Project the springs of an island once forward and once backward (symmetric Gauss-Seidel).

    A pass in one direction only is not symmetric: repeated every substep, the rotations that it causes among slow modes
    feed energy into them, and passes that alternate from substep to substep do so violently. A forward and a backward
    pass together are symmetric, so every mode loses energy. The backward pass applies half of an elastic correction.
    If it applied all of it, its last springs would be satisfied at the expense of those before, and one of several
    parallel springs would carry the whole load. A dashpot stores no energy that would limit what an asymmetric pass
    feeds into it, so its correction is applied in full.

    Args: moved: (r, 4) in and out, see `columns.MovingRows`; springs: `columns.SpringColumns`, `lam` is written;
    g: the island.
    """
    begin = springs.island[g]
    stages = springs.island[g + 1] - begin - 1
    for iteration in range(2 * stages - 1):
        stage = begin + min(iteration, 2 * stages - 2 - iteration)
        first = springs.stage_start[stage]
        stop = springs.stage_start[stage + 1]
        if springs.is_wide[stage]:
            for place in prange(first, stop):
                _relax_both_directions(moved, springs, springs.task[place], iteration, stages)
        else:
            for place in range(first, stop):
                _relax_both_directions(moved, springs, springs.task[place], iteration, stages)


@kernel
def _relax_both_directions(moved, springs, task, iteration, stages):
    """Solve the blocks of a task; the last stage runs backward right away, as its tasks share no rows."""
    start = springs.task_start[task]
    stop = springs.task_start[task + 1]
    if iteration < stages:
        _relax_task(moved, springs, start, stop, False)
    if iteration >= stages - 1:
        _relax_task(moved, springs, start, stop, True)


@kernel
def _relax_task(moved, springs, start, stop, back):
    i = springs.i
    j = springs.j
    base = springs.base
    goal = springs.goal
    kappa = springs.kappa
    follow = springs.follow
    lam = springs.lam
    damped = follow.shape[0] > 0
    for place in range(start, stop):
        block = start + stop - 1 - place if back else place
        for s in range(block * 16, block * 16 + 16):
            a = i[s]
            b = j[s]
            dx = base[0, s] + (moved[a, 0] - moved[b, 0])
            dy = base[1, s] + (moved[a, 1] - moved[b, 1])
            dz = base[2, s] + (moved[a, 2] - moved[b, 2])
            length = math.sqrt(dx * dx + dy * dy + dz * dz)
            if length > 1e-12:
                gain = 1.0 / (kappa[s] * (moved[a, 3] + moved[b, 3]) + 1.0)
                step = gain * kappa[s] * (length - goal[s])
                if back:
                    fraction = BACK + (1.0 - BACK) * follow[s] if damped else BACK
                    step = fraction * (step + gain * lam[s])
                    lam[s] -= step
                else:
                    lam[s] = -step
                scale = step / length
                move_a = moved[a, 3] * scale
                move_b = moved[b, 3] * scale
                moved[a, 0] -= move_a * dx
                moved[a, 1] -= move_a * dy
                moved[a, 2] -= move_a * dz
                moved[b, 0] += move_b * dx
                moved[b, 1] += move_b * dy
                moved[b, 2] += move_b * dz


@parallel_kernel
def span(at, springs, g):
    """base = x_i - x_j for the springs of island g; at: (r, 4) float64 positions; springs: `columns.SpringColumns`."""
    i = springs.i
    j = springs.j
    base = springs.base
    first, stop = tasks_of(springs, g)
    for place in prange(first, stop):
        task = springs.task[place]
        for s in range(16 * springs.task_start[task], 16 * springs.task_start[task + 1]):
            for k in range(3):
                base[k, s] = at[i[s], k] - at[j[s], k]


@parallel_kernel
def lengths(at, i, j, length, task_start, run_stop):
    """length = |x_i - x_j|, (s,), of all springs; task_start, run_stop: used by the vector twin only."""
    for s in prange(length.shape[0]):
        dx = at[i[s], 0] - at[j[s], 0]
        dy = at[i[s], 1] - at[j[s], 1]
        dz = at[i[s], 2] - at[j[s], 2]
        length[s] = math.sqrt(dx * dx + dy * dy + dz * dz)


@parallel_kernel
def follow_lengths(moved, springs, g):
    """For the springs of island g: goal = l0 + follow (|x_i - x_j| - l0), the rest length l_eff of damped springs.

    Args: moved: rows (r, 4); springs: `columns.SpringColumns`.
    """
    i = springs.i
    j = springs.j
    base = springs.base
    rest = springs.rest
    follow = springs.follow
    goal = springs.goal
    first, stop = tasks_of(springs, g)
    for place in prange(first, stop):
        task = springs.task[place]
        for s in range(16 * springs.task_start[task], 16 * springs.task_start[task + 1]):
            dx = base[0, s] + (moved[i[s], 0] - moved[j[s], 0])
            dy = base[1, s] + (moved[i[s], 1] - moved[j[s], 1])
            dz = base[2, s] + (moved[i[s], 2] - moved[j[s], 2])
            goal[s] = rest[s] + follow[s] * (math.sqrt(dx * dx + dy * dy + dz * dz) - rest[s])


@kernel
def mark_joined(i, j, chosen, near):
    """Set near (r,) to true at both ends of all springs that have a chosen end, (r,) bool each."""
    for s in range(i.shape[0]):
        if chosen[i[s]] or chosen[j[s]]:
            near[i[s]] = True
            near[j[s]] = True


@kernel
def list_blocks(i, j, size, chosen, blocks):
    """List the blocks of `size` springs with a chosen end, chosen (r,) bool: out blocks (b,); returns their number."""
    count = 0
    for block in range(i.shape[0] // size):
        for s in range(block * size, (block + 1) * size):
            if chosen[i[s]] or chosen[j[s]]:
                blocks[count] = block
                count += 1
                break
    return count
