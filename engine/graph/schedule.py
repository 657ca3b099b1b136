"""In which order springs are solved, and by how many threads at once.

Vertices are cut into chunks, neighbours together. Springs inside a chunk form one task; springs between two
chunks form another. A stage is a set of tasks that share no chunk, hence no particle: its tasks may run on any
number of threads, in any order, with the same bits. Inside a task springs run one after another, sorted so
that neighbours in the list touch different particles and the processor can overlap them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..jit import kernel
from .components import components

SPRINGS_IN_CHUNK = 2000
COLOURS = 256


@dataclass
class Schedule:
    """The order of springs.

    Attributes:
        order: (springs,) int64, which spring stands at each place.
        task_start: (tasks + 1,) int64, ranges of places.
        stage_start: (stages + 1,) int64, ranges of tasks.
    """

    order: np.ndarray
    task_start: np.ndarray
    stage_start: np.ndarray


def schedule(pairs: np.ndarray, vertex_count: int) -> Schedule:
    """Order springs, given as (springs, 2) vertex pairs, into stages of independent tasks."""
    chunk = _chunks(pairs, vertex_count)
    ends = np.sort(chunk[pairs], axis=1)
    task_key = ends[:, 0] * (int(chunk.max(initial=0)) + 1) + ends[:, 1]
    tasks, task = np.unique(task_key, return_inverse=True)
    task = task.reshape(-1)
    first = np.zeros(len(tasks), dtype=np.int64)
    first[task[::-1]] = np.arange(len(pairs))[::-1]
    stage = _stages(ends[first], int(chunk.max(initial=0)) + 1)
    colour = spring_colours(pairs, vertex_count)
    order = np.lexsort((colour, task, stage[task]))
    sorted_task = task[order]
    changes = np.flatnonzero(np.diff(sorted_task)) + 1
    task_start = np.concatenate([[0], changes, [len(pairs)]]).astype(np.int64)
    if len(pairs) == 0:
        return Schedule(order, np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64))
    stage_of_task = stage[sorted_task[task_start[:-1]]]
    breaks = np.flatnonzero(np.diff(stage_of_task)) + 1
    stage_start = np.concatenate([[0], breaks, [len(stage_of_task)]]).astype(np.int64)
    return Schedule(order.astype(np.int64), task_start, stage_start)


def _chunks(pairs: np.ndarray, vertex_count: int) -> np.ndarray:
    """Chunk of each vertex, (n,) int64: a small piece is one chunk, a large one several slices."""
    label, rank = components(pairs, vertex_count)
    piece_count = int(label.max(initial=-1)) + 1
    springs = np.bincount(label[pairs[:, 0]], minlength=piece_count)
    slices = np.where(springs > 2 * SPRINGS_IN_CHUNK, 2 * np.ceil(springs / (2 * SPRINGS_IN_CHUNK)), 1)
    slices = slices.astype(np.int64)
    size = np.bincount(label, minlength=piece_count)
    first_rank = np.concatenate([[0], np.cumsum(size)])[:-1]
    first_chunk = np.concatenate([[0], np.cumsum(slices)])[:-1]
    place = rank - first_rank[label]
    return first_chunk[label] + place * slices[label] // np.maximum(size[label], 1)


def _stages(ends: np.ndarray, chunk_count: int) -> np.ndarray:
    """Stage of each task: 0 for tasks inside a chunk, else the first in which both chunks are still free."""
    taken: list[set[int]] = [set() for _ in range(chunk_count)]
    stage = np.zeros(len(ends), dtype=np.int64)
    for task, (a, b) in enumerate(ends.tolist()):
        if a == b:
            continue
        s = 1
        while s in taken[a] or s in taken[b]:
            s += 1
        taken[a].add(s)
        taken[b].add(s)
        stage[task] = s
    return stage


def spring_colours(pairs: np.ndarray, vertex_count: int) -> np.ndarray:
    """Greedy edge colours, (springs,) int64; springs of a colour share no vertex (beyond 256 colours they may)."""
    colour = np.zeros(len(pairs), dtype=np.int64)
    _colour(np.ascontiguousarray(pairs), np.zeros((vertex_count, COLOURS // 64), dtype=np.uint64), colour)
    return colour


@kernel
def _colour(pairs, taken, colour):
    words = taken.shape[1]
    for s in range(pairs.shape[0]):
        i = pairs[s, 0]
        j = pairs[s, 1]
        found = words * 64 - 1
        for word in range(words):
            free = ~(taken[i, word] | taken[j, word])
            if free != np.uint64(0):
                bit = 0
                while (free >> np.uint64(bit)) & np.uint64(1) == np.uint64(0):
                    bit += 1
                found = word * 64 + bit
                break
        mask = np.uint64(1) << np.uint64(found % 64)
        taken[i, found // 64] |= mask
        taken[j, found // 64] |= mask
        colour[s] = found
