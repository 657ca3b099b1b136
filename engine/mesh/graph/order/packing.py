"""Packing of springs or hinges into blocks of sixteen that share no particle, so that a block is solved at once.

The runs of a task (`order.runs`) come first, sorted by the distance between their ends. The remaining springs follow
in schedule order: each goes into the oldest open block that contains none of its particles. A block is closed when it
is full, or when too many blocks are open. Empty lanes of a closed block become null springs, with both ends on a
padding row that no particle owns.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ....compiler.kernels import building_kernel, kernel
from .runs import KINDS, find_runs
from .schedule import Schedule

BLOCK = 16
OPEN_BLOCKS = 48


@dataclass
class Packing:
    """Blocks of springs.

    Attributes:
        spring: (blocks * 16,) int32, spring in each lane, -1 for a null spring; lane: (springs,) int64, of each spring.
        task_start: (tasks + 1,) int64, range of blocks of each task.
        run_stop: (tasks, KINDS) int64, block after the last run of each kind.
        stage_start: (stages + 1,) int64, range of tasks of each stage.
    """

    spring: np.ndarray
    lane: np.ndarray
    task_start: np.ndarray
    run_stop: np.ndarray
    stage_start: np.ndarray


def pack(groups: np.ndarray, vertex_count: int, order: Schedule, may_run: np.ndarray | None = None) -> Packing:
    """Pack springs (springs, 2) or hinges (hinges, 4), given by their vertices, task by task in schedule order.

    Args: may_run: (vertices,) bool, vertices whose springs may be in runs; such springs have their lower vertex first.
    """
    in_order = groups.take(order.order, axis=0).astype(np.int32, copy=False)
    tasks = len(order.task_start) - 1
    task = np.repeat(np.arange(tasks), np.diff(order.task_start))
    run = nth = kind = np.full(len(groups), -1, dtype=np.int64)
    if may_run is not None and may_run.any():
        run, nth, kind = find_runs(in_order, task, order.chunk, may_run)
    others = np.flatnonzero(run < 0)
    start = np.searchsorted(others, order.task_start)
    filling = np.full(BLOCK * (len(others) + 1), -1, dtype=np.int64)
    block_start = np.zeros(tasks + 1, dtype=np.int64)
    _pack(in_order.take(others, axis=0), start, np.zeros(vertex_count, dtype=np.uint64), filling, block_start)
    in_runs = np.flatnonzero(run >= 0)
    # The first spring of each run.
    first_of_run = np.zeros(int(run.max(initial=-1)) + 1, dtype=np.int64)
    first_of_run[run[in_runs[::-1]]] = in_runs[::-1]
    runs_of_kind = np.bincount(
        KINDS * task[first_of_run] + kind[first_of_run], minlength=KINDS * tasks
    ).reshape(tasks, KINDS)
    runs = runs_of_kind.sum(axis=1)
    task_start = np.append(0, np.cumsum(runs + np.diff(block_start)))
    runs_before, place = np.append(0, np.cumsum(runs)), np.empty(len(groups), dtype=np.int64)
    place[in_runs] = BLOCK * (run[in_runs] + block_start[task[in_runs]]) + nth[in_runs]
    filled = np.flatnonzero(filling >= 0)
    packed = others[filling[filled]]
    place[packed] = filled + BLOCK * runs_before[task[packed] + 1]
    spring, lane = np.full(BLOCK * task_start[-1], -1, dtype=np.int32), np.empty_like(place)
    spring[place], lane[order.order] = order.order, place
    run_stop = task_start[:-1, None] + np.cumsum(runs_of_kind, axis=1)
    return Packing(spring, lane, task_start, run_stop, order.stage_start)


@building_kernel
def _pack(groups, task_start, taken, filling, block_start):
    blocks = 0
    slot_block = np.zeros(OPEN_BLOCKS, dtype=np.int64)
    slot_count = np.zeros(OPEN_BLOCKS, dtype=np.int64)
    for task in range(task_start.shape[0] - 1):
        block_start[task] = blocks
        open_slots = np.uint64(0)
        for place in range(task_start[task], task_start[task + 1]):
            used = taken[groups[place, 0]]
            for k in range(1, groups.shape[1]):
                used |= taken[groups[place, k]]
            slot = _oldest(open_slots & ~used, slot_block)
            if slot < 0:
                slot = _unused(open_slots)
                if slot < 0:
                    slot = _oldest(open_slots, slot_block)
                    _close(groups, filling, slot_block[slot], slot_count[slot], slot, taken)
                open_slots |= np.uint64(1) << np.uint64(slot)
                slot_block[slot] = blocks
                slot_count[slot] = 0
                blocks += 1
            filling[slot_block[slot] * BLOCK + slot_count[slot]] = place
            slot_count[slot] += 1
            bit = np.uint64(1) << np.uint64(slot)
            for k in range(groups.shape[1]):
                taken[groups[place, k]] |= bit
            if slot_count[slot] == BLOCK:
                _close(groups, filling, slot_block[slot], BLOCK, slot, taken)
                open_slots &= ~bit
        for slot in range(OPEN_BLOCKS):
            if (open_slots >> np.uint64(slot)) & np.uint64(1):
                _close(groups, filling, slot_block[slot], slot_count[slot], slot, taken)
    block_start[-1] = blocks
    return blocks


@kernel
def _oldest(slots, slot_block):
    """The slot in the bit set whose block was opened first, or -1 for an empty set."""
    best = -1
    for slot in range(OPEN_BLOCKS):
        if (slots >> np.uint64(slot)) & np.uint64(1) and (best < 0 or slot_block[slot] < slot_block[best]):
            best = slot
    return best


@kernel
def _unused(slots):
    for slot in range(OPEN_BLOCKS):
        if not (slots >> np.uint64(slot)) & np.uint64(1):
            return slot
    return -1


@kernel
def _close(groups, filling, block, count, slot, taken):
    keep = ~(np.uint64(1) << np.uint64(slot))
    for k in range(count):
        place = filling[block * BLOCK + k]
        for k in range(groups.shape[1]):
            taken[groups[place, k]] &= keep
