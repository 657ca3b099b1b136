"""Islands: pieces of soft bodies, and rigid bodies, that touch each other in a substep.

Every island takes inner steps of its own, as many as its bodies need, so one island does not change a single bit of
another. A table lists its tasks by island: those of island g are `task[stage_start[island[g]]:...]`, in stages.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...compiler.kernels import kernel, part_of_kernel
from ..disjoint_sets import join, root_of
from .contact.contact_order import row_of

# One thread finishes a stage with at most this many blocks before other threads wake up, as between chunks.
FEW_BLOCKS = 40


class Listed(NamedTuple):
    """Items by island: those of island g are item[start[g] : start[g + 1]].

    Attributes:
        start: (islands + 1,) int64; item: (k,) int64.
    """

    start: np.ndarray
    item: np.ndarray


class PieceColumns(NamedTuple):
    """The piece of each particle.

    Attributes:
        row: (n,) int64 row of each particle; row_block: (r + 1,) int32; block_piece: (blocks,) int64.
        spare, piece_count: (1,) int64, the spare row and the number of pieces.
    """

    row: np.ndarray
    row_block: np.ndarray
    block_piece: np.ndarray
    spare: np.ndarray
    piece_count: np.ndarray


class Islands(NamedTuple):
    """The islands of a substep.

    Attributes:
        steps: (islands,) int64, inner steps of each in the substep; taken: (islands,) int64, how many are done.
        bends: (islands,) int64, in how many of them hinges are solved.
        length: (islands,) length of its inner steps [s]; touches: (islands,) bool, whether it has contacts.
        has_bodies: (islands,) bool, whether rigid bodies follow each inner step.
        breathes: (islands,) bool, whether any piece of it contains air.
        block_start, block: the blocks of rows of each, see `Listed`; of_block: (blocks,) int64, island of each block.
        bin_start, in_bin: islands (k,) int64 to solve, and ranges of them; one thread solves those of a range.
    """

    steps: np.ndarray
    taken: np.ndarray
    bends: np.ndarray
    length: np.ndarray
    touches: np.ndarray
    has_bodies: np.ndarray
    breathes: np.ndarray
    block_start: np.ndarray
    block: np.ndarray
    of_block: np.ndarray
    bin_start: np.ndarray
    in_bin: np.ndarray


@part_of_kernel
def tasks_of(table, g):
    """Range of `task` that holds all tasks of island g; table: `SpringColumns`, `HingeColumns` or `CellColumns`."""
    first = table.island[g]
    stop = table.island[g + 1]
    return table.stage_start[first], table.stage_start[stop - 1]


@kernel
def join_touching(count, contact, weight, sides, graph, root):
    """Join the pieces and rigid bodies that contacts connect.

    Args:
        count, contact, weight: see `solver.contact_buffer.ContactBuffer`; sides: (m, 2) rigid bodies, -1 for none, or
            (0, 2) where there are none.
        graph: `PieceColumns`; root: in and out (pieces + bodies,) int64, a tree of nodes: pieces, then rigid bodies.
    """
    pieces = graph.piece_count[0]
    for m in range(count):
        node = -1
        for e in range(4):
            r = row_of(contact[m, e], graph.row, graph.spare[0])
            if weight[m, e] == 0.0 or r == graph.spare[0]:
                continue
            own = graph.block_piece[graph.row_block[r]]
            node = own if node < 0 else join(root, node, own)
        for side in range(2 if sides.shape[0] > 0 else 0):
            if sides[m, side] >= 0:
                own = pieces + sides[m, side]
                node = own if node < 0 else join(root, node, own)


@kernel
def number_islands(root, is_loose, island):
    """Number the sets that hold a piece, by their lowest piece; returns how many.

    Particles without springs that touch nothing form one island, because they do not depend on each other.

    Args:
        root: see `join_touching`; is_loose: (pieces,) bool, pieces without springs.
        island: out (nodes,) int64, -1 for sets without a piece.
    """
    count = 0
    shared = -1
    for node in range(root.shape[0]):
        island[node] = 0
    for node in range(root.shape[0]):
        top = root_of(root, node)
        if top != node:
            island[top] = 1
    for node in range(root.shape[0]):
        top = root_of(root, node)
        if top >= is_loose.shape[0]:
            island[node] = -1
        elif top != node:
            island[node] = island[top]
        elif is_loose[node] and island[node] == 0 and shared >= 0:
            island[node] = shared
        else:
            if is_loose[node] and island[node] == 0:
                shared = count
            island[node] = count
            count += 1
    return count


@kernel
def island_of(m, contact, weight, sides, graph, island):
    """The island of contact m of rigid bodies, -1 for none; arguments as in `join_touching`; island: (nodes,)."""
    found = np.int64(-1)
    for side in range(2):
        if sides[m, side] >= 0:
            found = max(found, island[graph.piece_count[0] + sides[m, side]])
    for e in range(4):
        r = row_of(contact[m, e], graph.row, graph.spare[0])
        if weight[m, e] != 0.0 and r != graph.spare[0]:
            found = max(found, island[graph.block_piece[graph.row_block[r]]])
    return found


@kernel
def list_islands(count, label, is_last, start, item):
    """List the first `count` items by island: label (m,) int64, -1 for none; start, item: out, see `Listed`.

    Args: is_last: (m,) bool, items that come after the others of their island.
    """
    for g in range(start.shape[0]):
        start[g] = 0
    for m in range(count):
        if label[m] >= 0:
            start[label[m] + 1] += 1
    for g in range(1, start.shape[0]):
        start[g] += start[g - 1]
    # Filled backward, then shifted: see `contact_order.sort_contacts`.
    for iteration in range(2):
        for m in range(count - 1, -1, -1):
            if label[m] >= 0 and is_last[m] == (iteration == 0):
                start[label[m] + 1] -= 1
                item[start[label[m] + 1]] = m
    for g in range(start.shape[0] - 1):
        start[g] = start[g + 1]
    start[start.shape[0] - 1] = 0
    for m in range(count):
        if label[m] >= 0:
            start[start.shape[0] - 1] += 1
