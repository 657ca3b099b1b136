"""Finds the islands of a substep: pieces of soft bodies and rigid bodies that touch; see `constraints.islands`."""

from __future__ import annotations

import numpy as np

from ....compiler.kernels import thread_count
from ....compiler.typed_call import TypedCall
from ....mesh.graph.order.packing import BLOCK, Packing
from ....solver.constraints.islands import (
    FEW_BLOCKS,
    Islands,
    Listed,
    PieceColumns,
    join_touching,
    number_islands,
)
from ....solver.rigid.links.soft_ties import SoftTies
from ....world.world import World
from .rows import Rows

# If the busiest thread has this many times the mean work, its smallest island is shared by all threads instead.
UNEVEN = 1.25


class IslandFinder:
    """Islands of the running substep.

    Attributes:
        of_piece, of_body: (pieces,), (bodies,) int64, island of each; of_body is -1 for bodies that touch no soft one.
        label: (pieces + bodies,), both; of_block: (blocks,) island of each block of rows.
        bodies: by island; has_bodies: (count,) bool, islands that contain rigid bodies.
        count: number of islands; graph: pieces, as kernels take them; islands: see `begin`.
    """

    islands: Islands

    def __init__(self, rows: Rows, pairs: np.ndarray) -> None:
        """Args: rows: the rows of all spring graphs; pairs: (s, 2) particles that springs or cells join."""
        self._rows = rows
        pieces = len(rows.free)
        self.graph = PieceColumns(
            rows.row, rows.row_block, rows.block_piece.astype(np.int64), np.array([rows.spare]), np.array([pieces])
        )
        self._join_soft, self._join_rigid = TypedCall(join_touching), TypedCall(join_touching)
        self._no_sides = np.zeros((0, 2), dtype=np.int32)
        self._size = np.bincount(rows.block_piece, np.diff(rows.block_start), pieces)
        self.label = np.arange(pieces)
        self._is_loose = np.bincount(rows.piece[rows.row[pairs[:, 0]]], minlength=pieces) == 0
        self._known: tuple[bytes, ...] = ()
        self._calls: list[tuple[np.ndarray, np.ndarray]] = []
        self._take(pieces)

    def find(self, world: World) -> bool:
        """Find pieces and bodies that touch in this substep; returns whether the islands have changed."""
        rigid, buffer = world.rigid, world.contact_buffer
        root = np.arange(len(self._is_loose) + (0 if rigid is None else len(rigid.mass)))
        self._join_soft(buffer.count, buffer.contact, buffer.weight, self._no_sides, self.graph, root)
        if rigid is not None:
            own = rigid.contact_buffer.columns
            self._join_rigid(rigid.contact_buffer.count, own.contact, own.weight, own.sides, self.graph, root)
            if rigid.ties is not None:
                self._join_ties(rigid.ties, root)
        label = np.empty_like(root)
        count = number_islands(root, self._is_loose, label)
        if np.array_equal(label, self.label):
            return False
        self.label = label
        self._take(count)
        return True

    def _join_ties(self, ties: SoftTies, root: np.ndarray) -> None:
        """Join soft pieces and the rigid bodies that they are tied to."""
        count = len(ties.body)
        contact, weight = np.repeat(ties.particle[:, None], 4, axis=1), np.tile([1.0, 0.0, 0.0, 0.0], (count, 1))
        sides = np.stack([ties.body, np.full(count, -1)], axis=1).astype(np.int32)
        self._join_rigid(count, contact, weight, sides, self.graph, root)

    def _take(self, count: int) -> None:
        """Derive all attributes from the islands in `label`."""
        rows, pieces = self._rows, len(self._rows.free)
        self.count, self.of_piece, self.of_body = count, self.label[:pieces], self.label[pieces:]
        self.of_block = self.of_piece[rows.block_piece]
        self.bodies = by_island(self.of_body, count)
        self.has_bodies = np.diff(self.bodies.start) > 0
        self._blocks = by_island(self.of_block, count)
        self._one_bin = np.array([0, count]), np.arange(count)
        self._rows_in = np.bincount(self.of_piece, self._size, count)
        self._known = ()

    def begin(
        self, steps: np.ndarray, bends: np.ndarray, h: float, has_bodies: np.ndarray, touches: np.ndarray,
        breathes: np.ndarray,
    ) -> None:
        """Begin a substep of h [s].

        Args: steps, bends, has_bodies, touches, breathes: (islands,) of each, see `Islands`.
        """
        self.islands = Islands(
            steps, np.zeros(self.count, dtype=np.int64), bends, h / steps, touches, has_bodies, breathes, *self._blocks,
            self.of_block, *self._one_bin,
        )

    def calls(self) -> list[Islands]:
        """The calls of `solve_islands`: each bin of a call is solved by one thread.

        If islands are too few or too unequal for the threads, some have a call of their own, whose loops all threads
        share.
        """
        threads, steps = thread_count(), self.islands.steps
        if threads == 1 or self.count == 1:
            return [self.islands]
        known = (steps.tobytes(), bytes([threads]))
        if known != self._known:
            self._known, self._calls = known, balanced_bins(self._rows_in * steps, threads)
        return [self.islands._replace(bin_start=start, in_bin=item) for start, item in self._calls]


def balanced_bins(work: np.ndarray, threads: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Bins of about equal work, as (start, item) of each call, see `IslandFinder.calls`; work: (islands,) of each."""
    shared: list[int] = []
    inside = sorted(range(len(work)), key=lambda k: (-work[k], k))
    while True:
        bins: list[list[int]] = [[] for _ in range(min(threads, max(len(inside), 1)))]
        load = np.zeros(len(bins))
        for k in inside:
            own = int(load.argmin())
            bins[own].append(k)
            load[own] += work[k]
        if threads == 1 or not inside or load.max() <= UNEVEN * load.sum() / threads:
            break
        last = bins[int(load.argmax())][-1]
        shared.append(last)
        inside.remove(last)
    found = [(np.array([0, 1]), np.array([k])) for k in shared]
    if inside:
        item = np.concatenate([np.array(own, dtype=np.int64) for own in bins])
        found.append((np.append(0, np.cumsum([len(own) for own in bins])), item))
    return found


def by_island(label: np.ndarray, count: int) -> Listed:
    """Indices of elements by island; label: (m,) island of each, -1 for none; count: number of islands."""
    item = np.argsort(label, kind="stable")[np.count_nonzero(label < 0) :]
    start = np.append(0, np.cumsum(np.bincount(label[item], minlength=count)))
    return Listed(start.astype(np.int64), item.astype(np.int64))


class StagedTasks:
    """Tasks of a table by island and stage; each task lies within a piece.

    Attributes:
        columns: `task`, `stage_start`, `island` and `is_wide` of `constraints.columns.SpringColumns`.
    """

    def __init__(self, piece: np.ndarray, stage: np.ndarray, blocks: np.ndarray, pieces: int) -> None:
        """Args: piece, stage, blocks: (t,) of each task, blocks being their number; pieces: number of pieces."""
        self._piece, self._stage, self._blocks = piece, stage, blocks
        self.take_islands(np.arange(pieces), pieces)

    def take_islands(self, island: np.ndarray, count: int) -> None:
        """List the tasks by island; island: (pieces,) of each piece; count: number of islands."""
        own = island[self._piece]
        task = np.lexsort((self._stage, own))
        own, of = own[task], self._stage[task]
        begins = np.flatnonzero((np.diff(own, prepend=-1) != 0) | (np.diff(of, prepend=-1) != 0))
        first = np.append(0, np.cumsum(np.bincount(own[begins], minlength=count) + 1))
        start = np.zeros(len(begins) + count, dtype=np.int64)
        place = np.arange(len(begins)) + own[begins]
        start[place] = begins
        start[first[1:] - 1] = np.cumsum(np.bincount(own, minlength=count))
        is_wide = np.zeros(len(start), dtype=bool)
        if len(begins):
            is_wide[place] = np.add.reduceat(self._blocks[task], begins) > FEW_BLOCKS
        self.columns = task.astype(np.int64), start, first.astype(np.int64), is_wide


def packed_tasks(order: Packing, lane_piece: np.ndarray, pieces: int) -> StagedTasks:
    """The tasks of packed springs or hinges; lane_piece: (p,) piece of each lane; pieces: their number."""
    real = np.where(order.spring >= 0, lane_piece, -1)
    starts = BLOCK * order.task_start[:-1]
    piece = np.maximum.reduceat(real, starts) if len(starts) else np.zeros(0, dtype=np.int64)
    stage = np.repeat(np.arange(len(order.stage_start) - 1), np.diff(order.stage_start))
    return StagedTasks(piece, stage, np.diff(order.task_start), pieces)


def ranges(numbers: np.ndarray, piece: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Ascending numbers (m,) as ranges (k, 2) of consecutive numbers in one piece, of at most `size`; and their pieces.

    Args: piece: (m,) of each number.
    """
    if len(numbers) == 0:
        return np.zeros((0, 2), dtype=np.int64), np.zeros(0, dtype=np.int64)
    breaks = (np.diff(numbers) != 1) | (np.diff(piece) != 0)
    runs = np.append(0, np.flatnonzero(breaks) + 1)
    first = np.concatenate([
        np.arange(begin, stop, size) for begin, stop in zip(runs, np.append(runs[1:], len(numbers)), strict=True)
    ])
    last = np.append(first[1:], len(numbers)) - 1
    return np.stack([numbers[first], numbers[last] + 1], axis=1).astype(np.int64), piece[first].astype(np.int64)
