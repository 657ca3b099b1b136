"""The hinges of all spring graphs in one table, packed in solving order."""

from __future__ import annotations

import numpy as np

from ....mesh.graph.edges import pair_keys
from ....mesh.graph.hinges import surface_hinges
from ....mesh.graph.order.packing import pack
from ....mesh.graph.order.schedule import schedule
from ....solver.constraints.bending import hinge_angles
from ....solver.constraints.columns import HingeColumns
from ....spec import SpringGraphSpec
from .islands import packed_tasks
from .rows import Rows
from .springs import per_piece


class HingeTable:
    """Hinges that resist bending; a world without hinges calls no kernel.

    Attributes:
        hinges: (4, p) int32 rows, for each lane of each block; rest, kappa, lam: (p,), see `constraints.bending`.
        tasks: by island.
    """

    def __init__(self, hinges: np.ndarray, stiffness: np.ndarray, rows: Rows, x: np.ndarray, h: np.ndarray) -> None:
        """Args: hinges (s, 4) particles; stiffness (s,) [N m/rad]; rows; x (n, 3) at rest [m]; h: see below."""
        row_hinges = rows.row[hinges].astype(np.int32)
        self._order = pack(row_hinges, len(rows.at), schedule(row_hinges, len(rows.at)))
        there = self._order.spring >= 0
        spring = self._order.spring[there]
        number = rows.moved.dtype.type
        self.hinges = np.full((4, len(there)), rows.spare, dtype=np.int32)
        self.hinges[:, there] = row_hinges[spring].T
        self.rest, self._stiffness = np.zeros(len(there), dtype=number), np.zeros(len(there))
        self._base = np.zeros((9, len(there)), dtype=number)
        self.rest[there] = hinge_angles(x, hinges)[spring]
        self._spring, self._there = spring, there
        self._stiffness[there] = stiffness[spring]
        self._is_intact = np.ones(len(there), dtype=bool)
        self._piece = rows.piece[self.hinges[0]]
        self.tasks = packed_tasks(self._order, self._piece, len(rows.free))
        self._each = h.copy()
        self._update_kappa()
        self.lam = np.zeros_like(self.rest)
        self._ends = np.full((len(there), 2), -1, dtype=np.int64)
        self._ends[there] = hinges[spring, :2]

    def set_iterations(self, each: np.ndarray) -> None:
        """Set the length of the steps of hinges in each piece, (pieces,) [s]."""
        if np.array_equal(each, self._each):
            return
        self._each = each
        self._update_kappa()

    def _update_kappa(self) -> None:
        h = per_piece(self._each, self._piece)
        self.kappa = (self._stiffness * self._is_intact * (h * h)).astype(self.rest.dtype)

    def set_stiffness(self, stiffness: np.ndarray) -> None:
        """Change the stiffness of each hinge, (s,) [N m/rad], in the order they were given."""
        self._stiffness[self._there] = stiffness[self._spring]
        self._update_kappa()

    def find_links(self, pairs: np.ndarray) -> None:
        """Find among the links (s, 2) the one along each hinge's edge; the hinge breaks with it."""
        key = pair_keys(np.concatenate([pairs, np.maximum(self._ends, 0)]))[0]
        links, order = key[: len(pairs)], np.argsort(key[: len(pairs)])
        place = np.minimum(np.searchsorted(links, key[len(pairs) :], sorter=order), max(len(pairs) - 1, 0))
        found = order[place]
        self._link = np.where(links[found] == key[len(pairs) :], found, -1)

    def disable_broken(self, alive: np.ndarray) -> None:
        """Disable hinges whose link is not alive, (s,) bool."""
        self._is_intact = (self._link < 0) | alive[self._link]
        self._update_kappa()

    @property
    def columns(self) -> HingeColumns:
        """All hinges, for `solver.inner_steps.solve_islands`; `set_iterations` replaces `kappa`."""
        order = self._order
        return HingeColumns(
            self.hinges, self._base, self.rest, self.kappa, self.lam, order.task_start, *self.tasks.columns
        )


def bending_hinges(
    spec: SpringGraphSpec, vertices: np.ndarray, triangles: np.ndarray, edges: np.ndarray, vertex_weights: np.ndarray,
    start: int,
) -> tuple[np.ndarray, np.ndarray]:
    """Hinges that resist bending, or may do so if it is keyed: particles, (s, 4), and stiffness [N m/rad], (s,)."""
    is_keyed = "bending" in spec.keyed
    if (spec.bending == 0.0 and not is_keyed) or spec.graph != "SURFACE":
        return np.zeros((0, 4), dtype=np.int32), np.zeros(0)
    hinges, stiffness = surface_hinges(vertices, triangles, edges)
    each = vertex_weights[hinges].mean(axis=1)
    stiffness *= spec.bending * each
    acts = each > 0.0 if is_keyed else stiffness > 0.0
    return hinges[acts] + np.int32(start), stiffness[acts]
