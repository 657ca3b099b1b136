"""Runs: links from sixteen consecutive vertices to sixteen other consecutive vertices.

In grids, rings and tubes most links form runs. One side of a run takes four vector loads and stores, where sixteen
unrelated links take sixteen. Links between vertices whose indices differ by one or two are called twins: sixteen
such links have their ends in 32 consecutive vertices, which take eight loads.
"""

from __future__ import annotations

import numpy as np

from ....compiler.kernels import building_kernel
from ..edges import pair_order

LANES = 16
# Largest index difference of twins. The kinds of runs in solving order: other runs, then twins of difference one, then
# of two. With twins first, the largest stretch of a ring on the ground was a tenth larger.
TWINS = 2
KINDS = 1 + TWINS
# A run may lack some of its sixteen links: with this many it costs less than solving them one by one.
FEWEST = 10
# A piece of at least LARGE vertices keeps the mesh order if at least the fraction WORTH_IT of its links is in runs.
# Smaller pieces would gain little. Also, when a coarse ring with links across its tube is hit, the angular momentum it
# loses in mesh order can exceed what the correction gives back (1e-3 of it in some of 40 random hits).
LARGE, WORTH_IT = 1000, 0.5


def worth_it(pairs: np.ndarray, piece: np.ndarray, pieces: int) -> np.ndarray:
    """Which pieces should keep the mesh order, (pieces,) bool; arguments as in `share_in_runs`."""
    large = np.bincount(piece, minlength=pieces) >= LARGE
    return large & (share_in_runs(pairs, piece, pieces) >= WORTH_IT) if large.any() else large


def share_in_runs(pairs: np.ndarray, piece: np.ndarray, pieces: int) -> np.ndarray:
    """Fraction of each piece's links that are in runs, (pieces,), for links (s, 2) between vertices in current order.

    Args: piece: (n,) piece of each vertex.
    """
    first = np.minimum(pairs[:, 0], pairs[:, 1])
    far = np.maximum(pairs[:, 0], pairs[:, 1]) - first
    order = pair_order(far, first)
    far, first = far[order], first[order]
    begins = np.append(0, np.flatnonzero((far[1:] != far[:-1]) | (first[1:] != first[:-1] + 1)) + 1)
    length = np.diff(begins, append=len(far))
    is_run = np.repeat((length >= FEWEST) & (far[begins] >= LANES), length)
    of = piece[first]
    count = np.bincount(of, minlength=pieces)
    return np.bincount(of[is_run], minlength=pieces) / np.maximum(count, 1)


def find_runs(
    pairs: np.ndarray, task: np.ndarray, chunk: np.ndarray, may_run: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Find the links that are solved as runs.

    Args:
        pairs: (s, 2) links, lower vertex first; task: (s,) of each link; chunk: (n,) of each vertex.
        may_run: (n,) bool, vertices whose links may be in runs.

    Returns:
        run (s,) int64, the run of a link or -1, ascending by task and then by kind;
        lane (s,) of the link within its run; and kind (s,) of each link in a run.
        All vertices on one side of a run are in one chunk, including those without a link.
    """
    first, count = pairs[:, 0].astype(np.int32), len(chunk)
    far = pairs[:, 1].astype(np.int32) - first
    kind = np.where(far > TWINS, 0, far)
    # Consecutive twins of difference one share a vertex and form no run; those of difference two alternate in pairs.
    turn, twins = np.zeros_like(first), np.flatnonzero(kind)
    turn[twins] = first[twins] // far[twins] % 2
    # By task, kind, difference, turn and first vertex.
    order = pair_order(2 * far + turn, first)
    order = order[pair_order(task[order], kind[order])]
    order = order[may_run[first[order]]]
    # Number of vertices from each one on that are in the same chunk.
    ends = np.append(np.flatnonzero(np.diff(chunk)) + 1, count)
    room = ends[np.searchsorted(ends, np.arange(count), side="right")] - np.arange(count)
    run, lane = np.full(len(pairs), -1, dtype=np.int64), np.zeros(len(pairs), dtype=np.int64)
    _find(order, task, first, far, turn, room, run, lane)
    return run, lane, kind


@building_kernel
def _find(order, task, first, far, turn, room, run, lane):
    found = 0
    start = 0
    while start < order.shape[0]:
        s = order[start]
        a = first[s]
        stop = start + 1
        twins = far[s] <= TWINS
        wide = 2 * LANES if twins else LANES
        fits = room[a] >= 2 * LANES and a % far[s] == 0 if twins else (
            far[s] >= LANES and room[a] >= LANES and room[a + far[s]] >= LANES
        )
        if fits:
            while (
                stop < order.shape[0] and task[order[stop]] == task[s] and far[order[stop]] == far[s]
                and turn[order[stop]] == turn[s] and first[order[stop - 1]] < first[order[stop]] < a + wide
            ):
                stop += 1
        if stop - start < FEWEST:
            start += 1
            continue
        for place in range(start, stop):
            run[order[place]] = found
            off = first[order[place]] - a
            nth = off // (2 * far[s]) * far[s] + off % far[s] if twins else off
            # Four registers of four rows, transposed, hold their rows in this order.
            lane[order[place]] = 4 * (nth % 4) + nth // 4
        found += 1
        start = stop
