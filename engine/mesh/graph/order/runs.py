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
# Largest index difference of twins. Kinds of runs, in solving order: other runs, twins of difference one, twins of
# difference two. With twins first, the largest stretch of a ring on the ground was a tenth larger.
TWINS = 2
KINDS = 1 + TWINS
# A run may lack some of its sixteen links: with this many it costs less than solving them one by one.
FEWEST = 10
# A piece of at least LARGE vertices keeps the mesh order if at least LEAST_FRACTION of its links are in runs.
# Smaller pieces would gain little. Also, when a coarse ring with links across its tube is hit, the angular momentum it
# loses in mesh order can exceed what the correction restores (1e-3 of it in some of 40 random hits).
LARGE, LEAST_FRACTION = 1000, 0.5


def keeps_mesh_order(pairs: np.ndarray, piece: np.ndarray, pieces: int) -> np.ndarray:
    """Which pieces should keep the mesh order, (pieces,) bool; arguments as in `fraction_in_runs`."""
    large = np.bincount(piece, minlength=pieces) >= LARGE
    return large & (fraction_in_runs(pairs, piece, pieces) >= LEAST_FRACTION) if large.any() else large


def fraction_in_runs(pairs: np.ndarray, piece: np.ndarray, pieces: int) -> np.ndarray:
    """Fraction of each piece's links that are in runs, (pieces,), for links (s, 2) between vertices in current order.

    Args: piece: (n,) piece of each vertex.
    """
    first = np.minimum(pairs[:, 0], pairs[:, 1])
    offset = np.maximum(pairs[:, 0], pairs[:, 1]) - first
    order = pair_order(offset, first)
    offset, first = offset[order], first[order]
    begins = np.append(0, np.flatnonzero((offset[1:] != offset[:-1]) | (first[1:] != first[:-1] + 1)) + 1)
    length = np.diff(begins, append=len(offset))
    is_run = np.repeat((length >= FEWEST) & (offset[begins] >= LANES), length)
    piece_of_link = piece[first]
    count = np.bincount(piece_of_link, minlength=pieces)
    return np.bincount(piece_of_link[is_run], minlength=pieces) / np.maximum(count, 1)


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
    offset = pairs[:, 1].astype(np.int32) - first
    kind = np.where(offset > TWINS, 0, offset)
    # Consecutive twins of difference one share a vertex and form no run; those of difference two alternate in pairs.
    parity, twins = np.zeros_like(first), np.flatnonzero(kind)
    parity[twins] = first[twins] // offset[twins] % 2
    # By task, kind, difference, parity and first vertex.
    order = pair_order(2 * offset + parity, first)
    order = order[pair_order(task[order], kind[order])]
    order = order[may_run[first[order]]]
    # Number of consecutive vertices in the same chunk, counted from each vertex.
    chunk_ends = np.append(np.flatnonzero(np.diff(chunk)) + 1, count)
    left_in_chunk = chunk_ends[np.searchsorted(chunk_ends, np.arange(count), side="right")] - np.arange(count)
    run, lane = np.full(len(pairs), -1, dtype=np.int64), np.zeros(len(pairs), dtype=np.int64)
    _find(order, task, first, offset, parity, left_in_chunk, run, lane)
    return run, lane, kind


@building_kernel
def _find(order, task, first, offset, parity, left_in_chunk, run, lane):
    found = 0
    start = 0
    while start < order.shape[0]:
        s = order[start]
        a = first[s]
        stop = start + 1
        twins = offset[s] <= TWINS
        wide = 2 * LANES if twins else LANES
        fits = left_in_chunk[a] >= 2 * LANES and a % offset[s] == 0 if twins else (
            offset[s] >= LANES and left_in_chunk[a] >= LANES and left_in_chunk[a + offset[s]] >= LANES
        )
        if fits:
            while (
                stop < order.shape[0] and task[order[stop]] == task[s] and offset[order[stop]] == offset[s]
                and parity[order[stop]] == parity[s] and first[order[stop - 1]] < first[order[stop]] < a + wide
            ):
                stop += 1
        if stop - start < FEWEST:
            start += 1
            continue
        for place in range(start, stop):
            run[order[place]] = found
            off = first[order[place]] - a
            nth = off // (2 * offset[s]) * offset[s] + off % offset[s] if twins else off
            # Four registers of four rows, transposed, hold their rows in this order.
            lane[order[place]] = 4 * (nth % 4) + nth // 4
        found += 1
        start = stop
