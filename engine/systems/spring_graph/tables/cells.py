"""All cells and embedded vertices of a world's lattices, in one table each."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ....solver.constraints.solid.columns import CellColumns, RideColumns
from ....solver.constraints.solid.rides import begin_rides, measure_rides
from ..lattice import Cells, cell_edges
from .rows import Rows
from .springs import LONGEST_STEP, MOST_STEPS

# Number of cells that one thread solves at a time.
CELLS_IN_TASK = 64
# Largest distance in cells that sound travels in an inner step, beyond which a solid is too soft ...
CELLS_A_STEP = 0.3
# ... and so many where there are more cells than this to be solved in a substep.
MOST_CELLS_A_STEP, AFFORDABLE = 1.0, 16000
# Steps that small bodies take in any case: in fewer, vertices on the ground do not bear all of what their nodes press.
LEAST_STEPS = 4


class CellTable:
    """Cells and embedded vertices of all lattices; a world without lattices calls no kernel."""

    def __init__(self, bodies: Sequence[Cells], rows: Rows, h: float) -> None:
        """Args: bodies: with a lattice; rows: of all particles; h: the substep [s]."""
        self._rows, self._bodies, self._substep = rows, bodies, h
        order, task_start, stage_start = _order(bodies)
        corner = _joined([rows.row[body.lattice.corners + body.first] for body in bodies], (0, 8))
        odd = _joined([body.lattice.place.sum(axis=1) % 2 == 1 for body in bodies], 0).astype(bool)
        size = _joined([np.full(len(body.shear), body.lattice.size) for body in bodies], 0)
        self._shear, self._bulk = (
            _joined([getattr(body, name) for body in bodies], 0)[order] for name in ("shear", "bulk")
        )
        self._corner, self._odd = corner[order].astype(np.int32), odd[order]
        self._per_side, self._task_start, self._stage_start = 1.0 / size[order], task_start, stage_start
        self.rides = _rides(bodies, rows)
        # Offset of each vertex from its true place on the lattice, after contacts moved it back, (t, 3) [m].
        self.held = np.zeros_like(self.rides.base)
        self._riding = rows.ids[self.rides.vertex]
        self._was_clamped = np.zeros(len(self), dtype=bool)
        self.set_iterations(h)

    def __len__(self) -> int:
        """Number of embedded vertices."""
        return len(self.rides.vertex)

    def set_iterations(self, h: float) -> None:
        """Set the length of inner steps, h [s]."""
        self.columns = CellColumns(
            self._corner, self._odd, self._per_side, self._shear * h * h, self._bulk * h * h, self._task_start,
            self._stage_start,
        )

    def to_relax(self) -> tuple[CellColumns | None, RideColumns | None]:
        """What inner steps solve: cells and embedded vertices; None without lattices."""
        return (self.columns, self.rides) if self._bodies else (None, None)

    def weigh(self) -> None:
        """Read the inverse masses of the rows again, because vertices are held or released."""
        self.rides.gain[:] = _rides(self._bodies, self._rows).gain

    def note(self, was_clamped: np.ndarray) -> None:
        """Remember which vertices were moved back, of all particles (n,) bool, before the flags are cleared."""
        if len(self):
            self._was_clamped[:] = was_clamped[self._riding]

    def start(self, h: float) -> None:
        """Begin a substep of h [s], after rows have their initial positions."""
        if len(self):
            begin_rides(self._rows.at, self.rides, self._was_clamped, h, self.held)

    def begin(self, at: np.ndarray) -> None:
        """Measure vertices and nodes at rows (r, 4)."""
        if len(self):
            measure_rides(at, self.rides, self.held)

    def enough_steps(self) -> int:
        """Inner steps per substep that keep sound within the allowed distance, more for small bodies; else 1."""
        if len(self) == 0:
            return 1
        far = 0.0
        for body in self._bodies:
            fastest = float(np.sqrt((2.0 * body.shear + body.bulk) / body.inertia).max(initial=0.0))
            far = max(far, self._substep * fastest / body.lattice.size)
        affordable = AFFORDABLE // max(len(self._corner), 1)
        wanted = max(math.ceil(far / CELLS_A_STEP), LEAST_STEPS)
        steps = max(math.ceil(far / MOST_CELLS_A_STEP), min(wanted, affordable))
        needed = math.ceil(self._substep / LONGEST_STEP - 1e-9)
        return min(max(steps, needed), MOST_STEPS)


def piece_pairs(bodies: Sequence[Cells]) -> np.ndarray:
    """Pairs that connect a piece, (m, 2) particles: edges of cells, and each vertex with its nodes."""
    found = [np.zeros((0, 2), dtype=np.int64)]
    for body in bodies:
        found.append(cell_edges(body.lattice).astype(np.int64) + body.first)
        vertex = np.repeat(np.arange(len(body.ride.start) - 1), np.diff(body.ride.start))
        found.append(np.stack([body.start + vertex, body.first + body.ride.node], axis=1))
    return np.concatenate(found).astype(np.int32)


def _order(bodies: Sequence[Cells]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Order of all cells, tasks and stages: every second cell along each axis may be solved at the same time."""
    place = _joined([body.lattice.place for body in bodies], (0, 3)).astype(np.int64)
    part = _joined([body.lattice.part for body in bodies], 0).astype(np.int64)
    stage = 8 * part + place % 2 @ np.array([4, 2, 1])
    order = np.argsort(stage, kind="stable")
    _names, count = np.unique(stage, return_counts=True)
    task_start, stage_start = [0], [0]
    for own in count.tolist():
        first = task_start[-1]
        task_start += [first + min(k + CELLS_IN_TASK, own) for k in range(0, own, CELLS_IN_TASK)]
        stage_start.append(len(task_start) - 1)
    return order, np.array(task_start, dtype=np.int64), np.array(stage_start, dtype=np.int64)


def _rides(bodies: Sequence[Cells], rows: Rows) -> RideColumns:
    """Embedded vertices of all bodies, and the same lists by node."""
    counts = [np.diff(body.ride.start) for body in bodies]
    vertex = _joined([body.start + np.arange(len(count)) for body, count in zip(bodies, counts, strict=True)], 0)
    node = _joined([body.first + body.ride.node for body in bodies], 0)
    weight = _joined([body.ride.weight for body in bodies], 0)
    start = np.concatenate([[0], np.cumsum(_joined(counts, 0))]).astype(np.int64)
    vertex_row, node_row = rows.row[vertex.astype(np.int64)], rows.row[node.astype(np.int64)]
    tied = np.repeat(np.arange(len(vertex)), np.diff(start))
    order = np.argsort(node_row, kind="stable")
    moved_node, first = np.unique(node_row[order], return_index=True)
    inv_mass, size = rows.at[:, 3], np.abs(weight)
    load = np.bincount(node_row, size, len(inv_mass))
    coupled = np.bincount(tied, size * inv_mass[node_row] * load[node_row], len(vertex))
    light = inv_mass[vertex_row] + coupled
    # Vertices and nodes that animation leads are moved by no impulse.
    gain = np.divide(1.0, light, out=np.zeros_like(light), where=light > 0.0)
    return RideColumns(
        vertex_row.astype(np.int32), start, node_row.astype(np.int32), weight, gain,
        np.zeros((len(vertex), 3)), np.zeros((len(vertex), 3)), moved_node.astype(np.int32),
        np.append(first, len(order)).astype(np.int64), tied[order].astype(np.int32), weight[order],
    )


def _joined(columns: Sequence[np.ndarray], empty: int | tuple[int, int]) -> np.ndarray:
    """Columns of all bodies, concatenated; an array of the shape `empty` without any."""
    return np.concatenate(columns) if len(columns) else np.zeros(empty)
