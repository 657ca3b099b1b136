"""Links that lie side by side: sixteen vertices that follow each other, linked to sixteen others that do.

In grids, rings and tubes most links are so. Four loads bring one side of such a run, where sixteen links from
anywhere take sixteen, and as many stores. What is linked to its neighbour, or to the next but one, are twins: sixteen
such links have their ends in 32 vertices that follow each other, which are eight loads.
"""

from __future__ import annotations

import numpy as np

from ....compiler.kernels import building_kernel

LANES = 16
# Twins are up to so far apart. Kinds of runs, as they are solved: others, and twins one and two apart; with twins first
# the largest stretch of a ring on the ground was a tenth more.
TWINS = 2
KINDS = 1 + TWINS
# A run may miss some of its links: with so many it costs less than they would one by one.
FEWEST = 10
# A piece of so many vertices keeps the order of its mesh when so much of its links is runs then. Smaller ones would
# gain little; and what a coarse ring with links across its tube loses of its turn, when it is hit, can in this order be
# too much to be given back (1e-3 of it in some of 40 random hits).
LARGE, WORTH_IT = 1000, 0.5


def worth_it(pairs: np.ndarray, piece: np.ndarray, pieces: int) -> np.ndarray:
    """Which pieces, (pieces,) bool, are to keep the order of their mesh; arguments as in `share_in_runs`."""
    large = np.bincount(piece, minlength=pieces) >= LARGE
    return large & (share_in_runs(pairs, piece, pieces) >= WORTH_IT) if large.any() else large


def share_in_runs(pairs: np.ndarray, piece: np.ndarray, pieces: int) -> np.ndarray:
    """How much of each piece's links are runs, (pieces,), of links (s, 2) between vertices in the order they have.

    Args: piece: (n,) of each vertex.
    """
    first, last = np.sort(pairs, axis=1).astype(np.int64).T
    far = last - first
    key = far * len(piece) + first
    order = np.argsort(key)
    begins = np.flatnonzero(np.diff(key[order], prepend=-2) != 1)
    length = np.repeat(np.diff(begins, append=len(key)), np.diff(begins, append=len(key)))
    is_run = (length >= FEWEST) & (far[order] >= LANES)
    of = piece[first[order]]
    count = np.bincount(of, minlength=pieces)
    return np.bincount(of[is_run], minlength=pieces) / np.maximum(count, 1)


def find_runs(
    pairs: np.ndarray, task: np.ndarray, chunk: np.ndarray, may_run: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Which links are solved as runs.

    Args:
        pairs: (s, 2), links, the lower vertex first; task: (s,) of each; chunk: (n,) of each vertex.
        may_run: (n,) bool, the vertices whose links may.

    Returns:
        run (s,) int64, which run a link belongs to, ascending from task to task and in it from kind to kind, or -1;
        its lane in that, (s,); and the kind of each link that is in one, (s,).
        All vertices of a run are of one chunk on either side, those without a link too.
    """
    first, last = pairs.astype(np.int64).T
    far, count = last - first, len(chunk)
    kind = np.where(far > TWINS, 0, far)
    # Twins of one apart that meet are no run, nor are those of two apart unless they come by twos.
    turn = np.where(kind == 0, 0, first // np.maximum(far, 1) % 2)
    allowed = np.flatnonzero(may_run[first])
    order = allowed[np.argsort(((((task * KINDS + kind) * count + far) * 2 + turn) * count + first)[allowed])]
    # For how many vertices from each on the chunk stays the same.
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
            # Four registers of four rows, turned on their side, have their rows in this order.
            lane[order[place]] = 4 * (nth % 4) + nth // 4
        found += 1
        start = stop
