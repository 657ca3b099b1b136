"""Copies of rows by number, in tasks of threads."""

from __future__ import annotations

from ..compiler.kernels import parallel_kernel, prange

TASK = 1024


@parallel_kernel
def fetch(ids, values, origin, out):
    """Copy rows `ids` (n,) of values (m, 3) to out (n, 3), minus `origin` (3,)."""
    for task in prange((ids.shape[0] + TASK - 1) // TASK):
        for k in range(TASK * task, min(TASK * (task + 1), ids.shape[0])):
            for axis in range(3):
                out[k, axis] = values[ids[k], axis] - origin[axis]


@parallel_kernel
def put(ids, values, origin, out):
    """Write values (n, 3), plus `origin` (3,), to the rows `ids` (n,) of `out`; ids are unique."""
    for task in prange((ids.shape[0] + TASK - 1) // TASK):
        for k in range(TASK * task, min(TASK * (task + 1), ids.shape[0])):
            for axis in range(3):
                out[ids[k], axis] = values[k, axis] + origin[axis]
