"""Parallel schedule: the order in which springs and four-vertex hinges are solved, and which may run concurrently.

Vertices are cut into chunks of neighbours. The springs inside a chunk form one task; the springs between two chunks
form another. A stage is a set of tasks that share no chunk and hence no particle. Its tasks may run on any number of
threads in any order with bit-identical results. Within a task springs are solved one after another, sorted so that
consecutive springs touch different particles and the processor can overlap them. Hinges are scheduled in the same way;
one hinge may span up to four chunks.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ....compiler.kernels import kernel
from ..components import components
from ..edges import sorted_ends

# With large chunks few springs lie between chunks (those are solved last, in small tasks scattered over memory); small
# chunks keep all cores busy. The rows of one chunk (16,000 springs, about 20 KB) stay in the first-level cache.
CHUNKS = 8
FEWEST_IN_CHUNK, MOST_IN_CHUNK = 2000, 16000
COLOURS = 256


@dataclass
class Schedule:
    """The order of springs.

    Attributes:
        order: (springs,) int64, spring at each position.
        task_start: (tasks + 1,) int64, range of positions of each task.
        stage_start: (stages + 1,) int64, range of tasks of each stage.
        chunk: (vertices,) int64, chunk of each vertex; a task solves nothing outside the chunks of its springs.
    """

    order: np.ndarray
    task_start: np.ndarray
    stage_start: np.ndarray
    chunk: np.ndarray


def schedule(groups: np.ndarray, vertex_count: int, label: np.ndarray | None = None) -> Schedule:
    """Order springs (springs, 2) or hinges (hinges, 4), given by their vertices, into stages of independent tasks.

    The vertices of a piece must be in an order that keeps neighbours close. Args: label: (vertices,) component of each
    vertex, where it is known, see `components`.
    """
    if len(groups) == 0:
        none = (np.zeros(size, dtype=np.int64) for size in (0, 1, 1, vertex_count))
        return Schedule(*none)
    if label is None:
        joined = np.concatenate([groups[:, [0, k]] for k in range(1, groups.shape[1])])
        label, _rank = components(joined, vertex_count)
    chunk = _chunks(groups, label)
    touched = sorted_ends(chunk.take(groups))
    task = _numbered(touched[:, 0])
    for column in touched.T[1:]:
        task = _numbered(task * (int(chunk.max()) + 1) + column)
    first = np.zeros(int(task.max()) + 1, dtype=np.int64)
    first[task[::-1]] = np.arange(len(groups))[::-1]
    stage = _stages(touched[first], int(chunk.max()) + 1)
    colour = colours(groups, vertex_count)
    # By stage, then task, then colour; a stable sort of short integers takes a tenth of the time.
    rank = np.empty(len(stage), dtype=np.int64)
    rank[np.argsort(stage, kind="stable")] = np.arange(len(stage))
    key = rank[task] * (int(colour.max()) + 1) + colour
    order = np.argsort(key.astype(np.uint16) if key.max() < 2**16 else key, kind="stable")
    sorted_task = task[order]
    changes = np.flatnonzero(np.diff(sorted_task)) + 1
    task_start = np.concatenate([[0], changes, [len(groups)]]).astype(np.int64)
    stage_of_task = stage[sorted_task[task_start[:-1]]]
    breaks = np.flatnonzero(np.diff(stage_of_task)) + 1
    stage_start = np.concatenate([[0], breaks, [len(stage_of_task)]]).astype(np.int64)
    return Schedule(order.astype(np.int64), task_start, stage_start, chunk)


def _numbered(names: np.ndarray) -> np.ndarray:
    """Renumber without gaps: rank of each name among the distinct ones, (n,) int64; names: small integers from 0."""
    return (np.cumsum(np.bincount(names) > 0) - 1)[names]


def _chunks(groups: np.ndarray, label: np.ndarray) -> np.ndarray:
    """Chunk of each vertex, (n,) int64: a small piece is one chunk, a large one is cut into several."""
    rank = np.empty(len(label), dtype=np.int64)
    rank[np.argsort(label, kind="stable")] = np.arange(len(label))
    piece_count = int(label.max(initial=-1)) + 1
    springs = np.bincount(label[groups[:, 0]], minlength=piece_count)
    # This depends on the piece's size alone, so that its solving order does not depend on other pieces.
    in_chunk = np.clip(springs // CHUNKS, FEWEST_IN_CHUNK, MOST_IN_CHUNK)
    slices = np.where(springs > 2 * in_chunk, 2 * np.ceil(springs / (2 * in_chunk)), 1)
    slices = slices.astype(np.int64)
    size = np.bincount(label, minlength=piece_count)
    first_rank = np.concatenate([[0], np.cumsum(size)])[:-1]
    first_chunk = np.concatenate([[0], np.cumsum(slices)])[:-1]
    place = rank - first_rank[label]
    return first_chunk[label] + place * slices[label] // np.maximum(size[label], 1)


def _stages(touched: np.ndarray, chunk_count: int) -> np.ndarray:
    """Stage of each task: 0 inside a chunk, else the first stage in which none of its chunks is in use."""
    taken: list[set[int]] = [set() for _ in range(chunk_count)]
    stage = np.zeros(len(touched), dtype=np.int64)
    for task, row in enumerate(touched.tolist()):
        chunks = set(row)
        if len(chunks) == 1:
            continue
        s = 1
        while any(s in taken[chunk] for chunk in chunks):
            s += 1
        for chunk in chunks:
            taken[chunk].add(s)
        stage[task] = s
    return stage


def colours(groups: np.ndarray, vertex_count: int) -> np.ndarray:
    """Greedy colouring, (groups,) int64; groups of one colour share no vertex (beyond 256 colours they may)."""
    colour = np.zeros(len(groups), dtype=np.int64)
    _colour(np.ascontiguousarray(groups), np.zeros((vertex_count, COLOURS // 64), dtype=np.uint64), colour)
    return colour


@kernel
def _colour(groups, taken, colour):
    words = taken.shape[1]
    for s in range(groups.shape[0]):
        found = words * 64 - 1
        for word in range(words):
            used = taken[groups[s, 0], word]
            for k in range(1, groups.shape[1]):
                used |= taken[groups[s, k], word]
            free = ~used
            if free != np.uint64(0):
                bit = 0
                while (free >> np.uint64(bit)) & np.uint64(1) == np.uint64(0):
                    bit += 1
                found = word * 64 + bit
                break
        mask = np.uint64(1) << np.uint64(found % 64)
        for k in range(groups.shape[1]):
            taken[groups[s, k], found // 64] |= mask
        colour[s] = found
