"""Residual of each spring after a solve, and its strain, with statistics for each body.

Springs are summed block by block, by one thread: this runs once a frame, and parallel kernels take two to three times
as long to compile. `vector.strain` has the single-precision twins.
"""

from __future__ import annotations

from ...compiler.kernels import kernel, part_of_kernel


@kernel
def remaining(length, i, goal, kappa, lam, row_body, block_start, block_body, sums):
    """Residual of each spring relative to its rest length, |l - l0 + lam / kappa| / l0.

    It is 0 when the multiplier matches the stretch, see `constraints.distance`. Springs without stiffness or rest
    length have none.

    Args:
        length: (s,) after a solve [m]; i: (s,) int32, one row of each; goal [m], kappa, lam: (s,).
        row_body: (r,) int32, body of each row; block_start: (blocks + 1,) ranges of springs.
        block_body: (blocks,) the body of all springs of a block, -1 for several; used by the vector twin only.
        sums: out (blocks, bodies, 3) float64: count, sum and maximum.
    """
    for block in range(block_start.shape[0] - 1):
        clear_block(sums, block, 0.0)
        remaining_of_several(
            length, i, goal, kappa, lam, row_body, block, block_start[block], block_start[block + 1], sums
        )


@part_of_kernel
def remaining_of_several(length, i, goal, kappa, lam, row_body, block, first, stop, sums):
    """As `remaining`, for the springs first : stop of a block."""
    for s in range(first, stop):
        if kappa[s] > 0.0 and goal[s] > 0.0:
            left = abs(length[s] - goal[s] + lam[s] / kappa[s]) / goal[s]
            note_springs(sums, block, row_body[i[s]], 1.0, left, left)


@kernel
def stretches(length, i, rest, row_body, block_start, block_body, sums):
    """Strain l / l0 - 1 of each spring, which overwrites `length`; the maximum is the largest stretch.

    Springs without rest length, such as broken ones, get 0 and are not counted. Arguments as in `remaining`.
    """
    for block in range(block_start.shape[0] - 1):
        clear_block(sums, block, -1.0)
        stretches_of_several(length, i, rest, row_body, block, block_start[block], block_start[block + 1], sums)


@part_of_kernel
def stretches_of_several(length, i, rest, row_body, block, first, stop, sums):
    """As `stretches`, for the springs first : stop of a block."""
    for s in range(first, stop):
        if rest[s] > 0.0:
            length[s] = (length[s] - rest[s]) / rest[s]
            note_springs(sums, block, row_body[i[s]], 1.0, length[s], length[s])
        else:
            length[s] = 0.0


@part_of_kernel
def clear_block(sums, block, least):
    """Reset the sums of a block; least: maximum before any spring is added."""
    for body in range(sums.shape[1]):
        sums[block, body, 0] = 0.0
        sums[block, body, 1] = 0.0
        sums[block, body, 2] = least


@part_of_kernel
def note_springs(sums, block, body, count, total, most):
    """Add a count, a sum and a maximum of springs to a body's sums in a block."""
    sums[block, body, 0] += count
    sums[block, body, 1] += total
    sums[block, body, 2] = max(sums[block, body, 2], most)


@kernel
def add_strains(strain, i, j, task_start, stage_start, total):
    """Add the strain of every spring, (s,), to both of its ends; the caller zeroes `total` (r,).

    Args: i, j: (s,) rows; task_start, stage_start: as in `distance.relax`, but in springs rather than blocks.
    """
    for stage in range(stage_start.shape[0] - 1):
        for task in range(stage_start[stage], stage_start[stage + 1]):
            for s in range(task_start[task], task_start[task + 1]):
                total[i[s]] += strain[s]
                total[j[s]] += strain[s]


@kernel
def count_springs(i, j, rest, reciprocal):
    """Reciprocal of the number of springs at each row, (r,); 0 for a row without any. Broken springs do not count."""
    for r in range(reciprocal.shape[0]):
        reciprocal[r] = 0.0
    for s in range(rest.shape[0]):
        if rest[s] > 0.0:
            reciprocal[i[s]] += 1.0
            reciprocal[j[s]] += 1.0
    for r in range(reciprocal.shape[0]):
        if reciprocal[r] > 0.0:
            reciprocal[r] = 1.0 / reciprocal[r]


@kernel
def mean_strains(total, reciprocal, ids, mean):
    """Mean strain of the springs at each particle, for the rows' particles ids (q,); mean: out (n,) float32."""
    for q in range(ids.shape[0]):
        mean[ids[q]] = total[q] * reciprocal[q]


@kernel
def add_up(sums, mean, largest):
    """Mean and maximum for each body, (bodies,), from the blocks' sums in order; 0 for a body without springs."""
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
