"""All cells and embedded vertices of a world's lattices, in one table each."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ....compiler import aligned
from ....mesh.graph.order.packing import BLOCK
from ....mesh.lattice.cells import cell_edges
from ....solver.collide.broad_phase.pooled_lists import spread
from ....solver.constraints.solid.columns import CellColumns, EmbeddingColumns
from ....solver.constraints.solid.rides import begin_rides
from ..lattice import Cells
from .islands import StagedTasks, by_island, ranges
from .rows import Rows
from .springs import LONGEST_STEP, MOST_STEPS

# Number of embedded vertices, or of nodes that carry some, that one thread solves at a time.
RIDES_IN_BLOCK = 256
# Number of blocks of cells that one thread solves at a time.
BLOCKS_IN_TASK = 4
# Largest distance in cells that sound may travel in an inner step; beyond it a solid is too soft ...
CELLS_A_STEP = 0.3
# ... and the limit to which it may rise where a substep would otherwise solve more cells than AFFORDABLE.
MOST_CELLS_A_STEP, AFFORDABLE = 1.0, 32000
# Largest mu V h² w / side² of a cell, with w the mean inverse mass of its corners. The solve of a tetrahedron includes
# how its forces grow along their directions, but not how the directions rotate: that part is explicit. Free cubes of
# full cells burst at 2, those with single protruding cells at 1. Stiffer cells are solved with the modulus that gives
# this value.
MOST_STIFF = 0.5
# Fewest steps of small bodies: with fewer, vertices on the ground do not support the full load of their nodes.
LEAST_STEPS = 4


class CellTable:
    """Cells and embedded vertices of all lattices; a world without lattices calls no kernel."""

    def __init__(self, bodies: Sequence[Cells], rows: Rows, h: float) -> None:
        """Args: bodies: with a lattice; rows: of all particles; h: the substep [s]."""
        self._rows, self._bodies, self._substep = rows, bodies, h
        solid = [body for body in bodies if body.shear.any()]
        # The largest mu V h² of each cell [kg m²].
        weights = [rows.at[rows.row[body.lattice.corners + body.first], 3].mean(axis=1) for body in solid]
        most = [
            MOST_STIFF * body.lattice.size**2 / np.maximum(weight, 1e-300)
            for body, weight in zip(solid, weights, strict=True)
        ]
        self._cells, self._most, self.tasks = _cells(solid, _joined(most, 0), rows)
        self.rides, self._vertex_piece, self._node_piece = _rides(bodies, rows)
        self._cell_piece = rows.piece[self._cells.corner[:, 0, 0]]
        self.take_islands(np.arange(len(rows.free)), len(rows.free))
        self._riding = rows.ids[self.rides.vertex]
        self._was_clamped = np.zeros(len(self), dtype=bool)
        self.set_iterations(np.full(len(rows.free), h))

    def __len__(self) -> int:
        """Number of embedded vertices."""
        return len(self.rides.vertex)

    def take_islands(self, island: np.ndarray, count: int) -> None:
        """List cells and embedded vertices by island; island: (pieces,) of each piece; count: number of islands."""
        self.tasks.take_islands(island, count)
        vertices, nodes = (by_island(island[piece], count) for piece in (self._vertex_piece, self._node_piece))
        self.rides = self.rides._replace(
            of_vertices=vertices.start, vertex_block=vertices.item, of_nodes=nodes.start, node_block=nodes.item
        )

    def set_iterations(self, each: np.ndarray) -> None:
        """Set the length of inner steps of each piece, (pieces,) [s]."""
        cells, number = self._cells, self._cells.shear.dtype
        h = each[self._cell_piece][:, None]
        shear = cells.shear.astype(np.float64) * h * h
        fraction = np.minimum(1.0, self._most / np.maximum(shear, 1e-300))
        self._scaled = cells._replace(
            shear=(shear * fraction).astype(number), bulk=(cells.bulk * h * h * fraction).astype(number)
        )

    @property
    def columns(self) -> CellColumns:
        """All cells, as kernels take them."""
        task, stage_start, island, is_wide = self.tasks.columns
        return self._scaled._replace(task=task, stage_start=stage_start, island=island, is_wide=is_wide)

    def to_relax(self) -> tuple[CellColumns | None, EmbeddingColumns | None]:
        """Cells and embedded vertices, for the inner steps; None without lattices."""
        return (self.columns, self.rides) if self._bodies else (None, None)

    def update_gain(self) -> None:
        """Recompute the gains after the inverse masses of rows have changed, because vertices were held or released."""
        self.rides.gain[:] = _rides(self._bodies, self._rows)[0].gain

    def note(self, was_clamped: np.ndarray) -> None:
        """Record which embedded vertices were moved back, from (n,) bool, before the flags are cleared."""
        if len(self):
            self._was_clamped[:] = was_clamped[self._riding]

    def start(self, h: float) -> None:
        """Begin a substep of h [s], after rows have their initial positions."""
        if len(self):
            begin_rides(self._rows.at, self.rides, self._was_clamped, h)

    def enough_steps(self) -> np.ndarray:
        """Inner steps per substep of each piece, (pieces,) int64; 1 for pieces without embedded vertices.

        They limit the distance that sound travels in a step, and are more for small bodies.
        """
        steps = np.ones(len(self._rows.free), dtype=np.int64)
        needed = math.ceil(self._substep / LONGEST_STEP - 1e-9)
        for body in self._bodies:
            fastest = float(np.sqrt((2.0 * body.shear + body.bulk) / body.inertia).max(initial=0.0))
            far = self._substep * fastest / body.lattice.size
            wanted = max(math.ceil(far / CELLS_A_STEP), LEAST_STEPS)
            some = max(math.ceil(far / MOST_CELLS_A_STEP), min(wanted, AFFORDABLE // max(len(body.shear), 1)))
            own = self._rows.piece[self._rows.row[body.first : body.first + len(body.lattice.nodes)]]
            steps[own] = np.maximum(steps[own], min(max(some, needed), MOST_STEPS))
        return steps


def piece_pairs(bodies: Sequence[Cells]) -> np.ndarray:
    """Pairs that connect a piece, (m, 2) particles: edges of cells, and each vertex with its nodes."""
    found = [np.zeros((0, 2), dtype=np.int64)]
    for body in bodies:
        found.append(cell_edges(body.lattice).astype(np.int64) + body.first)
        vertex = np.repeat(np.arange(len(body.ride.start) - 1), np.diff(body.ride.start))
        found.append(np.stack([body.start + vertex, body.first + body.ride.node], axis=1))
    return np.concatenate(found).astype(np.int32)


def _cells(
    bodies: Sequence[Cells], most: np.ndarray, rows: Rows
) -> tuple[CellColumns, np.ndarray, StagedTasks]:
    """Solid cells with mu V and lambda V [J] for `shear` and `bulk`; `most`, (c,), packed; and their tasks."""
    place = _joined([body.lattice.place for body in bodies], (0, 3)).astype(np.int64)
    part = _joined([body.lattice.part for body in bodies], 0).astype(np.int64)
    corner = _joined([rows.row[body.lattice.corners + body.first] for body in bodies], (0, 8))
    per_side = _joined([np.full(len(body.shear), 1.0 / body.lattice.size) for body in bodies], 0)
    shear, bulk = (_joined([getattr(body, name) for body in bodies], 0) for name in ("shear", "bulk"))
    odd = place.sum(axis=1) % 2 == 1
    corner[odd] = corner[odd][:, np.arange(8) ^ 1]
    order, task_start, tasks = _order(
        rows.piece[corner[:, 0].astype(np.int64)], 8 * part + place % 2 @ np.array([4, 2, 1]), len(rows.free)
    )
    number, is_there = rows.moved.dtype, order >= 0

    def packed(values: np.ndarray, empty: float) -> np.ndarray:
        """Values of cells (c, ...) by block and lane; `empty` for null cells."""
        found = np.full((len(order), *values.shape[1:]), empty, dtype=values.dtype)
        found[is_there] = values[order[is_there]]
        return found.reshape(-1, BLOCK, *values.shape[1:])

    columns = CellColumns(
        aligned.copy(packed(corner, rows.spare).transpose(0, 2, 1).astype(np.int32)),
        aligned.zeros((len(order) // BLOCK if number == np.float32 else 0, 21, BLOCK), number),
        *(aligned.copy(packed(values, empty).astype(number)) for values, empty in (
            (np.where(odd, -per_side, per_side), 1.0), (per_side, 1.0), (shear, 0.0), (bulk, 0.0),
        )),
        task_start, *tasks.columns,
    )
    return columns, packed(most, 1.0), tasks


def _order(piece: np.ndarray, stage: np.ndarray, pieces: int) -> tuple[np.ndarray, np.ndarray, StagedTasks]:
    """Order of cells (p,) by piece and stage, -1 for null cells that complete blocks; and tasks of blocks.

    Args: piece, stage: (c,) int64; a stage has every second cell along each axis; they share no row; pieces: count.
    """
    order: list[np.ndarray] = [np.zeros(0, dtype=np.int64)]
    task_start, of_task = [0], []
    by_stage = np.lexsort((stage, piece))
    changes = (np.diff(piece[by_stage]) != 0) | (np.diff(stage[by_stage]) != 0)
    for own in np.split(by_stage, np.flatnonzero(changes) + 1) if len(stage) else ():
        order.append(np.append(own, np.full(-len(own) % BLOCK, -1)))
        blocks, first = len(order[-1]) // BLOCK, task_start[-1]
        task_start += [first + min(k + BLOCKS_IN_TASK, blocks) for k in range(0, blocks, BLOCKS_IN_TASK)]
        of_task += [(piece[own[0]], stage[own[0]])] * (len(task_start) - 1 - len(of_task))
    of_piece, of_stage = np.array(of_task, dtype=np.int64).reshape(-1, 2).T
    start = np.array(task_start, dtype=np.int64)
    return np.concatenate(order), start, StagedTasks(of_piece, of_stage, np.diff(start), pieces)


def _rides(bodies: Sequence[Cells], rows: Rows) -> tuple[EmbeddingColumns, np.ndarray, np.ndarray]:
    """Embedded vertices of all bodies by piece, and the same lists by node; the piece of each block of both."""
    counts = [np.diff(body.ride.start) for body in bodies]
    vertex = _joined([body.start + np.arange(len(count)) for body, count in zip(bodies, counts, strict=True)], 0)
    node = _joined([body.first + body.ride.node for body in bodies], 0)
    weight = _joined([body.ride.weight for body in bodies], 0)
    start = np.concatenate([[0], np.cumsum(_joined(counts, 0))]).astype(np.int64)
    vertex_row, node_row = rows.row[vertex.astype(np.int64)], rows.row[node.astype(np.int64)]
    # Sorted by piece; the nodes of a vertex stay together.
    by_piece = np.argsort(rows.piece[vertex_row], kind="stable")
    taken = spread(start[:-1][by_piece], np.diff(start)[by_piece])
    vertex_row, node_row, weight = vertex_row[by_piece], node_row[taken], weight[taken]
    start = np.append(0, np.cumsum(np.diff(start)[by_piece])).astype(np.int64)
    tied = np.repeat(np.arange(len(vertex)), np.diff(start))
    order = np.argsort(node_row, kind="stable")
    moved_node, first = np.unique(node_row[order], return_index=True)
    inv_mass, size = rows.at[:, 3], np.abs(weight)
    load = np.bincount(node_row, size, len(inv_mass))
    coupled = np.bincount(tied, size * inv_mass[node_row] * load[node_row], len(vertex))
    light = inv_mass[vertex_row] + coupled
    # No impulse moves animated vertices and nodes.
    gain = np.divide(1.0, light, out=np.zeros_like(light), where=light > 0.0)
    (vertex_range, vertex_piece), (node_range, node_piece) = (
        ranges(np.arange(len(row)), rows.piece[row], RIDES_IN_BLOCK) for row in (vertex_row, moved_node)
    )
    none = np.zeros(0, dtype=np.int64)
    found = EmbeddingColumns(
        vertex_row.astype(np.int32), start, node_row.astype(np.int32), weight, gain,
        *(np.zeros((len(vertex), 3)) for _ in range(3)), moved_node.astype(np.int32),
        np.append(first, len(order)).astype(np.int64), tied[order].astype(np.int32), weight[order],
        vertex_range, node_range, none, none, none, none,
    )
    return found, vertex_piece, node_piece


def _joined(columns: Sequence[np.ndarray], empty: int | tuple[int, int]) -> np.ndarray:
    """Columns of all bodies, concatenated; an array of the shape `empty` without any."""
    return np.concatenate(columns) if len(columns) else np.zeros(empty)
