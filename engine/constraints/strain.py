"""How well springs are solved: what is left of each after a solve, and how far it is from its rest length."""

from __future__ import annotations

import math

from ..jit import kernel, parallel_kernel, part_of_kernel, prange


@parallel_kernel
def lengths(base):
    """The first row of (3, s) vectors becomes their lengths."""
    for s in prange(base.shape[1]):
        base[0, s] = math.sqrt(base[0, s] * base[0, s] + base[1, s] * base[1, s] + base[2, s] * base[2, s])


@parallel_kernel
def remaining(length, i, goal, kappa, lam, row_body, block_start, sums):
    """The residual of each spring as a share of its rest length, |l - l0 + lam / kappa| / l0.

    Nought when the multiplier is what the stretch asks for; see `constraints.distance`. Springs without stiffness or
    rest length have none.

    Args:
        length: (s,) after a solve [m]; i: (s,) int32, a row of each; goal [m], kappa, lam: (s,).
        row_body: (r,) int32, body of each row; block_start: (blocks + 1,) ranges of springs.
        sums: out (blocks, bodies, 3) float64, count, sum and largest.
    """
    for block in prange(block_start.shape[0] - 1):
        for body in range(sums.shape[1]):
            for k in range(3):
                sums[block, body, k] = 0.0
        # Springs of a body mostly follow each other.
        body, count, total, most = 0, 0.0, 0.0, 0.0
        for s in range(block_start[block], block_start[block + 1]):
            if kappa[s] <= 0.0 or goal[s] <= 0.0:
                continue
            left = abs(length[s] - goal[s] + lam[s] / kappa[s]) / goal[s]
            if row_body[i[s]] != body:
                _note(sums, block, body, count, total, most)
                body, count, total, most = row_body[i[s]], 0.0, 0.0, 0.0
            count += 1.0
            total += left
            most = max(most, left)
        _note(sums, block, body, count, total, most)


@part_of_kernel
def _note(sums, block, body, count, total, most):
    sums[block, body, 0] += count
    sums[block, body, 1] += total
    sums[block, body, 2] = max(sums[block, body, 2], most)


@parallel_kernel
def stretches(length, i, rest, row_body, block_start, sums):
    """l / l0 - 1 of each spring; the largest counts, not the most compressed. Arguments as in `remaining`.

    Springs without rest length, as broken ones, are left out.
    """
    for block in prange(block_start.shape[0] - 1):
        for body in range(sums.shape[1]):
            sums[block, body, 0] = 0.0
            sums[block, body, 1] = 0.0
            sums[block, body, 2] = -1.0
        body, count, total, most = 0, 0.0, 0.0, -1.0
        for s in range(block_start[block], block_start[block + 1]):
            if rest[s] > 0.0:
                strain = (length[s] - rest[s]) / rest[s]
                if row_body[i[s]] != body:
                    _note(sums, block, body, count, total, most)
                    body, count, total, most = row_body[i[s]], 0.0, 0.0, -1.0
                count += 1.0
                total += strain
                most = max(most, strain)
        _note(sums, block, body, count, total, most)


@parallel_kernel
def mean_strains(length, i, j, rest, task_start, stage_start, total, count):
    """Adds l / l0 - 1 of every spring to both its ends; `total` and `count` (r,) are zeroed by the caller.

    Args:
        length, rest: (s,); i, j: (s,) rows; task_start, stage_start: as in `distance.relax`, of springs and not blocks.
    """
    for stage in range(stage_start.shape[0] - 1):
        for task in prange(stage_start[stage], stage_start[stage + 1]):
            for s in range(task_start[task], task_start[task + 1]):
                if rest[s] > 0.0:
                    strain = (length[s] - rest[s]) / rest[s]
                    total[i[s]] += strain
                    total[j[s]] += strain
                    count[i[s]] += 1.0
                    count[j[s]] += 1.0


@kernel
def add_up(sums, mean, largest):
    """Mean and largest of each body, (bodies,), from the blocks' sums, in their order; 0 where there is none."""
    for body in range(sums.shape[1]):
        count = 0.0
        total = 0.0
        most = -1.0
        for block in range(sums.shape[0]):
            if sums[block, body, 0] > 0.0:
                count += sums[block, body, 0]
                total += sums[block, body, 1]
                most = max(most, sums[block, body, 2])
        mean[body] = total / count if count > 0.0 else 0.0
        largest[body] = most if count > 0.0 else 0.0
