"""Springs, or hinges, in blocks of sixteen that share no particle, so that a block is solved at once.

Springs are taken in the order of the schedule. Each goes into the oldest open block that has neither of its particles
yet; a block is closed when it is full, or to make room when too many are open. What a closed block lacks is filled
with springs of nothing: both ends on a row of its own that no particle owns.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..jit import building_kernel, kernel
from .schedule import Schedule

BLOCK = 16
OPEN_BLOCKS = 48


@dataclass
class Packing:
    """Blocks of springs.

    Attributes:
        spring: (blocks * 16,) int32, which spring stands at each place; -1 for none.
        task_start: (tasks + 1,) int64, ranges of blocks.
        stage_start: (stages + 1,) int64, ranges of tasks.
    """

    spring: np.ndarray
    task_start: np.ndarray
    stage_start: np.ndarray


def pack(groups: np.ndarray, vertex_count: int, order: Schedule) -> Packing:
    """Pack springs (springs, 2), or hinges (hinges, 4), given by their vertices, task by task in a schedule's order."""
    room = np.full(BLOCK * (len(groups) + 1), -1, dtype=np.int64)
    task_start = np.zeros(len(order.task_start), dtype=np.int64)
    in_order = np.ascontiguousarray(groups[order.order]).astype(np.int32)
    blocks = _pack(in_order, order.task_start, np.zeros(vertex_count, dtype=np.uint64), room, task_start)
    place = room[: blocks * BLOCK]
    spring = np.where(place >= 0, order.order[np.maximum(place, 0)] if len(groups) else -1, -1)
    return Packing(spring.astype(np.int32), task_start, order.stage_start)


@building_kernel
def _pack(groups, task_start, taken, room, block_start):
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
                    _close(groups, room, slot_block[slot], slot_count[slot], slot, taken)
                open_slots |= np.uint64(1) << np.uint64(slot)
                slot_block[slot] = blocks
                slot_count[slot] = 0
                blocks += 1
            room[slot_block[slot] * BLOCK + slot_count[slot]] = place
            slot_count[slot] += 1
            bit = np.uint64(1) << np.uint64(slot)
            for k in range(groups.shape[1]):
                taken[groups[place, k]] |= bit
            if slot_count[slot] == BLOCK:
                _close(groups, room, slot_block[slot], BLOCK, slot, taken)
                open_slots &= ~bit
        for slot in range(OPEN_BLOCKS):
            if (open_slots >> np.uint64(slot)) & np.uint64(1):
                _close(groups, room, slot_block[slot], slot_count[slot], slot, taken)
    block_start[-1] = blocks
    return blocks


@kernel
def _oldest(slots, slot_block):
    """Of a set of slots the one whose block was opened first, or -1."""
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
def _close(groups, room, block, count, slot, taken):
    keep = ~(np.uint64(1) << np.uint64(slot))
    for k in range(count):
        place = room[block * BLOCK + k]
        for k in range(groups.shape[1]):
            taken[groups[place, k]] &= keep
