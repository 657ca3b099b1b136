"""Compares a parallel loop with plain Python: part of the check of a machine, see `compiler.precompile.self_check`."""

from __future__ import annotations

import math

import numpy as np

from ..kernels import parallel_kernel, prange, threads

ITERATIONS = 200
# A fused multiply-add, and a division replaced by a multiplication, change only the rounding [relative].
TOLERANCE = 1e-12


@parallel_kernel
def add_roots(values, iterations):
    """Add sqrt(i) / 3 to every value, repeatedly: each iteration starts a parallel loop; values (n,)."""
    for _iteration in range(iterations):
        for i in prange(values.shape[0]):
            values[i] += math.sqrt(i) / 3.0


def loops_agree() -> bool:
    """Whether the loop gives the same on one thread and on all as in plain Python."""
    expected = np.ones(101)
    add_roots.py_func(expected, ITERATIONS)
    for count in (1, 0):
        values = np.ones(101)
        with threads(count):
            add_roots(values, ITERATIONS)
        if not np.allclose(values, expected, rtol=TOLERANCE, atol=0.0):
            return False
    return True
