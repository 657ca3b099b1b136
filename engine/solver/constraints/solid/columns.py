"""Arrays of solid cells and embedded vertices, as arguments of kernels."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class CellColumns(NamedTuple):
    """Cells of elastic solids in blocks of sixteen that share no row, in solving order, see `solid.cells`.

    The last blocks of a stage are filled up with null cells, of the spare row and without stiffness.

    Attributes:
        corner: (b, 8, 16) int32 rows, corner k at (k & 1, k >> 1 & 1, k >> 2 & 1); of mirrored cells along -x.
        base: (b, 21, 16) corners 1 to 7 relative to corner 0 when rows were last measured, x, y and z of each [m];
            empty in double precision, where it is not needed.
        per_x, per_side: (b, 16) 1 / side [1/m], per_x is negative in mirrored cells.
        shear, bulk: (b, 16) mu V h² and lambda V h² [kg m²].
        task_start: (tasks + 1,) int64, ranges of blocks; task, stage_start, island, is_wide: see
            `constraints.columns.SpringColumns`.
    """

    corner: np.ndarray
    base: np.ndarray
    per_x: np.ndarray
    per_side: np.ndarray
    shear: np.ndarray
    bulk: np.ndarray
    task_start: np.ndarray
    task: np.ndarray
    stage_start: np.ndarray
    island: np.ndarray
    is_wide: np.ndarray


class EmbeddingColumns(NamedTuple):
    """Vertices embedded in nodes, see `solid.rides`.

    Attributes:
        vertex: (t,) int32 row of each; start: (t + 1,) int64, ranges of its nodes.
        node, weight: (m,) int32 rows and their weights, of sum 1.
        gain: (t,) 1 / (w_v + D) [kg]; base: (t, 3) offset of a vertex from its place among the nodes, when rows were
            last measured [m]; held: (t, 3) the part of that offset that contacts allow, see `rides` [m].
        correction: (t, 3) impulse of the running pass times the inner step [kg m].
        moved_node: (q,) int32 row of each node that carries vertices; node_start: (q + 1,) int64, their ranges.
        carried, share: (m,) int32 indices of the vertices, and weights.
        vertex_range, node_range: (blocks, 2) int64 ranges of vertices and of moved nodes, each within a piece.
        of_vertices, vertex_block, of_nodes, node_block: the blocks of each island, see `islands.Listed`.
    """

    vertex: np.ndarray
    start: np.ndarray
    node: np.ndarray
    weight: np.ndarray
    gain: np.ndarray
    base: np.ndarray
    held: np.ndarray
    correction: np.ndarray
    moved_node: np.ndarray
    node_start: np.ndarray
    carried: np.ndarray
    share: np.ndarray
    vertex_range: np.ndarray
    node_range: np.ndarray
    of_vertices: np.ndarray
    vertex_block: np.ndarray
    of_nodes: np.ndarray
    node_block: np.ndarray
