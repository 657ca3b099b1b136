"""Compares a vector kernel with plain Python: part of the check of a machine, see `compiler.precompile.self_check`."""

from __future__ import annotations

import numpy as np

from ...mesh.graph.order.runs import KINDS
from ..constraints import distance
from . import span
from .ir.lanes import LANES, ROWS

# Lengths are computed in single precision [relative].
TOLERANCE = 1e-5


def vectors_agree() -> bool:
    """Whether the lengths of 32 springs agree: 16 between consecutive rows, 16 between arbitrary rows."""
    rows = np.random.default_rng(1).uniform(-1.0, 1.0, size=(3 * LANES, 4))
    # A run is loaded as four registers of four rows, and their transpose orders the rows 0, 4, 8, 12, 1, 5, ...
    run = np.arange(LANES).reshape(ROWS, LANES // ROWS).T.reshape(-1)
    i = np.concatenate([run, 3 * np.arange(LANES)]).astype(np.int32)
    j = np.concatenate([run + LANES, 46 - 2 * np.arange(LANES)]).astype(np.int32)
    task_start = np.array([0, 2])
    run_stop = np.full((1, KINDS), 1)
    found, expected = (np.zeros(2 * LANES, dtype=np.float32) for _ in range(2))
    span.lengths(rows, i, j, found, task_start, run_stop)
    distance.lengths.py_func(rows, i, j, expected, task_start, run_stop)
    return np.allclose(found, expected, rtol=TOLERANCE, atol=TOLERANCE)
