"""How well springs are solved: what is left of each after a solve, and how far it is from its rest length."""

from __future__ import annotations

import math

from ..jit import kernel, parallel_kernel, prange


@parallel_kernel
def remaining(rows, i, j, rest, kappa, lam, row_body, block_start, sums):
    """The residual of each spring as a share of its rest length, |l - l0 + lam / kappa| / l0.

    Nought when the multiplier is what the stretch asks for; see `constraints.distance`. Springs without stiffness or
    rest length have none.

    Args:
        rows: (r, 4) after a solve; i, j: (s,) int32 rows; rest [m], kappa, lam: (s,).
        row_body: (r,) int32, body of each row; block_start: (blocks + 1,) ranges of springs.
        sums: out (blocks, bodies, 3) float64, count, sum and largest.
    """
    for block in prange(block_start.shape[0] - 1):
        for body in range(sums.shape[1]):
            for k in range(3):
                sums[block, body, k] = 0.0
        for s in range(block_start[block], block_start[block + 1]):
            if kappa[s] <= 0.0 or rest[s] <= 0.0:
                continue
            a = i[s]
            b = j[s]
            dx = float(rows[a, 0]) - rows[b, 0]
            dy = float(rows[a, 1]) - rows[b, 1]
            dz = float(rows[a, 2]) - rows[b, 2]
            left = abs(math.sqrt(dx * dx + dy * dy + dz * dz) - rest[s] + float(lam[s]) / kappa[s]) / rest[s]
            body = row_body[a]
            sums[block, body, 0] += 1.0
            sums[block, body, 1] += left
            sums[block, body, 2] = max(sums[block, body, 2], left)


@parallel_kernel
def stretches(rows, i, j, rest, row_body, block_start, sums):
    """l / l0 - 1 of each spring; the largest counts, not the most compressed. Arguments as in `remaining`.

    Springs without rest length, as broken ones, are left out.
    """
    for block in prange(block_start.shape[0] - 1):
        for body in range(sums.shape[1]):
            sums[block, body, 0] = 0.0
            sums[block, body, 1] = 0.0
            sums[block, body, 2] = -1.0
        for s in range(block_start[block], block_start[block + 1]):
            if rest[s] > 0.0:
                strain = _strain(rows, i[s], j[s], rest[s])
                body = row_body[i[s]]
                sums[block, body, 0] += 1.0
                sums[block, body, 1] += strain
                sums[block, body, 2] = max(sums[block, body, 2], strain)


@kernel
def _strain(rows, a, b, rest):
    dx = rows[a, 0] - rows[b, 0]
    dy = rows[a, 1] - rows[b, 1]
    dz = rows[a, 2] - rows[b, 2]
    return math.sqrt(dx * dx + dy * dy + dz * dz) / rest - 1.0


@parallel_kernel
def mean_strains(rows, i, j, rest, task_start, stage_start, total, count):
    """Adds l / l0 - 1 of every spring to both its ends; `total` and `count` (r,) are zeroed by the caller.

    Args:
        rows ... rest: as in `stretches`; task_start, stage_start: as in `distance.relax`, of springs and not of blocks.
    """
    for stage in range(stage_start.shape[0] - 1):
        for task in prange(stage_start[stage], stage_start[stage + 1]):
            for s in range(task_start[task], task_start[task + 1]):
                if rest[s] > 0.0:
                    strain = _strain(rows, i[s], j[s], rest[s])
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
