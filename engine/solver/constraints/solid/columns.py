"""Arrays of solid cells and embedded vertices, as arguments of kernels."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class CellColumns(NamedTuple):
    """Cells of elastic solids, in solving order, see `solid.cells`.

    Attributes:
        corner: (c, 8) int32 rows, corner k at (k & 1, k >> 1 & 1, k >> 2 & 1); odd: (c,) bool, mirrored cells.
        per_side: (c,) 1 / side [1/m]; shear, bulk: (c,) mu V h² and lambda V h² [kg m²].
        task_start: (tasks + 1,) int64, ranges of cells; stage_start: (stages + 1,) int64, ranges of tasks that share
            no row.
    """

    corner: np.ndarray
    odd: np.ndarray
    per_side: np.ndarray
    shear: np.ndarray
    bulk: np.ndarray
    task_start: np.ndarray
    stage_start: np.ndarray


class RideColumns(NamedTuple):
    """Vertices embedded in nodes, see `solid.rides`.

    Attributes:
        vertex: (t,) int32 row of each; start: (t + 1,) int64, ranges of its nodes.
        node, weight: (m,) int32 rows and their weights, of sum 1.
        gain: (t,) 1 / (w_v + D) [kg]; base: (t, 3) offset of a vertex from its place among the nodes, when rows were
            last measured [m]; miss: (t, 3) impulse of the running pass times the inner step [kg m].
        moved_node: (q,) int32 row of each node that carries vertices; node_start: (q + 1,) int64, their ranges.
        carried, share: (m,) int32 indices of the vertices, and weights.
    """

    vertex: np.ndarray
    start: np.ndarray
    node: np.ndarray
    weight: np.ndarray
    gain: np.ndarray
    base: np.ndarray
    miss: np.ndarray
    moved_node: np.ndarray
    node_start: np.ndarray
    carried: np.ndarray
    share: np.ndarray
